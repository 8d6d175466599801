import type { CodedText } from '../../locales/text.ts'
import { DAY_MS, later } from '../lib/clock.ts'
import { workspaceStatement } from '../lib/db/workspace-batch.ts'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Parts } from '../runtime/parts.ts'
import type { ProviderAccount, ProviderListing } from '../providers/provider.ts'
import { type Seal, UnsealError } from '../lib/seal.ts'
import { lockSealingKey } from '../operations/secrets/instance.ts'
import { tables } from '../operations/columns.ts'
import { UserError } from '../lib/errors.ts'
import { lockWorkspace } from '../workspaces/workspaces.ts'
import { assertNotElsewhere, lockAccountId } from './elsewhere.ts'
import { type AccountToConnect, type NewAccount, readNewAccount } from './new-account.ts'
import { throwAccountError } from './provider-api-error.ts'
import { nextSyncAt } from './sync/schedule.ts'
import { storeListing } from './sync/store-listing.ts'
import type { AccountRef } from './templates/changes.ts'
import { UnreadableCredentialsError } from './unreadable.ts'

export type ConnectedAccount = {
  accountId: string
  /** Where the provider must send the account's webhooks, below the public URL. */
  webhookPath: string
  senders: { senderId: string; phoneNumberId: string; phoneNumber: string; status: string }[]
  templates: { name: string; language: string; status: string; category: string }[]
}

/** What `connectAccount` stores. `renews`: only if this account is still connected. */
export type AccountReading = { account: AccountToConnect; listing: ProviderListing; renews?: string }

/**
 * The first step of connecting a WhatsApp account, before the transaction: the provider must accept the credentials, and is
 * asked to send its webhooks. Stores nothing. Throws FieldError, even if another workspace has the account, unless
 * `takesOver`: then `takeOver` comes first in the transaction.
 */
export async function readAccount(
  { db, provider }: Pick<Parts, 'db' | 'provider'>,
  newAccount: NewAccount,
  { takesOver = false } = {},
): Promise<AccountReading> {
  const account = readNewAccount(newAccount)
  await lockWorkspace(db, account.workspaceId) // rejects an unknown id before the provider is called
  const listing = await provider.list(account).catch(throwAccountError(account))
  if (!takesOver) await assertNotElsewhere(db, account)
  await provider.subscribe(account).catch(throwAccountError(account))
  return { account, listing }
}

/** Like readAccount, for new credentials of a connected account. It keeps those that are not given. */
export async function readRenewedAccount(
  parts: Pick<Parts, 'db' | 'seal' | 'provider'>,
  { workspaceId, accountId, ...credentials }: AccountRef & Partial<Record<keyof typeof SECRET_COLUMNS, string>>,
): Promise<AccountReading> {
  const row = await getAccountRow(parts.db, accountId)
  if (row.workspaceId !== workspaceId) throw unknownAccount(accountId)
  /** The others may be replaced because they cannot be opened. */
  const kept = (secret: Secret): string => {
    const text = openSecret(parts.seal, row, secret)
    if (text === undefined) throw new UserError({ code: 'accounts.unreadable_secrets' })
    return text
  }
  const { accessToken = kept('accessToken'), appSecret = kept('appSecret') } = credentials
  const { verifyToken = kept('verifyToken') } = credentials
  const { wabaId, graphUrl } = row
  const reading = await readAccount(parts, { workspaceId, wabaId, graphUrl, accessToken, appSecret, verifyToken })
  return { ...reading, renews: accountId }
}

/**
 * Stores an account, or the new credentials of a connected one (`isKnown`). After the commit the caller wakes `submit`:
 * messages may be waiting for a working token. Throws ConnectedElsewhereError.
 */
export async function connectAccount(
  tx: Sql,
  { clock, seal }: Pick<Parts, 'clock' | 'seal'>,
  { account, listing, renews }: AccountReading,
): Promise<{ connected: ConnectedAccount; isKnown: boolean }> {
  const now = clock.now()
  const { accountId, isKnown } = await storeAccount(tx, { account, renews, seal, now })
  const ref = { workspaceId: account.workspaceId, accountId }
  await storeListing(tx, ref, { listing, now })
  return { connected: await describeAccount(tx, ref), isKnown }
}

/**
 * The provider retries a webhook for this long, signed with the app secret of that time
 * (docs/whatsapp-cloud-api.md#webhooks).
 */
export const PREVIOUS_APP_SECRET_MS = 7 * DAY_MS

