import { HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { type Sql, type Statement, changes, isDatabaseUnavailable, sqlState, statement } from '../db.ts'
import { receiveMessages } from '../cod/receive.ts'
import { transactionWithEvents } from '../events/record.ts'
import type { Loop } from '../jobs/loop.ts'
import type { OtpReport } from '../otp/status.ts'
import type { Parts } from '../parts.ts'
import type { ProviderItem, StatusReport } from '../providers/provider.ts'
import { applyChange } from '../senders/sync.ts'
import { keptSentences } from '../sentences.ts'
import { type MessageReport, applyReports } from './outcome.ts'

type ReportParts = Pick<Parts, 'db' | 'clock' | 'log' | 'metrics' | 'provider' | 'wake' | 'live'>

const TURN_MOST = 500
const POLL_MS = 500
/** After so many failures on its own an item is left for people to look at. */
const TRIES_MOST = 5
const TRY_AGAIN_MS = 30 * SECOND_MS
/** A report may come before the answer that names its message; storing that answer looks here too. */
const PARKED_LOOKS_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]

/** Processes stored provider reports. A crash loses nothing: an item is over only when its effect is committed. */
export function reportsLoop(parts: ReportParts): Loop {
  // a line that first appears as 1 has not risen, for whoever watches it: all of them are there from the start
  for (const outcome of OUTCOMES) parts.metrics.processedReports.inc({ outcome }, 0)
  return {
    name: 'reports',
    pollMs: POLL_MS,
    async turn() {
      try {
        return { more: (await processTurn(parts, TURN_MOST)) === TURN_MOST }
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        parts.log.error({ err: error }, 'a batch of provider reports failed; its items are processed one by one')
        await processOneByOne(parts)
        return { more: true }
      }
    },
  }
}

type Report = {
  id: string
  workspace_id: string
  account_id: string
  kind: ProviderItem['kind']
  body: string
  provider_message_id: string | null
  occurred_at: Date | null
  received_at: Date
  due_at: Date
  attempts: number
  /**
   * Found by our id or by the provider's, within the workspace: accounts of one app share one webhook path. Null when no
   * message is known by either.
   */
  message_id: string | null
  /** Whose conversation a customer's message was found to belong to. */
  confirmation_id?: string | null
}

/** `waiting`: it failed, and is tried again. `quarantined`: it failed for the last time. */
const OUTCOMES = ['applied', 'ignored', 'parked', 'quarantined', 'waiting'] as const
type Outcome = (typeof OUTCOMES)[number]

type Processed = {
  report: Report
  outcome: Outcome
  note: string | null
  dueAt: Date | null
}

async function processTurn({ db, clock, metrics, provider, wake, live }: ReportParts, most: number): Promise<number> {
  const { outcomes, workspaceIds, told, asked, changed } = await transactionWithEvents({ db, metrics }, async (tx) => {
    const now = clock.now()
    const reports = await tx.rows(takeReports, [now, most])
    const processed = await processBatch(tx, provider, reports, now)
    if (reports.length > 0) await tx.rows(endReports, [changes(processed.map(reportEnd))])
    return {
      outcomes: processed.map(({ outcome }) => outcome),
      workspaceIds: reports.map(({ workspace_id }) => workspace_id),
      told: reports.some(({ kind }) => kind === 'status' || kind === 'message'),
      asked: reports.some(({ kind }) => kind === 'message'),
      changed: reports.some(({ kind }) => kind === 'template' || kind === 'number' || kind === 'account'),
    }
  })
  count(metrics, outcomes)
  if (told) wake('deliver')
  if (asked) wake('submit')
  if (changed) wake('sync')
  live.changed(workspaceIds)
  return workspaceIds.length
}

/** Once what came of them is committed. */
function count(metrics: ReportParts['metrics'], outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) metrics.processedReports.inc({ outcome })
}

/** The batch failed: each item alone, so that the one at fault stops nobody else. */
async function processOneByOne(parts: ReportParts): Promise<void> {
  await processEach(parts)
  for (const work of ['deliver', 'submit', 'sync'] as const) parts.wake(work)
}

