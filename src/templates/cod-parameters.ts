import type { ParameterValue, ProviderTemplate } from '../providers/provider.ts'
import { type Sentence, sentences } from '../sentences.ts'
import { parametersOf, type TextParameters } from './parameters.ts'

type Template = Pick<ProviderTemplate, 'components'>

/** As a request gives them (spec §2.7). */
export type GivenParameters = { header?: string | undefined; body?: readonly string[] | NamedValues | undefined }
type NamedValues = Readonly<Record<string, string>>

/** Ready to send, in the order in which the provider wants them. */
export type FilledParameters = { header: ParameterValue | null; body: ParameterValue[] }

/** Code points (spec §8). */
export const PARAMETER_LENGTH_MOST = 1_024

/**
 * Compares the parameters of a request with a usable template, and names every fault at once; no fault quotes a value.
 * The length of the filled text is left to the provider: a value that the specification allows must not be refused here.
 */
export function checkParameters(
  template: Template,
  given: GivenParameters = {},
): { filled: FilledParameters } | { faults: Sentence[] } {
  const wanted = wantedBy(template)
  const header = checkHeader(wanted.header, given.header)
  const body = checkBody(wanted.body, given.body)
  const faults = [...header.faults, ...body.faults]
  return faults.length > 0 ? { faults } : { filled: { header: header.values[0] ?? null, body: body.values } }
}

/** Templates stay in memory while many requests name them, and their texts do not change. */
const known = new WeakMap<Template['components'], Record<'header' | 'body', TextParameters>>()

function wantedBy(template: Template): Record<'header' | 'body', TextParameters> {
  let wanted = known.get(template.components)
  if (!wanted) {
    wanted = { header: parametersOf(textOf(template, 'HEADER')), body: parametersOf(textOf(template, 'BODY')) }
    known.set(template.components, wanted)
  }
  return wanted
}

const textOf = ({ components }: Template, type: 'HEADER' | 'BODY'): string =>
  components.find((component) => component.type === type)?.text ?? ''

type Checked = { values: ParameterValue[]; faults: Sentence[] }

function checkHeader({ names, form }: TextParameters, text: string | undefined): Checked {
  const [name] = names
  if (name === undefined) return text === undefined ? NOTHING : faulty(says.noHeader)
  if (text === undefined) return faulty(says.headerMissing({ parameter: `{{${name}}}` }))
  return checkValues([{ at: 'parameters.header', name: form === 'named' ? name : null, text }])
}

function checkBody({ names, form }: TextParameters, given: GivenParameters['body']): Checked {
  if (names.length === 0) return checkEmptyBody(given)
  return form === 'named' ? checkNamed(names, given) : checkPositional(names, given)
}

function checkEmptyBody(given: GivenParameters['body']): Checked {
  if (given === undefined || Object.keys(given).length === 0) return NOTHING
  return faulty(says.noBody)
}

function checkPositional(names: readonly string[], given: GivenParameters['body']): Checked {
  // Nearly every request; the texts below are for those at fault.
  if (given && isList(given) && given.length === names.length && given.every(isSendable))
    return { values: given.map((text) => ({ name: null, text })), faults: [] }
  const wanted = names.length === 1 ? wants.one : wants.several({ count: names.length })
  if (given === undefined) return faulty(says.bodyMissing({ wanted }))
  if (!isList(given)) return faulty(says.noList({ wanted }))
  const { values, faults } = checkValues(
    given.map((text, index) => ({ at: `parameters.body[${index}]`, name: null, text })),
  )
  const count = given.length === 1 ? says.oneValue({ wanted }) : says.values({ count: given.length, wanted })
  return { values, faults: given.length === names.length ? faults : [count, ...faults] }
}

function checkNamed(names: readonly string[], given: GivenParameters['body']): Checked {
  const wanted = wants.names({ names: names.join(', ') })
  if (given === undefined) return faulty(says.bodyMissing({ wanted }))
  if (isList(given)) return faulty(says.noObject({ wanted }))
  const missing = names.filter((name) => !Object.hasOwn(given, name)).map((name) => says.lacks({ name }))
  const tooMany = Object.keys(given).filter((name) => !names.includes(name)).length
  const unknown = tooMany === 0 ? [] : [says.otherNames({ wanted })]
  const { values, faults } = checkValues(
    names
      .filter((name) => Object.hasOwn(given, name))
      .map((name) => ({ at: `parameters.body.${name}`, name, text: given[name] ?? '' })),
  )
  return { values, faults: [...missing, ...unknown, ...faults] }
}

