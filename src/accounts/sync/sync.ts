import type { CodedText } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type ProviderChange, ProviderUnreachableError } from '../../providers/provider.ts'
import { type AccountRef, recordTemplateChanges } from '../templates/changes.ts'
import { type CallableAccount, type ConnectedAccount, describeAccount, getAccount } from '../accounts.ts'
import {
  type ProviderFailure,
  createAccountError,
  isProviderFailure,
  isTemporary,
  throwAccountError,
} from '../provider-api-error.ts'
import {
  MAX_SYNC_AHEAD_MS,
  MIN_SYNC_INTERVAL_MS,
  SYNC_LEASE_MS,
  type SyncFailure,
  nextSyncAt,
  retrySyncAt,
} from './schedule.ts'
import { lockAccount, storeListing } from './store-listing.ts'
import { clearSyncProgress, listWithProgress } from './sync-progress.ts'
import { UnreadableCredentialsError, markCredentialsUnreadable } from '../unreadable.ts'

type SyncParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'metrics' | 'wake' | 'live' | 'log'>

/** Runs in the transaction that stores the result. */
type OnResult = (tx: Sql, result: { workspaceId: string; failure: SyncFailure | null }) => Promise<void>

/** Syncs an account now. Throws UserError. */
export async function syncAccount(parts: SyncParts, accountId: string, onResult?: OnResult): Promise<ConnectedAccount> {
  const account = await getAccount(parts, accountId)
  const leasedUntil = leaseEnd(parts.clock.now())
  await parts.db.rows(leaseSync, [account.workspaceId, account.accountId, leasedUntil])
  await readAndStore(parts, { ...account, leasedUntil, onResult }).catch(throwAccountError(account))
  return describeAccount(parts.db, account)
}

/** Hourly syncs, and those that updates ask for. */
export function syncLoop(parts: SyncParts): Loop {
  return {
    name: 'sync',
    pollMs: POLL_MS,
    async turn() {
      const now = parts.clock.now()
      const claimed = await parts.db.rows(claimDueAccounts, [now, leaseEnd(now), MAX_CONCURRENT_SYNCS])
      await Promise.all(claimed.map((row) => syncLeased(parts, row)))
      return { more: claimed.length === MAX_CONCURRENT_SYNCS, idle: claimed.length === 0 }
    },
  }
}

/** A sync is not urgent, and many nodes poll. */
const POLL_MS = 5_000
const MAX_CONCURRENT_SYNCS = 4

/** sync_due_at is both schedule and lease: its exact value identifies the lease. */
const leaseEnd = (now: Date): Date => later(now, SYNC_LEASE_MS)

const leaseSync = statement(
  'lease_account_sync',
  `update provider_accounts set sync_due_at = $3 where workspace_id = $1 and id = $2 and status <> 'removed'`,
)

type ClaimedRow = { id: string; workspace_id: string; sync_due_at: Date }

const claimDueAccounts: Statement<ClaimedRow> = statement(
  'claim_accounts_due_for_sync',
  `update provider_accounts a set sync_due_at = $2
   from (select id from provider_accounts account
         where sync_due_at <= $1
           and exists (select from workspaces w where w.id = account.workspace_id and w.deleted_at is null)
         order by sync_due_at limit $3
         for no key update skip locked) due
   where a.id = due.id
   returning a.id, a.workspace_id, a.sync_due_at`,
)

/** One account that cannot be synced must not stop the others. */
async function syncLeased(parts: SyncParts, row: ClaimedRow): Promise<void> {
  try {
    const account = await getAccount(parts, row.id)
    await readAndStore(parts, { ...account, leasedUntil: row.sync_due_at })
  } catch (error) {
    if (isProviderFailure(error)) return parts.log.warn({ accountId: row.id, err: error }, 'account sync failed')
    parts.metrics.syncs.inc({ outcome: 'fault' })
    if (error instanceof UnreadableCredentialsError) return markCredentialsUnreadable(parts, error.account)
    parts.log.error(
      { accountId: row.id, err: error },
      'account sync failed unexpectedly; it is retried when its lease ends',
    )
  }
}