async function processEach(parts: ReportParts): Promise<void> {
  for (let done = 0; done < TURN_MOST; done += 1) {
    const now = parts.clock.now()
    let taken: Report | undefined
    try {
      const outcomes = await transactionWithEvents(parts, async (tx) => {
        const [report] = await tx.rows(takeReports, [now, 1])
        if (!report) return []
        taken = report
        const processed = await processBatch(tx, parts.provider, [report], now)
        await tx.rows(endReports, [changes(processed.map(reportEnd))])
        return processed.map(({ outcome }) => outcome)
      })
      if (outcomes.length === 0) return
      count(parts.metrics, outcomes)
      if (taken) parts.live.changed([taken.workspace_id])
    } catch (error) {
      if (isDatabaseUnavailable(error) || taken === undefined) throw error
      const over = taken.attempts + 1 >= TRIES_MOST
      parts.log.error({ err: error, reportId: taken.id, quarantined: over }, 'a provider report could not be processed')
      const outcome = over ? 'quarantined' : 'waiting'
      const counted = await parts.db.rows(countFailure, [
        taken.id,
        over ? null : later(now, TRY_AGAIN_MS),
        outcome,
        faultOf(error),
        taken.attempts,
        taken.due_at,
      ])
      if (counted.length > 0) count(parts.metrics, [outcome])
    }
  }
}

const takeReports: Statement<Report> = statement(
  'take_provider_reports',
  `select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.occurred_at, r.received_at, r.due_at, r.attempts,
          coalesce(own.id, theirs.id) as message_id
   from (
     select * from provider_reports where due_at <= $1 order by due_at limit $2 for no key update skip locked) r
   left join lateral (
     select m.id from messages m where m.workspace_id = r.workspace_id and m.id = r.message_id limit 1) own on true
   left join lateral (
     -- fenced: by the provider's id alone, never by the index of the whole workspace
     select m.id from (
       select id, workspace_id from messages
       where own.id is null and provider_message_id = r.provider_message_id offset 0) m
     where m.workspace_id = r.workspace_id limit 1) theirs on true
   order by r.due_at, r.id`,
)

