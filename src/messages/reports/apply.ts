import type { CodedText } from '../../../locales/text.ts'
import { later, notBefore } from '../../lib/clock.ts'
import { type Sql, type Statement, batch, changes, inLockOrder, statement } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { type OtpReport, type OtpState, applyReport } from '../status.ts'
import type { MessageOutcome, MessageRow, Subscribers } from '../subscribers.ts'

/** A provider's report on a message, or our own decision that it failed. */
export type MessageReport = {
  workspaceId: string
  messageId: string
  /** Null: the report does not name it. */
  providerMessageId: string | null
  report: OtpReport
  /** Set for a provider's report. */
  receivedAt?: Date
}

/** Our own decision that a message failed. */
export const ownFailure = (
  { id, workspaceId }: { id: string; workspaceId: string },
  failureCode: FailureCode,
  at: Date,
): MessageReport => ({
  workspaceId,
  messageId: id,
  providerMessageId: null,
  report: { outcome: 'failed', at, failureCode, ours: true },
})

/**
 * Applies reports in their order, in the caller's transaction: status, event and deliveries commit together. Any report
 * proves that the submission is over: the code is erased and the message is not due any more.
 * Returns for each report why it changed nothing that callers see, or null when it did.
 */
export async function applyReports(
  { tx, subscribers }: { tx: Sql; subscribers: Pick<Subscribers, 'outcomes'> },
  now: Date,
  reports: readonly MessageReport[],
): Promise<(CodedText | null)[]> {
  const named = reports.map(({ workspaceId, messageId }) => ({ workspace_id: workspaceId, id: messageId }))
  const rows = await tx.rows(lockMessages, [batch(inLockOrder(named))])
  const messages = new Map(rows.map((row) => [row.id, row]))
  const outcomes: MessageOutcome[] = []
  const ignored = reports.map(({ messageId, providerMessageId, report, receivedAt = now }): CodedText | null => {
    const row = messages.get(messageId)
    if (!row) return { code: 'messages.no_message' }
    // Callers see the workspace's time. The provider reports whole seconds, which may begin before the message.
    const visible = { ...report, at: notBefore(row.created_at, later(report.at, row.clock_offset_ms)) }
    const step = applyReport(stateOf(row), visible)
    const eventAt = afterEarlierEvents(row, visible.at)
    const message = withState(row, step.state, eventAt, providerMessageId)
    messages.set(messageId, message)
    const wasIdentified = row.provider_message_id !== null
    outcomes.push({ message, wasIdentified, report, receivedAt, step, eventAt })
    return step.ignored
  })
  await tx.rows(writeMessages, [changes([...messages.values()]), now])
  for (const kind of ['otp', 'cod'] as const) {
    const ofKind = outcomes.filter(({ message }) => message.kind === kind)
    if (ofKind.length > 0) await subscribers.outcomes[kind](tx, now, ofKind)
  }
  return ignored
}

/** A correction may have an earlier time than the failure that it corrects; occurredAt must still increase. */
function afterEarlierEvents({ sent_event_at, failed_event_at }: MessageRow, at: Date): Date {
  let earliest = at
  for (const earlier of [sent_event_at, failed_event_at]) if (earlier) earliest = notBefore(later(earlier, 1), earliest)
  return earliest
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

const writeMessages = statement(
  'write_reported_messages',
  // by id only: lockMessages has just read these rows by workspace_id and id
  `update messages m
   set (status, sent_at, failure_code, failed_at, sent_event_at, failed_event_at, provider_message_id, accepted_at,
        due_at, lease, attempted_at, code, quarantined_at) = (
     select r.status, r.sent_at, r.failure_code, r.failed_at, r.sent_event_at, r.failed_event_at, r.provider_message_id,
            case when r.provider_message_id is null then m.accepted_at else coalesce(m.accepted_at, $2::timestamptz) end,
            null::timestamptz, null::uuid, null::timestamptz, null::bytea, null::timestamptz
     from jsonb_to_record($1::jsonb -> m.id::text) as r (status text, sent_at timestamptz, failure_code text, failed_at timestamptz,
       sent_event_at timestamptz, failed_event_at timestamptz, provider_message_id text))
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const stateOf = (row: MessageRow): OtpState => ({
  status: row.status,
  sentAt: row.sent_at,
  failure:
    row.failure_code && row.failed_at
      ? {
          code: row.failure_code,
          at: row.failed_at,
          // We fail only messages whose provider id is unknown, and each report of the provider contains that id.
          ours: row.provider_message_id === null,
        }
      : null,
  sentEventRecorded: row.sent_event_at !== null,
  failedEventRecorded: row.failed_event_at !== null,
})

const withState = (row: MessageRow, state: OtpState, eventAt: Date, providerMessageId: string | null): MessageRow => ({
  ...row,
  status: state.status,
  sent_at: state.sentAt,
  failure_code: state.failure?.code ?? null,
  failed_at: state.failure?.at ?? null,
  sent_event_at: state.sentEventRecorded ? (row.sent_event_at ?? eventAt) : null,
  failed_event_at: state.failedEventRecorded ? (row.failed_event_at ?? eventAt) : null,
  // The provider's id contains the number.
  provider_message_id: row.provider_message_id ?? (isErased(row.recipient) ? null : providerMessageId),
})
