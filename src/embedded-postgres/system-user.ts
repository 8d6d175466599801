import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { CannotStart } from '../cannot-start.ts'

/** Whom PostgreSQL runs as when Doorcode runs as root, which PostgreSQL refuses. */
export type SystemUser = {
  name: string
  uid: number
  gid: number
  /** The whole data folder is this user's, who started Doorcode before root did. */
  ownsFolder: boolean
}

/** Undefined for an ordinary user: then PostgreSQL runs as that user. */
export async function systemUserFor(folder: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = await listUsers()
  const owner = (await ownerOf(path.join(folder, 'postgres'))) ?? 0
  const user =
    users.find(({ uid }) => uid === owner && uid !== 0) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody')
  if (!user) {
    throw new CannotStart(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as: start Doorcode as an ordinary user or set DATABASE_URL',
    )
  }
  return { ...user, ownsFolder: (await ownerOf(folder)) === user.uid }
}

/** PostgreSQL asks for the name of its user, so it must be one with an entry here. */
async function listUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: Number(uid), gid: Number(gid) }
  })
}

async function ownerOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined)
  return found?.uid
}

/** The first folder on the way down to `target` that `user` may not pass through, by its mode. */
export async function closedFolderAbove(target: string, user: SystemUser): Promise<string | undefined> {
  const parts = path.resolve(target).split(path.sep)
  for (let length = 1; length <= parts.length; length += 1) {
    const folder = parts.slice(0, length).join(path.sep) || path.sep
    const found = await stat(folder).catch(() => undefined)
    if (!found?.isDirectory()) return undefined
    const passes = found.uid === user.uid ? 0o100 : found.gid === user.gid ? 0o010 : 0o001
    if ((found.mode & passes) === 0) return folder
  }
  return undefined
}
