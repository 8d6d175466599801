import type { Connection } from '../../lib/db/connection.ts'
import { type Life, tables } from '../columns.ts'

/**
 * Whether a backup leaves a table out. It has all others, including those of later migrations. Unlogged tables are left out too: their
 * content is worthless after a crash or a restore.
 */
export const isExcluded = (name: string): boolean => lives[name]?.notInBackup !== undefined

const lives: Readonly<Record<string, Life>> = tables

/** A column, as the file has it and as a query reads it. */
type Column = { name: string; type: string }
export type Table = { name: string; columns: readonly Column[] }

/** Of the default schema and the schema of people's accounts, as docs/backup.md#what-is-inside says. */
const LIST_TABLES = `
  select case when n.nspname = current_schema() then c.relname else n.nspname || '.' || c.relname end as name,
    json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum) as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname in (current_schema(), 'auth') and c.relkind in ('r', 'p') and not c.relispartition
    and c.relpersistence = 'p'
  group by n.nspname, c.relname
  order by n.nspname, c.relname`

/** The tables that belong in a backup. Generated columns are computed again. */
export async function listTables(connection: Connection): Promise<Table[]> {
  const { rows } = await connection.query<Table>(LIST_TABLES)
  return rows.filter(({ name }) => !isExcluded(name))
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
const quoteTable = (name: string): string => name.split('.').map(quote).join('.')

export const copyOutOf = ({ name, columns }: Table): string =>
  `copy (select ${columns.map(({ name }) => quote(name)).join(', ')} from ${quoteTable(name)}) to stdout`

export const lockOf = (tables: readonly Table[]): string =>
  `lock table ${tables.map(({ name }) => quoteTable(name)).join(', ')} in access share mode`

export const copyInto = ({ name, columns }: { name: string; columns: readonly string[] }): string =>
  `copy ${quoteTable(name)} (${columns.map(quote).join(', ')}) from stdin`
