import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { asWritten } from '../../../locales/text.ts'
import { isDatabaseUnavailable } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import { syncFolder } from './embedded-postgres/folders.ts'

type NewFile = {
  replace?: boolean
  /** The option that replaces an existing file, if there is one. */
  replaceWith?: string
}

/**
 * Writes a file that only its owner can read, under another name in the same folder, and renames it when it is complete and on
 * disk, so that the file is never incomplete. Throws UserError before `write` if the file cannot be created.
 */
export async function writeNewFile<Result>(
  file: string,
  options: NewFile,
  write: (output: FileHandle) => Promise<Result>,
): Promise<Result> {
  await assertMayWrite(file, options)
  const partial = `${file}${PARTIAL}${randomBytes(4).toString('hex')}`
  const output = await open(partial, 'wx', 0o600).catch((error: unknown) => throwFileError(error, file))
  try {
    const result = await writeAndClose(output, write)
    await assertMayWrite(file, options)
    await rename(partial, file)
    await syncFolder(path.dirname(path.resolve(file)))
    await removeAbandoned(file)
    return result
  } catch (error) {
    await rm(partial, { force: true })
    return throwFileError(error, file)
  }
}

async function writeAndClose<Result>(
  output: FileHandle,
  write: (output: FileHandle) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await write(output)
    await output.sync()
    return result
  } finally {
    await output.close()
  }
}

/** Renaming a file over a device, such as /dev/null, would replace the device. */
async function assertMayWrite(file: string, { replace = false, replaceWith }: NewFile): Promise<void> {
  const present = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    return throwFileError(error, file)
  })
  if (present && !present.isFile()) throw fileError(`${file} is not a regular file. Choose another name.`)
  if (!present || replace) return
  const other = replaceWith === undefined ? '' : `, or add ${replaceWith} to replace it`
  throw fileError(`${file} already exists. Choose another name${other}.`)
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

function throwFileError(error: unknown, file: string): never {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string' || isDatabaseUnavailable(error)) throw error
  if (DISK_FULL_CODES.has(code))
    throw fileError(`The disk is full, so ${file} was not written. Free space, or choose a file on another disk.`)
  if (code === 'ENOENT')
    throw fileError(`The folder ${path.dirname(path.resolve(file))} does not exist. Create it first.`)
  throw fileError(`${file} cannot be written (${code}). Choose a file that this user may create.`)
}

/** The texts are only for the command line, which is in English. */
const fileError = (text: string): UserError => new UserError(asWritten(text))

const PARTIAL = '.partial-'
/** A running command writes constantly, so an older partial file belongs to a killed process. */
const ABANDONED_AFTER_MS = 3_600_000

async function removeAbandoned(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file))
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${path.basename(file)}${PARTIAL}`)) continue
    const partial = path.join(folder, name)
    const touchedAt = (await stat(partial).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - touchedAt > ABANDONED_AFTER_MS) await rm(partial, { force: true })
  }
}
