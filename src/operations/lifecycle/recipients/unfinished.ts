import { DAY_MS, later } from '../../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { contentId } from '../../../lib/ids.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { type Seal, keyOf } from '../../../lib/seal.ts'
import { lockSealingKey } from '../../secrets/instance.ts'
import { tables } from '../../columns.ts'
import { type KeptPerson, hashOfKeptPhone } from '../../secrets/reseal.ts'
import type { Person } from './person.ts'

/**
 * An erasure that has not ended. Until then a row keeps the number and the user ids, sealed: after an interruption, erased
 * rows no longer lead from the number to the user ids.
 */
export type Unfinished = { pseudonym: string; userIds: readonly string[] }

/** The limit for one number: an erasure that is repeated after an interruption adds a row. */
const MAX_UNFINISHED = 1_000

const contextOf = tables.unfinished_erasures.sealed.person

/** The pseudonym of the oldest one of the person, and the user ids of all. */
export async function findUnfinished(sql: Sql, seal: Seal, person: Person): Promise<Unfinished | undefined> {
  const found = opened(seal, await sql.rows(selectUnfinished, [person.workspaceId, hashesOf(seal, person)]))
  const [oldest] = found
  return oldest && { pseudonym: oldest.pseudonym, userIds: found.flatMap(({ userIds }) => userIds) }
}

export const isRecorded = async (sql: Sql, { workspaceId }: Person, pseudonym: string): Promise<boolean> =>
  (await sql.row(findEntry, [workspaceId, pseudonym])) !== undefined

type Begun = { pseudonym: string; startedAt: Date }

/** Each time an erasure calls it, `person` has all user ids of the time before. */
export async function keepUnfinished(
  tx: Sql,
  seal: Seal,
  { workspaceId, phones, userIds }: Person,
  { pseudonym, startedAt }: Begun,
): Promise<void> {
  const id = contentId(workspaceId, pseudonym, startedAt.toISOString())
  const key = await lockSealingKey(tx, seal)
  const kept: KeptPerson = { phone: phones[0] ?? '', userIds }
  const person = key.close(JSON.stringify(kept), contextOf(id))
  const hash = hashOfKeptPhone(key, { workspaceId, phone: kept.phone })
  await tx.rows(writeUnfinished, [workspaceId, pseudonym, startedAt, id, person, hash])
}

/** Ends what this erasure covers. A later one still has newer reports to search, and another one can know more user ids. */
export async function endUnfinished(
  tx: Sql,
  seal: Seal,
  person: Person,
  { startedAt }: Pick<Begun, 'startedAt'>,
): Promise<void> {
  const { workspaceId, userIds } = person
  const begun = opened(seal, await tx.rows(lockUnfinished, [workspaceId, hashesOf(seal, person), startedAt]))
  const covered = begun.filter((each) => each.userIds.every((userId) => userIds.includes(userId)))
  if (covered.length > 0) await tx.rows(removeUnfinished, [workspaceId, covered.map(({ id }) => id)])
}

/** How long a row that no known key opens is kept, in case the key returns. By then, the webhooks of its time are removed. */
const UNREADABLE_KEPT_MS = 90 * DAY_MS

export async function removeUnreadable({ db, seal }: Pick<Parts, 'db' | 'seal'>, now: Date): Promise<void> {
  for (const { workspaceId, id, person } of await db.rows(selectOld, [later(now, -UNREADABLE_KEPT_MS)]))
    if (!open(seal, id, person)) await db.rows(removeUnfinished, [workspaceId, [id]])
}

/** During a rotation rows are under several keys. */
const hashesOf = ({ keys }: Seal, { workspaceId, phones }: Person): Buffer[] =>
  keys.flatMap((key) => phones.map((phone) => hashOfKeptPhone(key, { workspaceId, phone })))

type Row = { id: string; pseudonym: string; person: Buffer }

const opened = (seal: Seal, rows: readonly Row[]): (Unfinished & { id: string })[] =>
  rows.flatMap(({ id, pseudonym, person }) => {
    const kept = open(seal, id, person)
    return kept ? [{ id, pseudonym, userIds: kept.userIds }] : []
  })

function open({ keys }: Seal, id: string, sealed: Buffer): KeptPerson | undefined {
  const text = keyOf(keys, sealed, contextOf(id))?.open(sealed, contextOf(id))
  return text === undefined ? undefined : (JSON.parse(text) as KeptPerson)
}

const selectUnfinished: Statement<Row> = statement(
  'find_unfinished_erasures',
  `select id, pseudonym, person from unfinished_erasures
   where workspace_id = $1 and person_hash = any ($2) order by begun_at limit ${MAX_UNFINISHED}`,
)

const lockUnfinished: Statement<Row> = statement(
  'lock_unfinished_erasures',
  `select id, pseudonym, person from unfinished_erasures
   where workspace_id = $1 and person_hash = any ($2) and begun_at <= $3
   order by begun_at, id limit ${MAX_UNFINISHED} for update`,
)

const selectOld: Statement<Row & { workspaceId: string }> = statement(
  'list_old_unfinished_erasures',
  `select workspace_id as "workspaceId", id, pseudonym, person from unfinished_erasures
   where begun_at < $1 order by begun_at limit ${MAX_UNFINISHED}`,
)

const findEntry = statement<{ id: string }>(
  'find_audit_entry_of_erasure',
  `select id from audit_log where workspace_id = $1 and action = 'recipient.erased' and target = $2 limit 1`,
)

const writeUnfinished = statement(
  'keep_unfinished_erasure',
  `insert into unfinished_erasures (workspace_id, pseudonym, begun_at, id, person, person_hash)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (id) do update set person = excluded.person, person_hash = excluded.person_hash`,
)

const removeUnfinished = statement(
  'end_unfinished_erasures',
  'delete from unfinished_erasures where workspace_id = $1 and id = any ($2::uuid[])',
)
