import { later, notBefore } from '../../lib/clock.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import { type EventType, chosenEventTypes } from '../../events/event-types.ts'
import { type OtpReport, type OtpState, applyReport } from '../../messages/status.ts'
import { otpView } from '../../otp/view.ts'
import type { Provider } from '../../providers/provider.ts'
import { type CheckResult, type Difference, isSameTime, shown } from './differences.ts'
import { anyFailure, failureOf, wrongMember } from './event-body.ts'
import { type Move, fewestDifferences } from './fewest-differences.ts'
import type { AttemptFact, MessageFacts, StatusFact } from './message-facts.ts'
import { isWhole } from './selected.ts'

type Reader = Pick<Provider, 'readStatus' | 'findError'>

/** Compares a message with its attempts, reports and events (docs/verify.md#messages). Pure. */
export function checkMessage(facts: MessageFacts, reader: Reader): CheckResult {
  const reports = facts.reports ?? []
  const differences = [...checkJob(facts), ...checkAttempts(facts), ...checkParked(facts), ...checkKey(facts)]
  if (!isWhole(facts.made, facts.reports, facts.events) || reports.some(isRemoved))
    return { differences, verifiable: false }
  // A report that waits may be about to change the message.
  if (reports.some(({ outcome }) => outcome === 'waiting')) return { differences, verifiable: true }
  const replayed = replay(facts, readReports(facts, reader))
  if (!replayed) return { differences, verifiable: false }
  differences.push(...replayed, ...checkEvents(facts), ...checkOwnFailure(facts, reader))
  return { differences, verifiable: true }
}

const isProcessed = ({ outcome }: StatusFact): boolean => outcome === 'applied' || outcome === 'ignored'
const isRemoved = (report: StatusFact): boolean => isProcessed(report) && report.body === ''
const isPending = ({ status }: MessageFacts): boolean => status === 'queued' || status === 'sending'

const ASKS = ['reminder', 'day_question', 'time_question', 'reasons_question', 'note_prompt']

/** The row is also the job: a message to send is due, and one that ended is not. */
function checkJob(facts: MessageFacts): Difference[] {
  const { id, kind, purpose, status, due_at, lease, has_code, accepted_at, provider_message_id, quarantined_at } = facts
  const isDue = due_at !== null || lease !== null
  const found: Difference[] = []
  if (!isPending(facts) && isDue) found.push({ id, text: { code: 'verify.message_still_due', status } })
  if (has_code && (!isPending(facts) || accepted_at !== null))
    found.push({ id, text: { code: 'verify.code_kept', status } })
  if (lease !== null && due_at === null) found.push({ id, text: { code: 'verify.lease_without_end', lease } })
  const isAccepted = accepted_at !== null || provider_message_id !== null
  // The customer answered before it was sent (docs/cod.md).
  const isCancelled = kind === 'cod' && status === 'queued' && ASKS.includes(purpose ?? '')
  if (isPending(facts) && !isDue && !isAccepted && !isCancelled && quarantined_at === null)
    found.push({ id, text: { code: 'verify.message_stuck', status } })
  return found
}

function checkAttempts({ id, attempts, unknown_outcomes, made }: MessageFacts): Difference[] {
  const found: Difference[] = []
  const last = made?.at(-1)?.attempt ?? 0
  if (last > attempts)
    found.push({ id, text: { code: 'verify.message_attempts', stored: shown(attempts), derived: shown(last) } })
  // Each claim after an attempt whose outcome is unknown counts.
  const unknown = (made ?? []).filter(({ attempt, outcome }) => outcome === 'unknown' && attempt < attempts).length
  if (unknown !== unknown_outcomes)
    found.push({
      id,
      text: { code: 'verify.unknown_outcomes', stored: shown(unknown_outcomes), derived: shown(unknown) },
    })
  const impossible = (made ?? []).filter((attempt) => !isPossible(attempt))
  return [
    ...found,
    ...impossible.map(({ attempt, outcome }): Difference => {
      return { id, text: { code: 'verify.attempt_outcome', attempt, stored: outcome } }
    }),
  ]
}

