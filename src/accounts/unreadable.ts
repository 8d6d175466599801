import { statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { UserError } from '../lib/errors.ts'
import { retrySyncAt } from './sync/schedule.ts'

export type UnreadableAccount = {
  workspaceId: string
  accountId: string
  /** The token that was read. An account that has been connected again has another one. */
  sealedToken: Buffer
}

/** This instance key cannot open the stored access token. */
export class UnreadableCredentialsError extends UserError {
  readonly account: UnreadableAccount

  constructor(account: UnreadableAccount) {
    super({ code: 'accounts.token_unreadable' })
    this.account = account
  }
}

/** Stops the account until a sync can open its token or the operator connects it again. Logs this once. */
export async function markCredentialsUnreadable(
  { db, clock, log, live }: Pick<Parts, 'db' | 'clock' | 'log' | 'live'>,
  { workspaceId, accountId, sealedToken }: UnreadableAccount,
): Promise<void> {
  const detail = { code: 'accounts.token_unreadable' } as const
  const retryAt = retrySyncAt('credentials_invalid', clock.now())
  if (!(await db.row(markUnreadable, [workspaceId, accountId, sealedToken, detail, retryAt]))) return
  log.error(
    { accountId },
    'cannot decrypt the access token of an account: it was encrypted with another instance key; start with that key or connect the account again',
  )
  live.changed([workspaceId])
}

const markUnreadable = statement<{ id: string }>(
  'mark_account_credentials_unreadable',
  `update provider_accounts
   set status = 'credentials_unreadable', status_detail = $4, sync_due_at = least(sync_due_at, $5)
   where workspace_id = $1 and id = $2 and access_token = $3 and status not in ('credentials_unreadable', 'removed')
   returning id`,
)
