import { type Clock, SECOND_MS, later, notAfter } from '../../lib/clock.ts'
import {
  STATEMENT_TIMEOUT_MS,
  type Statement,
  batch,
  isConflict,
  isDatabaseUnavailable,
  inLockOrder,
  retryUntilOutcomeKnown,
  statement,
  storableText,
} from '../../lib/db/pool.ts'
import { createFairBatcher } from '../../lib/db/fair-batcher.ts'
import { contentId } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { ProviderItem } from '../../providers/provider.ts'
import { type EventParts, transactionWithEvents } from '../../events/record.ts'
import type { MessageRow, Subscribers } from '../subscribers.ts'
import { MESSAGE_COLUMNS } from './apply.ts'
import { createReportTracer } from './trace.ts'
import { MESSAGE_OF_REPORT, processLocked } from './process.ts'

export type ReceivingAccount = { workspaceId: string; accountId: string }

/** Webhooks that are stored together. Each has as many items as the parser accepts: at most 1,000 of WhatsApp. */
const MAX_GROUP = 64
const GROUP_CONCURRENCY = 2
/** The provider can wait; its webhooks come one status at a time. */
const GROUP_INTERVAL_MS = 50

/** A larger group is a flood: it is only stored, so that the provider gets its answers. */
const MAX_APPLIED_AT_ONCE = 500
/** The provider waits meanwhile. A status whose message is locked for longer is left to the loop. */
const MAX_LOCK_WAIT_MS = 20

/** No provider id is longer, and an index cannot take much longer text. */
const MAX_IDENTIFIER = 512

/**
 * The provider reports whole seconds: this is the last instant of that second, so that nothing is dated before its cause,
 * such as an answer before its question.
 */
export function happenedAt(reportedAt: Date, receivedAt: Date): Date {
  return notAfter(receivedAt, later(reportedAt, SECOND_MS - 1))
}

type ReceiverParts = EventParts &
  Pick<Parts, 'config' | 'clock' | 'live' | 'log' | 'provider' | 'tracer'> & {
    subscribers: Pick<Subscribers, 'outcomes'>
  }

/**
 * Stores the items of one webhook, each once, before the provider is answered (docs/whatsapp-cloud-api.md#webhooks). A worker applies
 * statuses in the same transaction, which saves taking and writing each of them again; what it cannot apply waits for the loop.
 */
export function createReceiver(parts: ReceiverParts) {
  const { db, clock, metrics, tracer } = parts
  const nextInstant = createInstants(clock)
  const trace = tracer && createReportTracer({ db, tracer })
  const store = createFairBatcher(
    async (webhooks: Webhook[]) => {
      const rows = mergeRepeats(webhooks.flatMap((webhook) => webhook.rows))
      const now = parts.clock.now()
      const stored = (await applyNow({ ...parts, trace }, rows, now)) ?? (await storeOnly(parts, rows, now))
      for (const { kind, repeated } of stored) {
        if (repeated) metrics.repeatedReports.inc()
        else metrics.reports.inc({ kind })
      }
    },
    {
      maxItems: MAX_GROUP,
      concurrency: GROUP_CONCURRENCY,
      intervalMs: GROUP_INTERVAL_MS,
      ownerOf: ({ accountId }) => accountId,
    },
  )
  return async (account: ReceivingAccount, items: ProviderItem[]): Promise<void> => {
    const { accountId } = account
    const rows = items.map((item) => reportRow(account, item, item.kind === 'message' ? nextInstant() : clock.now()))
    if (rows.length > 0) await store({ accountId, rows })
  }
}

/** Further ahead than any burst of messages: the clock was set back. */
const MAX_INSTANT_AHEAD_MS = SECOND_MS

/** Each is later than the one before, by a millisecond at least: of two taps in one second, the later one counts. */
export function createInstants(clock: Clock): () => Date {
  let lastMs = 0
  return () => {
    const nowMs = clock.now().getTime()
    lastMs = lastMs > nowMs + MAX_INSTANT_AHEAD_MS ? nowMs : Math.max(lastMs + 1, nowMs)
    return new Date(lastMs)
  }
}

type StoredItem = { id: string; kind: ProviderItem['kind']; repeated: boolean }

async function storeOnly({ db, wake }: ReceiverParts, rows: readonly ReportRow[], now: Date): Promise<StoredItem[]> {
  const values = [batch(rows.map((row) => ({ ...row, outcome: 'waiting', due_at: now })))]
  const stored = await retryUntilOutcomeKnown(() => db.rows(storeReports, values))
  wake('reports')
  return stored
}

type ApplyParts = ReceiverParts & { trace: ReturnType<typeof createReportTracer> | undefined }

