import { type Sql, type Statement, isConflict, statement } from '../../lib/db/pool.ts'
import { FIRST_ID } from '../../lib/ids.ts'
import { type Seal, type SealingKey, keyOf } from '../../lib/seal.ts'
import { type KeptPerson, hashOfKeptPhone, sealedColumns } from './sealed-columns.ts'

type Table = keyof typeof sealedColumns

const PAGE_ROWS = 1_000

/** A row with its sealed columns. */
type SealedRow = { id: string; workspaceId: string } & Readonly<Record<string, Buffer | string | null>>

const pages: Readonly<Record<Table, Statement<SealedRow>>> = {
  provider_accounts: statement(
    'list_sealed_accounts',
    `select id, workspace_id as "workspaceId", access_token, verify_token, app_secret, previous_app_secret
     from provider_accounts where id > $1 order by id limit $2`,
  ),
  webhook_endpoints: statement(
    'list_sealed_endpoints',
    `select id, workspace_id as "workspaceId", secret, previous_secret
     from webhook_endpoints where id > $1 and deleted_at is null order by id limit $2`,
  ),
  // Only a message that is due has a code. In the order of ids, which never change: a page in the order of due_at could
  // miss a message that is claimed meanwhile.
  messages: statement(
    'list_sealed_codes',
    `with waiting as materialized (
       select id, workspace_id as "workspaceId", code from messages where due_at is not null and code is not null)
     select * from waiting where id > $1 order by id limit $2`,
  ),
  unfinished_erasures: statement(
    'list_sealed_erasures',
    `select id, workspace_id as "workspaceId", person from unfinished_erasures where id > $1 order by id limit $2`,
  ),
}

/** Only where the bytes are still those that were read: a code may have been erased, a secret replaced. */
const replace = (table: Table, column: string): Statement<{ id: string }> =>
  statement(
    `reseal_${table}_${column}`,
    `update ${table} set ${column} = $4 where workspace_id = $1 and id = $2 and ${column} = $3 returning id`,
  )

/** Also replaces the hash, which a row is found by. */
const replacePerson = statement<{ id: string }>(
  'reseal_unfinished_erasures_person',
  `update unfinished_erasures set person = $4, person_hash = $5
   where workspace_id = $1 and id = $2 and person = $3 returning id`,
)

type SealedColumn = { table: Table; name: string; contextOf: (id: string) => string; update: Statement<{ id: string }> }

const columnsOf = (table: Table): SealedColumn[] =>
  Object.entries(sealedColumns[table]).map(([name, contextOf]) => ({
    table,
    name,
    contextOf,
    update: table === 'unfinished_erasures' ? replacePerson : replace(table, name),
  }))

const columns: Readonly<Record<Table, readonly SealedColumn[]>> = {
  provider_accounts: columnsOf('provider_accounts'),
  webhook_endpoints: columnsOf('webhook_endpoints'),
  messages: columnsOf('messages'),
  unfinished_erasures: columnsOf('unfinished_erasures'),
}

const TABLES = ['provider_accounts', 'webhook_endpoints', 'messages', 'unfinished_erasures'] as const satisfies Table[]

/** One sealed text, with the known key that opens it. */
export type SealedText = {
  column: string
  id: string
  key: SealingKey | undefined
  /** False if the text was changed or is locked. */
  replace(by: SealingKey): Promise<boolean>
}

/** Every sealed text of the database, except the two of the row `instance`, in pages. */
export async function* sealedTexts(db: Sql, { keys }: Pick<Seal, 'keys'>): AsyncGenerator<SealedText> {
  for (const table of TABLES) {
    let after = FIRST_ID
    for (;;) {
      const rows = await db.rows(pages[table], [after, PAGE_ROWS])
      for (const row of rows) for (const column of columns[table]) yield* textOf(db, { row, column, keys })
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_ROWS) break
      after = last.id
    }
  }
}

type Cell = { row: SealedRow; column: SealedColumn; keys: readonly SealingKey[] }

function* textOf(db: Sql, { row: { id, workspaceId, ...row }, column, keys }: Cell): Generator<SealedText> {
  const sealed = row[column.name]
  if (!Buffer.isBuffer(sealed)) return
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
