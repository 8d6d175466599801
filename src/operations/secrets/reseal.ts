import { type Sql, type Statement, isConflict, statement } from '../../lib/db/pool.ts'
import { FIRST_ID } from '../../lib/ids.ts'
import { type Seal, type SealingKey, keyOf } from '../../lib/seal.ts'
import { type Table, lifeOf, tableNames } from '../columns.ts'

/** The text of `unfinished_erasures.person`. */
export type KeptPerson = { phone: string; userIds: readonly string[] }

/** `unfinished_erasures.person_hash`, which the row is found by. */
export const hashOfKeptPhone = (
  key: SealingKey,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Buffer => Buffer.from(key.hash(`erasure:${workspaceId}:${phone}`), 'base64url')

const PAGE_ROWS = 1_000

/** A row with its sealed columns. */
type SealedRow = { id: string; workspaceId: string } & Readonly<Record<string, Buffer | string | null>>

type SealedColumn = { table: Table; name: string; contextOf: (id: string) => string; update: Statement<{ id: string }> }

type SealedTable = { page: Statement<SealedRow>; columns: SealedColumn[] }

/**
 * In the order of ids, which never change: a page in the order of due_at could miss a message that is claimed meanwhile. Replaces
 * a text only where the bytes are still those that were read: a code may have been erased, a secret replaced.
 */
const sealedTables: readonly SealedTable[] = tableNames.flatMap((table) => {
  const { sealed, sealedWhile } = lifeOf(table)
  if (!sealed) return []
  const rows = `select id, workspace_id as "workspaceId", ${Object.keys(sealed).join(', ')} from ${table}`
  const next = 'id > $1 order by id limit $2'
  const page = statement<SealedRow>(
    `list_sealed_${table}`,
    sealedWhile
      ? `with waiting as materialized (${rows} where ${sealedWhile}) select * from waiting where ${next}`
      : `${rows} where ${next}`,
  )
  const columns = Object.entries(sealed).map(([name, contextOf]) => {
    const hash = table === 'unfinished_erasures' ? ', person_hash = $5' : ''
    const update = statement<{ id: string }>(
      `reseal_${table}_${name}`,
      `update ${table} set ${name} = $4${hash} where workspace_id = $1 and id = $2 and ${name} = $3 returning id`,
    )
    return { table, name, contextOf, update }
  })
  return [{ page, columns }]
})

/** One sealed text, with the known key that opens it. */
export type SealedText = {
  column: string
  id: string
  key: SealingKey | undefined
  /** Returns false if the text was changed or is locked. */
  replace(by: SealingKey): Promise<boolean>
}

/** Every sealed text of the database, except the two of the row `instance`, in pages. */
export async function* sealedTexts(db: Sql, { keys }: Pick<Seal, 'keys'>): AsyncGenerator<SealedText> {
  for (const { page, columns } of sealedTables) {
    let after = FIRST_ID
    for (;;) {
      const rows = await db.rows(page, [after, PAGE_ROWS])
      for (const row of rows) for (const column of columns) yield* textOf(db, { row, column, keys })
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_ROWS) break
      after = last.id
    }
  }
}

type Cell = { row: SealedRow; column: SealedColumn; keys: readonly SealingKey[] }

function* textOf(db: Sql, { row: { id, workspaceId, ...row }, column, keys }: Cell): Generator<SealedText> {
  const sealed = row[column.name]
  if (!Buffer.isBuffer(sealed) || sealed.length === 0) return // a deleted endpoint has an empty one
  const context = column.contextOf(id)
  const key = keyOf(keys, sealed, context)
  yield {
    column: `${column.table}.${column.name}`,
    id,
    key,
    async replace(by) {
      const text = key?.open(sealed, context)
      if (text === undefined) return false
      try {
        const values = [workspaceId, id, sealed, by.close(text, context)]
        if (column.table === 'unfinished_erasures') {
          const { phone } = JSON.parse(text) as KeptPerson
          values.push(hashOfKeptPhone(by, { workspaceId, phone }))
        }
        return (await db.row(column.update, values)) !== undefined
      } catch (error) {
        if (isConflict(error)) return false
        throw error
      }
    },
  }
}

const MAX_LISTED_UNREADABLE = 100

/** The texts that no known key opens: the first one, and how many there are. */
export type UnreadableTexts = { unreadable: { column: string; id: string }[]; unreadableCount: number }

/** Calls `read` for each text that a known key opens. */
export async function readTexts(
  db: Sql,
  seal: Pick<Seal, 'keys'>,
  read: (text: SealedText, key: SealingKey) => void | Promise<void>,
): Promise<UnreadableTexts> {
  const found: UnreadableTexts = { unreadable: [], unreadableCount: 0 }
  for await (const text of sealedTexts(db, seal)) {
    if (text.key) await read(text, text.key)
    else {
      found.unreadableCount += 1
      const { column, id } = text
      if (found.unreadable.length < MAX_LISTED_UNREADABLE) found.unreadable.push({ column, id })
    }
  }
  return found
}