type LeasedAccount = CallableAccount & { leasedUntil: Date; onResult?: OnResult | undefined }

/** A failure of the provider is stored and thrown. */
async function readAndStore(parts: SyncParts, account: LeasedAccount): Promise<void> {
  const { db, clock, metrics, wake, live } = parts
  const startedAt = clock.now()
  try {
    const listing = await listWithProgress(parts, account, startedAt)
    const wasConnected = await db.transaction(async (tx) => {
      const before = await lockAccount(tx, account)
      if (!before || isLaterStored(before.synced_at, startedAt, clock.now())) return true
      await storeListing(tx, account, { listing, now: startedAt })
      const values = [account.workspaceId, account.accountId, startedAt, account.leasedUntil, nextSyncAt(clock.now())]
      await tx.rows(endSync, values)
      await account.onResult?.(tx, { workspaceId: account.workspaceId, failure: null })
      return before.status === 'connected'
    })
    metrics.syncs.inc({ outcome: 'synced' })
    if (!wasConnected) wake('submit')
  } catch (error) {
    if (!isProviderFailure(error)) throw error
    const failure = failureOf(error)
    metrics.syncs.inc({ outcome: failure })
    const isInvalid = failure === 'credentials_invalid'
    const { text } = createAccountError(error, account)
    await db.transaction(async (tx) => {
      const before = await lockAccount(tx, account)
      const lease = [account.workspaceId, account.accountId, account.leasedUntil]
      if (before && !isLaterStored(before.synced_at, startedAt, clock.now()))
        await tx.rows(failSync, [...lease, isInvalid, text, retrySyncAt(failure, clock.now())])
      await account.onResult?.(tx, { workspaceId: account.workspaceId, failure })
    })
    throw error
  } finally {
    await clearSyncProgress(db, { ...account, startedAt })
    live.changed([account.workspaceId])
  }
}

/** Whether a listing that was started later is stored already. A time that is further ahead is of a clock that was. */
const isLaterStored = (syncedAt: Date | null, startedAt: Date, now: Date): boolean =>
  syncedAt !== null && syncedAt > startedAt && syncedAt < later(now, MINUTE_MS)

/** An update during the sync has changed sync_due_at: then the account is synced again, after the minimum interval. */
const endSync = statement(
  'end_account_sync',
  `update provider_accounts
   set status = 'connected', status_detail = null, synced_at = $3,
       sync_due_at = case when sync_due_at = $4 then $5
         else greatest(sync_due_at, $3::timestamptz + interval '${MIN_SYNC_INTERVAL_MS} milliseconds') end
   where workspace_id = $1 and id = $2`,
)

function failureOf(error: ProviderFailure): SyncFailure {
  if (error instanceof ProviderUnreachableError || isTemporary(error.error)) return 'unreachable'
  if (error.error.class === 'credentials') return 'credentials_invalid'
  return error.error.class === 'rate' ? 'rate' : 'rejected'
}

/**
 * Only under this sync's lease, which updates make end earlier: the account may have been connected again with another token. The token
 * was opened for this sync, so the account is no longer credentials_unreadable.
 */
const failSync = statement(
  'fail_account_sync',
  `update provider_accounts
   set status = case when $4::boolean then 'credentials_invalid'
         when status = 'credentials_unreadable' then 'connected' else status end,
       status_detail = $5, sync_due_at = $6, sync_started_at = null
   where workspace_id = $1 and id = $2 and sync_due_at <= $3`,
)

/** SQL: the account, unless another session has locked it. The next error says the same again. */
const UNLOCKED = `(
     select id from provider_accounts where workspace_id = $1 and id = $2 for no key update skip locked)`

const makeSyncDue = statement(
  'make_account_sync_due',
  `update provider_accounts
   set sync_due_at = least(sync_due_at, case when status_detail is not null and sync_started_at is null then sync_due_at
     when status = 'connected' then greatest($3::timestamptz, synced_at + interval '${MIN_SYNC_INTERVAL_MS} milliseconds') else $4 end)
   where workspace_id = $1 and id = ${UNLOCKED} and status <> 'removed'`,
)

