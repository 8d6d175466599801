import { chown } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { CannotStart } from '../cannot-start.ts'
import { makeDataFolder } from './private-folder.ts'
import type { SystemUser } from './system-user.ts'

const WAIT_MOST_MS = 90_000
const TRY_EVERY_MS = 25
const SQLITE_BUSY = 5

/**
 * One process at a time. Node has no flock(), and a file that names a process id outlives the process and may come to
 * name another one; a write transaction of SQLite is a lock that the kernel gives back however its holder ends.
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
    await take(lock, file)
    if (user?.ownsFolder) await chown(file, user.uid, user.gid) // else the owner could not use it later without root
    return await work()
  } finally {
    lock.close()
  }
}

function openLock(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch {
    throw new CannotStart(
      `${file} cannot be opened: run as the user who owns the folder, or set DOORCODE_DATA_DIR to a folder of this user`,
    )
  }
}

async function take(lock: DatabaseSync, file: string): Promise<void> {
  const deadline = Date.now() + WAIT_MOST_MS
  for (;;) {
    try {
      lock.exec('begin exclusive')
      return
    } catch (error) {
      if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error
    }
    if (Date.now() > deadline) {
      throw new CannotStart(
        `another process has been starting or stopping the embedded PostgreSQL for too long (${file})`,
      )
    }
    await wait(TRY_EVERY_MS)
  }
}