const checkValues = (places: readonly (ParameterValue & { at: string })[]): Checked => ({
  values: places.map(({ name, text }) => ({ name, text })),
  faults: places.flatMap(valueFaults),
})

/** At once what `valueFaults` finds no fault with, unless it is long only in code units. */
const isSendable = (text: string): boolean =>
  text.length <= PARAMETER_LENGTH_MOST && !UNSENDABLE.test(text) && text.trim() !== ''

const UNSENDABLE = /[\t\n\v\f\r\u0085\u2028\u2029]| {5}/

/** The last one is WhatsApp's own rule (error 132018): told at once, it costs no unit and no lost message. */
function valueFaults({ at, text }: { at: string; text: string }): Sentence[] {
  if (text.trim() === '') return [says.blank({ at })]
  return [
    ...(Array.from(text).length > PARAMETER_LENGTH_MOST ? [says.tooLong({ at, most: PARAMETER_LENGTH_MOST })] : []),
    ...(UNSENDABLE.test(text) ? [says.unsendable({ at })] : []),
  ]
}

/** What the template needs. */
const wants = sentences({
  one: { en: 'the body has one numbered parameter', ar: 'في نص القالب متغير مرقّم واحد' },
  several: { en: 'the body has {count} numbered parameters', ar: 'عدد المتغيرات المرقّمة في نص القالب {count}' },
  names: { en: 'the body has the parameters {names}', ar: 'متغيرات نص القالب هي {names}' },
})

const says = sentences({
  noHeader: {
    en: 'parameters.header must be left out: the header has no parameter',
    ar: 'يجب ترك قيمة العنوان: ليس في العنوان متغير',
  },
  headerMissing: {
    en: 'parameters.header is required: the header has the parameter {parameter}',
    ar: 'قيمة العنوان مطلوبة: في العنوان المتغير {parameter}',
  },
  noBody: {
    en: 'parameters.body must be empty or left out: the body has no parameters',
    ar: 'يجب ترك قيم النص: ليس في النص متغيرات',
  },
  bodyMissing: { en: 'parameters.body is required: {wanted}', ar: 'قيم النص مطلوبة: {wanted}' },
  noList: {
    en: 'parameters.body must be an array of strings: {wanted}',
    ar: 'يجب أن تكون قيم النص قائمة نصوص: {wanted}',
  },
  noObject: {
    en: 'parameters.body must be an object with a string for each name: {wanted}',
    ar: 'يجب أن تكون لكل اسم قيمة من النص: {wanted}',
  },
  oneValue: { en: 'parameters.body has one value, but {wanted}', ar: 'أُعطيت للنص قيمة واحدة، لكن {wanted}' },
  values: { en: 'parameters.body has {count} values, but {wanted}', ar: 'عدد قيم النص {count}، لكن {wanted}' },
  lacks: { en: 'parameters.body lacks {name}', ar: 'تنقص قيم النص قيمة {name}' },
  otherNames: {
    en: 'parameters.body has names that the template has not: {wanted}',
    ar: 'في قيم النص أسماء ليست في القالب: {wanted}',
  },
  blank: { en: '{at} must not be blank', ar: 'القيمة {at} يجب ألا تكون فارغة' },
  tooLong: { en: '{at} must have at most {most} characters', ar: 'القيمة {at} يجب ألا تزيد على {most} حرفًا' },
  unsendable: {
    en: '{at} must not hold line breaks, tabs or more than four spaces in a row, which WhatsApp refuses',
    ar: 'القيمة {at} يجب ألا تحتوي على أسطر جديدة أو علامات جدولة أو أكثر من أربع مسافات متتالية، فواتساب يرفضها',
  },
})

const NOTHING: Checked = { values: [], faults: [] }
const faulty = (fault: Sentence): Checked => ({ values: [], faults: [fault] })

/** `Array.isArray` does not know of read-only arrays. */
const isList = (given: readonly string[] | NamedValues): given is readonly string[] => Array.isArray(given)
