import { type Sql, type Statement, statement } from '../db/pool.ts'
import type { Person } from './person.ts'

/** The action of an erasure's audit log entry. */
export const ERASURE = 'recipient.erased'

/**
 * An erasure that has not yet searched all reports. Until then its audit log entry keeps the number and the user ids: after an
 * interruption, erased rows no longer lead from the number to the user ids.
 */
export type Unfinished = { pseudonym: string; userIds: readonly string[] }

/** The pseudonym of the oldest one, and the user ids of all: several can have begun at the same moment. */
export async function findUnfinished(sql: Sql, { workspaceId, phones }: Person): Promise<Unfinished | undefined> {
  const found = await sql.rows(selectUnfinished, [workspaceId, phones])
  const [oldest] = found
  return oldest && { pseudonym: oldest.pseudonym, userIds: found.flatMap(({ userIds }) => userIds) }
}

export const isRecorded = async (sql: Sql, { workspaceId }: Person, pseudonym: string): Promise<boolean> =>
  (await sql.row(findEntry, [workspaceId, pseudonym])) !== undefined

export async function keepUnfinished(tx: Sql, { workspaceId, phones, userIds }: Person, pseudonym: string) {
  await tx.rows(writeUnfinished, [workspaceId, pseudonym, JSON.stringify({ unfinishedFor: phones[0], userIds })])
}

export async function endUnfinished(tx: Sql, { workspaceId, phones }: Person): Promise<void> {
  await tx.rows(removeUnfinished, [workspaceId, phones])
}

const ERASURES = `workspace_id = $1 and action = '${ERASURE}'`
const OF_PERSON = `${ERASURES} and after ->> 'unfinishedFor' = any ($2::text[])`

const selectUnfinished: Statement<Unfinished> = statement(
  'find_unfinished_erasures',
  `select target as pseudonym, after -> 'userIds' as "userIds" from audit_log where ${OF_PERSON} order by id`,
)

const findEntry = statement<{ id: string }>(
  'find_audit_entry_of_erasure',
  `select id from audit_log where ${ERASURES} and target = $2 limit 1`,
)

const writeUnfinished = statement(
  'keep_unfinished_erasure',
  `update audit_log set after = after || $3::jsonb where ${ERASURES} and target = $2`,
)

const removeUnfinished = statement(
  'end_unfinished_erasures',
  `update audit_log set after = after - array['unfinishedFor', 'userIds'] where ${OF_PERSON}`,
)
