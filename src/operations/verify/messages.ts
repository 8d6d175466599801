import { canBeSuperseded } from '../../cod/conversation/superseded.ts'
import type { EventType } from '../../events/event-types.ts'
import {
  type AttemptFact,
  type EventRow,
  type ReportRow,
  readOfUnits,
  selectAttempts,
  selectEvents,
  selectReports,
} from '../../explain/rows.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import { applyToMessage, ownFailure } from '../../messages/reports/apply.ts'
import { toMessageReport } from '../../messages/reports/process.ts'
import type { MessageRow } from '../../messages/subscribers.ts'
import { otpView } from '../../otp/view.ts'
import type { Provider } from '../../providers/provider.ts'
import { type CheckResult, type Difference, checkNumbers, checkResult, compared, difference } from './differences.ts'
import { anyFailure, checkEvent, failureOf } from './event-body.ts'
import { FACT_LIMIT, type Selected, isWhole, readerOf, unknownKeyOf } from './read.ts'

/** The row is also the job. */
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
}

type MessageFacts = StoredMessage & { made: AttemptFact[]; reports: ReportRow[]; events: EventRow[] }

const readRows = readerOf<StoredMessage>(
  'messages',
  (messages) =>
    `select m.id, m.workspace_id, m.kind, m.confirmation_id, m.check_kind, m.purpose, m.status, m.reference, m.recipient,
       m.created_at, m.sent_at, m.failure_code, m.failed_at, m.sent_event_at, m.failed_event_at, m.provider_message_id, m.inputs,
       (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms,
       m.code is not null as has_code, m.accepted_at, m.submit_by, m.due_at, m.lease, m.attempts, m.attempted_at,
       m.unknown_outcomes, m.quarantined_at, ${unknownKeyOf('m')} as unknown_key
     from (${messages}) m order by m.id`,
)

export async function readMessages(tx: Sql, workspaceId: string, selected: Selected): Promise<MessageFacts[]> {
  const rows = await readRows(tx, workspaceId, selected)
  const units = { workspaceId, ids: rows.map(({ id }) => id), limit: FACT_LIMIT }
  const made = await readOfUnits(tx, selectAttempts, units)
  const reports = await readOfUnits(tx, selectReports, units)
  const events = await readOfUnits(tx, selectEvents, units)
  return rows.map((row) => ({ ...row, made: made(row.id), reports: reports(row.id), events: events(row.id) }))
}

type Reader = Pick<Provider, 'readStatus' | 'findError'>

/** Compares a message with its attempts, reports and events (docs/verify.md#messages). Pure. */
export function checkMessage(facts: MessageFacts, reader: Reader): CheckResult {
  const { made, reports, events } = facts
  const differences = [...checkJob(facts), ...checkAttempts(facts), ...checkRest(facts)]
  if (!isWhole(made, reports, events) || reports.some((report) => isProcessed(report) && report.body === ''))
    return { differences, verifiable: false }
  // A report that waits may be about to change the message.
  if (reports.some(({ outcome }) => outcome === 'waiting')) return { differences, verifiable: true }
  const replayed = replay(facts, reader)
  if (replayed.length > 0 && isOrderUnknown(facts, reader)) return { differences, verifiable: false }
  differences.push(...replayed, ...checkOwnFailure(facts, reader))
  return { differences, verifiable: true }
}

const isProcessed = ({ outcome }: ReportRow): boolean => outcome === 'applied' || outcome === 'ignored'
const isPending = ({ status }: MessageRow): boolean => status === 'queued' || status === 'sending'

/** A message to send is due, and one that ended is not. */
function checkJob(facts: MessageFacts): Difference[] {
  const { id, status, due_at, lease, has_code, accepted_at, provider_message_id, quarantined_at } = facts
  const { check_kind: check, purpose } = facts
  const isDue = due_at !== null || lease !== null
  const found: Difference[] = []
  if (!isPending(facts) && isDue) found.push(difference(id, { code: 'verify.message_still_due', status }))
  if (has_code && (!isPending(facts) || accepted_at !== null))
    found.push(difference(id, { code: 'verify.code_kept', status }))
  if (lease !== null && due_at === null) found.push(difference(id, { code: 'verify.lease_without_end', lease }))
  const isAccepted = accepted_at !== null || provider_message_id !== null
  const isSuperseded = status === 'queued' && check !== null && purpose !== null && canBeSuperseded({ check, purpose })
  if (isPending(facts) && !isDue && !isAccepted && !isSuperseded && quarantined_at === null)
    found.push(difference(id, { code: 'verify.message_stuck', status }))
  return found
}

