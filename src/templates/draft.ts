import { type Sentence, keptSentences } from '../sentences.ts'
import { TEMPLATE_LANGUAGES } from './languages.ts'
import { parametersOf } from './parameters.ts'

/**
 * A template as a person writes it, and every rule that it must keep so that WhatsApp takes it and we can use it. Pure,
 * without imports from outside: the form on the page asks the same questions with each key that is pressed.
 */
export type TemplateDraft = CodeDraft | QuestionDraft

export type TemplateUse = 'otp' | 'confirmation' | 'refusal'

export type CodeDraft = {
  use: 'otp'
  name: string
  language: string
  securityAdvice: boolean
  /** Null: the text says nothing of it. */
  expiryMinutes: number | null
  /** Empty: WhatsApp's own words. */
  copyLabel: string
}

export type QuestionDraft = {
  use: 'confirmation' | 'refusal'
  name: string
  language: string
  /** Empty: none. */
  header: string
  headerSample: string
  body: string
  /** By the name or number of the variable. */
  samples: Readonly<Record<string, string>>
  /** Empty: none. */
  footer: string
  buttons: readonly string[]
}

/** whatsapp-cloud-api.md §5.3 and §5.4; lengths in code points */
export const draftLimits = {
  name: 512,
  header: 60,
  body: 1_024,
  footer: 60,
  button: 25,
  expiryMinutesLeast: 1,
  expiryMinutesMost: 90,
  sample: 100,
  variableName: 40,
  bodyEmojis: 10,
} as const

/** What the buttons of a question mean, by position (spec §4.4, §4.6). */
export const BUTTON_MEANINGS = {
  confirmation: ['confirm', 'cancel', 'changeTime'],
  refusal: ['refused', 'notRefused'],
} as const satisfies Record<QuestionDraft['use'], readonly string[]>

const says = keptSentences({
  missing: { en: 'must not be empty', ar: 'يجب ألا يكون فارغًا' },
  tooLong: { en: 'must have at most {most} characters', ar: 'الحد الأقصى لعدد الأحرف {most}' },
  nameForm: {
    en: 'may have small letters a to z, digits and _ alone',
    ar: 'تُقبل الحروف اللاتينية الصغيرة والأرقام والشرطة السفلية فقط',
  },
  language: { en: 'is not a language that templates can have', ar: 'ليست لغة يمكن أن تكون للقوالب' },
  expiry: {
    en: 'must be a whole number from {expiryLeast} to {expiryMost}, or left out',
    ar: 'يجب أن يكون عددًا صحيحًا من {expiryLeast} إلى {expiryMost} أو أن يُترك فارغًا',
  },
  newLine: { en: 'must be a single line', ar: 'يجب أن يكون سطرًا واحدًا' },
  blankLines: {
    en: 'may have one empty line in a row, not more',
    ar: 'لا يُقبل أكثر من سطر فارغ واحد متتابع',
  },
  control: {
    en: 'has a character that cannot be shown, such as a tab',
    ar: 'فيه محرف لا يمكن عرضه، مثل علامة الجدولة',
  },
  spaces: { en: 'may have at most four spaces in a row', ar: 'لا تُقبل أكثر من أربع مسافات متتابعة' },
  emoji: { en: 'may not have emoji here', ar: 'لا تُقبل الرموز التعبيرية هنا' },
  tooManyEmojis: { en: 'may have at most {most} emoji', ar: 'الحد الأقصى للرموز التعبيرية {most}' },
  formatting: { en: 'may not have *, _, ~ or ` here', ar: 'لا تُقبل هنا علامات التنسيق * و _ و ~ و `' },
  variableForm: {
    en: 'has a brace that belongs to no variable: write {numbered} or {named}, in small letters',
    ar: 'فيه قوس لا يخص متغيرًا: اكتب {numbered} أو {named} بحروف لاتينية صغيرة',
  },
  noVariables: { en: 'may have no variable here', ar: 'لا تُقبل المتغيرات هنا' },
  oneVariable: { en: 'may have one variable, once', ar: 'يُقبل متغير واحد، مرة واحدة' },
  mixedVariables: {
    en: 'must have either numbered or named variables, in header and body alike',
    ar: 'يجب أن تكون المتغيرات كلها مرقّمة أو كلها مسمّاة، في العنوان والنص معًا',
  },
  gap: {
    en: 'must have its numbered variables from {numbered} on without a gap',
    ar: 'يجب أن تتابع أرقام المتغيرات من {numbered} دون انقطاع',
  },
  sameVariable: {
    en: 'needs another name for its variable than the body has',
    ar: 'يحتاج متغيره إلى اسم غير الذي في النص',
  },
  variableTooLong: {
    en: 'may have names of variables of at most {most} characters',
    ar: 'الحد الأقصى لعدد أحرف اسم المتغير {most}',
  },
  edge: {
    en: 'may neither begin nor end with a variable: put at least a word or a full stop around it',
    ar: 'لا يجوز أن يبدأ أو ينتهي بمتغير: ضع حوله كلمة أو نقطة على الأقل',
  },
  adjacent: { en: 'must have text between two variables', ar: 'يجب أن يفصل نص بين كل متغيرين' },
  fewWords: {
    en: 'has too few words for its variables: WhatsApp wants about two words for each',
    ar: 'كلماته قليلة مقارنة بمتغيراته: يريد واتساب نحو كلمتين لكل متغير',
  },
  filledTooLong: {
    en: 'is longer than {most} characters once the sample values are in it',
    ar: 'يتجاوز {most} من الأحرف بعد وضع الأمثلة فيه',
  },
  buttonCount: { en: 'must have exactly {most} buttons', ar: 'يجب أن يكون عدد الأزرار {most} بالضبط' },
  sameButton: { en: 'must differ from the other buttons', ar: 'يجب أن يختلف عن الأزرار الأخرى' },
})

