import type { ProviderTemplate } from '../providers/provider.ts'
import { type Sentence, sentences } from '../sentences.ts'
import { isOtpButton } from './otp-button.ts'
import { parametersOf } from './parameters.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

/** Why a template cannot carry a one-time code (spec §4.2, contract §8), and what to do. Undefined when it can. */
export function otpUnusableReason(template: Template): Sentence | undefined {
  return (
    statusReason(template.status) ??
    categoryReason(template.category) ??
    headerReason(template) ??
    bodyReason(template) ??
    buttonReason(template)
  )
}

function statusReason(status: string): Sentence | undefined {
  if (status === 'APPROVED') return undefined
  const remedy = Object.entries(remedies).find(([name]) => name === status)?.[1] ?? remedies.other
  return says.status({ status, approved: 'APPROVED', remedy })
}

function categoryReason(category: string): Sentence | undefined {
  if (category === 'AUTHENTICATION') return undefined
  return says.category({ category, needed: 'AUTHENTICATION', remedy: remedies.create })
}

function headerReason({ components }: Template): Sentence | undefined {
  const header = components.find(({ type }) => type === 'HEADER')
  if (!header) return undefined
  if ((header.format ?? 'TEXT') !== 'TEXT')
    return says.headerFormat({ format: String(header.format), remedy: remedies.create })
  if (parametersOf(header.text ?? '').names.length > 0) return says.headerParameter({ remedy: remedies.create })
  return undefined
}

function bodyReason({ components }: Template): Sentence | undefined {
  const bodies = components.filter(({ type }) => type === 'BODY')
  const remedy = remedies.create
  if (bodies.length !== 1) return bodies.length === 0 ? says.noBody({ remedy }) : says.moreBodies({ remedy })
  const { names, form } = parametersOf(bodies[0]?.text ?? '')
  if (names.length === 0) return says.noParameter({ remedy })
  if (names.length > 1) return says.moreParameters({ count: names.length, remedy })
  if (form === 'positional' && names[0] !== '1')
    return says.otherParameter({ parameter: `{{${names[0]}}}`, needed: '{{1}}', remedy })
  return undefined
}

function buttonReason({ components }: Template): Sentence | undefined {
  const buttons = components.filter(({ type }) => type === 'BUTTONS').flatMap((component) => component.buttons ?? [])
  const index = buttons.findIndex((button) => !isOtpButton(button))
  const button = buttons[index]
  if (!button) return undefined
  return says.button({ place: index + 1, type: button.type, remedy: remedies.create })
}

/** By the template's status, and for what else is wrong with it. */
const remedies = sentences({
  PENDING: { en: 'Wait until WhatsApp has reviewed it.', ar: 'انتظر حتى ينتهي واتساب من مراجعته.' },
  IN_APPEAL: { en: 'Wait until WhatsApp has decided on the appeal.', ar: 'انتظر حتى يبتّ واتساب في الاعتراض.' },
  PAUSED: {
    en: 'Wait until WhatsApp ends the pause, or use another template.',
    ar: 'انتظر حتى ينهي واتساب الإيقاف، أو استخدم قالبًا آخر.',
  },
  REJECTED: {
    en: 'Edit it in WhatsApp Manager, or use another template.',
    ar: 'عدّله في مدير واتساب، أو استخدم قالبًا آخر.',
  },
  other: { en: 'Use another template.', ar: 'استخدم قالبًا آخر.' },
  create: {
    en: 'Create an authentication template in WhatsApp Manager and use that.',
    ar: 'أنشئ قالبًا آخر لرموز التحقق واستخدمه.',
  },
})

const says = sentences({
  status: {
    en: 'The template has the status {status}, and only {approved} ones can be sent. {remedy}',
    ar: 'حالة القالب {status}، ولا يُرسل إلا ما حالته {approved}. {remedy}',
  },
  category: {
    en: 'The template has the category {category}, and one-time codes go by {needed} alone. {remedy}',
    ar: 'فئة القالب {category}، ولا تُرسل رموز التحقق إلا بالفئة {needed}. {remedy}',
  },
  headerFormat: {
    en: 'The template has a header of the format {format}, and a code fills no header. {remedy}',
    ar: 'عنوان القالب من نوع {format}، والرمز لا يملأ عنوانًا. {remedy}',
  },
  headerParameter: {
    en: "The template's header has a parameter, and a code fills no header. {remedy}",
    ar: 'في عنوان القالب متغير، والرمز لا يملأ عنوانًا. {remedy}',
  },
  noBody: { en: 'The template has no body. {remedy}', ar: 'ليس للقالب نص. {remedy}' },
  moreBodies: { en: 'The template has more than one body. {remedy}', ar: 'للقالب أكثر من نص. {remedy}' },
  noParameter: {
    en: "The template's body has no parameter instead of exactly one, the code. {remedy}",
    ar: 'ليس في نص القالب متغير، ولا بد من متغير واحد بالضبط هو الرمز. {remedy}',
  },
  moreParameters: {
    en: "The template's body has {count} parameters instead of exactly one, the code. {remedy}",
    ar: 'عدد متغيرات نص القالب {count} بدل متغير واحد بالضبط هو الرمز. {remedy}',
  },
  otherParameter: {
    en: "The template's body has the parameter {parameter} instead of {needed}. {remedy}",
    ar: 'متغير نص القالب هو {parameter} بدل {needed}. {remedy}',
  },
  button: {
    en: 'Button {place} of the template is of the type {type} and no one-time-code button (copy code, one-tap or zero-tap). {remedy}',
    ar: 'الزر رقم {place} من نوع {type} وليس زر رمز تحقق (نسخ الرمز أو ملؤه تلقائيًا). {remedy}',
  },
})