function checkAttempts({ id, attempts, unknown_outcomes, made }: MessageFacts): Difference[] {
  const highest = Math.max(attempts, made.at(-1)?.attempt ?? 0)
  // Each claim after an attempt whose outcome is unknown counts.
  const unknown = made.filter(({ attempt, outcome }) => outcome === 'unknown' && attempt < attempts).length
  const impossible = made.filter((attempt) => !isPossible(attempt))
  return [
    ...compared(id, { code: 'verify.message_attempts' }, { stored: attempts, derived: highest }),
    ...compared(id, { code: 'verify.unknown_outcomes' }, { stored: unknown_outcomes, derived: unknown }),
    ...impossible.map(({ attempt, outcome }) =>
      difference(id, { code: 'verify.attempt_outcome', attempt, stored: outcome }),
    ),
  ]
}

/** Whether the provider's answer can have given the outcome. Retention may have removed the detail of an error. */
function isPossible({ outcome, httpStatus: status, providerCode: code, detail }: AttemptFact): boolean {
  const isSuccess = status !== null && status >= 200 && status < 300
  switch (outcome) {
    case 'accepted':
      return isSuccess && code === null && detail === null
    case 'unknown':
      return code === null && (detail !== null || !isSuccess)
    case 'retry':
      return !isSuccess
    case 'rejected':
      return !isSuccess && status !== null
    case 'not_made':
      return status === null && code === null
  }
}

/** Its key is known, and no report that names it has given up waiting for it. */
const checkRest = ({ id, unknown_key: key, reports }: MessageFacts): Difference[] => [
  ...(key === null ? [] : [difference(id, { code: 'verify.unknown_key', key })]),
  ...reports
    .filter(({ outcome, dueAt }) => outcome === 'parked' && dueAt === null)
    .map((report) => difference(report.id, { code: 'verify.report_parked', messageId: id })),
]

type Input = Parameters<typeof applyToMessage>[1] & { stored: ReportRow | null }

/** In the order in which they were applied. */
const readReports = ({ reports }: MessageFacts, reader: Reader): Input[] =>
  reports
    .filter(isProcessed)
    .toSorted((one, other) => (one.inputNumber ?? 0) - (other.inputNumber ?? 0))
    .flatMap((stored) => {
      const status = reader.readStatus(stored.body)
      const { providerMessageId, receivedAt } = stored
      return status ? { stored, providerMessageId, receivedAt, report: toMessageReport(status, receivedAt) } : []
    })

/** Our own decision that the message failed has no report, so its number is missing among theirs. */
function inputsOf(facts: MessageFacts, reader: Reader): Input[] {
  const reports = readReports(facts, reader)
  const missing = Array.from({ length: facts.inputs }, (_, index) => index + 1).find(
    (number) => !reports.some(({ stored }) => stored?.inputNumber === number),
  )
  const { failed_event_at: at, failure_code, provider_message_id } = facts
  if (missing === undefined || !at || !mayHaveFailed(facts)) return reports
  const isOwn = provider_message_id === null || failure_code === 'RECIPIENT_ERASED'
  const { report } = ownFailure({ id: facts.id, workspaceId: '' }, (isOwn && failure_code) || 'UNKNOWN', at)
  return reports.toSpliced(missing - 1, 0, { report, providerMessageId: null, stored: null })
}

/** Whether anything stored could have made Doorcode decide that the message failed. */
const mayHaveFailed = (facts: MessageFacts): boolean =>
  facts.made.some(({ outcome }) => outcome !== 'accepted' && outcome !== 'retry') ||
  facts.clock_offset_ms > 0 ||
  (facts.failed_event_at !== null && facts.failed_event_at >= facts.submit_by) ||
  // An erasure ends waiting messages. The time of an erasure is not stored.
  isErased(facts.recipient) ||
  // Whether the template existed at that time is not stored.
  facts.failure_code === 'TEMPLATE_NOT_FOUND'

