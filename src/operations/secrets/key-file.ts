import { randomBytes } from 'node:crypto'
import { chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../lib/config.ts'
import { ensureDir } from '../../lib/ensure-dir.ts'
import { StartupError, UserError } from '../../lib/errors.ts'
import {
  type KeyMistake,
  MAX_KEYS,
  type Seal,
  createSealingKey,
  newInstanceKey,
  parseInstanceKeys,
} from '../../lib/seal.ts'

export type KeyConfig = Pick<Config, 'secretKeys' | 'dataDir'>

/** The keys of these settings, newest first. Returns undefined if there is none yet. */
export const findInstanceKeys = async (config: KeyConfig): Promise<readonly Buffer[] | undefined> =>
  config.secretKeys ?? (await readKeys(instanceKeyFile(config.dataDir)))

export const instanceKeyFile = (dataDir: string): string => path.resolve(dataDir, 'instance-key')

/** Puts the keys of a restored database into the data folder. Keys that are already there are kept under another name. */
export async function replaceInstanceKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const file = instanceKeyFile(dataDir)
  const present = await readKeys(file)
  if (present && Buffer.concat(present).equals(Buffer.concat(keys))) return
  if (present) await rename(file, `${file}.before-restore-${randomBytes(6).toString('hex')}`)
  await createKeyFile(file, keys)
}

/** Creating a new key would not help: it could not open what the old one sealed. */
export function throwMissingKey(file: string): never {
  throw new StartupError(
    `The instance key of this database is missing: ${file} does not exist. Restore the file from a backup of the data folder, or set DOORCODE_SECRET_KEY to the key.`,
  )
}

/** The text of a key file. */
export const textOfKeys = (keys: readonly Buffer[]): string => keys.map((key) => `${key.toString('base64')}\n`).join('')

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
export async function createKeyFile(file: string, keys: readonly Buffer[]): Promise<readonly Buffer[]> {
  await ensureDir(path.dirname(file), 0o700)
  const temporary = await writeTemporary(file, keys)
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  return (await readKeys(file)) ?? throwMissingKey(file)
}

async function writeTemporary(file: string, keys: readonly Buffer[]): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, textOfKeys(keys), { flag: 'wx', mode: 0o600, flush: true })
  return temporary
}

/**
 * A new key: the first line of the key file, or for the operator to set. Throws UserError. `file`: where the key was stored;
 * undefined if the operator must put `key` into DOORCODE_SECRET_KEY.
 */
export async function addKey(config: KeyConfig, seal: Seal) {
  const key = newInstanceKey()
  const { fingerprint } = createSealingKey(key)
  if (config.secretKeys) return { fingerprint, key: key.toString('base64'), file: undefined }
  const file = instanceKeyFile(config.dataDir)
  const keys = await readKeys(file)
  if (!keys) return throwMissingKey(file)
  const [newest] = keys.map((each) => createSealingKey(each).fingerprint)
  if (newest !== undefined && newest !== seal.current().fingerprint)
    throw new UserError({ code: 'secrets.key_not_in_use', key: newest })
  if (keys.length >= MAX_KEYS) throw new UserError({ code: 'secrets.too_many_keys', count: keys.length })
  await replaceFile(file, [key, ...keys])
  return { fingerprint, key: undefined, file }
}

/** After a rotation, leaves only the key in use in the key file. Returns false if the keys are those of DOORCODE_SECRET_KEY. */
export async function removeOldKeys(config: KeyConfig, seal: Seal): Promise<boolean> {
  if (config.secretKeys) return false
  const file = instanceKeyFile(config.dataDir)
  const { fingerprint } = seal.current()
  const current = (await readKeys(file))?.find((each) => createSealingKey(each).fingerprint === fingerprint)
  if (!current) return throwMissingKey(file)
  await replaceFile(file, [current])
  return true
}

/** Atomic, and keeps the owner: root may rotate the key of another user. */
async function replaceFile(file: string, keys: readonly Buffer[]): Promise<void> {
  const { uid, gid } = await stat(file)
  const temporary = await writeTemporary(file, keys)
  if (process.getuid?.() === 0) await chown(temporary, uid, gid)
  await rename(temporary, file)
}
