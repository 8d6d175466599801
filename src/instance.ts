import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { CannotStart } from './cannot-start.ts'
import type { Config } from './config.ts'
import { type Db, statement } from './db.ts'
import { makeFolders } from './make-folders.ts'
import { newInstanceKey, parseInstanceKey, type Seal, SealBroken, sealWith } from './seal.ts'

const findKeyCheck = statement<{ key_check: Buffer }>('find_key_check', 'select key_check from instance')

const insertKeyCheck = statement(
  'insert_key_check',
  'insert into instance (key_check) values ($1) on conflict do nothing',
)

const CHECK_TEXT = 'doorcode'
const CHECK_CONTEXT = 'instance.key_check'

/**
 * The seal under the instance key, which comes from DOORCODE_SECRET_KEY, else from the data folder, where it is made
 * once. Throws CannotStart when it is not the key that sealed what the database holds.
 */
export async function openSeal(config: Pick<Config, 'secretKey' | 'dataDir'>, db: Db): Promise<Seal> {
  const file = path.resolve(config.dataDir, 'instance-key')
  const check = await db.row(findKeyCheck)
  const key = config.secretKey ?? (await readKey(file)) ?? (check ? noKey(file) : await makeKey(file))
  const seal = sealWith(key)
  if (!check) await db.rows(insertKeyCheck, [seal.close(CHECK_TEXT, CHECK_CONTEXT)])
  mustOpen(seal, (check ?? (await db.row(findKeyCheck)))?.key_check, config.secretKey ? 'DOORCODE_SECRET_KEY' : file)
  return seal
}

/** A new key beside data that another one sealed would only hide that the old one is missing. */
function noKey(file: string): never {
  throw new CannotStart(
    `the instance key is missing: the database is sealed under one, and ${file} does not exist. Bring the file back from a backup of the data folder, or set DOORCODE_SECRET_KEY to the key`,
  )
}

function mustOpen(seal: Seal, check: Buffer | undefined, source: string): void {
  try {
    if (check) seal.open(check, CHECK_CONTEXT)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new CannotStart(
      `${source} is not the instance key of this database, whose codes, tokens and secrets it could not open: start with the key that it was first started with`,
    )
  }
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CannotStart(`the instance key ${file} cannot be read (${error.message}): run as the user who owns it`)
  })
  if (text === undefined) return undefined
  const key = parseInstanceKey(text.trim())
  if (!key)
    throw new CannotStart(`${file} does not hold an instance key: bring it back from a backup of the data folder`)
  return key
}

/** Whole or not at all, and never over another process's: written aside, then linked to a name that must be free. */
async function makeKey(file: string): Promise<Buffer> {
  await makeFolders(path.dirname(file), 0o700)
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(aside, 'wx', 0o600)
  try {
    await handle.writeFile(`${newInstanceKey()}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(aside, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(aside)
  return (await readKey(file)) ?? noKey(file)
}
