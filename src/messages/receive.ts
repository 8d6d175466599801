import { SECOND_MS, later } from '../clock.ts'
import { type Statement, batch, isBatchFault, statement, storableText } from '../db.ts'
import { grouped } from '../group.ts'
import { contentId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { ProviderItem } from '../providers/provider.ts'

export type ReceivingAccount = { workspaceId: string; accountId: string }

/** Webhooks of one turn are stored together. Each holds as many items as parse lets through, of WhatsApp at most 1,000. */
const GROUP_MOST = 64
const GROUP_LANES = 2

/** An id of the provider that is longer is none; the database would refuse what is much longer in an index. */
const IDENTIFIER_MOST = 512

/**
 * The provider tells whole seconds, so this is the last instant that it may mean: what comes after its cause is never
 * dated before it. Cut to the second, an answer might be older than its question, and a failure than its message.
 */
export function happenedAt(told: Date, receivedAt: Date): Date {
  const atTheLatest = later(told, SECOND_MS - 1)
  return atTheLatest < receivedAt ? atTheLatest : receivedAt
}

/** Stores the items of one webhook, each once, durably. After it the provider may be answered (spec: stored first). */
export function receiving(parts: Pick<Parts, 'db' | 'clock' | 'wake' | 'metrics'>) {
  const store = grouped(
    async (webhooks: ReportRow[][]) => {
      const rows = collapse(webhooks.flat())
      const stored = await parts.db.rows(storeReports, [batch(rows), parts.clock.now()])
      for (const { kind, repeated } of stored) {
        if (repeated) parts.metrics.repeatedReports.inc()
        else parts.metrics.reports.inc({ kind })
      }
      parts.wake('reports')
      return webhooks.map(() => undefined)
    },
    { most: GROUP_MOST, lanes: GROUP_LANES, mayRunAlone: isBatchFault },
  )
  return async (account: ReceivingAccount, items: ProviderItem[]): Promise<void> => {
    if (items.length > 0) await store(items.map((item) => reportRow(account, item)))
  }
}

type ReportRow = ReturnType<typeof reportRow>

const reportRow = ({ workspaceId, accountId }: ReceivingAccount, item: ProviderItem) => ({
  id: contentId(accountId, item.identity),
  workspace_id: workspaceId,
  account_id: accountId,
  kind: item.kind,
  body: storableText(item.body),
  provider_message_id:
    item.providerMessageId === null ? null : storableText(item.providerMessageId).slice(0, IDENTIFIER_MOST),
  message_id: item.messageId,
  occurred_at: item.occurredAt,
  repeats: 0,
})

/** One row for each id, in one order: groups of two nodes wait for each other and never in a circle. */
function collapse(rows: ReportRow[]): ReportRow[] {
  const once = new Map<string, ReportRow>()
  for (const row of rows) {
    const first = once.get(row.id)
    if (first) first.repeats += 1
    else once.set(row.id, row)
  }
  return [...once.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

const storeReports: Statement<{ kind: ProviderItem['kind']; repeated: boolean }> = statement(
  'store_provider_reports',
  `insert into provider_reports as p (id, workspace_id, account_id, kind, body, provider_message_id, message_id, occurred_at,
     received_at, repeats, due_at, outcome)
   select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.message_id, r.occurred_at,
     $2, r.repeats, $2, 'waiting'
   from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, account_id uuid, kind text, body text, provider_message_id text,
     message_id uuid, occurred_at timestamptz, repeats int)
   on conflict (id) do update set repeats = p.repeats + excluded.repeats + 1
   returning p.kind, (xmax <> 0) as repeated`,
)