const findExisting = statement<{ accountId: string; appSecret: Buffer; isConnected: boolean }>(
  'find_account_to_connect',
  `select id as "accountId", app_secret as "appSecret", status <> 'removed' as "isConnected" from provider_accounts where workspace_id = $1 and waba_id = $2`,
)

const upsertAccount = statement(
  'upsert_account',
  `insert into provider_accounts as stored (id, workspace_id, waba_id, graph_url, access_token, app_secret, verify_token,
     status, created_at, synced_at, sync_due_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'connected', $8, $8, $9)
   on conflict (id) do update
   set previous_app_secret =
         case when stored.status = 'removed' then stored.previous_app_secret
           when $11 then null when $10::timestamptz is null then stored.previous_app_secret else stored.app_secret end,
       previous_app_secret_until = case when stored.status = 'removed' then stored.previous_app_secret_until
           when not $11 then coalesce($10, stored.previous_app_secret_until) end,
       graph_url = excluded.graph_url, access_token = excluded.access_token, app_secret = excluded.app_secret,
       verify_token = excluded.verify_token, status = 'connected', status_detail = null,
       synced_at = excluded.synced_at, sync_due_at = excluded.sync_due_at`,
)

async function storeAccount(
  tx: Sql,
  {
    account,
    renews,
    seal,
    now,
  }: Pick<AccountReading, 'account'> & { renews: string | undefined; seal: Seal; now: Date },
): Promise<{ accountId: string; isKnown: boolean }> {
  const { workspaceId, wabaId, graphUrl } = account
  await lockAccountId(tx, account)
  // Two simultaneous connects of one account must agree on its id, which its sealed secrets are bound to.
  await lockWorkspace(tx, workspaceId)
  await assertNotElsewhere(tx, account)
  const existing = await tx.row(findExisting, [workspaceId, wabaId])
  if (renews !== undefined && !existing?.isConnected) throw unknownAccount(renews)
  const accountId = existing?.accountId ?? newId()
  /** Undefined when this instance key cannot open it: then no stored secret can verify a signature. */
  const previous = existing && openSecret(seal, existing, 'appSecret')
  const isSecretNew = previous !== undefined && previous !== account.appSecret
  const key = await lockSealingKey(tx, seal)
  const close = (secret: Secret): Buffer => key.close(account[secret], sealContext(accountId, secret))
  await tx.rows(upsertAccount, [
    accountId,
    workspaceId,
    wabaId,
    graphUrl,
    close('accessToken'),
    close('appSecret'),
    close('verifyToken'),
    now,
    nextSyncAt(now),
    isSecretNew ? later(now, PREVIOUS_APP_SECRET_MS) : null,
    previous === undefined,
  ])
  return { accountId, isKnown: existing?.isConnected ?? false }
}

const SECRET_COLUMNS = { accessToken: 'access_token', appSecret: 'app_secret', verifyToken: 'verify_token' } as const
type Secret = keyof typeof SECRET_COLUMNS

/** In the order of the columns that remove.ts overwrites. */
export const SECRETS = ['accessToken', 'appSecret', 'verifyToken'] as const satisfies Secret[]

export const sealContext = (accountId: string, secret: Secret): string =>
  tables.provider_accounts.sealed[SECRET_COLUMNS[secret]](accountId)

