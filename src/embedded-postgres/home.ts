import { randomBytes } from 'node:crypto'
import { lstat, realpath, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { CannotStart } from '../cannot-start.ts'
import { isMissing } from '../make-folders.ts'
import { halfMadeIn, syncFolder } from './half-made.ts'
import { makePrivateFolder, orTellWhy } from './private-folder.ts'
import { openSystemFolder } from './system-folder.ts'
import { closedFolderAbove, type SystemUser } from './system-user.ts'

type HomeOptions = {
  folder: string
  user: SystemUser | undefined
  systemFolder: string
  /** Makes a cluster in the folder that it is given. */
  make: (home: string) => Promise<void>
}

/**
 * The folder of the cluster, its password, log and socket: `postgres` in the data folder. Where PostgreSQL's own user
 * cannot get there, as below /root, a new cluster is made in the system's folder and `postgres` is a link to it: the
 * same paths lead there, the next start finds it, and without the data folder the next start begins anew.
 */
export async function openHome({ folder, user, systemFolder, make }: HomeOptions): Promise<string> {
  const usual = path.join(await realpath(folder), 'postgres')
  const clusters = user && (await clustersFor(usual, user, systemFolder))
  if (clusters) await makeOutside(usual, { clusters, user, make })
  const home = await follow(usual)
  await makePrivateFolder(home, user)
  if (user) await mustBeReachable(home, user)
  return home
}

/** Undefined when the cluster is to stay where it is, or has no other place to go. */
async function clustersFor(usual: string, user: SystemUser, systemFolder: string): Promise<string | undefined> {
  if (!(await closedFolderAbove(path.dirname(usual), user))) return undefined
  if (!(await isVacant(usual))) return undefined
  const open = await openSystemFolder(systemFolder, user)
  return open && openSystemFolder(path.join(open, 'clusters'), user)
}

/** Nothing is there, neither a cluster nor a link to one; an empty folder goes. */
async function isVacant(usual: string): Promise<boolean> {
  try {
    await rmdir(usual)
    return true
  } catch (error) {
    return isMissing(error)
  }
}

type Outside = { clusters: string; user: SystemUser; make: HomeOptions['make'] }

/** The link comes last: one that leads to nothing means that a database was lost. */
async function makeOutside(usual: string, { clusters, user, make }: Outside): Promise<void> {
  const unfinished = halfMadeIn(clusters)
  const home = path.join(clusters, randomBytes(6).toString('hex'))
  try {
    await makePrivateFolder(unfinished, user)
    await make(unfinished)
    await rename(unfinished, home)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  await syncFolder(clusters)
  await orTellWhy(usual, () => symlink(home, usual))
  await syncFolder(path.dirname(usual))
}

async function follow(usual: string): Promise<string> {
  const found = await lstat(usual).catch(() => undefined)
  if (!found?.isSymbolicLink()) return usual
  try {
    return await realpath(usual)
  } catch {
    throw new CannotStart(
      `the database of this data folder was in ${await readlink(usual)}, which is gone: bring it back from a backup, or remove the link ${usual} to begin with an empty database`,
    )
  }
}

async function mustBeReachable(home: string, user: SystemUser): Promise<void> {
  const closed = await closedFolderAbove(home, user)
  if (closed) {
    throw new CannotStart(
      `PostgreSQL does not run as root but as "${user.name}", who may not enter ${closed}: open it with "chmod o+x ${closed}", set DOORCODE_DATA_DIR to a folder elsewhere, start Doorcode as an ordinary user, or set DATABASE_URL`,
    )
  }
}
