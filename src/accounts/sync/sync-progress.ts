import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { ProviderListing } from '../../providers/provider.ts'
import type { CallableAccount } from '../accounts.ts'
import type { AccountRef } from '../templates/changes.ts'

/** How many items of an account have been read. The provider does not say how many there are. */
export type SyncProgress = { step: 'numbers' | 'templates' | 'storing'; numbers: number; templates: number }

/** Lists the account's numbers and templates, and stores the progress so that every node can show it. */
export async function listWithProgress(
  parts: Pick<Parts, 'db' | 'clock' | 'provider' | 'live'>,
  account: CallableAccount,
  startedAt: Date,
): Promise<ProviderListing> {
  const report = (progress: SyncProgress): Promise<void> =>
    storeProgress(parts.db, { ...account, startedAt }, { ...progress, at: parts.clock.now() })
  await report({ step: 'numbers', numbers: 0, templates: 0 })
  parts.live.changed([account.workspaceId])
  const listing = await parts.provider.list(account, ({ numbers, templates }) =>
    report({ step: templates === null ? 'numbers' : 'templates', numbers, templates: templates ?? 0 }),
  )
  await report({ step: 'storing', numbers: listing.numbers.length, templates: listing.templates.length })
  return listing
}

type Sync = AccountRef & { startedAt: Date }

/** While two syncs run, the progress of the later one is shown: its result replaces the other's. */
const updateProgress = statement(
  'update_sync_progress',
  `update provider_accounts
   set sync_started_at = case when $4::text is not null then $3::timestamptz end,
       sync_noted_at = $5, sync_step = $4, sync_numbers = $6, sync_templates = $7
   where workspace_id = $1 and id = $2 and (sync_started_at <= $3) is not false`,
)

/** Null: the sync has ended. */
async function storeProgress(sql: Sql, sync: Sync, progress: (SyncProgress & { at: Date }) | null): Promise<void> {
  const { workspaceId, accountId, startedAt } = sync
  const { step, at, numbers, templates } = progress ?? {}
  await sql.rows(updateProgress, [workspaceId, accountId, startedAt, step, at, numbers, templates])
}

export const clearSyncProgress = (sql: Sql, sync: Sync): Promise<void> => storeProgress(sql, sync, null)

/** Longer than the timeout of one page: a sync that reports nothing for this long has died. */
const MAX_SILENCE_MS = MINUTE_MS

type RunningSync = SyncProgress & { accountId: string }

const selectRunning: Statement<RunningSync> = statement(
  'list_running_syncs',
  `select id as "accountId", sync_step as step, sync_numbers as numbers, sync_templates as templates
   from provider_accounts where workspace_id = $1 and sync_noted_at > $2`,
)

export const listRunningSyncs = (
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  workspaceId: string,
): Promise<RunningSync[]> => db.rows(selectRunning, [workspaceId, later(clock.now(), -MAX_SILENCE_MS)])
