import { chown } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../../lib/errors.ts'
import { isBusy, openLock, throwLockFault } from './embedded-postgres/folder-lock.ts'
import { makeDataFolder } from './embedded-postgres/folders.ts'
import { systemUserFor } from './embedded-postgres/system-user.ts'

type Running = { pid: number; url: string }

/**
 * Until it is disposed, no other process can claim the folder, and learns from the error who holds it. A reserved lock of
 * SQLite, which the kernel releases however its holder ends, lets others read.
 */
export async function claimFolder(dataDir: string, running: Running): Promise<Disposable> {
  const folder = path.resolve(dataDir)
  const user = await systemUserFor(folder)
  await makeDataFolder(folder, user)
  const file = path.join(folder, 'running.db')
  const database = openLock(file)
  try {
    database.exec('begin immediate')
    database.exec('create table if not exists running (pid integer not null, url text not null)')
    database.exec('delete from running')
    database.prepare('insert into running values (?, ?)').run(running.pid, running.url)
    database.exec('commit')
    database.exec('begin immediate')
  } catch (error) {
    const holder = isBusy(error) ? findHolder(database) : undefined
    database.close()
    if (isBusy(error)) throw new StartupError(describe(folder, holder))
    throwLockFault(error, file)
  }
  if (user?.ownsFolder) await chown(file, user.uid, user.gid) // otherwise the owner could not use it later without root
  return { [Symbol.dispose]: () => database.close() }
}

/** Returns undefined if the other process is just claiming the folder. */
function findHolder(database: DatabaseSync): Running | undefined {
  try {
    return database.prepare('select pid, url from running').get() as Running | undefined
  } catch {
    return undefined
  }
}

const describe = (folder: string, holder: Running | undefined): string =>
  `Doorcode is already running in ${folder}${holder ? ` (pid ${holder.pid}, ${holder.url})` : ''}. Stop it, or set DOORCODE_DATA_DIR to another folder.`