export type DraftFaultName = keyof typeof says

/** What is wrong, as the form says it and the server as well. */
export function draftFaultSentence({ fault, most }: Pick<DraftFault, 'fault' | 'most'>): Sentence {
  const said = says[fault]
  if (typeof said !== 'function') return said
  const { expiryMinutesLeast: expiryLeast, expiryMinutesMost: expiryMost } = draftLimits
  return said({ most, expiryLeast, expiryMost, numbered: '{{1}}', named: '{{order_number}}' })
}

/** `at` is a path such as `body`, `samples.order`, `buttons.0`. */
export type DraftFault = { at: string; fault: DraftFaultName; most: number }

export function faultsOfDraft(draft: TemplateDraft): DraftFault[] {
  const common = [...nameFaults(draft.name), ...languageFaults(draft.language)]
  return [...common, ...(draft.use === 'otp' ? codeFaults(draft) : questionFaults(draft))]
}

/** The text as it is submitted. */
export const tidy = (text: string): string => text.replaceAll(/\r\n?/g, '\n').trim()

export const lengthOf = (text: string): number => Array.from(text).length

/** The variables of a text; positional ones by number, whatever their order in it. */
export function variablesOf(text: string): { form: 'positional' | 'named'; names: string[] } {
  const { form, names } = parametersOf(text)
  return { form, names: form === 'named' ? names : names.toSorted((a, b) => Number(a) - Number(b)) }
}

/** A text with its variables replaced; one without a value stays as it is. */
export const fill = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (variable, name: string) => valueOf(name) ?? variable)

const faultAt =
  (at: string) =>
  (fault: DraftFaultName, most = 0): DraftFault => ({ at, fault, most })

function nameFaults(name: string): DraftFault[] {
  const fault = faultAt('name')
  if (name === '') return [fault('missing')]
  return [
    ...(/^[a-z0-9_]*$/.test(name) ? [] : [fault('nameForm')]),
    ...(lengthOf(name) > draftLimits.name ? [fault('tooLong', draftLimits.name)] : []),
  ]
}

function languageFaults(language: string): DraftFault[] {
  const fault = faultAt('language')
  if (language === '') return [fault('missing')]
  return TEMPLATE_LANGUAGES.includes(language) ? [] : [fault('language')]
}

