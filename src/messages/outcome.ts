import { later, notBefore } from '../clock.ts'
import { type Happening, advance } from '../cod/advance.ts'
import { type Sql, type Statement, batch, changes, statement } from '../db.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { newId } from '../ids.ts'
import { type OtpReport, type OtpState, type OtpStatus, applyReport } from '../otp/status.ts'
import { otpView } from '../otp/view.ts'
import type { FailureCode, MessageKind } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import type { Check, Purpose } from './conversation.ts'
import { happenedAt } from './receive.ts'

/** Something that became known of a message: a provider's report, or the end of our own tries. */
export type MessageReport = {
  workspaceId: string
  messageId: string
  /** The provider's id of the message, when the report names it. */
  providerMessageId: string | null
  report: OtpReport
  /** When a provider's report came. */
  receivedAt?: Date
}

type MessageRow = {
  id: string
  workspace_id: string
  kind: MessageKind
  confirmation_id: string | null
  check_kind: Check | null
  purpose: Purpose | null
  clock_offset_ms: number
  status: OtpStatus
  reference: string | null
  recipient: string
  created_at: Date
  sent_at: Date | null
  failure_code: FailureCode | null
  failed_at: Date | null
  sent_event_at: Date | null
  failed_event_at: Date | null
  provider_message_id: string | null
}

/**
 * Applies reports in their order, in the caller's transaction: status, event and deliveries commit together. Whatever is
 * known of a message proves that its submission is over: its code is erased and it is due no more.
 * Returns for each report why it changed nothing that callers see, or null when it did.
 */
export async function applyReports(tx: Sql, now: Date, reports: readonly MessageReport[]): Promise<(string | null)[]> {
  const rows = await tx.rows(lockMessages, [batch(messagesOf(reports))])
  const messages = new Map(rows.map((row) => [row.id, row]))
  const events: NewEvent[] = []
  const happenings: Happening[] = []
  const ignored = reports.map(({ messageId, providerMessageId, report, receivedAt = now }) => {
    const row = messages.get(messageId)
    if (!row) return notes.noMessage.en
    // What callers see is in the workspace's time. A whole second that the provider tells may begin before the message.
    const seen = { ...report, at: notBefore(row.created_at, later(report.at, row.clock_offset_ms)) }
    const step = applyReport(stateOf(row), seen)
    const changed = withState(row, step.state, now, providerMessageId)
    messages.set(messageId, changed)
    if (row.kind === 'cod') happenings.push(...happeningsOf(row, { report, receivedAt, ignored: step.ignored, now }))
    else if (step.event) events.push(otpEvent(changed, step.event, seen.at))
    return step.ignored
  })
  await tx.rows(writeMessages, [changes([...messages.values()]), now])
  if (events.length > 0) await recordEvents(tx, now, events)
  if (happenings.length > 0) await advance(tx, now, happenings)
  return ignored
}

const notes = keptSentences({ noMessage: { en: 'no such message', ar: 'لا توجد رسالة كهذه' } })

function otpEvent(row: MessageRow, type: 'message.sent' | 'message.failed', at: Date): NewEvent {
  const data = { ...otpView(row), occurredAt: at.toISOString() }
  return { id: newId(), workspaceId: row.workspace_id, type, messageId: row.id, data }
}

type Known = { report: OtpReport; receivedAt: Date; ignored: string | null; now: Date }

/**
 * A question that fails changes no state; the template and its reminder do (contract §4). A report of a message whose
 * provider's id we never heard is the answer that was lost: it completes the submission.
 */
function happeningsOf(row: MessageRow, { report, receivedAt, ignored, now }: Known): Happening[] {
  const { workspace_id: workspaceId, confirmation_id: confirmationId, check_kind: check, purpose } = row
  if (!confirmationId || !check || (purpose !== 'template' && purpose !== 'reminder')) return []
  const of = { workspaceId, confirmationId, check }
  if (report.outcome === 'failed') {
    const at = happenedAt(report.at, receivedAt)
    return ignored === null ? [{ ...of, event: { type: 'send_failed', at, code: report.failureCode } }] : []
  }
  const isNews = purpose === 'template' && row.provider_message_id === null
  return isNews ? [{ ...of, event: { type: 'template_submitted', at: now } }] : []
}

const lockMessages: Statement<MessageRow> = statement(
  'lock_messages_for_reports',
  `select m.id, m.workspace_id, m.status, m.reference, m.recipient, m.created_at, m.sent_at, m.failure_code, m.failed_at,
          m.sent_event_at, m.failed_event_at, m.provider_message_id, m.kind, m.confirmation_id, m.check_kind, m.purpose,
          (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from messages m where m.workspace_id = r.workspace_id and m.id = r.id limit 1 for no key update) m`,
)

/** In one order, so that two batches wait for each other and never in a circle. */
function messagesOf(reports: readonly MessageReport[]): { workspace_id: string; id: string }[] {
  const once = new Map(
    reports.map(({ workspaceId, messageId }) => [messageId, { workspace_id: workspaceId, id: messageId }]),
  )
  return [...once.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

const writeMessages = statement(
  'write_reported_messages',
  // by id alone: lockMessages has just read these rows by workspace_id and id
  `update messages m
   set (status, sent_at, failure_code, failed_at, sent_event_at, failed_event_at, provider_message_id, accepted_at,
        due_at, lease, attempted_at, code) = (
     select r.status, r.sent_at, r.failure_code, r.failed_at, r.sent_event_at, r.failed_event_at, r.provider_message_id,
            case when r.provider_message_id is null then m.accepted_at else coalesce(m.accepted_at, $2::timestamptz) end,
            null::timestamptz, null::uuid, null::timestamptz, null::bytea
     from jsonb_to_record($1::jsonb -> m.id::text) as r (status text, sent_at timestamptz, failure_code text, failed_at timestamptz,
       sent_event_at timestamptz, failed_event_at timestamptz, provider_message_id text))
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const stateOf = (row: MessageRow): OtpState => ({
  status: row.status,
  sentAt: row.sent_at,
  failure: row.failure_code && row.failed_at ? { code: row.failure_code, at: row.failed_at } : null,
  sentEventRecorded: row.sent_event_at !== null,
  failedEventRecorded: row.failed_event_at !== null,
})

const withState = (row: MessageRow, state: OtpState, now: Date, providerMessageId: string | null): MessageRow => ({
  ...row,
  status: state.status,
  sent_at: state.sentAt,
  failure_code: state.failure?.code ?? null,
  failed_at: state.failure?.at ?? null,
  sent_event_at: state.sentEventRecorded ? (row.sent_event_at ?? now) : null,
  failed_event_at: state.failedEventRecorded ? (row.failed_event_at ?? now) : null,
  provider_message_id: row.provider_message_id ?? providerMessageId,
})