/**
 * Makes a sync due, at least MIN_SYNC_INTERVAL_MS after the last one. After a failed sync the next one keeps its time: WhatsApp may limit
 * the calls. An account with a rejected token waits longer: its listing may still be readable, and a sync would let more sends fail.
 */
export async function syncSoon(sql: Sql, { workspaceId, accountId }: AccountRef, now: Date): Promise<void> {
  await sql.rows(makeSyncDue, [workspaceId, accountId, now, retrySyncAt('credentials_invalid', now)])
}

const markInvalid = statement(
  'mark_account_credentials_invalid',
  `update provider_accounts
   set status = 'credentials_invalid', status_detail = $3, sync_due_at = least(sync_due_at, $5)
   where workspace_id = $1 and id = ${UNLOCKED} and status <> 'removed' and (synced_at is null or synced_at <= $4)`,
)

/**
 * The provider rejected the token in a send that began at `sentAt`. A token that was renewed or worked since then stays. Nothing is
 * sent until a sync finds that the token works again, so one becomes due.
 */
export async function markCredentialsInvalid(
  sql: Sql,
  { workspaceId, accountId }: AccountRef,
  { detail, sentAt }: { detail: CodedText | null; sentAt: Date },
): Promise<void> {
  await sql.rows(markInvalid, [workspaceId, accountId, detail, sentAt, retrySyncAt('credentials_invalid', sentAt)])
}

/** Makes the accounts due whose times were written while the database's clock was ahead: until then, none would be synced. */
export const correctSyncTimes = (sql: Sql, now: Date): Promise<unknown[]> =>
  sql.rows(correctSyncs, [now, later(now, MAX_SYNC_AHEAD_MS)])

const correctSyncs = statement(
  'correct_account_sync_times',
  `update provider_accounts
   set sync_due_at = $1, synced_at = case when synced_at > $1 then $1 else synced_at end
   where status <> 'removed' and sync_due_at > $2`,
)

/** A template with one of these statuses cannot be sent. */
const UNSENDABLE_STATUSES = new Set(['ARCHIVED', 'DELETED', 'DISABLED', 'PAUSED', 'PENDING_DELETION', 'REJECTED'])

/** Locks the account before its templates, as a sync does, so that a change is recorded once. */
const lockAccountOfUpdate = statement<{ id: string }>(
  'lock_account_of_update',
  `select id from provider_accounts
   where workspace_id = $1 and case when $3::text is null then id = $2 else waba_id = $3 end and status <> 'removed'
   for no key update`,
)

const restrictTemplate = statement<{ before: string }>(
  'restrict_template',
  `update templates t set status = $5 from templates before
   where t.workspace_id = $1 and t.account_id = $2 and t.name = $3 and t.language = $4 and t.status <> $5
     and before.account_id = t.account_id and before.name = t.name and before.language = t.language
   returning before.status as before`,
)

/**
 * Updates come late, twice, out of order or not at all, so each makes a sync due. Only a status that forbids sending a
 * template is applied immediately. Call wake('sync') after the commit.
 */
export async function applyChange(
  tx: Sql,
  { workspaceId, accountId }: AccountRef,
  change: ProviderChange,
  now: Date,
): Promise<void> {
  const account = await tx.row(lockAccountOfUpdate, [workspaceId, accountId, change.wabaId])
  if (account && change.kind === 'template' && change.status !== null && UNSENDABLE_STATUSES.has(change.status)) {
    const { name, language, status: after } = change
    const restricted = await tx.rows(restrictTemplate, [workspaceId, account.id, name, language, after])
    const changes = restricted.map(({ before }) => ({ name, language, field: 'status' as const, before, after }))
    await recordTemplateChanges(tx, { workspaceId, accountId: account.id }, { changes, at: now })
  }
  await syncSoon(tx, { workspaceId, accountId: account?.id ?? accountId }, now)
}
