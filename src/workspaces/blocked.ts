import type { Clock } from '../clock.ts'
import { type Sql, batch, statement } from '../db.ts'

/** A phone is E.164 here. */
export type BlockedRecipient = { workspaceId: string; phone: string; reason?: string | null; by?: string | null }

/** In code points: a note for colleagues. */
export const REASON_MOST = 200

/** In one order of phones: two lists that are blocked at once wait for each other and never in a circle. */
const insertBlocked = statement<{ phone: string }>(
  'block_recipients',
  `insert into blocked_recipients (workspace_id, phone, created_at, reason, blocked_by)
   select $1, r.phone, $2, r.reason, $3 from jsonb_to_recordset($4) as r (phone text, reason text) order by r.phone
   on conflict do nothing returning phone`,
)

type Blocking = {
  workspaceId: string
  by: string | null
  recipients: readonly { phone: string; reason: string | null }[]
}

/** The phones that were not blocked before. Who is blocked already stays so, with the reason there was. */
export async function blockRecipients(
  { db, clock }: { db: Sql; clock: Clock },
  { workspaceId, by, recipients }: Blocking,
): Promise<string[]> {
  const once = [...new Map(recipients.toReversed().map((each) => [each.phone, each])).values()]
  const rows = await db.rows(insertBlocked, [workspaceId, clock.now(), by, batch(once)])
  return rows.map(({ phone }) => phone)
}

/** False when it was blocked already. */
export const blockRecipient = async (
  parts: { db: Sql; clock: Clock },
  { workspaceId, phone, reason = null, by = null }: BlockedRecipient,
): Promise<boolean> => (await blockRecipients(parts, { workspaceId, by, recipients: [{ phone, reason }] })).length > 0

type Unblocked = { phone: string; reason: string | null; blockedBy: string | null; blockedAt: Date }

const deleteBlocked = statement<Unblocked>(
  'unblock_recipient',
  `delete from blocked_recipients where workspace_id = $1 and phone = $2
   returning phone, reason, blocked_by as "blockedBy", created_at as "blockedAt"`,
)

/** What was known of it. Undefined when it was not blocked. */
export const liftBlock = (
  sql: Sql,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Promise<Unblocked | undefined> => sql.row(deleteBlocked, [workspaceId, phone])
