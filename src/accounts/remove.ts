import { randomBytes } from 'node:crypto'
import { later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { lockSealingKey } from '../operations/secrets/instance.ts'
import { UserError } from '../lib/errors.ts'
import { PREVIOUS_APP_SECRET_MS, SECRETS, sealContext, unknownAccount } from './accounts.ts'
import type { AccountRef } from './templates/changes.ts'

const SECRET_BYTES = 32

/**
 * Forgets the account's secrets and templates, and hides it and its senders. Webhooks that WhatsApp signs with the previous app
 * secret are still accepted for PREVIOUS_APP_SECRET_MS. Waiting messages wait until the account is connected again or their
 * window closes. Nothing changes at WhatsApp, where another program may use the account. Throws UserError.
 */
export async function removeAccount(
  tx: Sql,
  { clock, seal }: Pick<Parts, 'clock' | 'seal'>,
  { workspaceId, accountId, wabaId: typedId }: AccountRef & { wabaId: string },
): Promise<{ wabaId: string }> {
  const account = await tx.row(lockAccount, [workspaceId, accountId])
  if (!account) throw unknownAccount(accountId)
  const { wabaId } = account
  if (typedId.trim() !== wabaId) throw new UserError({ code: 'accounts.waba_id_differs', wabaId })
  const key = await lockSealingKey(tx, seal)
  const meaningless = SECRETS.map((secret) =>
    key.close(randomBytes(SECRET_BYTES).toString('base64'), sealContext(accountId, secret)),
  )
  await tx.rows(markRemoved, [workspaceId, accountId, later(clock.now(), PREVIOUS_APP_SECRET_MS), ...meaningless])
  await tx.rows(deleteTemplates, [workspaceId, accountId])
  return { wabaId }
}

const lockAccount = statement<{ wabaId: string }>(
  'lock_account_to_remove',
  `select waba_id as "wabaId" from provider_accounts
   where workspace_id = $1 and id = $2 and status <> 'removed' for no key update`,
)

const markRemoved = statement(
  'remove_account',
  `update provider_accounts
   set status = 'removed', status_detail = null, sync_due_at = 'infinity',
       previous_app_secret = app_secret, previous_app_secret_until = $3,
       access_token = $4, app_secret = $5, verify_token = $6
   where workspace_id = $1 and id = $2`,
)

const deleteTemplates = statement(
  'delete_templates_of_account',
  'delete from templates where workspace_id = $1 and account_id = $2',
)

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'find_workspace_of_account',
  `select workspace_id as "workspaceId" from provider_accounts where id = $1 and status <> 'removed'`,
)

/** For the command line, which names only the account. */
export const findWorkspaceOfAccount = async (sql: Sql, accountId: string): Promise<string | undefined> =>
  (await sql.row(selectWorkspaceOf, [accountId]))?.workspaceId
