import type { Config } from '../../lib/config.ts'
import { listMigrations } from '../../lib/db/migrate.ts'
import { createLog } from '../../lib/log.ts'
import { assertCommits } from '../../runtime/start/commits.ts'
import { assertWritable, connectDatabase, explainMigrationFaults, withRetries } from '../../runtime/start/database.ts'
import { checkFrames, findMigrations } from './check.ts'
import { chooseKey } from './key.ts'
import { load } from './load.ts'
import { openBackupFile } from './read-file.ts'

export type RestoreOptions = {
  file: string
  passphrase: string | undefined
  /** A new file for the instance key of a backup that is restored into DATABASE_URL. */
  keyFile: string | undefined
  at: Date
  /** How long to wait for the database, ms. */
  timeoutMs: number
  signal: AbortSignal
  /** Closes the database. */
  resources: AsyncDisposableStack
}

export type RestoreResult = {
  file: string
  createdAt: string
  /** Idempotency keys of requests that were accepted since then are not known (docs/backup.md#repeated-requests). */
  repeatsMayDoubleFrom: string
  tables: number
  rows: number
  /** Where the instance key of the backup was written. Null: the settings have it. */
  keyFile: string | null
  /** Fingerprints of former keys that its unfinished rotation needs, and that neither the backup nor the settings have. */
  missingKeys: string[]
}

/** Loads a backup into an empty database. First the whole file is checked; then one transaction does everything. */
export async function restoreBackup(config: Config, options: RestoreOptions): Promise<RestoreResult> {
  const { file, passphrase, keyFile, at, timeoutMs, signal, resources } = options
  await using backup = await openBackupFile(file, passphrase)
  const { header } = backup
  const migrations = findMigrations(file, header, await listMigrations())
  const { rows, containedKeys, oldKeys } = await checkFrames(file, backup, signal)
  const key = await chooseKey(config, {
    file,
    keyFile,
    containedKeys,
    keyCheck: Buffer.from(header.keyCheck, 'base64'),
    keyFingerprint: header.keyFingerprint,
    oldKeys,
  })
  const budget = { log: createLog('silent'), timeoutMs, signal }
  const { db, close } = await connectDatabase({ config, planEachTime: true, ...budget })
  resources.defer(close)
  await assertWritable(db, budget)
  await withRetries(db, budget, () => assertCommits(db))
  await explainMigrationFaults(() => load(db, backup, { file, migrations, at, signal, beforeCommit: key.write }))
  const { file: writtenTo, missingKeys } = key
  const { createdAt, tables } = header
  const known = { createdAt, repeatsMayDoubleFrom: createdAt }
  return { file, ...known, tables: tables.length, rows, keyFile: writtenTo, missingKeys }
}
