import type { Migration } from '../../lib/db/migrate.ts'
import { type Frame, type Header, backupError } from './format.ts'
import type { BackupFile } from './read-file.ts'
import { KEY_BYTES, MAX_KEYS } from '../../lib/seal.ts'
import { findInstanceKey } from '../secrets/instance.ts'

export type NextMigrations = {
  /** Up to the schema of the backup. */
  before: readonly Migration[]
  /** From there to the schema of this release. */
  after: readonly Migration[]
}

/** Throws UserError if the backup has a schema that this release does not know. */
export function findMigrations(file: string, header: Header, known: readonly Migration[]): NextMigrations {
  const { number, name } = header.migration
  if (number > known.length)
    throw backupError(
      `${file} was made by Doorcode ${header.doorcode}, which is newer than this release. Restore it with Doorcode ${header.doorcode} or later.`,
    )
  if (known[number - 1]?.name !== name)
    throw backupError(
      `${file} was made by a version of Doorcode that was never released. Restore it with that version.`,
    )
  return { before: known.slice(0, number), after: known.slice(number) }
}

/** Reads the whole file. Throws UserError if it is damaged. `oldKeys`: the former keys that its unfinished rotation needs. */
export async function checkFrames(file: string, backup: BackupFile, signal: AbortSignal) {
  const containedKeys: Buffer[] = []
  let rows = 0
  let tables = 0
  let oldKeys: string[] = []
  for await (const frame of backup.frames()) {
    signal.throwIfAborted()
    if (frame.kind === 'key') {
      containedKeys.push(frame.content)
      if (containedKeys.length > MAX_KEYS) throw otherKeys(file)
    } else if (frame.kind === 'rows' && backup.header.tables[tables]?.name === INSTANCE)
      oldKeys = readOldKeys(backup.header.tables[tables]?.columns ?? [], frame)
    else if (frame.kind === 'count') [tables, rows] = [tables + 1, rows + readCount(frame)]
  }
  if (tables !== backup.header.tables.length || backup.header.containsKey !== containedKeys.length > 0)
    throw backupError(`${file} does not contain what its header announces. Use another copy of the backup.`)
  if (containedKeys.length > 0 && !areKeys(containedKeys, backup.header)) throw otherKeys(file)
  return { rows, containedKeys, oldKeys }
}

const otherKeys = (file: string) =>
  backupError(`${file} does not contain the instance key of its database. Use another copy of the backup.`)

/** A key is written where the next start finds it, so it must be one that can open the database. */
const areKeys = (keys: readonly Buffer[], { keyCheck }: Header): boolean =>
  keys.every(({ length }) => length === KEY_BYTES) &&
  findInstanceKey(keys, Buffer.from(keyCheck, 'base64')) !== undefined

const INSTANCE = 'instance'

/** The fingerprints in the only row of the table. */
function readOldKeys(columns: readonly string[], { content }: Frame): string[] {
  const values = content.toString('latin1').split('\n')[0]?.split('\t') ?? []
  return values[columns.indexOf('old_keys')]?.match(/[0-9a-f]+/g) ?? []
}

export const readCount = ({ content }: Frame): number => Number(content.toString('latin1'))
