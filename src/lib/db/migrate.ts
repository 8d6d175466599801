import { readdir, readFile } from 'node:fs/promises'
import { StartupError } from '../errors.ts'
import type { Connection } from './connection.ts'
import { type LockingOptions, withTableLocks } from './migration-locks.ts'
import { type Db, type Sql, UNDEFINED_COLUMN, UNDEFINED_TABLE, isLockTimeout, sqlState, statement } from './pool.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)
const FILE_NAME = /^(\d{6})_[a-z0-9_]+\.sql$/

/** Advisory lock: two nodes must not migrate simultaneously. The number may be any that no other lock of the database uses. */
export const MIGRATION_LOCK = 7_305_221

export type Migration = { number: number; name: string }

/** The signal also drops the connection: PostgreSQL rolls an open migration back. */
type MigrateOptions = LockingOptions & {
  /** Called when another process migrates and this one waits. */
  onWait?: () => void
  /** How long to wait for another migration. Without it, there is no limit. */
  waitForMs?: number | undefined
}

/**
 * Migrates the schema to this release, one transaction per file, forward only. Returns how many ran. Throws StartupError
 * for a database that this release cannot migrate, or cannot use because a later release has contracted it, and if other
 * sessions keep its tables locked.
 */
export async function migrate(db: Db, { onWait, waitForMs, ...locking }: MigrateOptions = {}): Promise<number> {
  const migrations = await listMigrations()
  const connection = await db.connect()
  const drop = (): void => connection.drop()
  locking.signal?.addEventListener('abort', drop)
  if (locking.signal?.aborted) drop()
  try {
    await connection.query('set statement_timeout = 0') // another node may be migrating, and a migration of large tables takes long
    if (!(await tryMigrationLock(connection))) {
      onWait?.()
      await waitForMigrationLock(connection, waitForMs)
    }
    await connection.query(CREATE_MIGRATIONS)
    const applied = (await connection.query<Migration>(selectApplied.text)).rows
    assertOfRelease(applied, migrations)
    const newest = applied.at(-1)?.number ?? 0
    const known = migrations.at(-1)?.number ?? 0
    const contracting = newest > known ? await findContracting(connection, known) : undefined
    if (contracting !== undefined)
      throw new StartupError(
        `The database is at migration ${newest}, but this release only knows migrations up to ${known}, and migration ${contracting} may have removed what this release uses. Start the release that migrated it or a newer one.`,
      )
    const pending = migrations.filter((migration) => migration.number > newest)
    for (const migration of pending) await commit(connection, migration, locking)
    return pending.length
  } finally {
    locking.signal?.removeEventListener('abort', drop)
    await connection.close() // releases the lock
  }
}

const CREATE_MIGRATIONS = `create table if not exists migrations (number integer primary key, name text not null,
  applied_at timestamptz not null default now(), contracts boolean not null default false)`

const selectApplied = statement<Migration>('list_migrations', 'select number, name from migrations order by number')

function assertOfRelease(applied: readonly Migration[], migrations: readonly Migration[]): void {
  const other = applied.find(({ number, name }) => name !== (migrations[number - 1]?.name ?? name))
  if (other !== undefined)
    throw new StartupError(
      `The database has the migration ${other.name}, which this release does not have: a version before 0.1.0 created it. Use a new database.`,
    )
}

/** The first migration unknown to this release that keeps it from running. */
async function findContracting(connection: Connection, known: number): Promise<number | undefined> {
  return (await connection.query<{ number: number }>(selectContracting.text, [known])).rows[0]?.number
}

const selectContracting = statement<{ number: number }>(
  'find_contracting_migration',
  'select number from migrations where number > $1 and contracts order by number limit 1',
)

async function waitForMigrationLock(connection: Connection, waitForMs = 0): Promise<void> {
  await connection.query(`set lock_timeout = ${waitForMs}`)
  try {
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw new StartupError('Another process is migrating the database. Run the command again when it has finished.')
  }
  await connection.query('set lock_timeout = 0')
}

/** Until the connection ends, no other process can migrate the database. Returns false if another process is migrating it. */
export async function tryMigrationLock(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    MIGRATION_LOCK,
  ])
  return rows[0]?.locked ?? false
}

