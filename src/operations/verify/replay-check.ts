import type { CodedText } from '../../../locales/text.ts'
import { SECOND_MS, later, notBefore } from '../../lib/clock.ts'
import {
  ACCEPTED,
  type CheckEvent,
  type CheckState,
  type Effect,
  type Machine,
  type Types,
  transition,
} from '../../cod/conversation/machine.ts'
import type { ConversationEvent } from '../../cod/conversation/advance.ts'
import type { Check } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { AnswerFact, CheckFacts, SentFact } from './conversation-facts.ts'
import { type Difference, isSameTime, shown } from './differences.ts'
import { readBody } from './event-body.ts'
import { type Move, fewestDifferences } from './fewest-differences.ts'
import type { EventFact } from './message-facts.ts'
import { type ViewedOrder, wrongInOrderEvent } from './order-event.ts'

/** What a message of the customer says. */
export type AnswerEvent = Extract<ConversationEvent['event'], { order: string }>

export type CheckToReplay = {
  id: string
  check: CodedText
  part: Check
  order: ViewedOrder
  hasRefusal: boolean
  /** The customer's data was erased, which ended the check. */
  isErased: boolean
  createdAt: Date
  /** How far the workspace's clock is ahead. */
  aheadMs: number
  stored: CheckFacts & { chosen: Chosen }
  answers: readonly { row: AnswerFact; event: AnswerEvent }[]
  /** The customer sent messages that changed nothing: they may have repeated the answer in force. */
  hasRepeats: boolean
  /** The events of both checks, in the order of `occurredAt`. */
  events: readonly EventFact[]
  sent: readonly SentFact[]
  /** The codes with which templates or reminders of this check have failed. */
  failureCodes: readonly FailureCode[] | 'unknown'
}

type Shown = Parameters<typeof shown>[0]
type Chosen = Readonly<Record<string, unknown>>

/** The difference between the clocks of nodes, which create the ids. Within it the order of ids proves nothing. */
const MAX_CLOCK_SKEW_MS = 10 * SECOND_MS

type Node<T extends Types> = {
  state: CheckState<T>
  left: CheckToReplay['answers']
  /** Index into the events of this check. */
  nextEvent: number
  sends: Readonly<Record<string, number>>
}

/**
 * Runs the machine again over the answers, in an order that the ids allow, and over the timers and failed sends that the
 * events show. Returns undefined if they are not verifiable.
 */
export function replayCheck<T extends Types>(machine: Machine<T>, of: CheckToReplay): Difference[] | undefined {
  const types = new Set<string>(Object.values(machine.outcomes))
  const events = of.events.filter(({ type }) => types.has(type))
  const found = fewestDifferences<Node<T>>({
    starts: startsOf(machine, of),
    movesOf: (node) => movesOf(machine, of, { node, events }),
    differencesAtEnd: (node) => compare(machine, of, node),
    keyOf: ({ left, ...node }) => JSON.stringify([left.map(({ row }) => row.id), node]),
  })
  if (found !== 'none fits') return found
  return [{ id: of.id, text: { code: 'verify.unexplained', what: of.stored.status } }]
}

function startsOf<T extends Types>(machine: Machine<T>, { sent, answers, createdAt }: CheckToReplay): Node<T>[] {
  // The settings that were read then are not stored: the deadline counts as due, and events show when it passed.
  const submission = { type: 'submitted', at: createdAt, reminderMinutes: null, noResponseMinutes: 0 } as const
  const { state: submitted } = transition(machine, ACCEPTED, submission)
  const wasSubmitted = sent.find(({ purpose }) => purpose === 'template')?.submitted ?? null
  const states = wasSubmitted === null ? [ACCEPTED, submitted] : [wasSubmitted ? submitted : ACCEPTED]
  return states.map((state) => ({ state, left: answers, nextEvent: 0, sends: {} }))
}

type Position<T extends Types> = { node: Node<T>; events: readonly EventFact[] }

function movesOf<T extends Types>(
  machine: Machine<T>,
  of: CheckToReplay,
  position: Position<T>,
): Move<Node<T>>[] | undefined {
  const { node, events } = position
  const event = events[node.nextEvent]
  if (node.left.length === 0 && !event) return undefined
  const times = [...node.left.map(({ row }) => timeOf(row.id)), ...(event ? [timeOf(event.id)] : [])]
  const until = Math.min(...times) + MAX_CLOCK_SKEW_MS
  const moves = node.left
    .filter(({ row }) => timeOf(row.id) <= until)
    .map((answer) => answerMove(machine, of, { ...position, answer }))
  if (!event || timeOf(event.id) > until) return moves
  const caused = timerMove(machine, of, { node, event })
  const skipped = {
    node: { ...node, nextEvent: node.nextEvent + 1 },
    difference: differenceOf(event.id, { code: 'verify.event_without_cause', type: event.type }),
  }
  return [...moves, ...(caused ? [caused] : []), skipped]
}

