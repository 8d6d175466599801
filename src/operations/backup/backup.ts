import type { Connection } from '../../lib/db/connection.ts'
import { listMigrations } from '../../lib/db/migrate.ts'
import type { Db } from '../../lib/db/pool.ts'
import { createSealingKey } from '../../lib/seal.ts'
import { findInstanceKey, missingKeys } from '../secrets/instance.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { copyOut } from './copy.ts'
import { newEncryption } from './encryption.ts'
import { type Header, backupError } from './format.ts'
import { type Table, copyOutOf, listTables, lockOf } from './tables.ts'
import { type BackupTarget, writeBackup } from './write-file.ts'

export type BackupOptions = {
  target: BackupTarget
  /** Those that are known, newest first. */
  keys: readonly Buffer[]
  /** The file does not contain them. */
  withoutKey: boolean
  /** Without it, the file is not encrypted. */
  passphrase: string | undefined
  createdAt: Date
  /** Called when the file can be written, before anything is read. */
  begin: () => Promise<void>
  signal: AbortSignal
}

export type BackupResult = {
  bytes: number
  tables: number
  rows: number
  createdAt: string
  /** Fingerprints of former keys that an unfinished rotation still needs and that the file does not contain. */
  missingKeys: string[]
}

/** Writes a snapshot of the database as one file. Other sessions can read and write the database meanwhile. */
export async function makeBackup(db: Db, options: BackupOptions): Promise<BackupResult> {
  const { target, passphrase, createdAt, begin, signal } = options
  const keys = options.withoutKey ? [] : options.keys
  const encrypted = passphrase === undefined ? undefined : await newEncryption(passphrase)
  let tables: Table[] = []
  let total = 0
  let missing: string[] = []
  const bytes = await writeBackup(target, async (writer) => {
    await begin()
    signal.throwIfAborted()
    const connection = await db.connect()
    const interrupt = (): void => connection.drop()
    signal.addEventListener('abort', interrupt)
    try {
      tables = await beginSnapshot(connection)
      const { oldKeys, ...described } = await describeDatabase(connection)
      missing = missingKeys(oldKeys, keys.map(createSealingKey))
      // They were read before the snapshot.
      const key = findInstanceKey(options.keys, Buffer.from(described.keyCheck, 'base64'))
      if (keys.length > 0 && !key)
        throw backupError(
          'The instance key was replaced when the backup began, so the backup would not contain it. Repeat the command, with the new key if you set DOORCODE_SECRET_KEY.',
        )
      const about = {
        createdAt: createdAt.toISOString(),
        doorcode: manifest.version,
        containsKey: keys.length > 0,
        keyFingerprint: key?.fingerprint,
      }
      const encryption = encrypted?.encryption ?? null
      await writer.header({ ...about, ...described, encryption, tables: tables.map(toHeader) }, encrypted?.cipher)
      for (const key of keys) await writer.frame('key', key)
      for (const table of tables) {
        const rows = await copyOut(connection, copyOutOf(table), (chunk) => writer.frame('rows', chunk))
        await writer.frame('count', Buffer.from(String(rows)))
        total += rows
      }
      await writer.frame('end', Buffer.alloc(0))
    } finally {
      signal.removeEventListener('abort', interrupt)
      await connection.close()
    }
  })
  return { bytes, tables: tables.length, rows: total, createdAt: createdAt.toISOString(), missingKeys: missing }
}

/** Between two statements, for a slow disk. */
const MAX_PAUSE_MS = 600_000

/**
 * Everything committed before this is in the snapshot. The tables are locked before it is made: a migration that rewrites
 * a table would leave it empty for older snapshots. The formats of values must not depend on the database's settings.
 */
async function beginSnapshot(connection: Connection): Promise<Table[]> {
  await connection.query(`
    set statement_timeout = 0; set idle_in_transaction_session_timeout = ${MAX_PAUSE_MS};
    set enable_seqscan = on; set client_encoding = 'UTF8'; set timezone = 'UTC'; set datestyle = 'ISO';
    set intervalstyle = 'postgres'; set bytea_output = 'hex'; set extra_float_digits = 1`)
  const tables = await listTables(connection)
  await connection.query(`begin isolation level repeatable read read only; ${lockOf(tables)}`)
  if (JSON.stringify(await listTables(connection)) !== JSON.stringify(tables))
    throw backupError('Another process was migrating the database when the backup began. Try again.')
  return tables
}

type Described = Pick<Header, 'postgresql' | 'migration' | 'keyCheck'> & { oldKeys: string[] }

async function describeDatabase(connection: Connection): Promise<Described> {
  const { rows } = await connection.query<{ postgresql: string; number: number; keyCheck: string; oldKeys: string[] }>(`
    select current_setting('server_version') as postgresql,
      (select max(number) from migrations) as number,
      (select encode(key_check, 'base64') from instance) as "keyCheck",
      (select old_keys from instance) as "oldKeys"`)
  const [found] = rows
  const migration = (await listMigrations()).find(({ number }) => number === found?.number)
  if (!found || !migration)
    throw backupError(
      'A later release has migrated the database, so this release cannot back it up. Make the backup with the release that migrated the database.',
    )
  const { postgresql, keyCheck, oldKeys } = found
  return { postgresql, migration, keyCheck: keyCheck.replaceAll('\n', ''), oldKeys }
}

const toHeader = ({ name, columns }: Table) => ({ name, columns: columns.map((column) => column.name) })
