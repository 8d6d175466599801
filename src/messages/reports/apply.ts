import { later, notBefore } from '../../lib/clock.ts'
import { type Sql, type Statement, batch, changes, inLockOrder, statement } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { StatusReport } from '../../providers/provider.ts'
import { type MessageState, applyReport, awaitsDelivery } from '../status.ts'
import type { AppliedReport, MessageRow, Subscribers } from '../subscribers.ts'

export type ReportOfMessage = {
  workspaceId: string
  messageId: string
  /** Null: the report does not name it. */
  providerMessageId: string | null
  report: StatusReport
  /** Set for a provider's report. */
  receivedAt?: Date
}

/** Our own decision that a message failed. */
export const ownFailure = (
  { id, workspaceId }: { id: string; workspaceId: string },
  failureCode: FailureCode,
  at: Date,
): ReportOfMessage => ({
  workspaceId,
  messageId: id,
  providerMessageId: null,
  report: { outcome: 'failed', at, failureCode, ours: true, error: null, errors: [] },
})

/**
 * Applies reports in their order, in the caller's transaction: status, event and deliveries commit together. Any report
 * proves that the submission is over: the code is erased and the message is not due any more.
 * Returns each report as it was applied, or undefined if its message does not exist.
 */
export async function applyReports(
  parts: ApplyParts,
  now: Date,
  reports: readonly ReportOfMessage[],
): Promise<(AppliedReport | undefined)[]> {
  const named = reports.map(({ workspaceId, messageId }) => ({ workspace_id: workspaceId, id: messageId }))
  const { results, written } = applyToLocked(parts, now, { reports, rows: await lockMessages(parts.tx, named) })
  await written
  return results
}

type ApplyParts = { tx: Sql; subscribers: Pick<Subscribers, 'outcomes'> }

/**
 * Like applyReports, for messages that are locked already. Rows that no report names stay as they are. Await `written` before the
 * commit.
 */
export function applyToLocked(
  { tx, subscribers }: ApplyParts,
  now: Date,
  { reports, rows }: { reports: readonly ReportOfMessage[]; rows: readonly MessageRow[] },
): { results: (AppliedReport | undefined)[]; written: Promise<unknown> } {
  const locked = new Map(rows.map((row) => [row.id, row]))
  const changed = new Map<string, MessageRow>()
  const results = reports.map((report): AppliedReport | undefined => {
    const row = changed.get(report.messageId) ?? locked.get(report.messageId)
    const applied = row && applyToMessage(row, report, now)
    if (applied) changed.set(report.messageId, applied.message)
    return applied
  })
  const written = Promise.all([
    tx.rows(writeMessages, [changes([...changed.values()].map(writtenColumns)), now]),
    notify(subscribers, tx, now, results), // sent after the write, without waiting for its response
  ])
  return { results, written }
}

async function notify(
  { outcomes }: Pick<Subscribers, 'outcomes'>,
  tx: Sql,
  now: Date,
  results: readonly (AppliedReport | undefined)[],
): Promise<void> {
  for (const kind of ['otp', 'cod'] as const) {
    const ofKind = results.filter((applied) => applied?.message.kind === kind) as AppliedReport[]
    if (ofKind.length > 0) await outcomes[kind](tx, now, ofKind)
  }
}

/** Pure: "verify" derives the row with it. */
export function applyToMessage(
  row: MessageRow,
  { report, providerMessageId, ...reported }: Pick<ReportOfMessage, 'report' | 'providerMessageId' | 'receivedAt'>,
  now: Date,
): AppliedReport {
  const { receivedAt = now } = reported
  // Clients see the workspace's time. The provider reports whole seconds, which may begin before the message.
  const at = notBefore(row.created_at, later(report.at ?? receivedAt, row.clock_offset_ms))
  const { state, event, ignored } = applyReport(stateOf(row), report, at)
  const eventAt = afterEarlierEvents(row, at)
  const message = {
    ...withState(row, state, eventAt, providerMessageId),
    own_failure: report.ours && !ignored ? asOwnFailure(row, report, receivedAt) : row.own_failure,
  }
  const wasIdentified = row.provider_message_id !== null
  return { message, wasIdentified, report, receivedAt, event, ignored, eventAt }
}

