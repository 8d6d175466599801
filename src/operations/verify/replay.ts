import type { CodedText } from '../../../locales/text.ts'
import type { NewEvent } from '../../events/record.ts'
import type { EventRow, ReportRow } from '../../explain/rows.ts'
import { type Difference, compared, difference, differencesOf, shown, take } from './differences.ts'

/** What changed a message or a conversation. */
export type Input<State> = {
  /** Its number among the inputs of the unit. */
  number: number | null
  /** Null: no report brought it. */
  report: ReportRow | null
  /** Undefined: it changes nothing. */
  apply: (before: State) => Applied<State> | undefined
}

type Applied<State> = {
  after: State
  /** Why the input changed nothing that clients see, or null. */
  ignored: CodedText | null
  events: readonly NewEvent[]
  /** What else differs from what the input led to. */
  found?: readonly Difference[]
}

type Replay<State> = { id: string; before: State; inputs: readonly Input<State>[]; events: readonly EventRow[] }

/** Applies the inputs in the order in which they were processed, and compares what each one leads to. `count`: how many there were. */
export function replay<State>({ id, before, inputs, events }: Replay<State>, count: number) {
  const found = checkNumbers(inputs, count, id)
  const left = events.toSorted((one, other) => +one.occurredAt - +other.occurredAt)
  let state = before
  for (const { report, apply } of inOrder(inputs)) {
    const applied = apply(state)
    if (!applied) continue
    state = applied.after
    if (report) found.push(...checkResult(report, applied.ignored))
    found.push(...applied.events.flatMap((event) => checkEvent(left, event, id)), ...(applied.found ?? []))
  }
  return { after: state, found: [...found, ...left.map(withoutCause)] }
}

const inOrder = <State>(inputs: readonly Input<State>[]): Input<State>[] =>
  inputs.filter(({ number }) => number !== null).toSorted((one, other) => Number(one.number) - Number(other.number))

/** Each input has its own number, at most the number of inputs. */
const checkNumbers = <State>(inputs: readonly Input<State>[], count: number, unitId: string): Difference[] =>
  inputs.flatMap(({ number, report }, index) => {
    const first = inputs.findIndex((input) => input.number === number)
    const isWrong = number === null || number > count || first < index
    const text = { code: 'verify.input_number', stored: shown(number), inputs: count } as const
    return differencesOf(report?.id ?? unitId, [[isWrong, text]])
  })

function checkResult({ id, outcome, note }: ReportRow, ignored: CodedText | null): Difference[] {
  const result = ignored ? 'ignored' : 'applied'
  const [from, to] = [note?.code ?? null, ignored?.code ?? null]
  const [stored, derived] = from === to ? [outcome, result] : [from, to]
  return compared(id, { code: 'verify.report_result' }, { stored, derived })
}

/** Takes the stored event from those that are left. */
export function checkEvent(left: EventRow[], { type, inputNumber, data }: NewEvent, unitId: string): Difference[] {
  const stored = take(left, (each) => each.type === type && each.inputNumber === (inputNumber ?? null))
  if (!stored) return [difference(unitId, { code: 'verify.event_missing', type })]
  const { id, occurredAt, body } = stored
  const found = compared(id, { code: 'verify.event_time' }, { stored: occurredAt, derived: new Date(data.occurredAt) })
  // Retention removes bodies.
  if (found.length > 0 || body === '') return found
  const { data: storedData, ...envelope } = readBody(body)
  const member = firstWrong(envelope, { type, timestamp: data.occurredAt }) ?? firstWrong(storedData, data)
  return member === undefined ? [] : [difference(id, { code: 'verify.event_body', type, member })]
}

export const withoutCause = ({ id, type }: EventRow): Difference =>
  difference(id, { code: 'verify.event_without_cause', type })

export type Members = Readonly<Record<string, unknown>>

/** The first member that differs or is missing on one side. */
function firstWrong(stored: Members, derived: Members): string | undefined {
  const names = new Set([...Object.keys(derived), ...Object.keys(stored)])
  return [...names].find((name) => {
    // The words of a failure may change from one release to the next.
    if (name === 'message') return typeof stored[name] !== typeof derived[name]
    return !(name in stored && name in derived && isSame(stored[name], derived[name]))
  })
}

/** When a message and the template of a check were submitted is not stored. */
const UNTIL_SUBMITTED: readonly (readonly unknown[])[] = [
  ['queued', 'sending'],
  ['accepted', 'awaiting_answer'],
]

/** `derived` may also be a function that checks the value. */
export function isSame(stored: unknown, derived: unknown): boolean {
  if (typeof derived === 'function') return derived(stored) === true
  if (isMembers(stored) && isMembers(derived)) return firstWrong(stored, derived) === undefined
  return stored === derived || UNTIL_SUBMITTED.some((pair) => pair.includes(stored) && pair.includes(derived))
}

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
