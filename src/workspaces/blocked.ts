import type { Clock } from '../lib/clock.ts'
import { type Sql, batch, statement } from '../lib/db/pool.ts'

/** In code points. */
export const MAX_REASON_LENGTH = 200

/** Sorted by phone, so that two simultaneous lists cannot deadlock. */
const insertBlocked = statement<{ phone: string }>(
  'block_recipients',
  `insert into blocked_recipients (workspace_id, phone, created_at, reason, blocked_by)
   select $1, r.phone, $2, r.reason, $3 from jsonb_to_recordset($4) as r (phone text, reason text) order by r.phone
   on conflict do nothing returning phone`,
)

/** `phone`: E.164 */
type BlockRequest = {
  workspaceId: string
  by: string | null
  recipients: readonly { phone: string; reason: string | null }[]
}

/** Returns the phones that are newly blocked. Others keep their earlier reason. */
export async function blockRecipients(
  { db, clock }: { db: Sql; clock: Clock },
  { workspaceId, by, recipients }: BlockRequest,
): Promise<string[]> {
  const unique = [...new Map(recipients.toReversed().map((each) => [each.phone, each])).values()]
  const rows = await db.rows(insertBlocked, [workspaceId, clock.now(), by, batch(unique)])
  return rows.map(({ phone }) => phone)
}

export type ListedBlock = { phone: string; blockedAt: Date; reason: string | null; blockedBy: string | null }

const COLUMNS = `phone, created_at as "blockedAt", reason, blocked_by as "blockedBy"`

const deleteBlocked = statement<ListedBlock>(
  'unblock_recipient',
  `delete from blocked_recipients where workspace_id = $1 and phone = $2 returning ${COLUMNS}`,
)

/** Returns undefined if the phone was not blocked. */
export const unblockRecipient = (
  sql: Sql,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Promise<ListedBlock | undefined> => sql.row(deleteBlocked, [workspaceId, phone])

export const BLOCKED_ORDERS = ['latest', 'phone'] as const
type BlockedOrder = (typeof BLOCKED_ORDERS)[number]

/** The last recipient of a page. */
export type BlockedCursor = { phone: string; blockedAt: Date }

export const BLOCKED_PAGE = 50

export type BlockedPage = { rows: ListedBlock[]; next: BlockedCursor | null }

/** Digits that are in the number, or numbers that it is one of. */
export type BlockedSearch = { part: string | null; phones: readonly string[] }

const matches = (part: string, phones: string): string =>
  `(${phones}::text[] is null or phone like '%' || ${part} || '%' or phone = any (${phones}))`

const selectLatest = statement<ListedBlock>(
  'list_latest_blocked_recipients',
  `select ${COLUMNS} from blocked_recipients
   where workspace_id = $1 and phone <> '' and ${matches('$4', '$5')}
     and (created_at, phone) < (coalesce($2, 'infinity'::timestamptz), coalesce($3::text, ''))
   order by created_at desc, phone desc limit ${BLOCKED_PAGE + 1}`,
)

const selectByPhone = statement<ListedBlock>(
  'list_blocked_recipients_by_phone',
  `select ${COLUMNS} from blocked_recipients where workspace_id = $1 and phone > coalesce($2::text, '')
     and ${matches('$3', '$4')}
   order by phone limit ${BLOCKED_PAGE + 1}`,
)

/** `search`: null for all. */
type BlockedList = { workspaceId: string; search: BlockedSearch | null }

export async function listBlocked(
  sql: Sql,
  { workspaceId, order, after, search }: BlockedList & { order: BlockedOrder; after: BlockedCursor | null },
): Promise<BlockedPage> {
  const listed =
    order === 'phone'
      ? await sql.rows(selectByPhone, [workspaceId, after?.phone, search?.part, search?.phones])
      : await sql.rows(selectLatest, [workspaceId, after?.blockedAt, after?.phone, search?.part, search?.phones])
  const rows = listed.slice(0, BLOCKED_PAGE)
  const last = rows.at(-1)
  return { rows, next: listed.length > BLOCKED_PAGE && last ? { phone: last.phone, blockedAt: last.blockedAt } : null }
}

const selectByPhones = statement<ListedBlock>(
  'find_blocked_recipients',
  `select ${COLUMNS} from blocked_recipients where workspace_id = $1 and phone = any ($2) order by phone`,
)

export const findBlocked = (
  sql: Sql,
  { workspaceId, phones }: { workspaceId: string; phones: readonly string[] },
): Promise<ListedBlock[]> => sql.rows(selectByPhones, [workspaceId, phones])

const selectCount = statement<{ count: number }>(
  'count_blocked_recipients',
  `select count(*) as count from blocked_recipients where workspace_id = $1 and ${matches('$2', '$3')}`,
)

export const countBlocked = async (sql: Sql, { workspaceId, search }: BlockedList): Promise<number> =>
  (await sql.row(selectCount, [workspaceId, search?.part, search?.phones]))?.count ?? 0