/** Runs these migrations, which must be the next ones, in the caller's transaction. */
export async function applyMigrations(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  await connection.query(CREATE_MIGRATIONS)
  for (const migration of migrations) await run(connection, migration, await readMigration(migration.name))
}

/** `pending`: how many a start would run. */
export type SchemaState =
  | { state: 'missing' | 'current' }
  | { state: 'pending'; pending: number }
  /** This release can use it. */
  | { state: 'newer'; newest: number; known: number }
  /** This release cannot use it, because of migration `contracting`. */
  | { state: 'contracted'; newest: number; known: number; contracting: number }

/** Changes nothing. Throws StartupError if the database has migrations that this release does not have, or is another program's. */
export async function findSchemaState(sql: Sql): Promise<SchemaState> {
  const migrations = await listMigrations()
  const known = migrations.at(-1)?.number ?? 0
  const applied = await sql.rows(selectApplied).catch(async (error: unknown) => {
    if (sqlState(error) !== UNDEFINED_TABLE && sqlState(error) !== UNDEFINED_COLUMN) throw error
    await assertNamesFree(sql, migrations)
    return []
  })
  assertOfRelease(applied, migrations)
  const newest = applied.at(-1)?.number
  if (newest === undefined) return { state: 'missing' }
  if (newest > known) {
    const contracting = (await sql.row(selectContracting, [known]))?.number
    return contracting === undefined
      ? { state: 'newer', newest, known }
      : { state: 'contracted', newest, known, contracting }
  }
  return newest === known ? { state: 'current' } : { state: 'pending', pending: known - newest }
}

const CREATED = /^create (?:unlogged )?(table|schema) (?:if not exists )?(\w+) ?[(;]/gm

/** Without this, Doorcode would leave some of its tables among those of another program before it fails. */
async function assertNamesFree(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const texts = await Promise.all(migrations.map(({ name }) => readMigration(name)))
  const created = [CREATE_MIGRATIONS, ...texts].flatMap((text) => [...text.matchAll(CREATED)])
  const namesOf = (kind: string): string[] => created.flatMap(([, each, name = '']) => (each === kind ? [name] : []))
  const taken = await sql.rows(findTaken, [namesOf('table'), namesOf('schema')])
  if (taken.length > 0)
    throw new StartupError(
      `The database is used by another program, which has ${taken.map(({ name }) => `"${name}"`).join(', ')} in it. Give Doorcode a database of its own (docs/configuration.md), and set DATABASE_URL to it.`,
    )
}

const findTaken = statement<{ name: string }>(
  'find_names_taken_by_another_program',
  // One snapshot: another node may be creating Doorcode's tables now.
  `with taken as (
     select relname as name from pg_class where relname = any ($1::text[]) and relnamespace = current_schema()::regnamespace
     union all select nspname from pg_namespace where nspname = any ($2::text[]))
   select name::text from taken where not exists (
     select from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attname = 'number'
     where t.relname = 'migrations' and t.relnamespace = current_schema()::regnamespace)`,
)

async function commit(connection: Connection, migration: Migration, locking: LockingOptions): Promise<void> {
  const { name } = migration
  const text = await readMigration(name)
  await withTableLocks(connection, { name, text }, () => run(connection, migration, text), locking)
}

export const readMigration = (file: string): Promise<string> => readFile(new URL(file, FOLDER), 'utf8')

/** Begins the first line of a migration that removes or tightens something. The reason follows. */
export const CONTRACTING_MARK = '-- contracts: '

async function run(connection: Connection, { number, name }: Migration, text: string): Promise<void> {
  await connection.query(text)
  await connection.query('insert into migrations (number, name, contracts) values ($1, $2, $3)', [
    number,
    name,
    text.startsWith(CONTRACTING_MARK),
  ])
}

/** The migrations of this release. */
export async function listMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return names.map((name, index) => {
    const number = Number(FILE_NAME.exec(name)?.[1])
    if (number !== index + 1) throw new Error(`migrations/${name} breaks the sequence: expected number ${index + 1}`)
    return { number, name }
  })
}
