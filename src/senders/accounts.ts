import { DAY_MS, later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import { isUuid, newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { ProviderAccount } from '../providers/provider.ts'
import type { Seal } from '../seal.ts'
import { sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { type AccountToConnect, type NewAccount, readNewAccount } from './new-account.ts'
import { providerRefusal } from './provider-refusal.ts'
import { nextSyncAt } from './schedule.ts'
import { storeListing } from './store-listing.ts'

export type ConnectedAccount = {
  accountId: string
  /** Where the provider must send the account's webhooks, below the public URL. */
  webhookPath: string
  senders: { senderId: string; phoneNumberId: string; phoneNumber: string; status: string }[]
  templates: { name: string; language: string; status: string; category: string }[]
}

/**
 * Connects a WhatsApp account, or renews the token and secrets of one that is connected. Asks the provider first: what
 * it refuses is thrown as AccountRefused and nothing is stored. `within` joins what is stored.
 */
export async function connectAccount(
  { db, clock, seal, provider, wake }: Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake'>,
  given: NewAccount,
  within: (tx: Sql, accountId: string) => Promise<void> = async () => {},
): Promise<ConnectedAccount> {
  const account = readNewAccount(given)
  await workspaceMustExist(db, account.workspaceId)
  const listing = await provider.list(account).catch((error: unknown) => {
    throw providerRefusal(error, account)
  })
  await provider.subscribe(account).catch((error: unknown) => {
    throw providerRefusal(error, account)
  })
  const now = clock.now()
  const connected = await db.transaction(async (tx) => {
    const accountId = await storeAccount(tx, { account, seal, now })
    const of = { workspaceId: account.workspaceId, accountId }
    await storeListing(tx, of, { listing, now })
    await within(tx, accountId)
    return describeAccount(tx, of)
  })
  wake('submit') // messages may have waited for a working token
  return connected
}

/** What of an account's credentials is replaced; the rest stays. */
export type NewCredentials = {
  [Member in 'accessToken' | 'appSecret' | 'verifyToken']?: string | undefined
}

/** Gives a connected account new credentials: those given, beside those that it has. */
export async function renewCredentials(
  parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake'>,
  { workspaceId, accountId, ...given }: AccountOf & NewCredentials,
  within?: (tx: Sql, accountId: string) => Promise<void>,
): Promise<ConnectedAccount> {
  const { wabaId, graphUrl, accessToken } = await getAccount(parts, accountId)
  const webhook = await findWebhookAccount(parts, accountId)
  return connectAccount(
    parts,
    {
      workspaceId,
      wabaId,
      graphUrl,
      accessToken: given.accessToken ?? accessToken,
      appSecret: given.appSecret ?? webhook?.appSecret ?? '',
      verifyToken: given.verifyToken ?? webhook?.verifyToken ?? '',
    },
    within,
  )
}

const findWorkspace = statement('find_workspace_to_connect', 'select id as workspace_id from workspaces where id = $1')

async function workspaceMustExist(sql: Sql, workspaceId: string): Promise<void> {
  if (isUuid(workspaceId) && (await sql.row(findWorkspace, [workspaceId]))) return
  throw new SetupRefused(says.noWorkspace({ workspaceId }), 'NOT_FOUND')
}

const says = sentences({
  noWorkspace: {
    en: 'No workspace has the id {workspaceId}. Create one with "workspace create", or correct the id.',
    ar: 'لا توجد مساحة عمل بالمعرّف {workspaceId}. أنشئ واحدة أو صحّح المعرّف.',
  },
  noAccount: {
    en: 'No account has the id {accountId}. It is the accountId that "account connect" printed.',
    ar: 'لا يوجد حساب بالمعرّف {accountId}. هو المعرّف الذي ظهر عند ربط الحساب.',
  },
})

/**
 * After a change of the app secret, what is signed with the former one is accepted for as long as the provider repeats a
 * webhook that was not taken (whatsapp-cloud-api.md §4.1).
 */
const FORMER_APP_SECRET_MS = 7 * DAY_MS

/** Two connects of one account at once must agree on its id before they seal anything for it. */
const lockWorkspace = statement(
  'lock_workspace_to_connect',
  'select id as workspace_id from workspaces where id = $1 for no key update',
)

const findKnown = statement<{ id: string; app_secret: Buffer }>(
  'find_account_to_connect',
  'select id, app_secret from provider_accounts where workspace_id = $1 and waba_id = $2',
)

const upsertAccount = statement(
  'upsert_account',
  `insert into provider_accounts as known (id, workspace_id, waba_id, graph_url, access_token, app_secret, verify_token,
     status, created_at, synced_at, sync_due_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'connected', $8, $8, $9)
   on conflict (id) do update
   set previous_app_secret =
         case when $10::timestamptz is null then known.previous_app_secret else known.app_secret end,
       previous_app_secret_until = coalesce($10, known.previous_app_secret_until),
       graph_url = excluded.graph_url, access_token = excluded.access_token, app_secret = excluded.app_secret,
       verify_token = excluded.verify_token, status = 'connected', status_detail = null,
       synced_at = excluded.synced_at, sync_due_at = excluded.sync_due_at`,
)

async function storeAccount(
  tx: Sql,
  { account, seal, now }: { account: AccountToConnect; seal: Seal; now: Date },
): Promise<string> {
  const { workspaceId, wabaId, graphUrl } = account
  await tx.row(lockWorkspace, [workspaceId])
  const known = await tx.row(findKnown, [workspaceId, wabaId])
  const accountId = known?.id ?? newId()
  const isSecretNew = known && seal.open(known.app_secret, sealContext(accountId, 'app_secret')) !== account.appSecret
  await tx.rows(upsertAccount, [
    accountId,
    workspaceId,
    wabaId,
    graphUrl,
    seal.close(account.accessToken, sealContext(accountId, 'access_token')),
    seal.close(account.appSecret, sealContext(accountId, 'app_secret')),
    seal.close(account.verifyToken, sealContext(accountId, 'verify_token')),
    now,
    nextSyncAt(now),
    isSecretNew ? later(now, FORMER_APP_SECRET_MS) : null,
  ])
  return accountId
}

/** What a sealed secret of an account belongs to. */
export const sealContext = (accountId: string, secret: 'access_token' | 'app_secret' | 'verify_token'): string =>
  `account:${accountId}:${secret}`

const listSenders = statement<{ id: string; phone_number_id: string; phone: string; status: string }>(
  'list_senders_of_account',
  `select id, phone_number_id, phone, status from senders
   where workspace_id = $1 and account_id = $2 and gone_at is null order by phone, id`,
)

const listTemplates = statement<{ name: string; language: string; status: string; category: string }>(
  'list_templates_of_account',
  `select name, language, status, category from templates where workspace_id = $1 and account_id = $2
   order by name, language`,
)

export type AccountOf = { workspaceId: string; accountId: string }

export async function describeAccount(sql: Sql, { workspaceId, accountId }: AccountOf): Promise<ConnectedAccount> {
  const senders = await sql.rows(listSenders, [workspaceId, accountId])
  const templates = await sql.rows(listTemplates, [workspaceId, accountId])
  return {
    accountId,
    webhookPath: `/whatsapp/${accountId}`,
    senders: senders.map((sender) => ({
      senderId: sender.id,
      phoneNumberId: sender.phone_number_id,
      phoneNumber: sender.phone,
      status: sender.status,
    })),
    templates,
  }
}

type AccountRow = {
  id: string
  workspace_id: string
  waba_id: string
  graph_url: string
  access_token: Buffer
  app_secret: Buffer
  previous_app_secret: Buffer | null
  previous_app_secret_until: Date | null
  verify_token: Buffer
}

const accountById: Statement<AccountRow> = statement(
  'account_by_id',
  `select id, workspace_id, waba_id, graph_url, access_token, app_secret, previous_app_secret, previous_app_secret_until,
     verify_token
   from provider_accounts where id = $1`,
)

/** What it takes to judge a webhook. Its path names no workspace: the account tells which. */
export type WebhookAccount = AccountOf & {
  appSecret: string
  formerAppSecret: { secret: string; until: Date } | null
  verifyToken: string
}

/** Those that a webhook may be signed with then: the present one first. */
export const appSecretsAt = ({ appSecret, formerAppSecret }: WebhookAccount, now: Date): string[] =>
  formerAppSecret && now < formerAppSecret.until ? [appSecret, formerAppSecret.secret] : [appSecret]

export async function findWebhookAccount(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  accountId: string,
): Promise<WebhookAccount | undefined> {
  const row = isUuid(accountId) ? await db.row(accountById, [accountId]) : undefined
  if (!row) return undefined
  const { previous_app_secret: former, previous_app_secret_until: until } = row
  const openSecret = (sealed: Buffer): string => seal.open(sealed, sealContext(row.id, 'app_secret'))
  return {
    workspaceId: row.workspace_id,
    accountId: row.id,
    appSecret: openSecret(row.app_secret),
    formerAppSecret: former && until && { secret: openSecret(former), until },
    verifyToken: seal.open(row.verify_token, sealContext(row.id, 'verify_token')),
  }
}

export type CallableAccount = AccountOf & ProviderAccount

/** With its token opened, for calls to the provider. Throws SetupRefused when no account has the id. */
export async function getAccount(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  accountId: string,
): Promise<CallableAccount> {
  const row = isUuid(accountId) ? await db.row(accountById, [accountId]) : undefined
  if (!row) throw new SetupRefused(says.noAccount({ accountId }), 'NOT_FOUND')
  return {
    workspaceId: row.workspace_id,
    accountId: row.id,
    wabaId: row.waba_id,
    graphUrl: row.graph_url,
    accessToken: seal.open(row.access_token, sealContext(row.id, 'access_token')),
  }
}
