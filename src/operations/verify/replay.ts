import type { CodedText } from '../../../locales/text.ts'
import type { EventRow, ReportRow } from '../../explain/rows.ts'
import { type Difference, compared, difference, differencesOf, shown, take } from './differences.ts'

/** What changed a message or a conversation. */
export type Input<State> = {
  /** Its number among the inputs of the unit. */
  number: number | null
  /** Null: a decision of our own. */
  report: ReportRow | null
  /** Undefined: it would have changed nothing. */
  apply: (before: State) => Applied<State> | undefined
}

type Applied<State> = {
  after: State
  /** Why the input changed nothing that clients see, or null. */
  ignored: CodedText | null
  event: DerivedEvent | null
}

/** `data`: for each member of the body's `data`, its value, its own members, or a function that checks it. */
export type DerivedEvent = { type: string; at: Date; inputNumber: number | null; data: Members }
export type Members = Readonly<Record<string, unknown>>

type Replay<State> = { id: string; before: State; inputs: readonly Input<State>[]; events: readonly EventRow[] }

/** Applies the inputs in the order in which they were processed, and compares what each one leads to. `count`: how many there were. */
export function replay<State>({ id, before, inputs, events }: Replay<State>, count: number) {
  const found = checkNumbers(inputs, count, id)
  const left = events.toSorted((one, other) => +one.occurredAt - +other.occurredAt)
  let state = before
  for (const { report, apply } of inOrder(inputs)) {
    const applied = apply(state)
    if (!applied) continue
    const { after, ignored, event } = applied
    state = after
    if (report) found.push(...checkResult(report, ignored))
    if (event) found.push(...checkEvent(left, event, id))
  }
  return { after: state, found: [...found, ...left.map(withoutCause)] }
}

const inOrder = <State>(inputs: readonly Input<State>[]): Input<State>[] =>
  inputs.filter(({ number }) => number !== null).toSorted((one, other) => Number(one.number) - Number(other.number))

type Numbered = Pick<Input<unknown>, 'number' | 'report'>

/** Each input has its own number, at most the number of inputs. */
const checkNumbers = (inputs: readonly Numbered[], count: number, unitId: string): Difference[] =>
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

/** Takes the event from those that are left. */
function checkEvent(left: EventRow[], event: DerivedEvent, unitId: string): Difference[] {
  const { type, inputNumber } = event
  const stored = take(left, (each) => each.type === type && each.inputNumber === inputNumber)
  return stored ? compareEvent(stored, event) : [difference(unitId, { code: 'verify.event_missing', type })]
}

export const withoutCause = ({ id, type }: EventRow): Difference =>
  difference(id, { code: 'verify.event_without_cause', type })

/** Retention removes bodies. */
export function compareEvent(
  { id, type, occurredAt, body }: EventRow,
  { at, data }: Pick<DerivedEvent, 'at' | 'data'>,
): Difference[] {
  const found = compared(id, { code: 'verify.event_time' }, { stored: occurredAt, derived: at })
  if (found.length > 0 || body === '') return found
  const timestamp = occurredAt.toISOString()
  const stored = readBody(body)
  const member =
    firstWrong(stored, { type, timestamp, data: isMembers }) ??
    firstWrong(stored.data, { ...data, occurredAt: timestamp })
  return member === undefined ? [] : [difference(id, { code: 'verify.event_body', type, member })]
}

/** The first member that differs or is missing on one side. */
function firstWrong(stored: Members, derived: Members): string | undefined {
  const names = new Set([...Object.keys(derived), ...Object.keys(stored)])
  return [...names].find((name) => {
    // The words of a failure may change from one release to the next.
    if (name === 'message') return typeof stored[name] !== typeof derived[name]
    return !(name in stored && name in derived && isSame(stored[name], derived[name]))
  })
}

export function isSame(stored: unknown, derived: unknown): boolean {
  if (typeof derived === 'function') return derived(stored) === true
  if (isMembers(stored) && isMembers(derived)) return firstWrong(stored, derived) === undefined
  return stored === derived
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
