import { type CodedText, type TextCode, plainText } from '../../../locales/text.ts'
import type { CodeDraft, QuestionDraft, TemplateDraft } from '../../providers/template-draft.ts'
import { fill, sampleOf, tidy, variablesOf } from '../../providers/template-text.ts'
import { TEMPLATE_LANGUAGES } from './languages.ts'

// The rules below make WhatsApp accept a draft and Doorcode able to use it. Pure and without imports of packages: the form
// in the browser runs the same rules on every key press.

/** docs/whatsapp-cloud-api.md#creating-templates; lengths in code points */
export const draftLimits = {
  name: 512,
  header: 60,
  body: 1_024,
  footer: 60,
  button: 25,
  minExpiryMinutes: 1,
  maxExpiryMinutes: 90,
  sample: 100,
  variableName: 40,
  bodyEmojis: 10,
} as const

/** The meaning of each button, by position (docs/cod.md#templates). */
export const BUTTON_MEANINGS = {
  confirmation: ['confirm', 'cancel', 'change_time'],
  refusal: ['refused', 'not_refused'],
} as const satisfies Record<QuestionDraft['use'], readonly string[]>

type FaultNameOf<Code> = Code extends `accounts.draft_${infer Name}` ? Name : never
export type DraftFaultName = FaultNameOf<TextCode>

/** `at`: a path such as `body`, `samples.order` or `buttons.0`. `max`: 0 when no limit was exceeded. */
export type DraftFault = { at: string; fault: DraftFaultName; max: number }

export function draftFaultText({ fault, max }: Pick<DraftFault, 'fault' | 'max'>): CodedText {
  if (fault === 'too_long' || fault === 'variable_too_long' || fault === 'filled_too_long')
    return { code: `accounts.draft_${fault}`, max }
  if (fault === 'too_many_emojis' || fault === 'button_count') return { code: `accounts.draft_${fault}`, max }
  if (fault === 'variable_form')
    return { code: `accounts.draft_${fault}`, numbered: '{{1}}', named: '{{order_number}}' }
  if (fault === 'gap') return { code: 'accounts.draft_gap', numbered: '{{1}}' }
  if (fault !== 'expiry') return plainText(`accounts.draft_${fault}`)
  return { code: 'accounts.draft_expiry', min: draftLimits.minExpiryMinutes, max: draftLimits.maxExpiryMinutes }
}

/** In the order in which they are shown. A number is the limit that was exceeded. */
type BrokenRules = Partial<Record<DraftFaultName, boolean | number>>

const faultsAt = (at: string, broken: BrokenRules): DraftFault[] =>
  Object.entries(broken)
    .filter(([, value]) => value !== false)
    .map(([fault, value]) => ({ at, fault: fault as DraftFaultName, max: Number(value === true ? 0 : value) }))

const over = (count: number, max: number): number | false => count > max && max

export const findDraftFaults = (draft: TemplateDraft): DraftFault[] => [
  ...faultsAt('name', nameRules(draft.name)),
  ...faultsAt('language', languageRules(draft.language)),
  ...(draft.use === 'otp' ? codeFaults(draft) : questionFaults(draft)),
]

const nameRules = (name: string): BrokenRules =>
  name === ''
    ? { missing: true }
    : { name_form: !/^[a-z0-9_]*$/.test(name), too_long: over(lengthOf(name), draftLimits.name) }

const languageRules = (language: string): BrokenRules =>
  language === '' ? { missing: true } : { language: !TEMPLATE_LANGUAGES.includes(language) }

function codeFaults({ expiryMinutes, copyLabel }: CodeDraft): DraftFault[] {
  const { minExpiryMinutes: min, maxExpiryMinutes: max } = draftLimits
  const isExpiryValid =
    expiryMinutes === null || (Number.isInteger(expiryMinutes) && expiryMinutes >= min && expiryMinutes <= max)
  return [
    ...faultsAt('expiryMinutes', { expiry: !isExpiryValid }),
    ...(tidy(copyLabel) === '' ? [] : faultsAt('copyLabel', labelRules(copyLabel))),
  ]
}

function questionFaults(draft: QuestionDraft): DraftFault[] {
  const [header, body, footer] = [tidy(draft.header), tidy(draft.body), tidy(draft.footer)]
  return [
    ...(header === '' ? [] : headerFaults(header, body, tidy(draft.headerSample))),
    ...faultsAt('body', bodyRules(body, draft.samples)),
    ...sampleFaults(draft),
    ...(footer === ''
      ? []
      : faultsAt('footer', { ...plainRules(footer, draftLimits.footer), ...bracelessRules(footer) })),
    ...buttonFaults(draft),
  ]
}