const endReports = statement(
  'end_provider_reports',
  // by id alone: takeReports has just read and locked these rows
  `update provider_reports p
   set (outcome, note, due_at, message_id, confirmation_id, attempts) = (
     select r.outcome, r.note, r.due_at, coalesce(r.message_id, p.message_id), r.confirmation_id, p.attempts + 1
     from jsonb_to_record($1::jsonb -> p.id::text) as r (outcome text, note text, due_at timestamptz, message_id uuid, confirmation_id uuid))
   where p.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const countFailure: Statement<{ id: string }> = statement(
  'count_failed_provider_report',
  // by id alone: an id belongs to one workspace, and whoever calls has just read the row
  // only as it was read: its transaction is over, and another node may have taken and ended it; JavaScript reads ms
  `update provider_reports set attempts = attempts + 1, due_at = $2, outcome = $3, note = $4
   where id = $1 and attempts = $5 and date_trunc('milliseconds', due_at) = $6
   returning id`,
)

/** Never its message: that may quote the row, and a note is shown. */
const faultOf = (error: unknown): string =>
  error instanceof Error ? `${error.name} ${sqlState(error)}`.trim() : typeof error

const reportEnd = ({ report, outcome, note, dueAt }: Processed) => ({
  id: report.id,
  outcome,
  note,
  due_at: dueAt,
  message_id: report.message_id,
  confirmation_id: report.confirmation_id ?? null,
})

async function processBatch(
  tx: Sql,
  provider: ReportParts['provider'],
  reports: Report[],
  now: Date,
): Promise<Processed[]> {
  const applicable: { place: number; known: MessageReport }[] = []
  const processed = reports.map((report, place): Processed | undefined => {
    if (report.kind !== 'status') return undefined
    const status = provider.readStatus(report.body)
    if (!status) return ignored(report, notes.unknownStatus.en)
    if (!report.message_id) return parked(report, now)
    const known = {
      workspaceId: report.workspace_id,
      messageId: report.message_id,
      providerMessageId: report.provider_message_id,
      report: asOtpReport(status, report.received_at),
      receivedAt: report.received_at,
    }
    applicable.push({ place, known })
    return undefined
  })
  applicable.sort((one, other) => inOrder(one.known.report, other.known.report))
  if (applicable.length > 0) {
    const reasons = await applyReports(
      tx,
      now,
      applicable.map(({ known }) => known),
    )
    applicable.forEach(({ place }, index) => {
      const report = reports[place]
      const reason = reasons[index]
      if (report) processed[place] = reason ? ignored(report, reason) : applied(report)
    })
  }
  await receiveAll(tx, provider, { reports, processed, now })
  for (const [place, report] of reports.entries()) processed[place] ??= await processOther(tx, provider, report, now)
  return processed as Processed[]
}

type Batch = { reports: readonly Report[]; processed: (Processed | undefined)[]; now: Date }

/** Customers' messages go to their conversations; they stay in the transcript in any case. */
async function receiveAll(
  tx: Sql,
  provider: ReportParts['provider'],
  { reports, processed, now }: Batch,
): Promise<void> {
  const places = [...reports.keys()].filter((place) => reports[place]?.kind === 'message')
  if (places.length === 0) return
  const messages = places.flatMap((place) => reports[place] ?? [])
  const received = await receiveMessages(tx, provider, now, messages)
  received.forEach(({ note, confirmationId }, index) => {
    const report = messages[index]
    const place = places[index]
    if (!report || place === undefined) return
    report.confirmation_id = confirmationId
    processed[place] = note === null ? applied(report) : ignored(report, note)
  })
}

async function processOther(tx: Sql, provider: ReportParts['provider'], report: Report, now: Date): Promise<Processed> {
  switch (report.kind) {
    case 'template':
    case 'number':
    case 'account': {
      const change = provider.readChange(report.body)
      if (!change) return ignored(report, notes.unknownUpdate.en)
      await applyChange(tx, { workspaceId: report.workspace_id, accountId: report.account_id }, change, now)
      return applied(report)
    }
    case 'message':
    case 'status':
    case 'unknown':
      return ignored(report, notes.unknownKind.en)
  }
}

const notes = keptSentences({
  unknownStatus: { en: 'a status that this release does not know', ar: 'حالة لا يعرفها هذا الإصدار' },
  unknownUpdate: { en: 'an update that this release does not know', ar: 'تحديث لا يعرفه هذا الإصدار' },
  unknownKind: { en: 'a kind of update that this release does not know', ar: 'نوع من التحديثات لا يعرفه هذا الإصدار' },
  unknownMessage: { en: 'no message with this id is known yet', ar: 'لا تُعرف رسالة بهذا المعرّف بعد' },
})

const ORDER = { sent: 0, delivered: 1, read: 2, played: 3, failed: 4 } as const

/** Reports of one batch apply in the provider's time; within its one-second grain a failure comes after "sent". */
const inOrder = (one: OtpReport, other: OtpReport): number =>
  one.at.getTime() - other.at.getTime() || ORDER[one.outcome] - ORDER[other.outcome]

function asOtpReport({ outcome, at, error }: StatusReport, receivedAt: Date): OtpReport {
  const when = at ?? receivedAt
  return outcome === 'failed'
    ? { outcome, at: when, failureCode: error?.failureCode ?? 'UNKNOWN' }
    : { outcome, at: when }
}

const applied = (report: Report): Processed => ({ report, outcome: 'applied', note: null, dueAt: null })

const ignored = (report: Report, note: string): Processed => ({ report, outcome: 'ignored', note, dueAt: null })

const parked = (report: Report, now: Date): Processed => {
  const wait = PARKED_LOOKS_MS[report.attempts]
  return {
    report,
    outcome: 'parked',
    note: notes.unknownMessage.en,
    dueAt: wait === undefined ? null : later(now, wait),
  }
}
