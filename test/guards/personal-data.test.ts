import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statements } from '../../src/lib/db/pool.ts'
import {
  type PersonalDataKind,
  type Life,
  type Table,
  lifeOf,
  tableNames,
  tables,
} from '../../src/operations/columns.ts'
import '../../src/operations/lifecycle/recipients/erase.ts'
import '../../src/operations/lifecycle/recipients/export.ts'
import '../../src/operations/lifecycle/retention/loop.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'

/** The schema `auth` has no recipients, so only its binary columns count. */
const COLUMNS = `
  select case when table_schema = 'public' then table_name else table_schema || '.' || table_name end as table,
    column_name as column, data_type = 'bytea' as "isBytes",
    data_type in ('text', 'jsonb', 'json', 'character varying', 'ARRAY') as "isText"
  from information_schema.columns
  where table_schema = 'public' or (table_schema = 'auth' and data_type = 'bytea')`

type Column = { table: string; column: string; isText: boolean; isBytes: boolean }

const wordsOf = (text = ''): string[] => text.split(/\s+/)

/** What `src/operations/columns.ts` does not say about these columns, and what to write there. */
function unknownIn(known: Readonly<Record<string, Life>>, columns: readonly Column[]): string[] {
  const faults = columns.flatMap(({ table, column, isText, isBytes }) => {
    const life = known[table]
    if (!life) return [`${table}: add the table, with its columns that hold data of a recipient, and how it is purged`]
    if (isBytes && !life.sealed?.[column] && !life.notSealed?.[column])
      return [`${table}.${column}: add it to "sealed" with its context, or to "notSealed" with the reason`]
    if (isText && life.person && !(column in life.person) && !wordsOf(life.others).includes(column))
      return [`${table}.${column}: add it to "person" with what it holds of a recipient, or to "others"`]
    return []
  })
  return [...new Set(faults)]
}

test('every text column is erased with a recipient or holds none of their data, and every column of bytes is sealed or not', async () => {
  assert.deepEqual(unknownIn(tables, await listColumns()), [])
})

test('a new table, text or sealed column fails until the table of columns says what it is', () => {
  const column = { table: 'messages', column: 'nickname', isText: true, isBytes: false }
  assert.deepEqual(
    unknownIn(tables, [
      column,
      { ...column, column: 'recipient' },
      { ...column, column: 'secret', isText: false, isBytes: true },
      { ...column, table: 'visits' },
    ]),
    [
      'messages.nickname: add it to "person" with what it holds of a recipient, or to "others"',
      'messages.secret: add it to "sealed" with its context, or to "notSealed" with the reason',
      'visits: add the table, with its columns that hold data of a recipient, and how it is purged',
    ],
  )
})

test('the table of columns names only what exists', async () => {
  const columns = await listColumns()
  const exists = (table: string, column: string) =>
    columns.some((each) => each.table === table && each.column === column)
  const named = tableNames.flatMap((table) => {
    const { person, others, exported, sealed, notSealed, partOf } = lifeOf(table)
    const listed = [person, sealed, notSealed].flatMap((each) => Object.keys(each ?? {}))
    const written = wordsOf(`${others ?? ''} ${exported ?? ''}`).map((each) => each.split(':')[0] ?? '')
    return [...listed, ...written, ...Object.values(partOf ?? {})].filter(Boolean).map((column) => ({ table, column }))
  })
  assert.deepEqual(
    named.filter(({ table, column }) => !exists(table, column)),
    [],
  )
})

/** Tables whose rows are exported whole, or are only found by the number. */
const NOT_BY_COLUMN: readonly PersonalDataKind[] = ['mention', 'row']

const personalTables = tableNames.filter((table) =>
  Object.values(lifeOf(table).person ?? {}).some((holds) => !NOT_BY_COLUMN.includes(holds)),
)

test('what is erased of a person is also exported', () => {
  const missing = personalTables.flatMap((table) => {
    const { person, exported } = lifeOf(table)
    const names = wordsOf(exported).map((each) => each.split(':')[0])
    return Object.keys(person ?? {}).filter((column) => !names.includes(column))
  })
  assert.deepEqual(missing, [])
  const read = [...statements.entries()].filter(([name]) => name.startsWith('export_')).map(([, { text }]) => text)
  const unread = personalTables.filter((table) => !read.some((text) => new RegExp(`\\b${table}\\b`).test(text)))
  assert.deepEqual(unread, [])
})

test('every table with a recipient’s data has a statement that erases it, and one that empties its content', () => {
  const missing = personalTables
    .filter((table) => table !== 'provider_reports') // its statements choose by what is in the report
    .flatMap((table) => [`erase_${table}`, ...(table === 'otp_verifications' ? [] : [`empty_${table}`])]) // it has no content
    .filter((name) => !statements.has(name))
  assert.deepEqual(missing, [])
})

test('every table of a workspace goes with it, except the audit log', async () => {
  const ofWorkspace = (await listColumns()).filter(({ column }) => column === 'workspace_id')
  const staying = ofWorkspace.filter(({ table }) => lifeOf(table as Table).purge === 'stays')
  assert.deepEqual(
    staying.map(({ table }) => table),
    ['audit_log'],
  )
})

async function listColumns(): Promise<Column[]> {
  return withConnection(await fileDatabase(), async (connection) => (await connection.query<Column>(COLUMNS)).rows)
}
