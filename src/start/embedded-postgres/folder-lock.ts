import { chown } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { StartupError } from '../../startup-error.ts'
import { makeDataFolder } from './folders.ts'
import type { SystemUser } from './system-user.ts'

const MAX_WAIT_MS = 90_000
const TRY_EVERY_MS = 25
const SQLITE_BUSY = 5

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
  const lock = openLock(file)
  try {
    await acquire(lock, file)
    if (user?.ownsFolder) await chown(file, user.uid, user.gid) // otherwise the owner could not use it later without root
    return await work()
  } finally {
    lock.close()
  }
}

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch {
    throw new StartupError(
      `${file} cannot be opened. Start Doorcode as the user who owns the folder, or set DOORCODE_DATA_DIR to a folder of this user.`,
    )
  }
}

async function acquire(lock: DatabaseSync, file: string): Promise<void> {
  const deadline = Date.now() + MAX_WAIT_MS
  for (;;) {
    try {
      lock.exec('pragma journal_mode = memory; begin exclusive') // without a file, which a full disk prevents
      return
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error
    }
    if (Date.now() > deadline) {
      throw new StartupError(
        `Another process has been starting or stopping the embedded PostgreSQL for more than ${MAX_WAIT_MS / 1000} s (lock ${file}).`,
      )
    }
    await wait(TRY_EVERY_MS)
  }
}
