import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const FILE = 'twin.lock'
const SQLITE_BUSY = 5

/** Given back by the kernel as well, however its holder ends. */
export type FolderLock = { release: () => void }

/**
 * For one twin at a time: two would write over each other's file. Node has no flock(), and a write transaction of SQLite
 * is such a lock. Undefined where there is no folder, unless it is to be made, or one where nothing can be written.
 */
export function lockFolder(folder: string, { make }: { make: boolean }): FolderLock | 'taken' | undefined {
  let lock: DatabaseSync | undefined
  try {
    if (make) mkdirSync(folder, { recursive: true, mode: 0o700 })
    lock = new DatabaseSync(path.join(folder, FILE), { timeout: 0 })
    lock.exec('begin exclusive')
    const holder = lock
    return { release: () => holder.close() }
  } catch (fault) {
    lock?.close()
    return fault instanceof Error && 'errcode' in fault && fault.errcode === SQLITE_BUSY ? 'taken' : undefined
  }
}
