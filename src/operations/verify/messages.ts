import { z } from 'zod'
import { canBeSuperseded } from '../../cod/conversation/superseded.ts'
import {
  type AttemptFact,
  type EventRow,
  type ReportRow,
  type VerificationFact,
  readOfUnits,
  selectAttempts,
  selectEvents,
  selectReports,
  selectVerifications,
} from '../../explain/rows.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import { MESSAGE_COLUMNS, applyToMessage, ownFailure } from '../../messages/reports/apply.ts'
import { toUndelivered } from '../../messages/reports/undelivered.ts'
import type { MessageRow } from '../../messages/subscribers.ts'
import { otpView } from '../../otp/view.ts'
import { failureSchema } from '../../providers/failure-schema.ts'
import type { Provider } from '../../providers/provider.ts'
import { type ClockSpread, findClockSpread, hasMoved } from '../../workspaces/workspace-time.ts'
import {
  type CheckedUnit,
  type Difference,
  FACT_LIMIT,
  type Page,
  checkNumbers,
  checkResult,
  compared,
  difference,
  differencesOf,
  isWhole,
  shown,
  take,
  unknownKeyOf,
} from './differences.ts'
import { compareEvent, withoutCause } from './event-body.ts'
import { checkVerification, splitEvents } from './verifications.ts'

/** A message row is also its job. */
type StoredMessage = MessageRow & {
  has_code: boolean
  accepted_at: Date | null
  submit_by: Date
  due_at: Date | null
  lease: string | null
  attempts: number
  attempted_at: Date | null
  unknown_outcomes: number
  quarantined_at: Date | null
  /** The API key that the request came with, if the workspace has no such key. */
  unknown_key: string | null
  /** The verification whose code it sends is over: then no delivery is awaited. */
  code_is_over: boolean
}

type MessageFacts = StoredMessage & {
  clock: ClockSpread
  made: AttemptFact[]
  reports: ReportRow[]
  /** Without those of the verification. */
  events: EventRow[]
}

const readMessages: Statement<StoredMessage> = statement(
  'read_messages_to_verify',
  `select ${MESSAGE_COLUMNS}, m.code is not null as has_code, m.accepted_at, m.submit_by, m.due_at, m.lease, m.attempts,
     m.attempted_at, m.unknown_outcomes, m.quarantined_at, ${unknownKeyOf('m')} as unknown_key,
     (select v.ended_at from otp_verifications v
      where v.workspace_id = m.workspace_id and v.id = coalesce(m.verification_id, m.id) limit 1) is not null as code_is_over
   from (select * from messages where workspace_id = $1 and id > $2 order by id limit $3) m order by m.id`,
)

type Reader = Pick<Provider, 'readStatus' | 'findError'>

/** Compares messages with their attempts, reports and events (docs/consistency-check.md#messages). */
export async function checkMessages(
  tx: Sql,
  workspaceId: string,
  { after, limit }: Page,
  reader: Reader,
): Promise<CheckedUnit[]> {
  const rows = await tx.rows(readMessages, [workspaceId, after, limit])
  const units = { workspaceId, ids: rows.map(({ id }) => id), limit: FACT_LIMIT }
  const made = await readOfUnits(tx, selectAttempts, units)
  const reports = await readOfUnits(tx, selectReports, units)
  const events = await readOfUnits(tx, selectEvents, units)
  const verifications = await readOfUnits(tx, selectVerifications, units)
  const clock = await findClockSpread(tx, workspaceId)
  return rows.map((row) => {
    const { id, kind, created_at: at } = row
    const { ofMessage, ofVerification } = splitEvents(events(id))
    const result = check({ ...row, clock, made: made(id), reports: reports(id), events: ofMessage }, reader)
    const [verification]: VerificationFact[] = verifications(id)
    result.differences.push(...checkVerification({ message: row, verification, events: ofVerification }))
    return { ...result, id, used: kind === 'otp' && { kind, at } }
  })
}