/** A sandbox's clock may have moved between a failure and "sent": which of them counts as the later one is not stored. */
function isOrderUnknown(facts: MessageFacts, reader: Reader): boolean {
  const outcomes = new Set(readReports(facts, reader).map(({ report }) => report.outcome))
  const isCertain = outcomes.has('delivered') || outcomes.has('read') || outcomes.has('played')
  return facts.clock_offset_ms > 0 && outcomes.has('sent') && outcomes.has('failed') && !isCertain
}

/** Applies the inputs again, and compares each result, the events, and the row at the end. */
function replay(facts: MessageFacts, reader: Reader): Difference[] {
  const found: Difference[] = []
  const recorded = new Map<string, MessageRow>()
  let message = beforeInputs(facts)
  const inputs = inputsOf(facts, reader)
  for (const input of inputs) {
    const { message: next, event, ignored } = applyToMessage(message, input, facts.created_at)
    message = next
    if (input.stored) found.push(...checkResult(input.stored, ignored))
    if (event && facts.kind === 'otp') recorded.set(event, message)
  }
  const numbers = checkNumbers(
    facts.inputs,
    inputs.flatMap(({ stored }) => stored ?? []),
  )
  return [...found, ...numbers, ...compare(facts, message), ...checkEvents(facts, recorded)]
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
    provider_message_id: null,
    clock_offset_ms: 0,
    inputs: 0,
  }
}

const EVENT_TIMES = {
  'message.sent': 'sent_event_at',
  'message.failed': 'failed_event_at',
} as const satisfies Record<Extract<EventType, `message.${string}`>, keyof MessageRow>

function compare(facts: MessageFacts, derived: MessageRow): Difference[] {
  const { id, clock_offset_ms: aheadMs } = facts
  const both = (column: keyof MessageRow) => ({ stored: facts[column], derived: derived[column], aheadMs })
  const failure = compared(id, { code: 'verify.message_failure' }, both('failure_code'))
  const events = Object.entries(EVENT_TIMES).flatMap(([type, column]) =>
    compared(id, { code: 'verify.event_time_of_message', type }, both(column)),
  )
  return [
    ...compared(id, { code: 'verify.message_status' }, both('status')),
    ...compared(id, { code: 'verify.sent_at' }, both('sent_at')),
    ...failure,
    ...(failure.length > 0 ? [] : compared(id, { code: 'verify.failed_at' }, both('failed_at'))),
    ...events,
  ]
}

/** The failure code that follows from the last attempt's answer, if that answer decided. */
function checkOwnFailure(facts: MessageFacts, reader: Reader): Difference[] {
  const { id, failure_code: stored, provider_message_id, attempts } = facts
  const last = facts.made.at(-1)
  if (stored === null || provider_message_id !== null || last?.outcome !== 'rejected' || last.attempt !== attempts)
    return []
  if (last.providerCode === null || last.providerCode === SHARED_CODE) return []
  const derived = reader.findError(last.providerCode)?.failureCode
  return compared(id, { code: 'verify.message_failure' }, { stored, derived: derived ?? stored })
}

/** The meaning of this error depends on its sub-code, which is not stored. */
const SHARED_CODE = 100

/** Each outcome of a code has its event once; other messages have none. `recorded`: the message as clients saw it then. */
function checkEvents(facts: MessageFacts, recorded: ReadonlyMap<string, MessageRow>): Difference[] {
  const { id, events, clock_offset_ms: aheadMs } = facts
  const inOrder = events.toSorted((one, other) => +one.occurredAt - +other.occurredAt)
  const first = new Map(inOrder.toReversed().map((event) => [event.type, event]))
  const missing = [...recorded.keys()].filter((type) => !first.has(type))
  // A report replaced or corrected our own failure: its code is only in the event.
  const wasReplaced = facts.failure_code === null || facts.reports.some(isProcessed)
  return [
    ...missing.map((type) => difference(id, { code: 'verify.event_missing', type })),
    ...events.flatMap((event): Difference[] => {
      const { type } = event
      const message = first.get(type) === event ? recorded.get(type) : undefined
      if (!message) return [difference(event.id, { code: 'verify.event_without_cause', type })]
      const isCodeLost = type === 'message.failed' && message.provider_message_id === null && wasReplaced
      const failure = isCodeLost ? anyFailure : failureOf(message.failure_code)
      const at = message[EVENT_TIMES[type as keyof typeof EVENT_TIMES]] ?? event.occurredAt
      return checkEvent(event, { at, data: { ...otpView(message), failure }, aheadMs })
    }),
  ]
}