/** Returns undefined if this instance key cannot open it. */
function openSecret<Name extends Secret>(
  seal: Seal,
  row: { accountId: string } & Record<Name, Buffer>,
  secret: Name,
): string | undefined {
  try {
    return seal.open(row[secret], sealContext(row.accountId, secret))
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

const listSenders = statement<ConnectedAccount['senders'][number]>(
  'list_senders_of_account',
  `select id as "senderId", phone_number_id as "phoneNumberId", phone as "phoneNumber", status from senders
   where workspace_id = $1 and account_id = $2 and gone_at is null order by phone, id`,
)

const listTemplates = statement<ConnectedAccount['templates'][number]>(
  'list_templates_of_account',
  `select name, language, status, category from templates where workspace_id = $1 and account_id = $2
   order by name, language`,
)

/** Where WhatsApp sends the account's webhooks, below the public URL. */
export const webhookPathOf = (accountId: string): string => `/whatsapp/${accountId}`

export async function describeAccount(sql: Sql, { workspaceId, accountId }: AccountRef): Promise<ConnectedAccount> {
  const senders = await sql.rows(listSenders, [workspaceId, accountId])
  const templates = await sql.rows(listTemplates, [workspaceId, accountId])
  return { accountId, webhookPath: webhookPathOf(accountId), senders, templates }
}

type AccountRow = AccountRef & {
  status: AccountState['status'] | 'removed'
  /** Its workspace is deleted. */
  isDeleted: boolean
  wabaId: string
  graphUrl: string
  accessToken: Buffer
  appSecret: Buffer
  previousAppSecret: Buffer | null
  previousAppSecretUntil: Date | null
  verifyToken: Buffer
}

const accountById: Statement<AccountRow> = statement(
  'account_by_id',
  `select id as "accountId", workspace_id as "workspaceId", waba_id as "wabaId", graph_url as "graphUrl",
     access_token as "accessToken", app_secret as "appSecret", previous_app_secret as "previousAppSecret",
     previous_app_secret_until as "previousAppSecretUntil", verify_token as "verifyToken", status,
     exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is not null) as "isDeleted"
   from provider_accounts a where id = $1`,
)

const findAccountRow = async (sql: Sql, accountId: string): Promise<AccountRow | undefined> =>
  isUuid(accountId) ? sql.row(accountById, [accountId]) : undefined

export type AccountState = {
  accountId: string
  wabaId: string
  graphUrl: string
  status: 'connected' | 'credentials_invalid' | 'credentials_unreadable'
  /** Why the last sync or send failed; null after a success. */
  statusDetail: CodedText | null
  createdAt: Date
  syncedAt: Date | null
  syncDueAt: Date
  templates: number
}

const selectAccounts = workspaceStatement<AccountState>(
  'list_accounts_of_workspace',
  `select a.id as "accountId", a.waba_id as "wabaId", a.graph_url as "graphUrl", a.status,
     a.status_detail as "statusDetail", a.created_at as "createdAt", a.synced_at as "syncedAt",
     a.sync_due_at as "syncDueAt",
     (select count(*) from templates t where t.workspace_id = a.workspace_id and t.account_id = a.id) as templates
   from provider_accounts a where a.workspace_id = $1 and a.status <> 'removed' order by a.created_at, a.id`,
)

export const listAccounts = (sql: Sql, workspaceId: string): Promise<AccountState[]> =>
  sql.rows(selectAccounts, [workspaceId])

export const findAccount = async (
  sql: Sql,
  { workspaceId, accountId }: AccountRef,
): Promise<AccountState | undefined> =>
  (await listAccounts(sql, workspaceId)).find((account) => account.accountId === accountId)

/** What verifies a webhook. The webhook's path names only the account, which belongs to one workspace. */
export type WebhookAccount = AccountRef & {
  appSecret: string
  previousAppSecret: { secret: string; until: Date } | null
  verifyToken: string
}

/** The secrets that a webhook may be signed with, the current one first. */
export const appSecretsAt = ({ appSecret, previousAppSecret }: WebhookAccount, now: Date): string[] =>
  previousAppSecret && now < previousAppSecret.until ? [appSecret, previousAppSecret.secret] : [appSecret]

/** Throws UnsealError when this instance key cannot open the secrets. */
export async function findWebhookAccount(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  accountId: string,
): Promise<WebhookAccount | undefined> {
  const row = await findAccountRow(db, accountId)
  if (!row || row.isDeleted) return undefined
  const { previousAppSecret: previous, previousAppSecretUntil: until } = row
  const open = (sealed: Buffer, secret: Secret): string => seal.open(sealed, sealContext(row.accountId, secret))
  return {
    workspaceId: row.workspaceId,
    accountId: row.accountId,
    appSecret: open(row.appSecret, 'appSecret'),
    previousAppSecret: previous && until && { secret: open(previous, 'appSecret'), until },
    verifyToken: open(row.verifyToken, 'verifyToken'),
  }
}

export type CallableAccount = AccountRef & ProviderAccount

/**
 * Returns the account with its token opened. Throws UserError for an unknown id and UnreadableCredentialsError for an
 * unreadable token.
 */
export async function getAccount(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  accountId: string,
): Promise<CallableAccount> {
  const row = await getAccountRow(db, accountId)
  const { workspaceId, wabaId, graphUrl, accessToken: sealedToken } = row
  const accessToken = openSecret(seal, row, 'accessToken')
  if (accessToken === undefined)
    throw new UnreadableCredentialsError({ workspaceId, accountId: row.accountId, sealedToken })
  return { workspaceId, accountId: row.accountId, wabaId, graphUrl, accessToken }
}

async function getAccountRow(sql: Sql, accountId: string): Promise<AccountRow> {
  const row = await findAccountRow(sql, accountId)
  if (!row || row.isDeleted || row.status === 'removed') throw unknownAccount(accountId)
  return row
}

export const unknownAccount = (accountId: string): UserError =>
  new UserError({ code: 'accounts.no_account', accountId }, 'NOT_FOUND')
