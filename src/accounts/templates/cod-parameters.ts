import type { ParameterValue, ProviderTemplate } from '../../providers/provider.ts'
import type { CodedText } from '../../../locales/text.ts'
import { type TextVariables, findComponent, variablesOf } from '../../providers/template-text.ts'

type Template = Pick<ProviderTemplate, 'components'>

export type RequestParameters = { header?: string | undefined; body?: readonly string[] | NamedValues | undefined }
type NamedValues = Readonly<Record<string, string>>

/** In the order in which the provider expects them. */
export type FilledParameters = { header: ParameterValue | null; body: ParameterValue[] }

/** Code points. */
export const MAX_PARAMETER_LENGTH = 1_024

/**
 * Checks the parameters of a request against a usable template and returns every fault, quoting no value. The length of the
 * filled text is left to the provider: the API allows each of its values.
 */
export function checkParameters(
  template: Template,
  parameters: RequestParameters = {},
): { filled: FilledParameters } | { faults: CodedText[] } {
  const variablesIn = (type: string) => variablesOf(findComponent(template.components, type)?.text ?? '')
  const header = checkHeader(variablesIn('HEADER'), parameters.header)
  const body = checkBody(variablesIn('BODY'), parameters.body)
  const faults = [...header.faults, ...body.faults]
  return faults.length > 0 ? { faults } : { filled: { header: header.values[0] ?? null, body: body.values } }
}

type CheckResult = { values: ParameterValue[]; faults: CodedText[] }

function checkHeader({ names: [name], form }: TextVariables, text: string | undefined): CheckResult {
  if (name === undefined) return text === undefined ? NOTHING : faulty({ code: 'accounts.no_header' })
  if (text === undefined) return faulty({ code: 'accounts.header_missing', parameter: `{{${name}}}` })
  return checkValues([{ at: 'parameters.header', name: form === 'named' ? name : null, text }])
}

function checkBody({ names, form }: TextVariables, values: RequestParameters['body']): CheckResult {
  if (names.length === 0) {
    const isEmpty = values === undefined || Object.keys(values).length === 0
    return isEmpty ? NOTHING : faulty({ code: 'accounts.cod_parameters_no_body' })
  }
  return form === 'named' ? checkNamed(names, values) : checkPositional(names.length, values)
}

function checkPositional(count: number, values: RequestParameters['body']): CheckResult {
  // The fast path of nearly every request.
  if (values && isList(values) && values.length === count && values.every(isSendable))
    return { values: values.map((text) => ({ name: null, text })), faults: [] }
  const expected: CodedText =
    count === 1 ? { code: 'accounts.expected_one' } : { code: 'accounts.expected_several', count }
  if (values === undefined) return faulty({ code: 'accounts.body_missing', expected })
  if (!isList(values)) return faulty({ code: 'accounts.no_list', expected })
  const checked = checkValues(values.map((text, index) => ({ at: `parameters.body[${index}]`, name: null, text })))
  if (values.length === count) return checked
  const fault: CodedText =
    values.length === 1
      ? { code: 'accounts.one_value', expected }
      : { code: 'accounts.values', count: values.length, expected }
  return { ...checked, faults: [fault, ...checked.faults] }
}

function checkNamed(names: readonly string[], values: RequestParameters['body']): CheckResult {
  const expected: CodedText = { code: 'accounts.expected_names', names: names.join(', ') }
  if (values === undefined) return faulty({ code: 'accounts.body_missing', expected })
  if (isList(values)) return faulty({ code: 'accounts.no_object', expected })
  const present = names.filter((name) => Object.hasOwn(values, name))
  const missing = names.filter((name) => !present.includes(name))
  const faults: CodedText[] = missing.map((name) => ({ code: 'accounts.lacks', name }))
  if (Object.keys(values).some((name) => !names.includes(name))) faults.push({ code: 'accounts.other_names', expected })
  const checked = checkValues(
    present.map((name) => ({ at: `parameters.body.${name}`, name, text: values[name] ?? '' })),
  )
  return { values: checked.values, faults: [...faults, ...checked.faults] }
}

const checkValues = (values: readonly (ParameterValue & { at: string })[]): CheckResult => ({
  values: values.map(({ name, text }) => ({ name, text })),
  faults: values.flatMap(valueFaults),
})

/** A quick check: false for some values without a fault, whose length in code units is over the limit. */
const isSendable = (text: string): boolean =>
  text.length <= MAX_PARAMETER_LENGTH && !UNSENDABLE.test(text) && text.trim() !== ''

const UNSENDABLE = /[\t\n\v\f\r\u0085\u2028\u2029]| {5}/

/** The last rule is WhatsApp's (error 132018): checked here, it costs neither a quota unit nor a lost message. */
function valueFaults({ at, text }: { at: string; text: string }): CodedText[] {
  if (text.trim() === '') return [{ code: 'accounts.blank', at }]
  const faults: CodedText[] = []
  if (Array.from(text).length > MAX_PARAMETER_LENGTH)
    faults.push({ code: 'accounts.cod_parameters_too_long', at, max: MAX_PARAMETER_LENGTH })
  if (UNSENDABLE.test(text)) faults.push({ code: 'accounts.unsendable', at })
  return faults
}

const NOTHING: CheckResult = { values: [], faults: [] }
const faulty = (fault: CodedText): CheckResult => ({ values: [], faults: [fault] })

/** `Array.isArray` does not narrow to read-only arrays. */
const isList = (values: readonly string[] | NamedValues): values is readonly string[] => Array.isArray(values)