function check(facts: MessageFacts, reader: Reader): Pick<CheckedUnit, 'differences' | 'verifiable'> {
  const { made, reports, events } = facts
  const differences = [...checkJob(facts), ...checkAttempts(facts)]
  if (!isWhole(made, reports, events) || reports.some((report) => isProcessed(report) && report.body === ''))
    return { differences, verifiable: false }
  // A report that waits may be about to change the message.
  if (reports.some(({ outcome }) => outcome === 'waiting')) return { differences, verifiable: true }
  const inputs = inputsOf(facts, reader)
  const replayed = replay(facts, inputs)
  if (replayed.length > 0 && isOrderUnknown(facts, inputs)) return { differences, verifiable: false }
  return { differences: [...differences, ...replayed], verifiable: true }
}

const isProcessed = ({ outcome }: ReportRow): boolean => outcome === 'applied' || outcome === 'ignored'
const isPending = ({ status }: MessageRow): boolean => status === 'queued' || status === 'sending'

/** A message to send is due, and one that ended is not. No report that names it has stopped waiting for it. */
function checkJob(facts: MessageFacts): Difference[] {
  const { id, status, due_at, lease, has_code, accepted_at, provider_message_id, quarantined_at, reports } = facts
  const { check_kind: check, purpose, unknown_key: key } = facts
  const isDue = due_at !== null || lease !== null
  const isAccepted = accepted_at !== null || provider_message_id !== null
  const isSuperseded = status === 'queued' && check !== null && purpose !== null && canBeSuperseded({ check, purpose })
  const isWaiting = isDue || isAccepted || isSuperseded || quarantined_at !== null
  const givenUp = reports.filter(({ outcome, dueAt }) => outcome === 'parked' && dueAt === null)
  return [
    ...differencesOf(id, [
      [!isPending(facts) && isDue, { code: 'verify.message_still_due', status }],
      [has_code && (!isPending(facts) || accepted_at !== null), { code: 'verify.code_kept', status }],
      [lease !== null && due_at === null, { code: 'verify.lease_without_end', lease: shown(lease) }],
      [isPending(facts) && !isWaiting, { code: 'verify.message_stuck', status }],
      [key !== null, { code: 'verify.unknown_key', key: shown(key) }],
    ]),
    ...givenUp.map((report) => difference(report.id, { code: 'verify.report_parked', messageId: id })),
  ]
}

function checkAttempts({ id, attempts, unknown_outcomes, made }: MessageFacts): Difference[] {
  const highest = Math.max(attempts, made.at(-1)?.attempt ?? 0)
  // Each claim after an attempt whose outcome is unknown counts.
  const unknown = made.filter(({ attempt, outcome }) => outcome === 'unknown' && attempt < attempts).length
  const impossible = made.filter(({ outcome, httpStatus, ...response }) => {
    const isSuccess = httpStatus !== null && httpStatus >= 200 && httpStatus < 300
    return !IS_POSSIBLE[outcome]({ ...response, httpStatus, isSuccess })
  })
  return [
    ...compared(id, { code: 'verify.message_attempts' }, { stored: attempts, derived: highest }),
    ...compared(id, { code: 'verify.unknown_outcomes' }, { stored: unknown_outcomes, derived: unknown }),
    ...impossible.map(({ attempt, outcome }) =>
      difference(id, { code: 'verify.attempt_outcome', attempt, stored: outcome }),
    ),
  ]
}

type Response = Pick<AttemptFact, 'httpStatus' | 'providerCode' | 'detail'> & { isSuccess: boolean }

/** Whether the provider's response can have given the outcome. Retention may have removed the detail of an error. */
const IS_POSSIBLE: Record<AttemptFact['outcome'], (response: Response) => boolean> = {
  accepted: ({ isSuccess, providerCode, detail }) => isSuccess && providerCode === null && detail === null,
  unknown: ({ isSuccess, providerCode, detail }) => providerCode === null && (detail !== null || !isSuccess),
  retry: ({ isSuccess }) => !isSuccess,
  rejected: ({ isSuccess, httpStatus }) => !isSuccess && httpStatus !== null,
  not_made: ({ httpStatus, providerCode }) => httpStatus === null && providerCode === null,
}