/** Whether the provider's answer can have given the outcome. Retention may have removed the detail of an error. */
function isPossible({ outcome, http_status: status, provider_code: code, has_detail }: AttemptFact): boolean {
  const isSuccess = status !== null && status >= 200 && status < 300
  switch (outcome) {
    case 'accepted':
      return isSuccess && code === null && !has_detail
    case 'unknown':
      return code === null && (has_detail || !isSuccess)
    case 'retry':
      return !isSuccess
    case 'refused':
      return !isSuccess && status !== null
    case 'not_made':
      return status === null && code === null
  }
}

const checkKey = ({ id, unknown_key: key }: MessageFacts): Difference[] =>
  key === null ? [] : [{ id, text: { code: 'verify.unknown_key', key } }]

const checkParked = ({ id: messageId, parked }: MessageFacts): Difference[] =>
  (parked ?? []).map((id) => ({ id, text: { code: 'verify.report_parked', messageId } }))

type ReadReport = { id: string; report: OtpReport; outcome: string; note: string | null }

/** In the order of arrival, in which they are mostly processed. */
const readReports = ({ reports, created_at }: MessageFacts, reader: Reader): ReadReport[] =>
  (reports ?? []).filter(isProcessed).flatMap((stored) => {
    const status = reader.readStatus(stored.body)
    if (!status) return []
    const at = notBefore(created_at, status.at ?? new Date(stored.received_at))
    const report: OtpReport =
      status.outcome === 'failed'
        ? { outcome: 'failed', at, failureCode: status.error?.failureCode ?? 'UNKNOWN', ours: false }
        : { outcome: status.outcome, at }
    return [{ id: stored.id, report, outcome: stored.outcome, note: stored.note?.code ?? null }]
  })

type Node = {
  state: OtpState
  left: readonly ReadReport[]
  sentEventAt: Date | null
  failedEventAt: Date | null
  /** The state when each event was recorded. */
  recorded: Partial<Record<MessageEvent, OtpState>>
}

/** Returns undefined if it is not verifiable. */
function replay(facts: MessageFacts, reports: readonly ReadReport[]): Difference[] | undefined {
  const { id } = facts
  const found = fewestDifferences<Node>({
    starts: startsOf(facts, reports),
    movesOf: ({ left, ...node }) =>
      left.length === 0
        ? undefined
        : left.map((next) => applied(node, next, left)).toSorted((one, other) => weightOf(one) - weightOf(other)),
    differencesAtEnd: (node) => compare(facts, node),
    keyOf: ({ left, ...node }) => JSON.stringify([left.map((each) => each.id), node]),
  })
  if (found !== 'none fits') return found && isOrderUnknown(facts, reports) && found.length > 0 ? undefined : found
  return isOrderUnknown(facts, reports)
    ? undefined
    : [{ id, text: { code: 'verify.unexplained', what: shown(facts.status) } }]
}

const weightOf = ({ difference }: Move<Node>): number => (difference ? 1 : 0)

/** A sandbox's clock may have moved between a failure and "sent": which of them counts as the later one is not stored. */
function isOrderUnknown({ ahead_ms }: MessageFacts, reports: readonly ReadReport[]): boolean {
  const has = (...outcomes: string[]): boolean => reports.some(({ report }) => outcomes.includes(report.outcome))
  return ahead_ms > 0 && has('sent') && has('failed') && !has('delivered', 'read', 'played')
}

const EMPTY: OtpState = {
  status: 'queued',
  sentAt: null,
  failure: null,
  sentEventRecorded: false,
  failedEventRecorded: false,
}

