import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../startup-error.ts'
import type { Config } from '../config.ts'
import { type Db, statement } from '../db/pool.ts'
import { ensureDir } from './ensure-dir.ts'
import { newInstanceKey, parseInstanceKey, type Seal, UnsealError, createSeal } from '../seal.ts'

const findKeyCheck = statement<{ key_check: Buffer }>('find_key_check', 'select key_check from instance')

const insertKeyCheck = statement(
  'insert_key_check',
  'insert into instance (key_check) values ($1) on conflict do nothing',
)

const CHECK_TEXT = 'doorcode'
const CHECK_CONTEXT = 'instance.key_check'

/**
 * The instance key comes from DOORCODE_SECRET_KEY, or else from the data folder, where it is created once. Throws
 * StartupError if it is not the key that sealed the database's content.
 */
export async function openSeal(config: Pick<Config, 'secretKey' | 'dataDir'>, db: Db): Promise<Seal> {
  const file = instanceKeyFile(config.dataDir)
  const check = await db.row(findKeyCheck)
  const key = config.secretKey ?? (await readKey(file)) ?? (check ? throwMissingKey(file) : await createKey(file))
  const seal = createSeal(key)
  if (!check) await db.rows(insertKeyCheck, [seal.close(CHECK_TEXT, CHECK_CONTEXT)])
  assertKeyMatches(
    seal,
    (check ?? (await db.row(findKeyCheck)))?.key_check,
    config.secretKey ? 'DOORCODE_SECRET_KEY' : file,
  )
  return seal
}

export const instanceKeyFile = (dataDir: string): string => path.resolve(dataDir, 'instance-key')

/** The key of these settings. Undefined if there is none yet. */
export const findInstanceKey = async (config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<Buffer | undefined> =>
  config.secretKey ?? (await readKey(instanceKeyFile(config.dataDir)))

/** Whether the key sealed the content of the database that has this key_check. */
export function isInstanceKey(key: Buffer, check: Buffer): boolean {
  try {
    createSeal(key).open(check, CHECK_CONTEXT)
    return true
  } catch (error) {
    if (error instanceof UnsealError) return false
    throw error
  }
}

/** Puts the key of a restored database into the data folder. A key that is already there is kept under another name. */
export async function replaceInstanceKey(dataDir: string, key: Buffer): Promise<void> {
  const file = instanceKeyFile(dataDir)
  const present = await readKey(file)
  if (present?.equals(key)) return
  if (present) await rename(file, `${file}.before-restore-${randomBytes(6).toString('hex')}`)
  await createKey(file, key.toString('base64'))
}
/**
 * For reading only: creates no key. Undefined if the database has none yet. Throws StartupError like openSeal.
 */
export const findSeal = async (config: Pick<Config, 'secretKey' | 'dataDir'>, db: Db): Promise<Seal | undefined> =>
  (await db.row(findKeyCheck)) && openSeal(config, db)

/** Not replaced by a new key, which could not open what the old one sealed. */
function throwMissingKey(file: string): never {
  throw new StartupError(
    `The instance key of this database is missing: ${file} does not exist. Restore the file from a backup of the data folder, or set DOORCODE_SECRET_KEY to the key.`,
  )
}

function assertKeyMatches(seal: Seal, check: Buffer | undefined, source: string): void {
  try {
    if (check) seal.open(check, CHECK_CONTEXT)
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    throw new StartupError(
      `${source} is not the instance key of this database, so its codes, tokens and secrets cannot be opened. Start with the key that the database was created with.`,
    )
  }
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartupError(
      `The instance key ${file} cannot be read (${error.message}). Start Doorcode as the user who owns it.`,
    )
  })
  if (text === undefined) return undefined
  const key = parseInstanceKey(text.trim())
  if (!key)
    throw new StartupError(`${file} does not contain an instance key. Restore it from a backup of the data folder.`)
  return key
}

/** Atomic, and never overwrites another process's key: writes a temporary file and links it to a name that must be free. */
async function createKey(file: string, key = newInstanceKey()): Promise<Buffer> {
  await ensureDir(path.dirname(file), 0o700)
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, `${key}\n`, { flag: 'wx', mode: 0o600, flush: true })
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(temporary)
  return (await readKey(file)) ?? throwMissingKey(file)
}