type Input = Parameters<typeof applyToMessage>[1] & { stored: ReportRow | null }
/** `undeliveredAt`: our own decision that the time for a delivery had passed. */
type AnyInput = Input | { undeliveredAt: Date }

/**
 * Returns the inputs in their order. Our own decisions have no report, so their numbers are missing among the reports': first that
 * no delivery was reported in time, which is not awaited after a failure, and then that the message failed.
 */
function inputsOf(facts: MessageFacts, reader: Reader): AnyInput[] {
  const {
    id,
    workspace_id: workspaceId,
    failed_event_at: failedAt,
    undelivered_event_at: undeliveredAt,
    inputs,
  } = facts
  const reports = facts.reports
    .filter(isProcessed)
    .toSorted((one, other) => (one.inputNumber ?? 0) - (other.inputNumber ?? 0))
    .flatMap((stored): Input[] => {
      const report = reader.readStatus(stored.body)
      const { providerMessageId, receivedAt } = stored
      return report ? [{ stored, providerMessageId, receivedAt, report }] : []
    })
  const decisions: AnyInput[] = undeliveredAt ? [{ undeliveredAt }] : []
  if (failedAt && mayHaveFailed(facts)) {
    const { report } = ownFailure({ id, workspaceId }, ownFailureCode(facts, reader), failedAt)
    decisions.push({ report, providerMessageId: null, stored: null })
  }
  const known = new Set(reports.map(({ stored }) => stored?.inputNumber))
  const all: AnyInput[] = [...reports]
  for (let number = 1; number <= inputs && decisions.length > 0; number += 1)
    if (!known.has(number)) all.splice(number - 1, 0, ...decisions.splice(0, 1))
  return all
}

/** The meaning of this error depends on its sub-code, which is not stored. */
const SHARED_CODE = 100

/** The failure code that the last attempt's response gives, if that response decided. A report that corrected or replaced the failure left no code. */
function ownFailureCode({ made, attempts, provider_message_id, failure_code }: MessageFacts, { findError }: Reader) {
  if (provider_message_id !== null && failure_code !== 'RECIPIENT_ERASED') return 'UNKNOWN'
  const last = made.at(-1)
  const decided = last?.outcome === 'rejected' && last.attempt === attempts && last.providerCode !== SHARED_CODE
  const error = decided && last.providerCode !== null ? findError(last.providerCode) : undefined
  return error?.failureCode ?? failure_code ?? 'UNKNOWN'
}

/** Whether anything stored could have made Doorcode decide that the message failed. */
const mayHaveFailed = (facts: MessageFacts): boolean =>
  facts.made.some(({ outcome }) => outcome !== 'accepted' && outcome !== 'retry') ||
  hasMoved(facts.clock) ||
  (facts.failed_event_at !== null && facts.failed_event_at >= facts.submit_by) ||
  // An erasure ends waiting messages. The time of an erasure is not stored.
  isErased(facts.recipient) ||
  // Whether the template existed at that time is not stored.
  facts.failure_code === 'TEMPLATE_NOT_FOUND'

/** A sandbox's clock may have moved between a failure and "sent": which of them counts as the later one is not stored. */
function isOrderUnknown(facts: MessageFacts, inputs: readonly AnyInput[]): boolean {
  const outcomes = new Set(inputs.flatMap((input) => ('report' in input && input.stored ? input.report.outcome : [])))
  const isCertain = outcomes.has('delivered') || outcomes.has('read') || outcomes.has('played')
  return hasMoved(facts.clock) && outcomes.has('sent') && outcomes.has('failed') && !isCertain
}

/** Compares what the inputs lead to with each column. */
const DERIVED = [
  ['status', { code: 'verify.message_status' }],
  ['sent_at', { code: 'verify.sent_at' }],
  ['failure_code', { code: 'verify.message_failure' }],
  ['failed_at', { code: 'verify.failed_at' }],
  ['sent_event_at', { code: 'verify.event_time_of_message', type: 'message.sent' }],
  ['failed_event_at', { code: 'verify.event_time_of_message', type: 'message.failed' }],
  ['undelivered_event_at', { code: 'verify.event_time_of_message', type: 'message.undelivered' }],
] as const