function codeFaults({ expiryMinutes, copyLabel }: CodeDraft): DraftFault[] {
  const { expiryMinutesLeast: least, expiryMinutesMost: most } = draftLimits
  const expiryIsFine =
    expiryMinutes === null || (Number.isInteger(expiryMinutes) && expiryMinutes >= least && expiryMinutes <= most)
  return [
    ...(expiryIsFine ? [] : [faultAt('expiryMinutes')('expiry')]),
    ...(tidy(copyLabel) === '' ? [] : labelFaults('copyLabel', copyLabel)),
  ]
}

function questionFaults(draft: QuestionDraft): DraftFault[] {
  return [
    ...headerFaults(draft),
    ...bodyFaults(draft),
    ...sampleFaults(draft),
    ...footerFaults(tidy(draft.footer)),
    ...buttonFaults(draft),
  ]
}

function headerFaults({ header, headerSample, body }: QuestionDraft): DraftFault[] {
  const text = tidy(header)
  if (text === '') return []
  const fault = faultAt('header')
  const variables = variablesOf(text)
  const ofBody = variablesOf(tidy(body))
  const mixed = variables.names.length > 0 && ofBody.names.length > 0 && variables.form !== ofBody.form
  const filled = lengthOf(fill(text, () => tidy(headerSample)))
  return [
    ...lengthFaults('header', text, draftLimits.header),
    ...plainFaults('header', text),
    ...variableFaults('header', text),
    ...(variables.names.length > 1 || countVariables(text) > 1 ? [fault('oneVariable')] : []),
    ...(mixed ? [fault('mixedVariables')] : []),
    ...(variables.form === 'named' && variables.names.some((name) => ofBody.names.includes(name))
      ? [fault('sameVariable')]
      : []),
    ...(filled > draftLimits.header && variables.names.length > 0
      ? [faultAt('headerSample')('filledTooLong', draftLimits.header)]
      : []),
  ]
}

function bodyFaults({ body, samples }: QuestionDraft): DraftFault[] {
  const text = tidy(body)
  const fault = faultAt('body')
  if (text === '') return [fault('missing')]
  const { names } = variablesOf(text)
  const tooLong = lengthOf(text) > draftLimits.body
  const filled = lengthOf(fill(text, (name) => tidy(sampleOf(samples, name))))
  return [
    ...lengthFaults('body', text, draftLimits.body),
    ...(text.includes('\n\n\n') ? [fault('blankLines')] : []),
    ...characterFaults('body', text.replaceAll('\n', ' ')),
    ...(countEmojis(text) > draftLimits.bodyEmojis ? [fault('tooManyEmojis', draftLimits.bodyEmojis)] : []),
    ...variableFaults('body', text),
    ...(/\}\}\s*\{\{/.test(text) ? [fault('adjacent')] : []),
    ...(hasWordsFor(text, names.length) ? [] : [fault('fewWords')]),
    ...(!tooLong && filled > draftLimits.body ? [fault('filledTooLong', draftLimits.body)] : []),
  ]
}

const footerFaults = (footer: string): DraftFault[] =>
  footer === ''
    ? []
    : [
        ...lengthFaults('footer', footer, draftLimits.footer),
        ...plainFaults('footer', footer),
        ...bracelessFaults('footer', footer),
      ]

function buttonFaults({ use, buttons }: QuestionDraft): DraftFault[] {
  const count = BUTTON_MEANINGS[use].length
  if (buttons.length !== count) return [faultAt('buttons')('buttonCount', count)]
  const labels = buttons.map((label) => tidy(label).toLowerCase())
  return buttons.flatMap((label, place) => [
    ...labelFaults(`buttons.${place}`, label),
    ...(labels[place] !== '' && labels.indexOf(labels[place] ?? '') < place
      ? [faultAt(`buttons.${place}`)('sameButton')]
      : []),
  ])
}

