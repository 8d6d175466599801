import type { CodedText } from '../../../locales/text.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, batch, changes, statement } from '../../lib/db/pool.ts'
import { erasedIn, isErased as isErasedRecipient } from '../../lib/phone/erased-recipient.ts'
import { type EventParts, withEvents } from '../../events/record.ts'
import { type DueItem, createBatchLoop } from '../../runtime/jobs/batch-loop.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { ProviderItem } from '../../providers/provider.ts'
import { applyChange } from '../../accounts/sync/sync.ts'
import type { AppliedReport, MessageRow, StoredInbound, Subscribers } from '../subscribers.ts'
import { type ReportOfMessage, applyReports, applyToLocked } from './apply.ts'
import { createReportTracer } from './trace.ts'

type ReportParts = EventParts &
  Pick<Parts, 'clock' | 'log' | 'provider' | 'live' | 'tracer'> & {
    subscribers: Subscribers
  }

export const MAX_REPORTS = 500
export const POLL_MS = 500
/** A report may come before the response with its message's id; storing that response unparks it too. */
export const PARKED_RETRIES_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]

/** Processes stored provider reports. A crash loses nothing: a report ends with the commit of its effect. */
export function reportsLoop(parts: ReportParts): Loop {
  const { db, metrics, wake, tracer } = parts
  const trace = tracer && createReportTracer({ db, tracer })
  // An alert sees no increase in a counter that first appears as 1.
  for (const outcome of OUTCOMES) metrics.processedReports.inc({ outcome }, 0)
  return createBatchLoop<DueReport, ReportEnd[]>(withEvents(parts), {
    name: 'reports',
    pollMs: POLL_MS,
    maxItems: MAX_REPORTS,
    take: (tx, now) => tx.rows(takeReports, [now, MAX_REPORTS]),
    retake: (tx, { id }, now) => tx.rows(takeReport, [now, id]),
    async process(tx, reports, now) {
      const ends = await processReports(tx, parts, reports, now)
      await tx.rows(endReports, [changes(ends)])
      return ends
    },
    committed(reports, ends) {
      for (const { outcome } of ends) metrics.processedReports.inc({ outcome })
      trace?.(reports, ends)
      const kinds = new Set(reports.map(({ kind }) => kind))
      if (kinds.has('message')) wake('submit')
      if (kinds.has('template') || kinds.has('number') || kinds.has('account')) wake('sync')
    },
    storeFault: (db, report, { outcome, tries, fault, retryAt }) =>
      db.rows(countFailure, [report.id, retryAt, outcome, fault, report.due_at, tries]),
    countFaults: (outcome, faults) => metrics.processedReports.inc({ outcome }, faults),
  })
}

export type DueReport = DueItem &
  StoredInbound & {
    account_id: string
    kind: ProviderItem['kind']
    provider_message_id: string | null
    due_at: Date
    /** Of a parked report: how often it was parked. Its tries begin when its message is known. */
    attempts: number
    /** Found by our id or the provider's, within the workspace: accounts of one app share a webhook path. Null: unknown. */
    message_id: string | null
  }

/** `waiting`: it failed and is retried. `quarantined`: it failed for the last time. */
const OUTCOMES = ['applied', 'ignored', 'parked', 'quarantined', 'waiting'] as const

/** SQL: joins each report `r` to the message that it names by our id, or else by the provider's. */
export const MESSAGE_OF_REPORT = `left join lateral (
     select m.id from messages m where m.workspace_id = r.workspace_id and m.id = r.message_id limit 1) own on true
   left join lateral (
     select m.id from messages m
     where own.id is null and m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id
     limit 1) theirs on true`

const take = (due: string): string =>
  `select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.occurred_at, r.received_at, r.due_at,
          r.attempts, case when r.outcome = 'parked' then 0 else r.attempts end as tries, coalesce(own.id, theirs.id) as message_id
   from (
     select * from provider_reports where due_at <= $1 ${due} for no key update skip locked) r
   ${MESSAGE_OF_REPORT}
   order by r.due_at, r.received_at, r.id`

const takeReports: Statement<DueReport> = statement('take_provider_reports', take('order by due_at limit $2'))

/** Whether any report was due by `dueBy`, of whatever kind: the reports behind it wait too. */
export const areReportsWaiting = async (sql: Sql, dueBy: Date): Promise<boolean> =>
  (await sql.row(findWaitingReport, [dueBy])) !== undefined

const findWaitingReport = statement<{ id: string }>(
  'find_waiting_provider_report',
  'select id from provider_reports where due_at <= $1 order by due_at limit 1',
)