/** Applies the inputs again, and compares each result, the events, and the row at the end. */
function replay(facts: MessageFacts, inputs: readonly AnyInput[]): Difference[] {
  const { id, clock } = facts
  const found: Difference[] = []
  const events = facts.events.toSorted((one, other) => +one.occurredAt - +other.occurredAt)
  let message = beforeInputs(facts)
  for (const input of inputs) {
    const applied =
      'report' in input ? applyToMessage(message, input, facts.created_at) : decideUndelivered(message, input)
    message = applied.message
    if ('report' in input && input.stored) found.push(...checkResult(input.stored, applied.ignored))
    const type = facts.kind === 'otp' && applied.event
    if (!type) continue
    const stored = take(events, (event) => event.type === type)
    if (!stored) found.push(difference(id, { code: 'verify.event_missing', type }))
    else found.push(...compareEvent(stored, { at: applied.eventAt, data: bodyOf(facts, message), clock }))
  }
  const reports = inputs.flatMap((input) => ('report' in input ? (input.stored ?? []) : []))
  return [
    ...found,
    ...events.map(withoutCause),
    ...checkNumbers(facts.inputs, reports),
    ...checkDeadline(facts, message),
    ...DERIVED.flatMap(([column, text]) =>
      compared(id, text, { stored: facts[column], derived: message[column], clock }),
    ),
  ]
}

/** The columns of an event that the decision records. */
function decideUndelivered(message: MessageRow, { undeliveredAt }: { undeliveredAt: Date }) {
  const decided = toUndelivered(message, undeliveredAt)
  const event = decided ? ('message.undelivered' as const) : null
  return { ignored: null, message, eventAt: undeliveredAt, ...decided, event }
}

/** Whether a delivery is awaited, and was for as long as the client asked. */
function checkDeadline(facts: MessageFacts, derived: MessageRow): Difference[] {
  const { id, created_at, deliver_within_seconds: seconds, undelivered_event_at: undeliveredAt } = facts
  const [stored, awaited] = [facts.deliver_by !== null, derived.deliver_by !== null && !facts.code_is_over]
  const until = later(created_at, (seconds ?? 0) * SECOND_MS)
  const isEarly = undeliveredAt !== null && undeliveredAt < until
  return [
    ...compared(id, { code: 'verify.message_deadline' }, { stored, derived: awaited }),
    ...compared(id, { code: 'verify.undelivered_early' }, { stored: undeliveredAt, derived: until, isSame: !isEarly }),
  ]
}

function beforeInputs(facts: MessageFacts): MessageRow {
  const wasSent = facts.accepted_at !== null || facts.lease !== null || facts.attempted_at !== null
  return {
    ...facts,
    status: isPending(facts) && facts.quarantined_at !== null ? facts.status : wasSent ? 'sending' : 'queued',
    sent_at: null,
    sent_event_at: null,
    failure_code: null,
    failed_at: null,
    failed_event_at: null,
    undelivered_event_at: null,
    // only whether it is awaited is compared
    deliver_by: facts.deliver_within_seconds === null ? null : facts.created_at,
    provider_message_id: null,
    clock_offset_ms: 0,
    inputs: 0,
  }
}

/** A report replaced or corrected our own failure: its code is only in the event. */
function bodyOf(facts: MessageFacts, message: MessageRow) {
  const wasReplaced = facts.failure_code === null || facts.reports.some(isProcessed)
  const isCodeLost = message.status === 'failed' && message.provider_message_id === null && wasReplaced
  // Whether an attempt had begun when the time for a delivery passed is not stored.
  const status = isPending(message) ? z.enum(['queued', 'sending']) : message.status
  return { ...otpView(message), status, ...(isCodeLost ? { failure: failureSchema } : {}) }
}