/** Returns undefined if nothing was stored: then the items are stored without being applied. */
async function applyNow(parts: ApplyParts, rows: readonly ReportRow[], now: Date): Promise<StoredItem[] | undefined> {
  if (!parts.config.roles.has('worker') || rows.length > MAX_APPLIED_AT_ONCE) return undefined
  if (!rows.some(({ kind }) => kind === 'status')) return undefined
  try {
    const { stored, ends, due } = await transactionWithEvents(
      parts,
      async (tx) => {
        const found = await tx.rows(lockMessages, [
          batch(rows.filter(({ kind }) => kind === 'status').map(identifiersOf)),
        ])
        const messageOf = new Map(found.map(({ reportId, id }) => [reportId, id]))
        const due = rows
          .filter(({ id }) => messageOf.has(id))
          .map((row) => ({
            ...row,
            message_id: messageOf.get(row.id) ?? null,
            due_at: now,
            attempts: 0,
            tries: 0,
          }))
        const messages = found.filter((row): row is typeof row & MessageRow => row.id !== null)
        const { ends: processed, written } = processLocked(tx, parts, { reports: due, messages }, now)
        // Only the loop's statement looks whether the message of an unknown status belongs to an erased recipient.
        const ends = processed.filter(({ note }) => note?.code !== 'messages.unknown_status')
        const endOf = new Map(ends.map((end) => [end.id, end]))
        const storing = tx.rows(storeReports, [batch(rows.map((row) => toStored(row, endOf.get(row.id), now)))])
        storing.catch(() => {}) // sent without waiting for the write, whose error comes first
        await written
        const stored = await storing
        // Another node stored it since it was looked up, and applies it too.
        if (stored.some(({ id, repeated }) => repeated && endOf.has(id))) throw new StoredMeanwhile()
        return { stored, ends, due }
      },
      { statementMs: STATEMENT_TIMEOUT_MS, lockMs: MAX_LOCK_WAIT_MS },
    )
    parts.trace?.(due, ends)
    for (const { outcome } of ends) parts.metrics.processedReports.inc({ outcome })
    if (rows.length > ends.length) parts.wake('reports')
    parts.live.changed(rows.map(({ workspace_id }) => workspace_id))
    return stored
  } catch (error) {
    const isExpected = error instanceof StoredMeanwhile || isConflict(error) || isDatabaseUnavailable(error)
    if (!isExpected)
      parts.log.warn({ err: error }, 'statuses could not be applied when they arrived; the loop applies them')
    return undefined
  }
}

class StoredMeanwhile extends Error {}

const toStored = (row: ReportRow, end: ReturnType<typeof processLocked>['ends'][number] | undefined, now: Date) =>
  end
    ? {
        ...row,
        ...end,
        message_id: end.message_id ?? row.message_id,
        ...(end.is_erased && { body: '', provider_message_id: null }),
        attempts: 1,
      }
    : { ...row, outcome: 'waiting', due_at: now }

const identifiersOf = ({ id, workspace_id, message_id, provider_message_id }: ReportRow) => ({
  id,
  workspace_id,
  message_id,
  provider_message_id,
})

/** The messages of those statuses that are not stored yet, as the loop finds them. Locks the rows in one order. */
const lockMessages: Statement<{ reportId: string } & (MessageRow | { id: null })> = statement(
  'lock_messages_of_statuses',
  `select found.id as "reportId", ${MESSAGE_COLUMNS}
   from (
     select r.id, r.workspace_id, coalesce(own.id, theirs.id) as message_id
     from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, message_id uuid, provider_message_id text)
     ${MESSAGE_OF_REPORT}
     where (select p.id from provider_reports p where p.id = r.id limit 1) is null
     order by message_id) found
   left join lateral (
     select * from messages m
     where m.workspace_id = found.workspace_id and m.id = found.message_id limit 1 for no key update) m on true`,
)

type Webhook = { accountId: string; rows: ReportRow[] }

type ReportRow = ReturnType<typeof reportRow>

const reportRow = ({ workspaceId, accountId }: ReceivingAccount, item: ProviderItem, receivedAt: Date) => ({
  id: contentId(accountId, item.identity),
  workspace_id: workspaceId,
  account_id: accountId,
  kind: item.kind,
  body: storableText(item.body),
  provider_message_id:
    item.providerMessageId === null ? null : storableText(item.providerMessageId).slice(0, MAX_IDENTIFIER),
  message_id: item.messageId,
  occurred_at: item.occurredAt,
  received_at: receivedAt,
  repeats: 0,
})

/** One row per id. */
function mergeRepeats(rows: ReportRow[]): ReportRow[] {
  const byId = new Map<string, ReportRow>()
  for (const row of rows) {
    const first = byId.get(row.id)
    if (first) first.repeats += 1
    else byId.set(row.id, row)
  }
  return inLockOrder([...byId.values()])
}

const storeReports: Statement<StoredItem> = statement(
  'store_provider_reports',
  `insert into provider_reports as p (id, workspace_id, account_id, kind, body, provider_message_id, message_id, occurred_at,
     received_at, repeats, due_at, outcome, note, input_number, clock_offset_ms, attempts)
   select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.message_id, r.occurred_at,
     r.received_at, r.repeats, r.due_at, r.outcome, r.note, r.input_number, r.clock_offset_ms,
     coalesce(r.attempts, 0)
   from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, account_id uuid, kind text, body text, provider_message_id text,
     message_id uuid, occurred_at timestamptz, received_at timestamptz, repeats int, due_at timestamptz, outcome text, note jsonb, input_number int,
     clock_offset_ms bigint, attempts smallint)
   on conflict (id) do update set repeats = p.repeats + excluded.repeats + 1
   returning p.id, p.kind, (xmax <> 0) as repeated`,
)
