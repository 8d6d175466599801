import type { Clock } from '../clock.ts'
import { type Sql, statement } from '../db.ts'

/** A phone is E.164 here. */
export type BlockedRecipient = { workspaceId: string; phone: string }

const insertBlocked = statement<{ phone: string }>(
  'block_recipient',
  `insert into blocked_recipients (workspace_id, phone, created_at) values ($1, $2, $3)
   on conflict do nothing returning phone`,
)

/** False when it was blocked already. */
export const blockRecipient = async (
  { db, clock }: { db: Sql; clock: Clock },
  { workspaceId, phone }: BlockedRecipient,
): Promise<boolean> => (await db.row(insertBlocked, [workspaceId, phone, clock.now()])) !== undefined

const deleteBlocked = statement<{ phone: string }>(
  'unblock_recipient',
  'delete from blocked_recipients where workspace_id = $1 and phone = $2 returning phone',
)

/** False when it was not blocked. */
export const unblockRecipient = async (sql: Sql, { workspaceId, phone }: BlockedRecipient): Promise<boolean> =>
  (await sql.row(deleteBlocked, [workspaceId, phone])) !== undefined
