import { SECOND_MS, later } from '../../lib/clock.ts'
import {
  type Statement,
  batch,
  inLockOrder,
  retryUntilOutcomeKnown,
  statement,
  storableText,
} from '../../lib/db/pool.ts'
import { createFairBatcher } from '../../lib/db/fair-batcher.ts'
import { contentId } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { ProviderItem } from '../../providers/provider.ts'

export type ReceivingAccount = { workspaceId: string; accountId: string }

/** Webhooks that are stored together. Each has as many items as the parser accepts: at most 1,000 of WhatsApp. */
const MAX_GROUP = 64
const GROUP_CONCURRENCY = 2

/** No provider id is longer, and an index cannot take much longer text. */
const MAX_IDENTIFIER = 512

/**
 * The provider reports whole seconds: this is the last instant of that second, so that nothing is dated before its cause,
 * such as an answer before its question.
 */
export function happenedAt(reportedAt: Date, receivedAt: Date): Date {
  const latest = later(reportedAt, SECOND_MS - 1)
  return latest < receivedAt ? latest : receivedAt
}

/** Stores the items of one webhook, each once, before the provider is answered (docs/whatsapp-cloud-api.md#webhooks). */
export function createReceiver(parts: Pick<Parts, 'db' | 'clock' | 'wake' | 'metrics'>) {
  const store = createFairBatcher(
    async (webhooks: Webhook[]) => {
      const rows = mergeRepeats(webhooks.flatMap((webhook) => webhook.rows))
      const values = [batch(rows), parts.clock.now()]
      const stored = await retryUntilOutcomeKnown(() => parts.db.rows(storeReports, values))
      for (const { kind, repeated } of stored) {
        if (repeated) parts.metrics.repeatedReports.inc()
        else parts.metrics.reports.inc({ kind })
      }
      parts.wake('reports')
    },
    {
      maxItems: MAX_GROUP,
      concurrency: GROUP_CONCURRENCY,
      ownerOf: ({ accountId }) => accountId,
    },
  )
  return async (account: ReceivingAccount, items: ProviderItem[]): Promise<void> => {
    const { accountId } = account
    if (items.length > 0) await store({ accountId, rows: items.map((item) => reportRow(account, item)) })
  }
}

type Webhook = { accountId: string; rows: ReportRow[] }

type ReportRow = ReturnType<typeof reportRow>

const reportRow = ({ workspaceId, accountId }: ReceivingAccount, item: ProviderItem) => ({
  id: contentId(accountId, item.identity),
  workspace_id: workspaceId,
  account_id: accountId,
  kind: item.kind,
  body: storableText(item.body),
  provider_message_id:
    item.providerMessageId === null ? null : storableText(item.providerMessageId).slice(0, MAX_IDENTIFIER),
  message_id: item.messageId,
  occurred_at: item.occurredAt,
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
