import { randomBytes } from 'node:crypto'
import { chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findLatestTarget, listValuesBefore } from '../../admin/audit/audit.ts'
import { StartupError, UserError } from '../../lib/errors.ts'
import type { Config } from '../../lib/config.ts'
import type { Db, Sql } from '../../lib/db/pool.ts'
import { ensureDir } from './ensure-dir.ts'
import {
  type KeyMistake,
  MAX_KEYS,
  type Seal,
  createSealingKey,
  newInstanceKey,
  parseInstanceKeys,
} from '../../lib/seal.ts'
import { findInstance, findMissingKeys, openInstance } from '../../operations/secrets/instance.ts'

type KeyConfig = Pick<Config, 'secretKeys' | 'dataDir'>

/**
 * The instance keys come from DOORCODE_SECRET_KEY, or else from the data folder, where the first is created. Throws
 * StartupError if none of them is the key of the database.
 */
export async function openSeal(config: KeyConfig, db: Db): Promise<Seal> {
  const file = instanceKeyFile(config.dataDir)
  const instance = await findInstance(db) // before the file, which another first start creates before this row
  const keys =
    (await findInstanceKeys(config)) ??
    (instance ? throwMissingKey(file) : await createKeyFile(file, [newInstanceKey()]))
  return (
    (await openInstance(db, keys)) ??
    throwWrongKey(db, { source: config.secretKeys ? 'DOORCODE_SECRET_KEY' : file, keys })
  )
}

/** For reading only: creates no key. Undefined if the database has none yet. Throws StartupError like openSeal. */
export const findSeal = async (config: KeyConfig, db: Db): Promise<Seal | undefined> =>
  (await findInstance(db)) && openSeal(config, db)

/** The keys of these settings, newest first. Undefined if there is none yet. */
export const findInstanceKeys = async (config: KeyConfig): Promise<readonly Buffer[] | undefined> =>
  config.secretKeys ?? (await readKeys(instanceKeyFile(config.dataDir)))

export const instanceKeyFile = (dataDir: string): string => path.resolve(dataDir, 'instance-key')

/** Puts the keys of a restored database into the data folder. Keys that are already there are kept under another name. */
export async function replaceInstanceKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const file = instanceKeyFile(dataDir)
  const present = await readKeys(file)
  if (present && Buffer.concat(present).equals(Buffer.concat(keys))) return
  if (present) await rename(file, `${file}.before-restore-${randomBytes(6).toString('hex')}`)
  await createKeyFile(file, keys.map(textOfKey))
}

export const textOfKey = (key: Buffer): string => key.toString('base64')

/** A new key would not help: it could not open what the old one sealed. */
function throwMissingKey(file: string): never {
  throw new StartupError(
    `The instance key of this database is missing: ${file} does not exist. Restore the file from a backup of the data folder, or set DOORCODE_SECRET_KEY to the key.`,
  )
}

/** The beginning of a sentence, which "the instance key of …" continues, and of another one. */
export function describeWrongKeys(source: string, keys: readonly Buffer[]) {
  const fingerprints = keys.map((key) => createSealingKey(key).fingerprint)
  const named = fingerprints.join(', ')
  return keys.length === 1
    ? { fingerprints, fault: `${source} is not`, configured: `The configured key has the fingerprint ${named}` }
    : {
        fingerprints,
        fault: `None of the ${keys.length} keys in ${source} is`,
        configured: `The configured keys have the fingerprints ${named}`,
      }
}

/** The database does not name its key: only the audit log has the fingerprint, if a rotation replaced the first key. */
async function throwWrongKey(db: Sql, { source, keys }: { source: string; keys: readonly Buffer[] }): Promise<never> {
  const { fingerprints, fault, configured } = describeWrongKeys(source, keys)
  const used = await findLatestTarget(db, 'secrets.rotated')
  const needed = (await findInstance(db))?.oldKeys ?? []
  const fix =
    used === undefined
      ? `. Start with the key that the database was created with.`
      : `; the database uses the key with fingerprint ${used}. ${
          needed.some((each) => fingerprints.includes(each))
            ? 'Put that key before the configured one, which the unfinished rotation still needs.'
            : 'Start with that key.'
        }`
  throw new StartupError(
    `${fault} the instance key of this database, so its codes, tokens and secrets cannot be decrypted. ${configured}${fix}`,
  )
}

/**
 * Before a node serves: without a key that rows still need, it would fail their messages and stop their accounts. Throws
 * StartupError.
 */
