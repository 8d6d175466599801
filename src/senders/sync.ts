import { later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import type { Loop } from '../jobs/loop.ts'
import type { Parts } from '../parts.ts'
import { type ProviderChange, ProviderRefused, ProviderUnreachable, type TemplateId } from '../providers/provider.ts'
import { noteTemplateChanges } from '../templates/changes.ts'
import { type AccountOf, type ConnectedAccount, describeAccount, getAccount } from './accounts.ts'
import { accountRefusal } from './provider-refusal.ts'
import {
  SYNC_INTERVAL_LEAST_MS,
  SYNC_LEASE_MS,
  type SyncFailure,
  nextCredentialsLookAt,
  nextSyncAt,
  retrySyncAt,
} from './schedule.ts'
import { storeListing } from './store-listing.ts'
import { forgetSync, listNoting } from './sync-progress.ts'

type SyncParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'metrics' | 'wake' | 'live' | 'log'>

/** In the transaction that stores what came of a sync: a list, or why there was none. */
type Alongside = (tx: Sql, ended: { workspaceId: string; failure: SyncFailure | null }) => Promise<void>

/** Reads an account's numbers and templates now. Throws SetupRefused that says why when that cannot be done. */
export async function syncAccount(
  parts: SyncParts,
  accountId: string,
  alongside?: Alongside,
): Promise<ConnectedAccount> {
  const account = await getAccount(parts, accountId)
  const leasedUntil = leaseFrom(parts.clock.now())
  await parts.db.rows(leaseSync, [account.workspaceId, account.accountId, leasedUntil])
  const failure = await readAndStore(parts, { ...account, leasedUntil, alongside })
  if (failure) throw accountRefusal(failure.error, account)
  return describeAccount(parts.db, account)
}

/** The hourly sync, and the one that an update asked for. */
export function syncLoop(parts: SyncParts): Loop {
  return {
    name: 'sync',
    pollMs: POLL_MS,
    async turn() {
      const now = parts.clock.now()
      const taken = await parts.db.rows(takeDueAccounts, [now, leaseFrom(now), ACCOUNTS_AT_ONCE])
      await Promise.all(taken.map((row) => syncTaken(parts, row)))
      return { more: taken.length === ACCOUNTS_AT_ONCE }
    },
  }
}

/** Nobody waits for a sync, and many nodes ask. */
const POLL_MS = 5_000
const ACCOUNTS_AT_ONCE = 4

/** sync_due_at is schedule and lease. The exact instant tells later whose lease it is. */
const leaseFrom = (now: Date): Date => later(now, SYNC_LEASE_MS)

const leaseSync = statement(
  'lease_account_sync',
  'update provider_accounts set sync_due_at = $3 where workspace_id = $1 and id = $2',
)

type TakenRow = { id: string; workspace_id: string; sync_due_at: Date }

const takeDueAccounts: Statement<TakenRow> = statement(
  'take_accounts_due_for_sync',
  `update provider_accounts a set sync_due_at = $2
   from (select id from provider_accounts where sync_due_at <= $1 order by sync_due_at limit $3
         for no key update skip locked) due
   where a.id = due.id
   returning a.id, a.workspace_id, a.sync_due_at`,
)

/** One account that cannot be synced must not stop the others. */
async function syncTaken(parts: SyncParts, row: TakenRow): Promise<void> {
  try {
    const account = await getAccount(parts, row.id)
    const failure = await readAndStore(parts, { ...account, leasedUntil: row.sync_due_at })
    if (failure) parts.log.warn({ accountId: row.id, err: failure.error }, 'an account could not be synced')
  } catch (error) {
    parts.metrics.syncs.inc({ outcome: 'fault' })
    parts.log.error({ accountId: row.id, err: error }, 'the sync of an account failed; it runs again after its lease')
  }
}

type Leased = Awaited<ReturnType<typeof getAccount>> & { leasedUntil: Date; alongside?: Alongside | undefined }
type Failed = { failure: SyncFailure; error: ProviderRefused | ProviderUnreachable }

/** Resolves with what the provider's answer was when that was not a list. */
async function readAndStore(parts: SyncParts, account: Leased): Promise<Failed | undefined> {
  const startedAt = parts.clock.now()
  try {
    return await readAndStoreSince(parts, account, startedAt)
  } finally {
    await forgetSync(parts.db, { ...account, startedAt })
    parts.live.changed([account.workspaceId])
  }
}

async function readAndStoreSince(parts: SyncParts, account: Leased, startedAt: Date): Promise<Failed | undefined> {
  const { db, clock, metrics, wake } = parts
  try {
    const listing = await listNoting(parts, account, startedAt)
    const wasConnected = await db.transaction(async (tx) => {
      const before = await tx.row(lockAccount, [account.workspaceId, account.accountId])
      // A list that was begun later is stored already: this one is older than what it would replace.
      if (!before || (before.synced_at && before.synced_at > startedAt)) return true
      await storeListing(tx, account, { listing, now: startedAt })
      const values = [account.workspaceId, account.accountId, startedAt, account.leasedUntil, nextSyncAt(clock.now())]
      await tx.rows(endSync, values)
      await account.alongside?.(tx, { workspaceId: account.workspaceId, failure: null })
      return before.status === 'connected'
    })
    metrics.syncs.inc({ outcome: 'synced' })
    if (!wasConnected) wake('submit')
    return undefined
  } catch (error) {
    if (!(error instanceof ProviderRefused) && !(error instanceof ProviderUnreachable)) throw error
    const failure = failureOf(error)
    metrics.syncs.inc({ outcome: failure })
    await db.transaction(async (tx) => {
      await storeFailure(tx, account, { failure, error, now: clock.now() })
      await account.alongside?.(tx, { workspaceId: account.workspaceId, failure })
    })
    return { failure, error }
  }
}

const lockAccount = statement<{ status: string; synced_at: Date | null }>(
  'lock_account_to_sync',
  'select status, synced_at from provider_accounts where workspace_id = $1 and id = $2 for no key update',
)

/** An update that came while the list was read has moved sync_due_at: then the list is read again, in its time. */
const endSync = statement(
  'end_account_sync',
  `update provider_accounts
   set status = 'connected', status_detail = null, synced_at = $3,
       sync_due_at = case when sync_due_at = $4 then $5
         else greatest(sync_due_at, $3::timestamptz + interval '${SYNC_INTERVAL_LEAST_MS} milliseconds') end
   where workspace_id = $1 and id = $2`,
)

function failureOf(error: ProviderRefused | ProviderUnreachable): SyncFailure {
  if (error instanceof ProviderUnreachable || error.error.class === 'transient') return 'unreachable'
  if (error.error.class === 'credentials') return 'credentials_invalid'
  return error.error.class === 'rate' ? 'rate' : 'refused'
}

/** Only under the own lease: the account may have been connected anew with a token that works. */
const failSync = statement(
  'fail_account_sync',
  `update provider_accounts
   set status = case when $4::boolean then 'credentials_invalid' else status end,
       status_detail = $5, sync_due_at = $6
   where workspace_id = $1 and id = $2 and sync_due_at = $3`,
)

const storeFailure = (tx: Sql, account: Leased, { failure, error, now }: Failed & { now: Date }): Promise<unknown> =>
  tx.rows(failSync, [
    account.workspaceId,
    account.accountId,
    account.leasedUntil,
    failure === 'credentials_invalid',
    accountRefusal(error, account).message,
    retrySyncAt(failure, now),
  ])

const makeSyncDue = statement(
  'make_account_sync_due',
  `update provider_accounts
   set sync_due_at = least(sync_due_at, case when status = 'connected'
     then greatest($3::timestamptz, synced_at + interval '${SYNC_INTERVAL_LEAST_MS} milliseconds') else $4 end)
   where workspace_id = $1 and id = $2`,
)

/**
 * What we know of the account may be old. Its list is read again, though not within a minute of the last time; with a refused token after a while, since
 * sends with it have just failed and a list that can still be read would let them fail again.
 */
export async function syncSoon(sql: Sql, { workspaceId, accountId }: AccountOf, now: Date): Promise<void> {
  await sql.rows(makeSyncDue, [workspaceId, accountId, now, nextCredentialsLookAt(now)])
}

const markInvalid = statement(
  'mark_account_credentials_invalid',
  `update provider_accounts set status = 'credentials_invalid', status_detail = $3
   where workspace_id = $1 and id = $2 and (synced_at is null or synced_at <= $4)`,
)

/**
 * The provider refused the account's token in a send that began at `sentAt`: nothing goes out until it is renewed or
 * works again. Unless it was renewed, or has worked, since then.
 */
export async function markCredentialsInvalid(
  sql: Sql,
  { workspaceId, accountId }: AccountOf,
  { detail, sentAt }: { detail: string; sentAt: Date },
): Promise<void> {
  await sql.rows(markInvalid, [workspaceId, accountId, detail, sentAt])
}

/** Statuses under which a template surely cannot be sent. */
const RESTRICTING = new Set(['ARCHIVED', 'DELETED', 'DISABLED', 'PAUSED', 'PENDING_DELETION', 'REJECTED'])

/** Locks the account before its templates, as a sync does: what both tell is written down once. */
const lockMeantAccount = statement<{ id: string }>(
  'lock_account_that_an_update_means',
  `select id from provider_accounts
   where workspace_id = $1 and case when $3::text is null then id = $2 else waba_id = $3 end
   for no key update`,
)

const findTemplateStatus = statement<{ status: string }>(
  'find_template_status',
  'select status from templates where workspace_id = $1 and account_id = $2 and name = $3 and language = $4',
)

const restrictTemplate = statement(
  'restrict_template',
  'update templates set status = $5 where workspace_id = $1 and account_id = $2 and name = $3 and language = $4',
)

async function restrict(
  tx: Sql,
  { workspaceId, accountId }: AccountOf,
  { change, at }: { change: TemplateId & { status: string }; at: Date },
): Promise<void> {
  const { name, language, status } = change
  const before = await tx.row(findTemplateStatus, [workspaceId, accountId, name, language])
  if (!before || before.status === status) return
  await tx.rows(restrictTemplate, [workspaceId, accountId, name, language, status])
  const noted = { name, language, field: 'status', before: before.status, after: status } as const
  await noteTemplateChanges(tx, { workspaceId, accountId }, { changes: [noted], at })
}

/**
 * An update of the provider is a hint: it comes late, twice, out of order or not at all, so the list is read again. What
 * it says against a template counts at once; what it says for one waits for the list. Call wake('sync') after the commit.
 */
export async function applyChange(
  tx: Sql,
  { workspaceId, accountId }: AccountOf,
  change: ProviderChange,
  now: Date,
): Promise<void> {
  const meant = await tx.row(lockMeantAccount, [workspaceId, accountId, change.wabaId])
  if (meant && change.kind === 'template' && change.status !== null && RESTRICTING.has(change.status)) {
    const { name, language, status } = change
    await restrict(tx, { workspaceId, accountId: meant.id }, { change: { name, language, status }, at: now })
  }
  await syncSoon(tx, { workspaceId, accountId: meant?.id ?? accountId }, now)
}