/** A correction may have an earlier time than the failure that it corrects; occurredAt must still increase. */
export function afterEarlierEvents(row: MessageRow, at: Date): Date {
  let earliest = at
  for (const earlier of [row.sent_event_at, row.failed_event_at, row.undelivered_event_at])
    if (earlier) earliest = notBefore(later(earlier, 1), earliest)
  return earliest
}

/** The columns of a MessageRow. */
export const MESSAGE_COLUMNS = `m.id, m.workspace_id, m.status, m.reference, m.recipient, m.created_at, m.sent_at, m.failure_code,
     m.failed_at, m.sent_event_at, m.failed_event_at, m.undelivered_event_at, m.undelivered_input, m.own_failure, m.deliver_within_seconds, m.deliver_by, m.provider_message_id, m.inputs, m.kind, m.confirmation_id, m.check_kind,
     m.purpose, (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms`

/** Locks the rows in one order. */
export const lockMessages = (
  tx: Sql,
  messages: readonly { workspace_id: string; id: string }[],
): Promise<MessageRow[]> => tx.rows(lock, [batch(inLockOrder(messages))])

const lock: Statement<MessageRow> = statement(
  'lock_messages_for_reports',
  `select ${MESSAGE_COLUMNS}
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from messages m where m.workspace_id = r.workspace_id and m.id = r.id limit 1 for no key update) m`,
)

/** What a report may change, with the types of the columns. */
const WRITTEN = {
  status: 'text',
  sent_at: 'timestamptz',
  failure_code: 'text',
  failed_at: 'timestamptz',
  sent_event_at: 'timestamptz',
  failed_event_at: 'timestamptz',
  deliver_by: 'timestamptz',
  provider_message_id: 'text',
  inputs: 'integer',
  own_failure: 'jsonb',
} as const satisfies Partial<Record<keyof MessageRow, string>>

const WRITTEN_COLUMNS = Object.keys(WRITTEN) as (keyof typeof WRITTEN)[]

const writeMessages = statement(
  'write_reported_messages',
  // by id only: lockMessages has just read these rows by workspace_id and id
  `update messages m
   set (${WRITTEN_COLUMNS.join(', ')}, accepted_at, due_at, lease, attempted_at, code, quarantined_at) = (
     select ${WRITTEN_COLUMNS.map((column) => `r.${column}`).join(', ')},
            case when r.provider_message_id is null then m.accepted_at else coalesce(m.accepted_at, $2::timestamptz) end,
            null::timestamptz, null::uuid, null::timestamptz, null::bytea, null::timestamptz
     from jsonb_to_record($1::jsonb -> m.id::text) as r (${WRITTEN_COLUMNS.map((column) => `${column} ${WRITTEN[column]}`).join(', ')}))
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const writtenColumns = (row: MessageRow) => ({
  id: row.id,
  ...Object.fromEntries(WRITTEN_COLUMNS.map((column) => [column, row[column]])),
})

const asOwnFailure = (
  { inputs, clock_offset_ms: clockOffsetMs }: MessageRow,
  { failureCode, at }: StatusReport,
  now: Date,
): MessageRow['own_failure'] => ({
  inputNumber: inputs + 1,
  code: failureCode ?? 'UNKNOWN',
  at: (at ?? now).toISOString(),
  clockOffsetMs,
})

const stateOf = (row: MessageRow): MessageState => ({
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

const withState = (
  row: MessageRow,
  state: MessageState,
  eventAt: Date,
  providerMessageId: string | null,
): MessageRow => ({
  ...row,
  status: state.status,
  sent_at: state.sentAt,
  failure_code: state.failure?.code ?? null,
  failed_at: state.failure?.at ?? null,
  sent_event_at: state.sentEventRecorded ? (row.sent_event_at ?? eventAt) : null,
  failed_event_at: state.failedEventRecorded ? (row.failed_event_at ?? eventAt) : null,
  deliver_by: awaitsDelivery(state.status) ? row.deliver_by : null,
  // The provider's id contains the number.
  provider_message_id: row.provider_message_id ?? (isErased(row.recipient) ? null : providerMessageId),
  inputs: row.inputs + 1,
})
