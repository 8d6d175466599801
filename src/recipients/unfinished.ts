import { type Sql, type Statement, statement } from '../db/pool.ts'
import { contentId } from '../ids.ts'
import { type Seal, keyOf } from '../seal.ts'
import { lockSealingKey } from '../secrets/instance.ts'
import { sealedColumns } from '../secrets/sealed-columns.ts'
import type { Person } from './person.ts'

/**
 * An erasure that has not yet searched all reports. Until then a row keeps the number and the user ids, sealed: after an
 * interruption, erased rows no longer lead from the number to the user ids.
 */
export type Unfinished = { pseudonym: string; userIds: readonly string[] }

/** Of a workspace: each is opened to see whose it is. */
const MAX_UNFINISHED = 1_000

const contextOf = sealedColumns.unfinished_erasures.person

/** The pseudonym of the oldest one of the person, and the user ids of all. */
export async function findUnfinished(sql: Sql, seal: Seal, person: Person): Promise<Unfinished | undefined> {
  const found = ofPerson(seal, person, await sql.rows(selectUnfinished, [person.workspaceId]))
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
  const kept: KeptPerson = { phone: phones[0] ?? '', userIds }
  const sealed = (await lockSealingKey(tx, seal)).close(JSON.stringify(kept), contextOf(id))
  await tx.rows(writeUnfinished, [workspaceId, pseudonym, startedAt, id, sealed])
}

/** Ends what this erasure covers. A later one still has newer reports to search, and another one can know more user ids. */
export async function endUnfinished(
  tx: Sql,
  seal: Seal,
  person: Person,
  { startedAt }: Pick<Begun, 'startedAt'>,
): Promise<void> {
  const { workspaceId, userIds } = person
  const begun = ofPerson(seal, person, await tx.rows(lockUnfinished, [workspaceId, startedAt]))
  const covered = begun.filter((each) => each.userIds.every((userId) => userIds.includes(userId)))
  if (covered.length > 0) await tx.rows(removeUnfinished, [workspaceId, covered.map(({ id }) => id)])
}

type KeptPerson = { phone: string; userIds: readonly string[] }

type Row = { id: string; pseudonym: string; person: Buffer | null; recipient: string; userIds: string[] }

/** Leaves out what no known key opens: then nothing shows whose it is (docs/key-rotation.md#when-it-does-not-finish). */
function ofPerson(seal: Seal, { phones }: Person, rows: readonly Row[]): (Unfinished & { id: string })[] {
  return rows.flatMap(({ id, pseudonym, person, recipient, userIds }) => {
    // The previous release did not seal it.
    const kept = person ? open(seal, id, person) : { phone: recipient, userIds }
    return kept && phones.includes(kept.phone) ? [{ id, pseudonym, userIds: kept.userIds }] : []
  })
}

function open({ keys }: Seal, id: string, sealed: Buffer): KeptPerson | undefined {
  const text = keyOf(keys, sealed, contextOf(id))?.open(sealed, contextOf(id))
  return text === undefined ? undefined : (JSON.parse(text) as KeptPerson)
}

const COLUMNS = 'id, pseudonym, person, recipient, user_ids as "userIds"'

const selectUnfinished: Statement<Row> = statement(
  'find_unfinished_erasures',
  `select ${COLUMNS} from unfinished_erasures where workspace_id = $1 order by begun_at limit ${MAX_UNFINISHED}`,
)

const lockUnfinished: Statement<Row> = statement(
  'lock_unfinished_erasures',
  `select ${COLUMNS} from unfinished_erasures
   where workspace_id = $1 and begun_at <= $2 order by begun_at, id limit ${MAX_UNFINISHED} for update`,
)

const findEntry = statement<{ id: string }>(
  'find_audit_entry_of_erasure',
  `select id from audit_log where workspace_id = $1 and action = 'recipient.erased' and target = $2 limit 1`,
)

const writeUnfinished = statement(
  'keep_unfinished_erasure',
  `insert into unfinished_erasures (workspace_id, recipient, begun_at, pseudonym, id, person)
   values ($1, $2, $3, $2, $4, $5)
   on conflict (workspace_id, recipient, begun_at) do update set person = excluded.person`,
)

const removeUnfinished = statement(
  'end_unfinished_erasures',
  'delete from unfinished_erasures where workspace_id = $1 and id = any ($2::uuid[])',
)
