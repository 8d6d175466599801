import { access, chown, constants } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartupError } from '../../../lib/errors.ts'
import { makeDataFolder } from './folders.ts'
import type { SystemUser } from './system-user.ts'

const MAX_WAIT_MS = 90_000
const TRY_EVERY_MS = 25
const SQLITE_BUSY = 5
/** SQLITE_CORRUPT and SQLITE_NOTADB, such as after a fault of the disk. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26])

/**
 * Node has no flock(), and a pid file outlives its process, so its number may later belong to another one. A write
 * transaction of SQLite is a lock that the kernel releases however its holder ends.
 */
export async function withFolderLock<Result>(
  folder: string,
  user: SystemUser | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  await makeDataFolder(folder, user)
  const file = path.join(folder, 'postgres.lock')
  await assertWritable(folder, file)
  const lock = openLock(file)
  try {
    await acquire(lock, file)
    if (user?.ownsFolder) await chown(file, user.uid, user.gid) // otherwise the owner could not use it later without root
    return await work()
  } finally {
    lock.close()
  }
}

const OR_ELSEWHERE = 'set DOORCODE_DATA_DIR to another folder, or set DATABASE_URL to your own PostgreSQL.'

/** Otherwise SQLite opens a lock that it cannot write, and reports the fault only when it takes the lock. */
async function assertWritable(folder: string, file: string): Promise<void> {
  const codeOf = (name: string): Promise<string | undefined> =>
    access(name, constants.W_OK).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    )
  const ofFile = await codeOf(file)
  const code = ofFile === 'ENOENT' ? await codeOf(folder) : ofFile
  if (code === 'EROFS')
    throw new StartupError(
      `The data folder ${folder} is on a read-only file system. Mount a writable volume there, ${OR_ELSEWHERE}`,
    )
  if (code !== undefined)
    throw new StartupError(
      `The data folder ${folder} is not writable by the user with the id ${process.getuid?.() ?? '?'} (${code}). Start Doorcode as the user who owns it, make this user its owner with chown, ${OR_ELSEWHERE}`,
    )
}

/** Throws StartupError if another user owns the folder. */
export function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch {
    throw new StartupError(
      `${file} cannot be opened. Start Doorcode as the user who owns the folder, or set DOORCODE_DATA_DIR to a folder of this user.`,
    )
  }
}

const errcodeOf = (error: unknown): unknown =>
  error instanceof Error && 'errcode' in error ? error.errcode : undefined

/** Whether another process holds the lock. */
export const isBusy = (error: unknown): boolean => errcodeOf(error) === SQLITE_BUSY

/** A StartupError if the file is damaged. Other errors stay as they are. */
export function throwLockFault(error: unknown, file: string): never {
  if (DAMAGED.has(errcodeOf(error)))
    throw new StartupError(
      `${file} is damaged. If no other Doorcode runs in this folder, delete the file and start again: it contains no data.`,
    )
  throw error
}

async function acquire(lock: DatabaseSync, file: string): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      lock.exec('pragma journal_mode = memory; begin exclusive') // without a file, which a full disk prevents
      return
    } catch (error) {
      if (!isBusy(error)) throwLockFault(error, file)
    }
    if (Date.now() > deadline) {
      throw new StartupError(
        `Another process has been starting or stopping the embedded PostgreSQL for more than ${MAX_WAIT_MS / 1000} s (lock ${file}).`,
      )
    }
    await wait(TRY_EVERY_MS)
  }
}