/** Our own decision that the message failed comes before every report, since a report ends the submission. */
function startsOf(facts: MessageFacts, reports: readonly ReadReport[]): Node[] {
  const { failed_event_at: at, failure_code, provider_message_id, accepted_at, lease, attempted_at } = facts
  const wasSent = accepted_at !== null || lease !== null || attempted_at !== null
  const unknown = isPending(facts) && facts.quarantined_at !== null
  const status = unknown ? facts.status : wasSent ? 'sending' : 'queued'
  const state: OtpState = { ...EMPTY, status }
  const none: Node = { state, left: reports, sentEventAt: null, failedEventAt: null, recorded: {} }
  if (!at || !mayHaveFailed(facts)) return [none]
  const isOwn = provider_message_id === null || failure_code === 'RECIPIENT_ERASED'
  const code = isOwn ? (failure_code ?? 'UNKNOWN') : 'UNKNOWN'
  const { state: failed } = applyReport(state, { outcome: 'failed', at, failureCode: code, ours: true })
  return [none, { ...none, state: failed, failedEventAt: at, recorded: { 'message.failed': failed } }]
}

/** Whether anything stored could have made Doorcode decide that the message failed. */
const mayHaveFailed = (facts: MessageFacts): boolean =>
  (facts.made ?? []).some(({ outcome }) => outcome !== 'accepted' && outcome !== 'retry') ||
  facts.ahead_ms > 0 ||
  (facts.failed_event_at !== null && facts.failed_event_at >= facts.submit_by) ||
  // An erasure ends waiting messages. The time of an erasure is not stored.
  isErased(facts.recipient) ||
  // Whether the template existed at that time is not stored.
  facts.failure_code === 'TEMPLATE_NOT_FOUND'

function applied(node: Omit<Node, 'left'>, next: ReadReport, left: readonly ReadReport[]): Move<Node> {
  const { state, event, ignored } = applyReport(node.state, next.report)
  let eventAt = next.report.at
  for (const earlier of [node.sentEventAt, node.failedEventAt])
    if (earlier) eventAt = notBefore(later(earlier, 1), eventAt)
  const derived = ignored?.code ?? null
  return {
    node: {
      state,
      left: left.filter((each) => each !== next),
      sentEventAt: state.sentEventRecorded ? (node.sentEventAt ?? eventAt) : null,
      failedEventAt: state.failedEventRecorded ? (node.failedEventAt ?? eventAt) : null,
      recorded: event ? { ...node.recorded, [event]: state } : node.recorded,
    },
    difference: checkResult(next, derived),
  }
}

/** `derived`: why the report changed nothing, or null. */
function checkResult({ id, outcome, note }: ReadReport, derived: string | null): Difference | null {
  const result = derived === null ? 'applied' : 'ignored'
  const [stored, expected] = note === derived ? [outcome, result] : [note, derived]
  return stored === expected
    ? null
    : { id, text: { code: 'verify.report_result', stored: shown(stored), derived: shown(expected) } }
}

function compare(facts: MessageFacts, { state, sentEventAt, failedEventAt, recorded }: Node): Difference[] {
  const { id, ahead_ms: aheadMs } = facts
  const found: Difference[] = []
  if (state.status !== facts.status)
    found.push({ id, text: { code: 'verify.message_status', stored: facts.status, derived: state.status } })
  if (!isSameTime(facts.sent_at, state.sentAt, aheadMs))
    found.push({ id, text: { code: 'verify.sent_at', stored: shown(facts.sent_at), derived: shown(state.sentAt) } })
  const [stored, derived] = [facts.failure_code, state.failure?.code ?? null]
  if (stored !== derived)
    found.push({ id, text: { code: 'verify.message_failure', stored: shown(stored), derived: shown(derived) } })
  else if (!isSameTime(facts.failed_at, state.failure?.at ?? null, aheadMs))
    found.push({
      id,
      text: { code: 'verify.failed_at', stored: shown(facts.failed_at), derived: shown(state.failure?.at) },
    })
  for (const [type, storedAt, derivedAt] of [
    ['message.sent', facts.sent_event_at, sentEventAt],
    ['message.failed', facts.failed_event_at, failedEventAt],
  ] as const)
    if (!isSameTime(storedAt, derivedAt, aheadMs))
      found.push({
        id,
        text: { code: 'verify.event_time_of_message', type, stored: shown(storedAt), derived: shown(derivedAt) },
      })
  return [...found, ...checkBodies(facts, recorded)]
}

