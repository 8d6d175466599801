import path from 'node:path'
import { COMMAND_LINE, audit } from '../../admin/audit/audit.ts'
import { type Connection, DatabaseUnavailable } from '../../lib/db/connection.ts'
import { applyMigrations, findSchemaState, tryMigrationLock } from '../../lib/db/migrate.ts'
import { type Db, type Sql, isDatabaseUnavailable, sqlState } from '../../lib/db/pool.ts'
import { adoptRestoredEvents } from '../../events/restored.ts'
import { type NextMigrations, readCount } from './check.ts'
import { copyIn } from './copy.ts'
import { type Frame, backupError } from './format.ts'
import type { BackupFile } from './read-file.ts'
import { copyInto, listTables } from './tables.ts'

export type LoadOptions = {
  file: string
  migrations: NextMigrations
  at: Date
  signal: AbortSignal
  beforeCommit: () => Promise<void>
}

/** One transaction: if it fails or is interrupted or killed, the database stays empty. A server that starts meanwhile waits. */
export async function load(db: Db, backup: BackupFile, options: LoadOptions): Promise<void> {
  const { signal, beforeCommit } = options
  const connection = await db.connect()
  const interrupt = (): void => connection.drop()
  signal.addEventListener('abort', interrupt)
  try {
    signal.throwIfAborted()
    await prepareSession(connection)
    if (!(await tryMigrationLock(connection))) throw backupError(IN_USE)
    await assertEmpty(connection)
    await connection.query('begin')
    await loadAll(connection, backup, options)
    await beforeCommit()
    signal.removeEventListener('abort', interrupt) // the commit takes a moment, and its outcome must be known
    signal.throwIfAborted()
    await connection.query('commit').catch((error: unknown) => {
      throw error instanceof DatabaseUnavailable ? backupError(UNKNOWN_OUTCOME) : error
    })
  } catch (error) {
    const sentence = signal.aborted ? undefined : explainLoadError(error)
    throw sentence === undefined ? error : backupError(sentence)
  } finally {
    signal.removeEventListener('abort', interrupt)
    await connection.close()
  }
}

const IN_USE =
  'Another process is starting on this database or restoring it. Stop it first. If you have just killed a restore, its session ends within seconds: run the command again then.'
const UNKNOWN_OUTCOME =
  'The connection to the database was lost while the restore was being committed. Run the command again: if it says that the database already has tables of Doorcode, everything was restored.'

const CHECK_CLIENT_EVERY_MS = 2_000

/** Ends the session of a killed restore soon, even while it creates an index. A server on Windows cannot check this. */
async function prepareSession(connection: Connection): Promise<void> {
  await connection.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await connection.query(`set client_connection_check_interval = ${CHECK_CLIENT_EVERY_MS}`).catch((error: unknown) => {
    if (sqlState(error) !== INVALID_PARAMETER) throw error
  })
}

const INVALID_PARAMETER = '22023'
const DISK_FULL = '53100'

/** For errors that the operator can fix. Nothing was restored. */
function explainLoadError(error: unknown): string | undefined {
  if (sqlState(error) === DISK_FULL)
    return 'The disk of the database is full, so nothing was restored. Free space, then run the command again.'
  if (isDatabaseUnavailable(error))
    return `The database ended the restore (${(error as Error).message}), so nothing was restored. The database’s log says why; a full disk can be the reason. Fix the cause, then run the command again.`
  return undefined
}

async function loadAll(
  connection: Connection,
  backup: BackupFile,
  { file, migrations, at }: LoadOptions,
): Promise<void> {
  const { createdAt, tables } = backup.header
  await applyMigrations(connection, migrations.before)
  const known = new Set((await listTables(connection)).map(({ name }) => name))
  const indexes = await dropIndexes(connection)
  const frames = backup.frames()
  for (const table of tables) {
    const rows = createRows(frames)
    // A table that Doorcode did not create is in the database by mistake.
    const copied = known.has(table.name) ? await copyIn(connection, copyInto(table), rows.contents()) : undefined
    const counted = await rows.end()
    if (copied !== undefined && copied !== counted)
      throw new Error(`the table ${table.name} has ${copied} rows instead of ${counted}`)
  }
  await indexes.restore()
  await applyMigrations(connection, migrations.after)
  await adoptRestoredEvents(sqlOn(connection)) // a command may record events before the first server starts
  await audit(
    sqlOn(connection),
    { actor: COMMAND_LINE, at },
    {
      workspaceId: null,
      action: 'instance.restored',
      target: path.basename(file),
      after: { backupMadeAt: createdAt },
    },
  )
  await connection.query('analyze')
}

/** The frames of one table. */
function createRows(frames: AsyncGenerator<Frame>) {
  let count: number | undefined
  async function* contents(): AsyncGenerator<Buffer> {
    while (count === undefined) {
      const { value: frame } = (await frames.next()) as IteratorResult<Frame, undefined>
      if (frame?.kind === 'rows') yield frame.content
      else if (frame?.kind === 'count') count = readCount(frame)
      else if (frame?.kind !== 'key') throw new Error('the backup changed while it was read')
    }
  }
  return {
    contents,
    /** Reads the rest. Resolves with the number of rows. */
    async end(): Promise<number> {
      for await (const _ of contents()) continue
      return count ?? 0
    },
  }
}

/** Throws StartupError if it is another program's. */
async function assertEmpty(connection: Connection): Promise<void> {
  const { state } = await findSchemaState(sqlOn(connection))
  if (state !== 'missing')
    throw backupError(
      'The database already has tables of Doorcode. Restore into a new database: set DATABASE_URL to an empty one, or DOORCODE_DATA_DIR to a new folder.',
    )
}

type Definition = { drop: string; create: string }

const FOREIGN_KEYS = `
  select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
    format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as create
  from pg_constraint k join pg_namespace n on n.oid = k.connamespace
  where k.contype = 'f' and k.conparentid = 0 and n.nspname in (current_schema(), 'auth')
  order by 1`
const INDEXES = `
  select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as create
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where not c.relispartition and n.nspname in (current_schema(), 'auth')
    and not exists (select from pg_constraint k where k.conindid = c.oid)
  order by 1`

/**
 * Foreign keys and indexes are created after the rows are loaded: this is many times faster, and the tables can be loaded in
 * any order. Checking each row would also fill the server's memory.
 */
async function dropIndexes(connection: Connection): Promise<{ restore: () => Promise<void> }> {
  const read = async (text: string) => (await connection.query<Definition>(text)).rows
  const keys = await read(FOREIGN_KEYS)
  for (const { drop } of keys) await connection.query(drop)
  const indexes = await read(INDEXES)
  for (const { drop } of indexes) await connection.query(drop)
  return {
    async restore() {
      for (const { create } of [...indexes, ...keys]) await connection.query(create)
    },
  }
}

const sqlOn = (connection: Connection): Sql => {
  const rows: Sql['rows'] = async <Row>({ text }: { text: string }, values: readonly unknown[] = []) =>
    (await connection.query(text, [...values])).rows as Row[]
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] }
}