/** The first 48 bits of a UUIDv7: milliseconds. */
const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

const differenceOf = (id: string, text: Difference['text']): Difference => ({ id, text })

function answerMove<T extends Types>(
  machine: Machine<T>,
  of: CheckToReplay,
  { node, events, answer }: Position<T> & { answer: CheckToReplay['answers'][number] },
): Move<Node<T>> {
  const { row } = answer
  const event = answer.event as unknown as CheckEvent<T>
  const left = node.left.filter((each) => each !== answer)
  const { state, effects } = transition(machine, node.state, event)
  const given = effects.find(isAnswer)
  const isSuperseded = given?.type === 'superseded'
  // A repeat of the answer in force supersedes too, and leaves no answer.
  if (row.superseded && !isSuperseded && of.hasRepeats) return { node: { ...node, left }, difference: null }
  const fits =
    given?.answer === row.answer &&
    isSuperseded === row.superseded &&
    isSameChosen(machine, given.chosen, detailOf(of.part, row), row.may_lack_note)
  let difference = fits
    ? null
    : differenceOf(row.id, {
        code: 'verify.answer',
        stored: `${row.answer}${row.superseded ? ' (superseded)' : ''}`,
        derived: given ? `${given.answer}${isSuperseded ? ' (superseded)' : ''}` : shown(null),
      })
  const sends = { ...node.sends }
  let { nextEvent } = node
  for (const effect of effects) {
    if (effect.type === 'send') sends[effect.purpose] = (sends[effect.purpose] ?? 0) + 1
    if (effect.type !== 'emit') continue
    const recorded = events[nextEvent]
    if (recorded?.type === effect.event) {
      nextEvent += 1
      difference ??= checkEvent(of, { state, event: recorded, at: event.at })
    } else difference ??= differenceOf(of.id, { code: 'verify.event_missing', type: effect.event })
  }
  return { node: { state, left, nextEvent, sends }, difference }
}

const isAnswer = <T extends Types>(effect: Effect<T>): effect is Extract<Effect<T>, { chosen: unknown }> =>
  effect.type === 'answered' || effect.type === 'superseded'

const detailOf = (part: Check, { detail }: AnswerFact): Chosen =>
  (part === 'confirmation' ? (detail?.['reschedule'] as Chosen | null | undefined) : detail) ?? {}

/** Nothing chosen equals a follow-up without choices. */
const isSameChosen = <T extends Types>(
  machine: Machine<T>,
  derived: Chosen | null,
  stored: Chosen | null,
  mayLackNote = false,
): boolean =>
  Object.keys(machine.nothingChosen).every((name) => {
    const [one, other] = [derived?.[name] ?? null, stored?.[name] ?? null]
    return one === other || (name === 'note' && mayLackNote && other === null)
  })

/** A timer, a failed send or an erasure: the event is the only trace of when it happened. Returns undefined if it cannot have happened. */
function timerMove<T extends Types>(
  machine: Machine<T>,
  of: CheckToReplay,
  { node, event }: { node: Node<T>; event: EventFact },
): Move<Node<T>> | undefined {
  const { data } = readBody(event.body)
  const answeredAt = (of.part === 'refusal' ? (data['refusalCheck'] as Chosen | null) : data)?.['answeredAt']
  const at = new Date(event.occurred_at)
  const expiredAt = typeof answeredAt === 'string' ? new Date(answeredAt) : at
  for (const cause of causesOf<T>(of, at, expiredAt)) {
    const { state, effects, ignored } = transition(machine, node.state, cause)
    if (ignored || !effects.some((effect) => effect.type === 'emit' && effect.event === event.type)) continue
    const difference = checkEvent(of, { state, event, at: null })
    return { node: { ...node, state, nextEvent: node.nextEvent + 1 }, difference }
  }
  return undefined
}

const causesOf = <T extends Types>(
  { stored, failureCodes, isErased }: CheckToReplay,
  at: Date,
  expiredAt: Date,
): CheckEvent<T>[] => [
  { type: 'deadline_passed', at },
  { type: 'follow_up_expired', at: expiredAt },
  ...(failureCodes.length > 0 ? [{ type: 'send_failed', at, code: stored.failure_code ?? 'UNKNOWN' } as const] : []),
  ...(isErased ? [{ type: 'recipient_erased', at } as const] : []),
]