function labelFaults(at: string, label: string): DraftFault[] {
  const text = tidy(label)
  if (text === '') return [faultAt(at)('missing')]
  return [...lengthFaults(at, text, draftLimits.button), ...plainFaults(at, text), ...bracelessFaults(at, text)]
}

/** Samples are demanded for each variable, and reviewed with the text. */
function sampleFaults({ header, headerSample, body, samples }: QuestionDraft): DraftFault[] {
  const ofHeader = variablesOf(tidy(header)).names.slice(0, 1)
  return [
    ...ofHeader.flatMap(() => oneSampleFaults('headerSample', headerSample)),
    ...variablesOf(tidy(body)).names.flatMap((name) => oneSampleFaults(`samples.${name}`, sampleOf(samples, name))),
  ]
}

export const sampleOf = (samples: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(samples, name) ? (samples[name] ?? '') : ''

function oneSampleFaults(at: string, sample: string): DraftFault[] {
  const text = tidy(sample)
  if (text === '') return [faultAt(at)('missing')]
  return [
    ...lengthFaults(at, text, draftLimits.sample),
    ...(text.includes('\n') ? [faultAt(at)('newLine')] : []),
    ...characterFaults(at, text.replaceAll('\n', ' ')),
    ...bracelessFaults(at, text),
  ]
}

const lengthFaults = (at: string, text: string, most: number): DraftFault[] =>
  lengthOf(text) > most ? [faultAt(at)('tooLong', most)] : []

/** Headers, footers and labels: one line without emoji or formatting. The names of variables may have a _. */
function plainFaults(at: string, text: string): DraftFault[] {
  const fault = faultAt(at)
  return [
    ...(text.includes('\n') ? [fault('newLine')] : []),
    ...characterFaults(at, text.replaceAll('\n', ' ')),
    ...(countEmojis(text) > 0 ? [fault('emoji')] : []),
    ...(/[*_~`]/.test(withoutVariables(text)) ? [fault('formatting')] : []),
  ]
}

function characterFaults(at: string, text: string): DraftFault[] {
  return [
    ...(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u.test(text) ? [faultAt(at)('control')] : []),
    ...(/\p{Zs}{5}/u.test(text) ? [faultAt(at)('spaces')] : []),
  ]
}

const bracelessFaults = (at: string, text: string): DraftFault[] =>
  /[{}]/.test(text) ? [faultAt(at)('noVariables')] : []

const VARIABLE = /\{\{(?:[1-9]\d{0,2}|[a-z][a-z_]*)\}\}/g

const withoutVariables = (text: string): string => text.replaceAll(VARIABLE, ' ')
const countVariables = (text: string): number => Array.from(text.matchAll(VARIABLE)).length

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/gu
const countEmojis = (text: string): number => Array.from(text.matchAll(EMOJI)).length

/** Digits in names are left out: whether WhatsApp takes them is not known (§5.3). */
function variableFaults(at: 'header' | 'body', text: string): DraftFault[] {
  const fault = faultAt(at)
  if (/[{}]/.test(withoutVariables(text))) return [fault('variableForm')]
  const { form, names } = variablesOf(text)
  const numbered = names.filter((name) => /^\d/.test(name))
  if (form === 'named' && numbered.length > 0) return [fault('mixedVariables')]
  const hasGap = form === 'positional' && names.some((name, place) => name !== String(place + 1))
  const tooLong = names.some((name) => name.length > draftLimits.variableName)
  return [
    ...(hasGap ? [fault('gap')] : []),
    ...(tooLong ? [fault('variableTooLong', draftLimits.variableName)] : []),
    ...(/^\{\{|\}\}$/.test(text) ? [fault('edge')] : []),
  ]
}

/** Scripts that put no spaces between words: each sign counts as one. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

/** WhatsApp publishes no figure (error 2388293); twice as many words and one more than variables is what is known to pass. */
function hasWordsFor(text: string, variables: number): boolean {
  if (variables === 0) return true
  const words = withoutVariables(text)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  const signs = Array.from(text.matchAll(UNSPACED)).length
  return words.length >= variables && words.length + signs >= 2 * variables + 1
}
