import { inEnglish } from '../../locales/resources.ts'
import { MAX_NAME_CHARACTERS, displayName } from '../admin/inputs.ts'
import { chosenEventTypes } from '../events/event-types.ts'
import { isUuid } from '../lib/ids.ts'
import { normalizePhone } from '../lib/phone/phone.ts'
import { explainInvalidPhone } from '../lib/phone/invalid-phone.ts'
import { MAX_MONTHLY_UNITS } from '../workspaces/quota.ts'
import { type Input, InputError } from './command.ts'

type InputMaker<Value> = (description: string) => Input<Value>

/** A required input. Its error says what it must be and quotes the text, which must not be a secret. */
const input =
  <Value>(placeholder: string, expected: string, parse: (text: string) => Value | undefined): InputMaker<Value> =>
  (description) =>
    required(placeholder, description, (text) => {
      const value = parse(text)
      if (value === undefined) throw new InputError(`must be ${expected}, not "${text}"`)
      return value
    })

export const required = <Value>(
  placeholder: string,
  description: string,
  read: (text: string) => Value | Promise<Value>,
): Input<Value> => ({ kind: 'required', placeholder, description, read })

export const optional = <Value>(input: Input<Value>): Input<Value | undefined> => ({ ...input, kind: 'optional' })

export const argument = <Value>(input: Input<Value>): Input<Value> => ({ ...input, kind: 'argument' })

export const flag = (description: string): Input<boolean> => ({
  kind: 'flag',
  placeholder: '',
  description,
  read: () => true,
})

export const name = (description: string): Input<string> =>
  required('name', description, (text) => {
    const { data } = displayName.safeParse(text)
    if (data !== undefined) return data
    throw new InputError(
      `must be 1 to ${MAX_NAME_CHARACTERS} characters on one line, without characters that change the direction of text`,
    )
  })

/** Marks of direction, which are invisible: Arabic pages put them around ids. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export const uuid = input('id', 'a UUID', (text) => {
  const id = text.replaceAll(MARKS, '')
  return isUuid(id) ? id.toLowerCase() : undefined
})

export const workspace = uuid('The id of the workspace.')

export const units = input('units', `a whole number from 0 to ${MAX_MONTHLY_UNITS}`, (text) =>
  /^\d+$/.test(text) && Number(text) <= MAX_MONTHLY_UNITS ? Number(text) : undefined,
)

/** The zone is required: without it the time would depend on the machine. */
export const instant = input('time', 'a time with a time zone, such as 2026-12-01T09:00:00Z', (text) => {
  try {
    return /^\d{4}-/.test(text) ? new Date(Temporal.Instant.from(text).epochMilliseconds) : undefined
  } catch {
    return undefined
  }
})

export const oneOf = <Value extends string>(placeholder: string, values: readonly Value[]): InputMaker<Value> =>
  input(placeholder, `one of ${values.join(', ')}`, (text) => values.find((value) => value === text))

export const phone = (description: string): Input<string> =>
  required('number', description, (text) => {
    const phone = normalizePhone(text)
    if (phone === undefined) throw new InputError(inEnglish(explainInvalidPhone(text)))
    return phone
  })

export const email = input('email', 'an email address', (text) =>
  /^[^\s@]+@[^\s@]+$/.test(text) ? text.toLowerCase() : undefined,
)

/** Null: all types. */
export const chosenTypes = input('types', '"all", or types of events separated by commas', (text) => {
  if (text === 'all') return null
  const names = text.split(',').map((each) => each.trim())
  const types = chosenEventTypes.filter((type) => names.includes(type))
  return names.every((each) => types.some((type) => type === each)) ? types : undefined
})

/** The error never quotes the value, which may be a secret. */
export const nonEmpty = (placeholder: string, description: string): Input<string> =>
  required(placeholder, description, (text) => {
    if (text.trim() === '') throw new InputError('must not be empty')
    return text.trim()
  })

/** Better given as a file or in the variable: other users of the machine can read arguments in the list of processes. */
export const secret = (variable: string, input: Input<string>): Input<string> => ({
  ...input,
  kind: 'secret',
  variable,
})

/** The file name that means standard output. */
export const STANDARD_OUTPUT = '-'

export const url = (description: string): Input<string> =>
  required('url', description, (text) => {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
      throw new InputError('must be a complete URL, such as https://example.com/path')
    return text
  })
