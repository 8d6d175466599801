import { DAY_MS, later } from '../../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { type Removal, removal } from '../../../lib/db/removal.ts'
import { contentId } from '../../../lib/ids.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { type Seal, type SealingKey, keyOf } from '../../../lib/seal.ts'
import { lockSealingKey } from '../../secrets/instance.ts'
import { type KeptPerson, hashOfKeptPhone, sealedColumns } from '../../secrets/sealed-columns.ts'
import type { Person } from './person.ts'

/**
 * An erasure that has not yet searched all reports. Until then a row keeps the number and the user ids, sealed: after an
 * interruption, erased rows no longer lead from the number to the user ids.
 */
export type Unfinished = { pseudonym: string; userIds: readonly string[] }

/** Of one number: an erasure that is repeated after an interruption adds a row. */
const MAX_UNFINISHED = 1_000

const contextOf = sealedColumns.unfinished_erasures.person

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
  const kept = sealPerson(key, { workspaceId, id }, { phone: phones[0] ?? '', userIds })
  await tx.rows(writeUnfinished, [workspaceId, pseudonym, startedAt, id, ...kept])
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

/**
 * Seals the rows of the previous release, which have no hash: it kept the person in clear text, or did not hash the number. A row
 * that no known key opens gets an empty hash: nothing shows whose it is (docs/key-rotation.md#when-it-does-not-finish).
 */
export async function sealUnfinished({ db, seal }: Pick<Parts, 'db' | 'seal'>): Promise<void> {
  for (let pages = 0; pages < MAX_SEALED_PAGES && (await db.row(findUnhashed)); pages += 1)
    await db.transaction(async (tx) => {
      const rows = await tx.rows(lockUnhashed)
      const key = rows.length > 0 ? await lockSealingKey(tx, seal) : undefined
      for (const row of rows) if (key) await sealRow(tx, { seal, key }, row)
    })
}

const SEALED_PAGE = 100
const MAX_SEALED_PAGES = 100

async function sealRow(tx: Sql, { seal, key }: { seal: Seal; key: SealingKey }, row: UnhashedRow): Promise<void> {
  const { workspaceId, id, pseudonym, begunAt } = row
  const kept = row.person ? open(seal, id, row.person) : { phone: row.recipient, userIds: row.userIds }
  if (!kept) return void (await tx.rows(markUnreadable, [workspaceId, id]))
  await tx.rows(removeUnfinished, [workspaceId, [id]])
  await tx.rows(moveUnfinished, [workspaceId, pseudonym, begunAt, id, ...sealPerson(key, row, kept)])
}

/** The columns `person` and `person_hash`. */
const sealPerson = (
  key: SealingKey,
  { workspaceId, id }: Pick<UnhashedRow, 'workspaceId' | 'id'>,
  kept: KeptPerson,
): [Buffer, Buffer] => [
  key.close(JSON.stringify(kept), contextOf(id)),
  hashOfKeptPhone(key, { workspaceId, phone: kept.phone }),
]

/** During a rotation rows are under several keys. */
const hashesOf = ({ keys }: Seal, { workspaceId, phones }: Person): Buffer[] =>
  keys.flatMap((key) => phones.map((phone) => hashOfKeptPhone(key, { workspaceId, phone })))

type Row = { id: string; pseudonym: string; person: Buffer }

type UnhashedRow = Omit<Row, 'person'> & {
  workspaceId: string
  begunAt: Date
  person: Buffer | null
  recipient: string
  userIds: string[]
}

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

const findUnhashed = statement(
  'find_unhashed_erasure',
  'select id from unfinished_erasures where person_hash is null limit 1',
)

const lockUnhashed: Statement<UnhashedRow> = statement(
  'lock_unhashed_erasures',
  `select workspace_id as "workspaceId", id, pseudonym, begun_at as "begunAt", person, recipient, user_ids as "userIds"
   from unfinished_erasures where person_hash is null order by begun_at limit ${SEALED_PAGE} for update skip locked`,
)

const markUnreadable = statement(
  'mark_unreadable_erasure',
  String.raw`update unfinished_erasures set person_hash = '\x' where workspace_id = $1 and id = $2`,
)

/** How long a row stays that no known key opens, in case that its key returns. Webhooks of that time are then removed. */
const UNREADABLE_KEPT_MS = 90 * DAY_MS

const removeUnreadable = removal(
  'remove_unreadable_erasures',
  'unfinished_erasures',
  String.raw`person_hash = '\x' and begun_at < $1`,
)

/** Like `expiredSignInRows`. */
export const expiredErasures = (now: Date): [Removal, Date][] => [[removeUnreadable, later(now, -UNREADABLE_KEPT_MS)]]

const findEntry = statement<{ id: string }>(
  'find_audit_entry_of_erasure',
  `select id from audit_log where workspace_id = $1 and action = 'recipient.erased' and target = $2 limit 1`,
)

const writeUnfinished = statement(
  'keep_unfinished_erasure',
  `insert into unfinished_erasures (workspace_id, recipient, begun_at, pseudonym, id, person, person_hash)
   values ($1, $2, $3, $2, $4, $5, $6)
   on conflict (workspace_id, recipient, begun_at)
   do update set person = excluded.person, person_hash = excluded.person_hash`,
)

/** If a node of this release has continued the erasure, its row knows more user ids. */
const moveUnfinished = statement(
  'move_unfinished_erasure',
  `insert into unfinished_erasures (workspace_id, recipient, begun_at, pseudonym, id, person, person_hash)
   values ($1, $2, $3, $2, $4, $5, $6) on conflict (workspace_id, recipient, begun_at) do nothing`,
)

const removeUnfinished = statement(
  'end_unfinished_erasures',
  'delete from unfinished_erasures where workspace_id = $1 and id = any ($2::uuid[])',
)
