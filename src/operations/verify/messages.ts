import { canBeSuperseded } from '../../cod/conversation/superseded.ts'
import {
  type AttemptFact,
  type FactsOf,
  type ReportRow,
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
import { eventsOf } from '../../otp/outcomes.ts'
import { type UnitResult, type Differences, MAX_FACTS, type Page, compare, shown, unknownKeyOf } from './differences.ts'
import { type Input, replay } from './replay.ts'
import { checkVerification, isOfVerification } from './verifications.ts'

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

const readMessages: Statement<StoredMessage> = statement(
  'read_messages_to_verify',
  `select ${MESSAGE_COLUMNS}, m.code is not null as has_code, m.accepted_at, m.submit_by, m.due_at, m.lease, m.attempts,
     m.attempted_at, m.unknown_outcomes, m.quarantined_at, ${unknownKeyOf('m')} as unknown_key,
     (select v.ended_at from otp_verifications v
      where v.workspace_id = m.workspace_id and v.id = coalesce(m.verification_id, m.id) limit 1) is not null as code_is_over
   from (select * from messages where workspace_id = $1 and id > $2 order by id limit $3) m order by m.id`,
)

/** Its events include those of its verification. */
const FACTS = { made: selectAttempts, reports: selectReports, events: selectEvents, verifications: selectVerifications }
type MessageFacts = StoredMessage & FactsOf<typeof FACTS> & Pick<Page, 'provider'>

/** Compares messages with their attempts, reports and events (docs/consistency-check.md#messages). */
export async function checkMessages(tx: Sql, { workspaceId, after, limit, provider }: Page): Promise<UnitResult[]> {
  const rows = await tx.rows(readMessages, [workspaceId, after, limit])
  const factsOf = await readOfUnits(tx, FACTS, { workspaceId, ids: rows.map(({ id }) => id), max: MAX_FACTS })
  return rows.map((row) => check({ ...row, ...factsOf(row.id), provider }))
}

function check(facts: MessageFacts): UnitResult {
  const { id, kind, created_at: at, isComplete, reports } = facts
  const verifiable = isComplete && !reports.some((report) => isProcessed(report) && report.body === '')
  // A report that waits may be about to change the message.
  const isSettled = reports.every(({ outcome }) => outcome !== 'waiting')
  const differences = [...checkJob(facts), ...checkAttempts(facts), ...checkVerification(facts)]
  if (verifiable && isSettled) differences.push(...checkInputs(facts))
  return { kind: 'messages', id, differences, verifiable, used: kind === 'otp' && { kind, at } }
}

const isProcessed = ({ outcome }: ReportRow): boolean => outcome === 'applied' || outcome === 'ignored'
const isPending = ({ status }: MessageRow): boolean => status === 'queued' || status === 'sending'

/** A message to send is due, and one that ended is not. No report that names it has stopped waiting for it. */
function* checkJob(facts: MessageFacts): Differences {
  const { id, status, due_at, lease, has_code, accepted_at, provider_message_id, quarantined_at, reports } = facts
  const { check_kind: check, purpose, unknown_key: key, undelivered_event_at: undeliveredAt } = facts
  const deliverBy = later(facts.created_at, (facts.deliver_within_seconds ?? 0) * SECOND_MS)
  const isEarly = undeliveredAt !== null && undeliveredAt < deliverBy
  const isDue = due_at !== null || lease !== null
  const isAccepted = accepted_at !== null || provider_message_id !== null
  const isSuperseded = status === 'queued' && check !== null && purpose !== null && canBeSuperseded({ check, purpose })
  const isWaiting = isDue || isAccepted || isSuperseded || quarantined_at !== null
  if (!isPending(facts) && isDue) yield { id, code: 'verify.message_still_due', status }
  if (has_code && (!isPending(facts) || accepted_at !== null)) yield { id, code: 'verify.code_kept', status }
  if (lease !== null && due_at === null) yield { id, code: 'verify.lease_without_end', lease }
  if (isPending(facts) && !isWaiting) yield { id, code: 'verify.message_stuck', status }
  if (key !== null) yield { id, code: 'verify.unknown_key', key }
  if (isEarly) yield { id, code: 'verify.undelivered_early', stored: shown(undeliveredAt), derived: shown(deliverBy) }
  for (const { outcome, dueAt, ...report } of reports)
    if (outcome === 'parked' && dueAt === null) yield { id: report.id, code: 'verify.report_parked', messageId: id }
}

function* checkAttempts({ id, attempts, unknown_outcomes, made }: MessageFacts): Differences {
  const highest = Math.max(attempts, made.at(-1)?.attempt ?? 0)
  // Each claim after an attempt whose outcome is unknown counts.
  const unknown = made.filter(({ attempt, outcome }) => outcome === 'unknown' && attempt < attempts).length
  yield* compare({ id, code: 'verify.message_attempts', stored: attempts, derived: highest })
  yield* compare({ id, code: 'verify.unknown_outcomes', stored: unknown_outcomes, derived: unknown })
  for (const each of made)
    if (!isPossible(each)) yield { id, code: 'verify.attempt_outcome', attempt: each.attempt, stored: each.outcome }
}

/** Whether the provider's response can have given the outcome. Retention may have removed the detail of an error. */
function isPossible({ outcome, httpStatus, providerCode, detail }: AttemptFact): boolean {
  const isSuccess = httpStatus !== null && httpStatus >= 200 && httpStatus < 300
  const possible: Record<AttemptFact['outcome'], boolean> = {
    accepted: isSuccess && providerCode === null && detail === null,
    unknown: providerCode === null && (detail !== null || !isSuccess),
    retry: !isSuccess,
    rejected: !isSuccess && httpStatus !== null,
    not_made: httpStatus === null && providerCode === null,
  }
  return possible[outcome]
}

/** The columns that are compared with what the inputs lead to. */
const DERIVED = [
  ['status', { code: 'verify.message_status' }],
  ['sent_at', { code: 'verify.sent_at' }],
  ['failure_code', { code: 'verify.message_failure' }],
  ['failed_at', { code: 'verify.failed_at' }],
  ['sent_event_at', { code: 'verify.event_time_of_message', type: 'message.sent' }],
  ['failed_event_at', { code: 'verify.event_time_of_message', type: 'message.failed' }],
  ['undelivered_event_at', { code: 'verify.event_time_of_message', type: 'message.undelivered' }],
] as const

function* checkInputs(facts: MessageFacts): Differences {
  const { id } = facts
  const events = facts.events.filter((event) => !isOfVerification(event))
  const { after } = yield* replay({ ...facts, events, before: beforeInputs(facts) }, [...inputsOf(facts)], apply)
  const deadline = { stored: facts.deliver_by !== null, derived: after.deliver_by !== null && !facts.code_is_over }
  yield* compare({ id, code: 'verify.message_deadline', ...deadline })
  for (const [column, text] of DERIVED) yield* compare({ id, ...text, stored: facts[column], derived: after[column] })
}

type MessageInput = Input & (Parameters<typeof applyToMessage>[1] | { undeliveredAt: Date })

function* inputsOf(facts: MessageFacts): Generator<MessageInput> {
  const { id, workspace_id: workspaceId, own_failure: failure, undelivered_event_at: undeliveredAt } = facts
  for (const row of facts.reports.filter(isProcessed)) {
    const report = facts.provider.readStatus(row.body)
    if (report) yield { ...row, report }
  }
  if (failure && isExplained(failure, facts))
    yield { ...failure, ...ownFailure({ id, workspaceId }, failure.code, new Date(failure.at)) }
  if (undeliveredAt) yield { inputNumber: facts.undelivered_input, clockOffsetMs: 0, undeliveredAt }
}

function apply(before: MessageRow, input: MessageInput) {
  const row = { ...before, clock_offset_ms: input.clockOffsetMs }
  const result =
    'undeliveredAt' in input ? toUndelivered(row, input.undeliveredAt) : applyToMessage(row, input, before.created_at)
  if (!result) return undefined
  const { message: after, ignored } = result
  return { after, ignored, events: after.kind === 'otp' ? eventsOf(result) : [] }
}

/** The meaning of this error depends on its sub-code, which is not stored. */
const SHARED_CODE = 100

/** Whether anything stored could have made Doorcode decide that the message failed. */
function isExplained({ code, at }: NonNullable<MessageRow['own_failure']>, facts: MessageFacts): boolean {
  const { made, attempts, submit_by, recipient, provider } = facts
  if (Number.isNaN(Date.parse(at))) return false // changed by hand
  const last = made.at(-1)
  const decided = last?.outcome === 'rejected' && last.attempt === attempts && last.providerCode !== SHARED_CODE
  const error = decided && last.providerCode !== null ? provider.findError(last.providerCode) : undefined
  if (error) return error.failureCode === code
  // Whether the template existed at that time is not stored.
  const needsNoAttempt = new Date(at) >= submit_by || isErased(recipient) || code === 'TEMPLATE_NOT_FOUND'
  return needsNoAttempt || made.some(({ outcome }) => outcome !== 'accepted' && outcome !== 'retry')
}

function beforeInputs(facts: MessageFacts): MessageRow {
  const wasSent = facts.accepted_at !== null || facts.lease !== null || facts.attempted_at !== null
  const nothing = Object.fromEntries(DERIVED.map(([column]) => [column, null]))
  return {
    ...facts,
    ...nothing,
    status: isPending(facts) && facts.quarantined_at !== null ? facts.status : wasSent ? 'sending' : 'queued',
    // only whether it is awaited is compared
    deliver_by: facts.deliver_within_seconds === null ? null : facts.created_at,
    provider_message_id: null,
  }
}