type EventCheck<T extends Types> = {
  /** After the event. */
  state: CheckState<T>
  event: EventFact
  /** When the answer that caused the event was given; null: only the event shows it. */
  at: Date | null
}

function checkEvent<T extends Types>(of: CheckToReplay, { state, event, at }: EventCheck<T>): Difference | null {
  const { id, type } = event
  const occurredAt = new Date(event.occurred_at)
  const before = of.events[of.events.indexOf(event) - 1]
  const earliest = before ? later(new Date(before.occurred_at), 1) : occurredAt
  const derived = at ? (before ? notBefore(earliest, at) : at) : notBefore(earliest, occurredAt)
  if (!isSameTime(occurredAt, derived, of.aheadMs))
    return differenceOf(id, { code: 'verify.event_time', stored: shown(occurredAt), derived: shown(derived) })
  if (event.body === '') return null
  const answeredAt = state.answeredAt && notBefore(later(of.createdAt, 1), state.answeredAt)
  const member = wrongInOrderEvent(of, event, { ...state, answeredAt })
  return member === undefined ? null : differenceOf(id, { code: 'verify.event_body', type, member })
}

function compare<T extends Types>(machine: Machine<T>, of: CheckToReplay, { state, sends }: Node<T>): Difference[] {
  const { id, check, stored, aheadMs } = of
  const found: Difference[] = []
  const differs = (what: 'status' | 'answered_at' | 'chosen' | 'round' | 'closing_sent', from: Shown, to: Shown) =>
    found.push(differenceOf(id, { code: `verify.check_${what}`, check, stored: shown(from), derived: shown(to) }))
  if (state.status !== stored.status) {
    const missing = timerThatLeadsTo(machine, of, state)
    if (missing) return [differenceOf(id, { code: 'verify.event_missing', type: missing })]
    differs('status', stored.status, state.status)
  }
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = of.answers.some(({ row }) => row.may_lack_note)
  if (!isSameChosen(machine, state.chosen, stored.chosen, mayLackNote)) differs('chosen', stored.chosen, state.chosen)
  const answeredAt = state.answeredAt && notBefore(later(of.createdAt, 1), state.answeredAt)
  const storedAt = stored.answered_at === null ? null : new Date(stored.answered_at)
  if (!isSameTime(storedAt, answeredAt, aheadMs)) differs('answered_at', storedAt, answeredAt)
  if (state.round !== stored.round) differs('round', stored.round, state.round)
  if (state.closingSent !== stored.closing_sent) differs('closing_sent', stored.closing_sent, state.closingSent)
  const { failureCodes, isErased } = of
  const failure = stored.failure_code
  const wasEnded = isErased && failure === 'RECIPIENT_ERASED'
  if (failure !== null && !wasEnded && failureCodes !== 'unknown' && !failureCodes.includes(failure))
    found.push(
      differenceOf(id, {
        code: 'verify.check_failure',
        check,
        stored: failure,
        derived: failureCodes.join(', ') || shown(null),
      }),
    )
  return [...found, ...checkSent(of, sends)]
}

/** The event of the timer or failed send that alone would lead to the stored status. */
function timerThatLeadsTo<T extends Types>(
  machine: Machine<T>,
  of: CheckToReplay,
  state: CheckState<T>,
): string | undefined {
  const at = notBefore(state.followUpAt ?? of.createdAt, later(of.createdAt, 1))
  for (const cause of causesOf<T>(of, at, at)) {
    const { state: next, effects, ignored } = transition(machine, state, cause)
    const emitted = effects.find((effect) => effect.type === 'emit')
    if (!ignored && next.status === of.stored.status && emitted) return emitted.event
  }
  return undefined
}

/** Questions need texts and are not sent without them, so there may be fewer messages, but never more. */
function checkSent({ sent }: CheckToReplay, sends: Node<Types>['sends']): Difference[] {
  const counts: Record<string, number> = {}
  return sent.flatMap(({ id, purpose }) => {
    counts[purpose] = (counts[purpose] ?? 0) + 1
    const most = purpose === 'template' || purpose === 'reminder' ? 1 : (sends[purpose] ?? 0)
    return counts[purpose] > most ? [differenceOf(id, { code: 'verify.question_without_cause', purpose })] : []
  })
}