const takeReport: Statement<DueReport> = statement('take_provider_report', take('and id = $2'))

/**
 * Read when the report is stored as processed: an erasure may commit after the report was taken. Null if there is no
 * such row. Not `exists`, which a plan made for a small table answers by reading all of it.
 */
const isErasedNow = (table: string, id: string): string =>
  `(select ${erasedIn('e.recipient')} from ${table} e where e.id = ${id} limit 1)`

const endReports = statement(
  'end_provider_reports',
  // by ids only: takeReports has just read and locked these rows, and found theirs within the workspace
  // what belongs to an erased message or order must not bring the number back: it is emptied
  `update provider_reports p
   set (outcome, note, due_at, message_id, confirmation_id, input_number, clock_offset_ms, attempts, body, provider_message_id) = (
     select r.outcome, r.note, r.due_at, coalesce(r.message_id, p.message_id), r.confirmation_id, r.input_number, r.clock_offset_ms,
            p.attempts + 1, case when e.is_erased then '' else p.body end, case when e.is_erased then null else p.provider_message_id end
     from jsonb_to_record($1::jsonb -> p.id::text) as r (outcome text, note jsonb, due_at timestamptz, message_id uuid,
       confirmation_id uuid, input_number integer, clock_offset_ms bigint)
     cross join lateral (select coalesce(${isErasedNow('messages', 'r.message_id')}, false)
       or coalesce(${isErasedNow('confirmations', 'r.confirmation_id')}, false) as is_erased) e)
   where p.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

/** Of one confirmation. Any further messages stay ignored. */
const MAX_PROCESSED_AGAIN = 50

/** Customers' messages of these confirmations that were written since these times and changed nothing are processed again. */
export async function processAgain(
  tx: Sql,
  now: Date,
  confirmations: readonly { workspace_id: string; id: string | null; since: Date }[],
): Promise<void> {
  if (confirmations.length > 0) await tx.rows(restart, [batch(confirmations), now])
}

const restart: Statement<object> = statement(
  'process_messages_again',
  // unmatched again, as before it was processed: an erasure or a repeat that locks the confirmation first does not meet it
  `update provider_reports set outcome = 'waiting', note = null, due_at = $2, attempts = 0, confirmation_id = null
   where outcome = 'ignored' and input_number is null and body <> '' and id = any (array (
     select p.id from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid, since timestamptz)
     cross join lateral (
       select id from provider_reports
       where workspace_id = r.workspace_id and confirmation_id = r.id and outcome = 'ignored' and input_number is null
         and coalesce(occurred_at, received_at) >= r.since and body <> ''
       order by received_at, id limit ${MAX_PROCESSED_AGAIN}) p))`,
)

const countFailure: Statement<{ id: string }> = statement(
  'count_failed_provider_report',
  // by id only: an id belongs to one workspace, and the caller has just read the row
  // only if unchanged: its transaction is over, and another node may have taken and ended it; JavaScript dates have ms
  `update provider_reports set attempts = $6, due_at = $2, outcome = $3, note = $4
   where id = $1 and date_trunc('milliseconds', due_at) = $5
   returning id`,
)

export type Readers = Pick<ReportParts, 'provider'> & { subscribers: Pick<Subscribers, 'outcomes'> }

async function processReports(
  tx: Sql,
  readers: Pick<ReportParts, 'provider' | 'subscribers'>,
  reports: readonly DueReport[],
  now: Date,
): Promise<ReportEnd[]> {
  const ofKind = (kind: DueReport['kind']) => reports.filter((report) => report.kind === kind)
  const ends = await processStatuses(tx, readers, ofKind('status'), now)
  ends.push(...(await processMessages(tx, readers, ofKind('message'), now)))
  for (const report of reports) {
    if (report.kind !== 'status' && report.kind !== 'message')
      ends.push(await processOther(tx, readers.provider, report, now))
  }
  return ends
}

/** A report of a stored message. */
type KnownReport = ReportOfMessage & { receivedAt: Date; stored: DueReport }

/** Applies statuses to their messages, or parks those of unknown ones. */
async function processStatuses(
  tx: Sql,
  { provider, subscribers }: Readers,
  reports: readonly DueReport[],
  now: Date,
): Promise<ReportEnd[]> {
  const { ends, known } = readStatuses(provider, reports, now)
  if (known.length === 0) return ends
  return [...ends, ...toEnds(known, await applyReports({ tx, subscribers }, now, known))]
}

/** Like processStatuses, for messages that are locked already. Await `written` before the commit. */
export function processLocked(
  tx: Sql,
  { provider, subscribers }: Readers,
  { reports, messages }: { reports: readonly DueReport[]; messages: readonly MessageRow[] },
  now: Date,
): { ends: ReportEnd[]; written: Promise<unknown> } {
  const { ends, known } = readStatuses(provider, reports, now)
  if (known.length === 0) return { ends, written: Promise.resolve() }
  const { results, written } = applyToLocked({ tx, subscribers }, now, { reports: known, rows: messages })
  return { ends: [...ends, ...toEnds(known, results)], written }
}

/** `known`: those to apply, in the provider's order. `ends`: of the others. */
function readStatuses(
  provider: Readers['provider'],
  reports: readonly DueReport[],
  now: Date,
): { ends: ReportEnd[]; known: KnownReport[] } {
  const ends: ReportEnd[] = []
  const known: KnownReport[] = []
  for (const report of reports) {
    const status = provider.readStatus(report.body)
    if (!status) ends.push(toEnd(report, { note: { code: 'messages.unknown_status' } }))
    else if (!report.message_id) ends.push(toParked(report, now))
    else
      known.push({
        stored: report,
        workspaceId: report.workspace_id,
        messageId: report.message_id,
        providerMessageId: report.provider_message_id,
        report: status,
        receivedAt: report.received_at,
      })
  }
  return { ends, known: known.sort(compareReports) }
}

const toEnds = (known: readonly KnownReport[], results: readonly (AppliedReport | undefined)[]): ReportEnd[] =>
  known.map(({ stored }, index) => {
    const { ignored: note, message } = results[index] ?? { ignored: { code: 'messages.no_message' } as const }
    const isErased = message && isErasedRecipient(message.recipient)
    return toEnd(stored, { note, inputNumber: message?.inputs, clockOffsetMs: message?.clock_offset_ms, isErased })
  })

async function processMessages(
  tx: Sql,
  { provider, subscribers }: Pick<ReportParts, 'provider' | 'subscribers'>,
  reports: readonly DueReport[],
  now: Date,
): Promise<ReportEnd[]> {
  if (reports.length === 0) return []
  const results = await subscribers.inbound(tx, provider, now, reports)
  return reports.map((report, index) => toEnd(report, results[index]))
}

async function processOther(
  tx: Sql,
  provider: ReportParts['provider'],
  report: DueReport,
  now: Date,
): Promise<ReportEnd> {
  if (report.kind === 'unknown') return toEnd(report, { note: { code: 'messages.unknown_kind' } })
  const change = provider.readChange(report.body)
  if (!change) return toEnd(report, { note: { code: 'messages.unknown_update' } })
  await applyChange(tx, { workspaceId: report.workspace_id, accountId: report.account_id }, change, now)
  return toEnd(report)
}

const ORDER = { sent: 0, delivered: 1, read: 2, played: 3, failed: 4 } as const

/** Reports of one batch apply in the provider's order; within one second a failure comes after "sent". */
const compareReports = (a: KnownReport, b: KnownReport): number =>
  +(a.report.at ?? a.receivedAt) - +(b.report.at ?? b.receivedAt) || ORDER[a.report.outcome] - ORDER[b.report.outcome]

/**
 * `note`: why it was ignored. `inputNumber`: its number among the inputs of its message or conversation. `clockOffsetMs`: how far
 * the workspace's clock was ahead. `isErased`: its message's recipient is erased, so nothing that names the recipient may be stored.
 */
const toEnd = (
  { id, message_id }: DueReport,
  {
    note = null,
    confirmationId = null,
    inputNumber = null,
    clockOffsetMs,
    isErased = false,
  }: {
    note?: CodedText | null
    confirmationId?: string | null
    inputNumber?: number | null | undefined
    clockOffsetMs?: number | undefined
    isErased?: boolean | undefined
  } = {},
) => ({
  id,
  outcome: (note ? 'ignored' : 'applied') as (typeof OUTCOMES)[number],
  note,
  due_at: null as Date | null,
  message_id,
  confirmation_id: confirmationId,
  input_number: inputNumber,
  clock_offset_ms: clockOffsetMs || undefined, // omitted if 0, as for most workspaces
  is_erased: isErased,
})

type ReportEnd = ReturnType<typeof toEnd>

function toParked(report: DueReport, now: Date): ReportEnd {
  const waitMs = PARKED_RETRIES_MS[report.attempts]
  const due_at = waitMs === undefined ? null : later(now, waitMs)
  return { ...toEnd(report, { note: { code: 'messages.unknown_message' } }), outcome: 'parked', due_at }
}
