import { chmod, lstat, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolders } from '../make-folders.ts'
import { removeHalfMade } from './half-made.ts'
import { closedFolderAbove, type SystemUser } from './system-user.ts'

/** Where root puts what PostgreSQL's user cannot reach in its place. */
export const SYSTEM_FOLDER = '/var/lib/doorcode'

/** No copy and no new cluster takes this long. */
const LEFT_BEHIND_AFTER_MS = 3_600_000

/** A folder that `user` can enter and root alone can change, made where it is missing; undefined when it cannot be had. */
export async function openSystemFolder(folder: string, user: SystemUser): Promise<string | undefined> {
  try {
    await makePassable(folder)
    const found = await realpath(folder)
    const trusted = (await isRootsAlone(folder)) && !(await closedFolderAbove(found, user))
    if (!trusted) return undefined
    await removeHalfMade(found, LEFT_BEHIND_AFTER_MS)
    return found
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

async function makePassable(folder: string): Promise<void> {
  const first = await makeFolders(folder, 0o711)
  if (first === undefined) return
  // Once more, whatever the umask took away.
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await chmod(made, 0o711)
}

/** Also of a link that leads there: in a folder such as /tmp it may be anybody's. */
async function isRootsAlone(folder: string): Promise<boolean> {
  const [itself, target] = [await lstat(folder), await stat(folder)]
  return itself.uid === 0 && target.uid === 0 && target.isDirectory() && (target.mode & 0o022) === 0
}
