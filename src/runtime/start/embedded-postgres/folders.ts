import { randomBytes } from 'node:crypto'
import { access, chmod, chown, lstat, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { StartupError, systemCodeOf } from '../../../lib/errors.ts'
import { ensureDir } from '../../../lib/ensure-dir.ts'
import { type SystemUser, findClosedFolder } from './system-user.ts'

/**
 * Also true if it is lost, which opening it reports. Throws StartupError if this user may not look: a database that exists must not seem
 * to be missing.
 */
export async function hasEmbeddedDatabase(dataDir: string): Promise<boolean> {
  const folder = path.resolve(dataDir)
  const home = path.join(folder, 'postgres')
  try {
    await access(path.join(home, 'data/PG_VERSION'))
    return true
  } catch (error) {
    if (systemCodeOf(error) !== 'EACCES') return isBrokenLink(home)
    throw new StartupError(
      `The data folder ${folder} cannot be read by the user with the id ${process.getuid?.() ?? '?'}. Run this as the user who runs Doorcode, or as root.`,
    )
  }
}

async function isBrokenLink(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined)
  return found?.isSymbolicLink() === true && (await stat(file).catch(() => undefined)) === undefined
}

/** Created with mode 0700. An existing folder keeps its mode. */
export async function makePrivateFolder(folder: string, owner?: SystemUser): Promise<void> {
  await throwingStartupError(folder, async () => {
    await ensureDir(folder, 0o700)
    if (owner) await chown(folder, owner.uid, owner.gid)
  })
}

/** `passing` must be able to traverse the data folder and its newly created parents. */
export async function makeDataFolder(folder: string, passing: SystemUser | undefined): Promise<void> {
  await throwingStartupError(folder, async () => {
    const first = await ensureDir(folder, 0o700)
    if (passing) await makePassable(folder, first ?? folder)
  })
}

/** Every user may pass through `folder` and the folders above it up to `first`. */
async function makePassable(folder: string, first: string): Promise<void> {
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await chmod(made, 0o711)
}

export async function throwingStartupError(folder: string, make: () => Promise<void>): Promise<void> {
  try {
    await make()
  } catch (error) {
    const { message, code = '' } =
      error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error) }
    const fix = FIXES[code] ?? 'Solve this'
    throw new StartupError(
      `The folder ${folder} cannot be created (${message}). ${fix}, or set DOORCODE_DATA_DIR to another folder.`,
    )
  }
}

/** What to do, by the code of the file system's error. */
const FIXES: Readonly<Record<string, string>> = {
  EACCES: 'Let the user who runs Doorcode write to the folder above it',
  EPERM: 'Let the user who runs Doorcode change the folder',
  EEXIST: 'Remove the file of this name',
  ENOTDIR: 'Remove the file that is part of this path',
  EROFS: 'Make its file system writable',
  ENOSPC: 'Free space on its disk',
  EDQUOT: 'Free space or raise the disk quota of the user who runs Doorcode',
  ENOENT: 'Check that its file system is mounted and can hold folders',
  ELOOP: 'Correct the symbolic links in this path, which lead in a circle',
  ENAMETOOLONG: 'Shorten its name',
}

/** Used by root when PostgreSQL's user cannot access the usual folders. */
export const SYSTEM_FOLDER = '/var/lib/doorcode'

/** Creating a copy or cluster never takes this long. */
const STALE_AFTER_MS = 3_600_000

/** Creates a folder that `user` can enter and only root can change. Returns undefined if that is impossible. */
export async function openSystemFolder(folder: string, user: SystemUser): Promise<string | undefined> {
  try {
    const first = await ensureDir(folder, 0o711)
    if (first !== undefined) await makePassable(folder, first) // the umask may have removed bits
    const found = await realpath(folder)
    if (!(await isOnlyRoots(folder)) || (await findClosedFolder(found, user))) return undefined
    await removeUnfinished(found, STALE_AFTER_MS)
    return found
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Checks a link as well as its target: in /tmp any user can create links. */
async function isOnlyRoots(folder: string): Promise<boolean> {
  const [itself, target] = [await lstat(folder), await stat(folder)]
  return itself.uid === 0 && target.uid === 0 && target.isDirectory() && (target.mode & 0o022) === 0
}

const UNFINISHED = 'unfinished-'

/** Files are created under this name and renamed when complete, so leftovers of a killed process are never used. */
export const unfinishedIn = (folder: string): string =>
  path.join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`)

/** `untouchedMs` protects what another process may still be creating, where there is no lock. */
export async function removeUnfinished(folder: string, untouchedMs = 0): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(UNFINISHED)) continue
    const file = path.join(folder, name)
    const touchedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - touchedAt >= untouchedMs) await rm(file, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Syncs the folder, so that a new name in it survives a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
