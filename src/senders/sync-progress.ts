import { MINUTE_MS, later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type { AccountOf, CallableAccount } from './accounts.ts'
import type { Listing } from './store-listing.ts'

/** What of an account's list has been read, in the order of the steps. How much there will be, nobody says before. */
export type SyncProgress = { step: 'numbers' | 'templates' | 'storing'; numbers: number; templates: number }

/** Reads the account's list, and keeps for the pages of every node how far that is. */
export async function listNoting(
  parts: Pick<Parts, 'db' | 'clock' | 'provider' | 'live'>,
  account: CallableAccount,
  startedAt: Date,
): Promise<Listing> {
  const noteThat = (progress: SyncProgress): Promise<void> => noteSync(parts, { ...account, startedAt }, progress)
  await noteThat({ step: 'numbers', numbers: 0, templates: 0 })
  parts.live.changed([account.workspaceId])
  const listing = await parts.provider.list(account, ({ numbers, templates }) =>
    noteThat({ step: templates === null ? 'numbers' : 'templates', numbers, templates: templates ?? 0 }),
  )
  await noteThat({ step: 'storing', numbers: listing.numbers.length, templates: listing.templates.length })
  return listing
}

type Syncing = AccountOf & { startedAt: Date }

/** Of two that read the same list, the one that began later is shown: what it reads is what stays. */
const note = statement(
  'note_account_sync',
  `insert into account_syncs (workspace_id, account_id, started_at, noted_at, step, numbers, templates)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (account_id) do update
   set started_at = excluded.started_at, noted_at = excluded.noted_at, step = excluded.step,
       numbers = excluded.numbers, templates = excluded.templates
   where account_syncs.started_at <= excluded.started_at`,
)

async function noteSync(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  { workspaceId, accountId, startedAt }: Syncing,
  { step, numbers, templates }: SyncProgress,
): Promise<void> {
  await db.rows(note, [workspaceId, accountId, startedAt, clock.now(), step, numbers, templates])
}

const forget = statement(
  'forget_account_sync',
  'delete from account_syncs where workspace_id = $1 and account_id = $2 and started_at <= $3',
)

/** Its end, whatever came of it. */
export async function forgetSync(sql: Sql, { workspaceId, accountId, startedAt }: Syncing): Promise<void> {
  await sql.rows(forget, [workspaceId, accountId, startedAt])
}

/** More than the provider is given for one page of its list: whoever is silent for longer has died. */
const SILENT_MOST_MS = MINUTE_MS

type Row = { account_id: string } & SyncProgress

const listUnderWay: Statement<Row> = statement(
  'list_account_syncs',
  'select account_id, step, numbers, templates from account_syncs where workspace_id = $1 and noted_at > $2',
)

export async function listSyncsUnderWay(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  workspaceId: string,
): Promise<(SyncProgress & { accountId: string })[]> {
  const rows = await db.rows(listUnderWay, [workspaceId, later(clock.now(), -SILENT_MOST_MS)])
  return rows.map(({ account_id: accountId, ...progress }) => ({ accountId, ...progress }))
}
