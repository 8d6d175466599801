import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../../../lib/errors.ts'

/** PostgreSQL does not run as root, so it runs as this user if Doorcode runs as root. */
export type SystemUser = {
  name: string
  uid: number
  gid: number
  /** The user owns the data folder, having started Doorcode before root did. */
  ownsFolder: boolean
}

/** Returns undefined if Doorcode does not run as root: then PostgreSQL runs as the same user. */
export async function systemUserFor(folder: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = await listUsers()
  const owner = (await ownerOf(path.join(folder, 'postgres'))) ?? 0
  const user =
    users.find(({ uid }) => uid === owner && uid !== 0) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody')
  if (!user) {
    throw new StartupError(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as. Start Doorcode as an ordinary user or set DATABASE_URL.',
    )
  }
  return { ...user, ownsFolder: (await ownerOf(folder)) === user.uid }
}

/** PostgreSQL looks up the name of its user, so the user needs an entry in this file. */
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

/** The topmost folder above `target` whose mode keeps `user` out. */
export async function findClosedFolder(target: string, user: SystemUser): Promise<string | undefined> {
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
