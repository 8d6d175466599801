import { type Sql, type Statement, statement } from '../db/pool.ts'
import type { Person } from './person.ts'

/**
 * An erasure that has not yet searched all reports. Until then a row keeps the number and the user ids: after an interruption,
 * erased rows no longer lead from the number to the user ids.
 */
export type Unfinished = { pseudonym: string; userIds: readonly string[] }

/** Several begin at the same moment, or were interrupted one after the other. */
const MAX_UNFINISHED = 100

/** The pseudonym of the oldest one, and the user ids of all. */
export async function findUnfinished(sql: Sql, { workspaceId, phones }: Person): Promise<Unfinished | undefined> {
  const found = await sql.rows(selectUnfinished, [workspaceId, phones])
  const [oldest] = found
  return oldest && { pseudonym: oldest.pseudonym, userIds: found.flatMap(({ userIds }) => userIds) }
}

export const isRecorded = async (sql: Sql, { workspaceId }: Person, pseudonym: string): Promise<boolean> =>
  (await sql.row(findEntry, [workspaceId, pseudonym])) !== undefined

type Begun = { pseudonym: string; startedAt: Date }

export async function keepUnfinished(tx: Sql, person: Person, { pseudonym, startedAt }: Begun): Promise<void> {
  const { workspaceId, phones, userIds } = person
  await tx.rows(writeUnfinished, [workspaceId, phones[0] ?? '', startedAt, pseudonym, userIds])
}

/** Ends what this erasure covers. A later one still has newer reports to search, and another one can know more user ids. */
export async function endUnfinished(
  tx: Sql,
  { workspaceId, phones, userIds }: Person,
  { startedAt }: Pick<Begun, 'startedAt'>,
): Promise<void> {
  await tx.rows(removeUnfinished, [workspaceId, phones, startedAt, userIds])
}

const selectUnfinished: Statement<Unfinished> = statement(
  'find_unfinished_erasures',
  `select pseudonym, user_ids as "userIds" from unfinished_erasures
   where workspace_id = $1 and recipient = any ($2::text[]) order by begun_at limit ${MAX_UNFINISHED}`,
)

const findEntry = statement<{ id: string }>(
  'find_audit_entry_of_erasure',
  `select id from audit_log where workspace_id = $1 and action = 'recipient.erased' and target = $2 limit 1`,
)

const writeUnfinished = statement(
  'keep_unfinished_erasure',
  `insert into unfinished_erasures as u (workspace_id, recipient, begun_at, pseudonym, user_ids)
   values ($1, $2, $3, $4, $5::text[])
   on conflict (workspace_id, recipient, begun_at)
   do update set user_ids = array (select distinct unnest(u.user_ids || excluded.user_ids))`,
)

const removeUnfinished = statement(
  'end_unfinished_erasures',
  `delete from unfinished_erasures
   where workspace_id = $1 and recipient = any ($2::text[]) and begun_at <= $3 and user_ids <@ $4::text[]`,
)