export async function assertOldKeysKnown(sql: Sql, seal: Seal): Promise<void> {
  const missing = await findMissingKeys(sql, seal)
  if (missing.length === 0) return
  throw new StartupError(
    `A rotation of the instance key is not finished: some tokens, secrets or codes may still be encrypted with the former key with fingerprint ${missing.join(', ')}, which is not configured. Add that key after the new one, start, and run "doorcode secrets rotate". If it is lost, run "doorcode secrets rotate --accept-unreadable" first: it lists what cannot be read.`,
  )
}

/**
 * Called before a rotation ends without a new key. A key that was never in use is probably the new one in the wrong position:
 * the operator must not believe that a leaked key was replaced. Throws UserError.
 */
export async function assertNoNewKeyBehind(sql: Sql, seal: Seal): Promise<void> {
  const { fingerprint: key } = seal.current()
  const { oldKeys = [] } = (await findInstance(sql)) ?? {}
  if (oldKeys.length > 0) return // this run finishes a rotation, which has its new key
  const former = new Set((await listValuesBefore(sql, 'secrets.rotated')).map((before) => before['key']))
  const unused = seal.keys.map(({ fingerprint }) => fingerprint).filter((each) => each !== key && !former.has(each))
  if (unused.length > 0) throw new UserError({ code: 'secrets.not_rotated', key, unused: unused.join(', ') })
}

async function readKeys(file: string): Promise<readonly Buffer[] | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartupError(
      `The instance key ${file} cannot be read (${error.message}). Start Doorcode as the user who owns it.`,
    )
  })
  if (text === undefined) return undefined
  const { keys, mistakes } = parseInstanceKeys(text)
  if (mistakes.length === 0) return keys
  const faults = mistakes.map((mistake) => describe(mistake)).join('; ')
  throw new StartupError(
    `${file} does not contain an instance key on each line (${faults}). Restore it from a backup of the data folder.`,
  )
}

function describe(mistake: KeyMistake): string {
  switch (mistake.code) {
    case 'form':
      return `key ${mistake.position} of ${mistake.of} is not a key`
    case 'repeated':
      return `keys ${mistake.first} and ${mistake.position} are the same`
    case 'too_many':
      return `it has ${mistake.of} keys, and at most ${MAX_KEYS} are allowed`
  }
}

/** Atomic, and never overwrites another process's key: writes a temporary file and links it to a name that must be free. */
async function createKeyFile(file: string, keys: readonly string[]): Promise<readonly Buffer[]> {
  await ensureDir(path.dirname(file), 0o700)
  const temporary = await writeTemporary(file, keys)
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  return (await readKeys(file)) ?? throwMissingKey(file)
}

async function writeTemporary(file: string, keys: readonly string[]): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, `${keys.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true })
  return temporary
}

/** `file`: where the key was stored; undefined if the operator must put `key` into DOORCODE_SECRET_KEY. */
export type AddedKey = { fingerprint: string; key: string | undefined; file: string | undefined }

/** A new key: the first line of the key file, or for the operator to set. Throws UserError. */
export async function addKey(config: KeyConfig, seal: Seal): Promise<AddedKey> {
  const key = newInstanceKey()
  const { fingerprint } = createSealingKey(Buffer.from(key, 'base64'))
  if (config.secretKeys) return { fingerprint, key, file: undefined }
  const file = instanceKeyFile(config.dataDir)
  const keys = await readKeys(file)
  if (!keys) return throwMissingKey(file)
  const [newest] = keys.map((each) => createSealingKey(each).fingerprint)
  if (newest !== undefined && newest !== seal.current().fingerprint)
    throw new UserError({ code: 'secrets.key_not_in_use', key: newest })
  if (keys.length >= MAX_KEYS) throw new UserError({ code: 'secrets.too_many_keys', count: keys.length })
  await replaceFile(file, [key, ...keys.map(textOfKey)])
  return { fingerprint, key: undefined, file }
}

/** After a rotation, leaves only the key in use in the key file. False if the keys are those of DOORCODE_SECRET_KEY. */
export async function removeOldKeys(config: KeyConfig, seal: Seal): Promise<boolean> {
  if (config.secretKeys) return false
  const file = instanceKeyFile(config.dataDir)
  const { fingerprint } = seal.current()
  const current = (await readKeys(file))?.find((each) => createSealingKey(each).fingerprint === fingerprint)
  if (!current) return throwMissingKey(file)
  await replaceFile(file, [textOfKey(current)])
  return true
}

/** Atomic, and keeps the owner: root may rotate the key of another user. */
async function replaceFile(file: string, keys: readonly string[]): Promise<void> {
  const { uid, gid } = await stat(file)
  const temporary = await writeTemporary(file, keys)
  if (process.getuid?.() === 0) await chown(temporary, uid, gid)
  await rename(temporary, file)
}
