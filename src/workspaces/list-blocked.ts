import { type Sql, statement } from '../db.ts'

export type ListedBlock = { phone: string; blockedAt: Date; reason: string | null; blockedBy: string | null }

export const BLOCKED_ORDERS = ['latest', 'phone'] as const
export type BlockedOrder = (typeof BLOCKED_ORDERS)[number]

/** The last one of the page before. */
export type BlockedCursor = { phone: string; blockedAt: Date }

export const BLOCKED_PAGE = 50

const COLUMNS = `phone, created_at as "blockedAt", reason, blocked_by as "blockedBy"`

const selectLatest = statement<ListedBlock>(
  'list_latest_blocked_recipients',
  `select ${COLUMNS} from blocked_recipients
   where workspace_id = $1 and phone <> '' and (created_at, phone) < (coalesce($2, 'infinity'::timestamptz), coalesce($3::text, ''))
   order by created_at desc, phone desc limit ${BLOCKED_PAGE + 1}`,
)

const selectByPhone = statement<ListedBlock>(
  'list_blocked_recipients_by_phone',
  `select ${COLUMNS} from blocked_recipients where workspace_id = $1 and phone > coalesce($2::text, '')
   order by phone limit ${BLOCKED_PAGE + 1}`,
)

export type BlockedPage = { rows: ListedBlock[]; next: BlockedCursor | null }

export async function listBlocked(
  sql: Sql,
  { workspaceId, order, after }: { workspaceId: string; order: BlockedOrder; after: BlockedCursor | null },
): Promise<BlockedPage> {
  const found =
    order === 'phone'
      ? await sql.rows(selectByPhone, [workspaceId, after?.phone])
      : await sql.rows(selectLatest, [workspaceId, after?.blockedAt, after?.phone])
  const rows = found.slice(0, BLOCKED_PAGE)
  const last = rows.at(-1)
  return { rows, next: found.length > BLOCKED_PAGE && last ? { phone: last.phone, blockedAt: last.blockedAt } : null }
}

const selectThese = statement<ListedBlock>(
  'find_blocked_recipients',
  `select ${COLUMNS} from blocked_recipients where workspace_id = $1 and phone = any ($2) order by phone`,
)

/** Of these numbers, those that are blocked. */
export const findBlocked = (
  sql: Sql,
  { workspaceId, phones }: { workspaceId: string; phones: readonly string[] },
): Promise<ListedBlock[]> => sql.rows(selectThese, [workspaceId, phones])

const countOf = statement<{ count: number }>(
  'count_blocked_recipients',
  'select count(*) as count from blocked_recipients where workspace_id = $1',
)

export const countBlocked = async (sql: Sql, workspaceId: string): Promise<number> =>
  (await sql.row(countOf, [workspaceId]))?.count ?? 0
