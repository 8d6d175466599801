import type { ProviderTemplate, TemplateComponent } from '../providers/provider.ts'
import { type Sentence, sentences } from '../sentences.ts'
import { parametersOf } from './parameters.ts'

type Template = Pick<ProviderTemplate, 'status' | 'category' | 'components'>

export type CodCheck = 'confirmation' | 'refusal'

/** So many quick replies has each template. */
const BUTTONS = { confirmation: 3, refusal: 2 } as const satisfies Record<CodCheck, number>

/** Why a template cannot ask what this check asks (spec §4.4, §4.6, contract §8), and what to do. Undefined when it can. */
export function codUnusableReason(template: Template, check: CodCheck): Sentence | undefined {
  return (
    statusReason(template.status) ??
    categoryReason(template.category) ??
    kindReason(template) ??
    headerReason(template) ??
    bodyReason(template) ??
    buttonReason(template, check)
  )
}

function statusReason(status: string): Sentence | undefined {
  if (status === 'APPROVED') return undefined
  return says.status({ status, approved: 'APPROVED' })
}

function categoryReason(category: string): Sentence | undefined {
  if (category === 'UTILITY') return undefined
  return says.category({ category, needed: 'UTILITY', remedy })
}

/** Carousels, offers with an end and the like have components of their own. */
const STANDARD = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']

function kindReason({ components }: Template): Sentence | undefined {
  const strange = components.find(({ type }) => !STANDARD.includes(type))
  if (strange) return says.strange({ type: strange.type, remedy })
  const repeated = components.find(({ type }, index) => components.findIndex((each) => each.type === type) < index)
  return repeated && says.repeated({ type: repeated.type, remedy })
}

function headerReason({ components }: Template): Sentence | undefined {
  const header = find(components, 'HEADER')
  if (!header) return undefined
  if ((header.format ?? 'TEXT') !== 'TEXT') return says.headerFormat({ format: String(header.format), remedy })
  const { length: count } = parametersOf(header.text ?? '').names
  return count > 1 ? says.headerParameters({ count, remedy }) : undefined
}

function bodyReason({ components }: Template): Sentence | undefined {
  const text = find(components, 'BODY')?.text ?? ''
  if (text.trim() === '') return says.noBody({ remedy })
  const { names, form } = parametersOf(text)
  const gap = Array.from(names, (_, index) => String(index + 1)).find((number) => !names.includes(number))
  if (form === 'positional' && gap !== undefined)
    return says.gap({ count: names.length, missing: `{{${gap}}}`, remedy })
  return undefined
}

function buttonReason({ components }: Template, check: CodCheck): Sentence | undefined {
  const buttons = find(components, 'BUTTONS')?.buttons ?? []
  const expected = meanings[check]
  const index = buttons.findIndex(({ type }) => type.toUpperCase() !== 'QUICK_REPLY')
  const other = buttons[index]
  if (other) return says.button({ place: index + 1, type: other.type, expected, remedy })
  const { length: count } = buttons
  if (count === BUTTONS[check]) return undefined
  if (count === 0) return says.noReplies({ expected, remedy })
  return count === 1 ? says.oneReply({ expected, remedy }) : says.replies({ count, expected, remedy })
}

/** What the quick replies of each template mean, by position (spec §4.4, §4.6). */
const meanings = sentences({
  confirmation: {
    en: 'the confirmation template has exactly 3 quick replies, in this order: confirm, cancel, change time',
    ar: 'لقالب التأكيد ثلاثة أزرار رد سريع بالضبط بهذا الترتيب: تأكيد، إلغاء، تغيير الموعد',
  },
  refusal: {
    en: 'the refusal template has exactly 2 quick replies, in this order: yes (I refused), no (I did not)',
    ar: 'لقالب سؤال الرفض زرّا رد سريع بالضبط بهذا الترتيب: نعم (رفضته)، لا (لم أرفضه)',
  },
})

const { remedy } = sentences({
  remedy: {
    en: 'Create another utility template in WhatsApp Manager and use that.',
    ar: 'أنشئ قالبًا آخر للسؤال عن الطلبات واستخدمه.',
  },
})

const says = sentences({
  status: {
    en: 'The template has the status {status}, and only {approved} ones can be sent. Wait until WhatsApp has approved it, or use another template.',
    ar: 'حالة القالب {status}، ولا يُرسل إلا ما حالته {approved}. انتظر حتى يوافق واتساب عليه، أو استخدم قالبًا آخر.',
  },
  category: {
    en: 'The template has the category {category}, and orders are asked about by {needed} alone. {remedy}',
    ar: 'فئة القالب {category}، ولا يُسأل عن الطلبات إلا بالفئة {needed}. {remedy}',
  },
  strange: {
    en: 'The template has a component of the type {type}, which a standard one has not. {remedy}',
    ar: 'في القالب جزء من نوع {type} لا يكون في القوالب العادية. {remedy}',
  },
  repeated: {
    en: 'The template has more than one component of the type {type}. {remedy}',
    ar: 'في القالب أكثر من جزء من نوع {type}. {remedy}',
  },
  headerFormat: {
    en: 'The template has a header of the format {format}, and only text headers are supported. {remedy}',
    ar: 'عنوان القالب من نوع {format}، ولا تُدعم إلا العناوين النصية. {remedy}',
  },
  headerParameters: {
    en: "The template's header has {count} parameters, and at most one can be filled. {remedy}",
    ar: 'عدد متغيرات عنوان القالب {count}، ولا يمكن ملء أكثر من واحد. {remedy}',
  },
  noBody: { en: 'The template has no body. {remedy}', ar: 'ليس للقالب نص. {remedy}' },
  gap: {
    en: "The template's body has {count} numbered parameters, but no {missing}. {remedy}",
    ar: 'عدد المتغيرات المرقّمة في نص القالب {count}، لكن ينقصه {missing}. {remedy}',
  },
  button: {
    en: 'Button {place} of the template is of the type {type}, but {expected}. {remedy}',
    ar: 'الزر رقم {place} من نوع {type}، لكن {expected}. {remedy}',
  },
  noReplies: {
    en: 'The template has no quick reply, but {expected}. {remedy}',
    ar: 'ليس في القالب زر رد سريع، لكن {expected}. {remedy}',
  },
  oneReply: {
    en: 'The template has 1 quick reply, but {expected}. {remedy}',
    ar: 'في القالب زر رد سريع واحد، لكن {expected}. {remedy}',
  },
  replies: {
    en: 'The template has {count} quick replies, but {expected}. {remedy}',
    ar: 'عدد أزرار الرد السريع في القالب {count}، لكن {expected}. {remedy}',
  },
})

const find = (components: readonly TemplateComponent[], wanted: string): TemplateComponent | undefined =>
  components.find(({ type }) => type === wanted)
