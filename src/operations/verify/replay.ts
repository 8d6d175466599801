import type { CodedText } from '../../../locales/text.ts'
import type { NewEvent } from '../../events/record.ts'
import type { EventRow, ReportRow } from '../../explain/rows.ts'
import { type Difference, type Differences, compare, shown, take } from './differences.ts'

/** What changed a message or a conversation. `inputNumber`: its place among the inputs of the unit. A report also has its id, outcome and note. */
export type Input = Pick<ReportRow, 'inputNumber' | 'clockOffsetMs'> &
  Partial<Pick<ReportRow, 'id' | 'outcome' | 'note'>>

/** `ignored`: why the input changed nothing that clients see, or null. */
type ResultOf<State> = { after: State; ignored: CodedText | null; events: readonly NewEvent[] }

type Facts = { id: string; inputs: number; events: readonly EventRow[] }

/** Applies the inputs in the order in which they were processed, and compares the result of each with what is stored. */
export function* replay<State, Each extends Input, Result extends ResultOf<State>>(
  { before, ...facts }: Facts & { before: State },
  inputs: readonly Each[],
  /** Returns undefined if the input changes nothing. */
  apply: (before: State, input: Each) => Result | undefined,
): Differences<{ after: State; results: Result[] }> {
  yield* checkNumbers(inputs, facts)
  const results: Result[] = []
  let after = before
  for (const input of inputs.toSorted((one, other) => Number(one.inputNumber) - Number(other.inputNumber))) {
    const result = input.inputNumber === null ? undefined : apply(after, input)
    if (!result) continue
    yield* checkResult(input, result.ignored)
    results.push(result)
    after = result.after
  }
  const events = results.flatMap((result) => result.events)
  yield* compareEvents(facts, events)
  return { after, results }
}

/** Each input has its own number, at most the number of inputs. */
function* checkNumbers(inputs: readonly Input[], { id: unitId, inputs: count }: Facts): Differences {
  for (const [index, { inputNumber, id = unitId }] of inputs.entries()) {
    const first = inputs.findIndex((input) => input.inputNumber === inputNumber)
    if (inputNumber === null || inputNumber > count || first < index)
      yield { id, code: 'verify.input_number', stored: shown(inputNumber), inputs: count }
  }
}

function checkResult({ id, outcome, note }: Input, ignored: CodedText | null): Difference[] {
  if (id === undefined) return []
  const result = ignored ? 'ignored' : 'applied'
  const [storedNote, derivedNote] = [note?.code, ignored?.code]
  const [stored, derived] = storedNote === derivedNote ? [outcome, result] : [storedNote, derivedNote]
  return compare({ id, code: 'verify.report_result', stored, derived })
}

/** Compares the stored events of a message, a verification or a conversation with the derived ones. */
export function* compareEvents(facts: Omit<Facts, 'inputs'>, derived: readonly NewEvent[]): Differences {
  const left = facts.events.toSorted((one, other) => +one.occurredAt - +other.occurredAt)
  for (const event of derived) {
    const { type, inputNumber = null } = event
    const stored = take(left, (each) => each.type === type && each.inputNumber === inputNumber)
    if (stored) yield* compareEvent(stored, event)
    else yield { id: facts.id, code: 'verify.event_missing', type }
  }
  for (const { id, type } of left) yield { id, code: 'verify.event_without_cause', type }
}

function compareEvent({ id, occurredAt, body }: EventRow, { type, data }: NewEvent): Difference[] {
  const { occurredAt: timestamp } = data
  const wrongTime = compare({ id, code: 'verify.event_time', stored: occurredAt, derived: timestamp })
  // Retention removes bodies.
  if (wrongTime.length > 0 || body === '') return wrongTime
  const { data: storedData, ...envelope } = readBody(body)
  const member = firstWrong(envelope, { type, timestamp }) ?? firstWrong(storedData, data, mayDifferIn(type))
  return member === undefined ? [] : [{ id, code: 'verify.event_body', type, member }]
}

type Members = Readonly<Record<string, unknown>>
/** By member: whether a stored value is acceptable although it differs from the derived one. */
type MayDiffer = Readonly<Record<string, (stored: unknown, derived: unknown) => boolean>>

const mayDifferIn = (type: string): MayDiffer => ({
  // The words of a failure may change from one release to the next.
  message: (stored) => typeof stored === 'string',
  // When a refusal check was requested is not stored: an event of the confirmation may be older.
  refusalCheck: (stored) => stored === null && !type.startsWith('cod.refusal_'),
  // When a message and the template of a check were submitted is not stored.
  status: (...pair) => UNTIL_SUBMITTED.some((both) => pair.every((status) => both.includes(status))),
})

const UNTIL_SUBMITTED: readonly (readonly unknown[])[] = [
  ['queued', 'sending'],
  ['accepted', 'awaiting_answer'],
]

/** The first member that differs or is missing on one side. */
const firstWrong = (stored: Members, derived: Members, mayDiffer: MayDiffer = {}): string | undefined =>
  Object.keys({ ...derived, ...stored }).find((name) => {
    const [one, other] = [stored[name], derived[name]]
    const isRight = isSame(one, other, mayDiffer) || mayDiffer[name]?.(one, other) === true
    return !(name in stored && name in derived && isRight)
  })

export const isSame = (stored: unknown, derived: unknown, mayDiffer?: MayDiffer): boolean =>
  isMembers(stored) && isMembers(derived) ? firstWrong(stored, derived, mayDiffer) === undefined : stored === derived

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** Never throws: a body that is not what Doorcode writes has no members. */
function readBody(text: string): Members & { data: Members } {
  try {
    const body: unknown = JSON.parse(text)
    if (isMembers(body) && isMembers(body['data'])) return { ...body, data: body['data'] }
  } catch {
    // it is not JSON
  }
  return { data: {} }
}