function headerFaults(header: string, body: string, sample: string): DraftFault[] {
  const { form, names } = variablesOf(header)
  const inBody = variablesOf(body)
  const filled = lengthOf(fill(header, () => sample))
  return [
    ...faultsAt('header', {
      ...plainRules(header, draftLimits.header),
      ...variableRules(header),
      one_variable: names.length > 1 || countOf(VARIABLE, header) > 1,
      ...(names.length > 0 && inBody.names.length > 0 && form !== inBody.form && { mixed_variables: true }),
      same_variable: form === 'named' && names.some((name) => inBody.names.includes(name)),
    }),
    ...faultsAt('headerSample', { filled_too_long: names.length > 0 && over(filled, draftLimits.header) }),
  ]
}

function bodyRules(body: string, samples: QuestionDraft['samples']): BrokenRules {
  if (body === '') return { missing: true }
  const tooLong = over(lengthOf(body), draftLimits.body)
  const filled = lengthOf(fill(body, (name) => tidy(sampleOf(samples, name))))
  return {
    too_long: tooLong,
    blank_lines: body.includes('\n\n\n'),
    ...characterRules(body),
    too_many_emojis: over(countOf(EMOJI, body), draftLimits.bodyEmojis),
    ...variableRules(body),
    adjacent: /\}\}\s*\{\{/.test(body),
    few_words: !hasEnoughWords(body),
    filled_too_long: tooLong === false && over(filled, draftLimits.body),
  }
}

/** WhatsApp requires a sample for each variable and reviews it with the text. */
function sampleFaults({ header, headerSample, body, samples }: QuestionDraft): DraftFault[] {
  const inHeader = variablesOf(tidy(header)).names.slice(0, 1)
  return [
    ...inHeader.flatMap(() => faultsAt('headerSample', sampleRules(headerSample))),
    ...variablesOf(tidy(body)).names.flatMap((name) =>
      faultsAt(`samples.${name}`, sampleRules(sampleOf(samples, name))),
    ),
  ]
}

function buttonFaults({ use, buttons }: QuestionDraft): DraftFault[] {
  const count = BUTTON_MEANINGS[use].length
  if (buttons.length !== count) return faultsAt('buttons', { button_count: count })
  const labels = buttons.map((label) => tidy(label).toLowerCase())
  return buttons.flatMap((label, index) => {
    const isRepeated = labels[index] !== '' && labels.indexOf(labels[index] ?? '') < index
    return faultsAt(`buttons.${index}`, { ...labelRules(label), same_button: isRepeated })
  })
}

function labelRules(label: string): BrokenRules {
  const text = tidy(label)
  return text === '' ? { missing: true } : { ...plainRules(text, draftLimits.button), ...bracelessRules(text) }
}

function sampleRules(sample: string): BrokenRules {
  const text = tidy(sample)
  return text === '' ? { missing: true } : { ...lineRules(text, draftLimits.sample), ...bracelessRules(text) }
}

/** Headers, footers and labels: one line without emoji or formatting. Variable names may contain _. */
const plainRules = (text: string, max: number): BrokenRules => ({
  ...lineRules(text, max),
  emoji: countOf(EMOJI, text) > 0,
  formatting: /[*_~`]/.test(withoutVariables(text)),
})

const lineRules = (text: string, max: number): BrokenRules => ({
  too_long: over(lengthOf(text), max),
  new_line: text.includes('\n'),
  ...characterRules(text),
})

const characterRules = (text: string): BrokenRules => ({
  control: /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u.test(text.replaceAll('\n', ' ')),
  spaces: /\p{Zs}{5}/u.test(text.replaceAll('\n', ' ')),
})

const bracelessRules = (text: string): BrokenRules => ({ no_variables: /[{}]/.test(text) })

/** Variable names may not contain digits: it is unknown whether WhatsApp accepts them. */
function variableRules(text: string): BrokenRules {
  if (/[{}]/.test(withoutVariables(text))) return { variable_form: true }
  const { form, names } = variablesOf(text)
  if (form === 'named' && names.some((name) => /^\d/.test(name))) return { mixed_variables: true }
  return {
    gap: form === 'positional' && names.some((name, index) => name !== String(index + 1)),
    variable_too_long: names.some((name) => name.length > draftLimits.variableName) && draftLimits.variableName,
    edge: /^\{\{|\}\}$/.test(text),
  }
}

export const lengthOf = (text: string): number => Array.from(text).length

const VARIABLE = /\{\{(?:[1-9]\d{0,2}|[a-z][a-z_]*)\}\}/g
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/gu
/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

const withoutVariables = (text: string): string => text.replaceAll(VARIABLE, ' ')
const countOf = (pattern: RegExp, text: string): number => Array.from(text.matchAll(pattern)).length

/** WhatsApp publishes no figure (error 2388293). Two words per variable and one more are known to pass. */
function hasEnoughWords(text: string): boolean {
  const variables = variablesOf(text).names.length
  if (variables === 0) return true
  const words = withoutVariables(text)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length >= variables && words.length + countOf(UNSPACED, text) >= 2 * variables + 1
}