/** The failure code that follows from the last attempt's answer, if that answer decided. */
function checkOwnFailure(facts: MessageFacts, reader: Reader): Difference[] {
  const { id, failure_code: stored, provider_message_id, attempts } = facts
  const last = facts.made?.at(-1)
  if (stored === null || provider_message_id !== null || last?.outcome !== 'refused' || last.attempt !== attempts)
    return []
  if (last.provider_code === null || last.provider_code === SHARED_CODE) return []
  const derived = reader.findError(last.provider_code)?.failureCode
  if (derived === undefined || derived === stored) return []
  return [{ id, text: { code: 'verify.message_failure', stored, derived } }]
}

/** The meaning of this error depends on its sub-code, which is not stored. */
const SHARED_CODE = 100

type MessageEvent = Extract<EventType, `message.${string}`>
type Outcome = MessageEvent extends `message.${infer Name}` ? Name : never

const MESSAGE_EVENTS = chosenEventTypes.filter((type): type is MessageEvent => type.startsWith('message.'))

const eventAt = (facts: MessageFacts, type: MessageEvent): Date | null =>
  facts[`${type.slice('message.'.length) as Outcome}_event_at`]

/** Each outcome of a code has its event once; other messages have none. */
function checkEvents(facts: MessageFacts): Difference[] {
  const { id, kind } = facts
  const events = facts.events ?? []
  const found: Difference[] = []
  const expected = new Map<string, Date>()
  for (const type of MESSAGE_EVENTS) {
    const at = eventAt(facts, type)
    if (!at || kind !== 'otp') continue
    expected.set(type, at)
    if (!events.some((event) => event.type === type)) found.push({ id, text: { code: 'verify.event_missing', type } })
  }
  for (const [index, event] of events.entries()) {
    const { id: eventId, type } = event
    const at = expected.get(type)
    const isFirst = events.findIndex((each) => each.type === type) === index
    const stored = new Date(event.occurred_at)
    if (!at || !isFirst) found.push({ id: eventId, text: { code: 'verify.event_without_cause', type } })
    else if (stored.getTime() !== at.getTime())
      found.push({ id: eventId, text: { code: 'verify.event_time', stored: shown(stored), derived: shown(at) } })
  }
  return found
}

/** Each body with the message as callers saw it when the event was recorded. */
function checkBodies(facts: MessageFacts, recorded: Node['recorded']): Difference[] {
  return (facts.events ?? []).flatMap(({ id, type, occurred_at, body }): Difference[] => {
    const state = recorded[type as MessageEvent]
    if (!state || body === '' || facts.kind !== 'otp') return []
    const view = otpView({
      ...facts,
      status: state.status,
      sent_at: state.sentAt,
      failure_code: state.failure?.code ?? null,
    })
    const isCodeLost = type === 'message.failed' && state.failure?.ours === true && isReportedFailed(facts)
    const failure = isCodeLost ? anyFailure : failureOf(view.failure && view.failure.code)
    const derived = { type, at: new Date(occurred_at), data: { ...view, failure } }
    const member = wrongMember(body, derived, facts.ahead_ms)
    return member === undefined ? [] : [{ id, text: { code: 'verify.event_body', type, member } }]
  })
}

/** A report replaced or corrected our own failure: its code is only in the event. */
const isReportedFailed = ({ failure_code, reports }: MessageFacts): boolean =>
  failure_code === null || (reports ?? []).some(isProcessed)
