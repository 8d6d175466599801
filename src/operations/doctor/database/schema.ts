import { type SchemaState, listMigrations, readMigration } from '../../../lib/db/migrate.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import type { NewFinding } from '../finding.ts'

export function checkSchema(schema: SchemaState): NewFinding[] {
  switch (schema.state) {
    case 'current':
      return []
    case 'missing':
      return [{ code: 'not_migrated' }]
    case 'pending':
      return [{ code: 'migrations_pending', number: schema.pending }]
    case 'newer':
      return [{ code: 'database_newer', newest: schema.newest, known: schema.known }]
    case 'contracted': {
      const { newest, known, contracting } = schema
      return [{ code: 'database_contracted', newest, known, contracting }]
    }
  }
}

type Index = { name: string; isValid: boolean }

/** A missing index makes every look-up read a whole table, and a missing unique one lets duplicates in. */
export async function findIndexProblems(sql: Sql): Promise<NewFinding[]> {
  const indexes = new Map((await sql.rows(listIndexes)).map((index) => [index.name, index]))
  const missing = [...(await listExpectedIndexes())].filter(([name]) => !indexes.has(name))
  return [
    ...missing.map(([index, command]): NewFinding => ({ code: 'index_missing', index, command })),
    ...[...indexes.values()]
      .filter(({ isValid }) => !isValid)
      .map(({ name: index }): NewFinding => ({ code: 'index_invalid', index })),
  ]
}

const listIndexes = statement<Index>(
  'list_indexes',
  `select c.relname as name, i.indisvalid and i.indisready as "isValid"
   from pg_index i join pg_class c on c.oid = i.indexrelid
   where c.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth')) order by 1`,
)

const INDEX_COMMAND = /\b(?:create (?:unique )?index (?<created>"\w+"|\w+) on|drop index (?<dropped>"\w+"|\w+))[^;]*/g

/** The indexes that the migrations create, by name, each with the command that creates it again while nodes work. */
export async function listExpectedIndexes(): Promise<Map<string, string>> {
  const expected = new Map<string, string>()
  for (const { name } of await listMigrations()) {
    const text = (await readMigration(name)).replaceAll(/--.*$/gm, '')
    for (const [command, created, dropped] of text.matchAll(INDEX_COMMAND)) {
      if (dropped !== undefined) expected.delete(unquoted(dropped))
      if (created !== undefined)
        expected.set(unquoted(created), command.replace(' index ', ' index concurrently ').replaceAll(/\s+/g, ' '))
    }
  }
  return expected
}

const unquoted = (name: string): string => name.replaceAll('"', '')
