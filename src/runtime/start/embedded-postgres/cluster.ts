import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { StartupError, systemCodeOf } from '../../../lib/errors.ts'
import type { Binaries } from './binaries.ts'
import {
  makePrivateFolder,
  openSystemFolder,
  removeUnfinished,
  syncFolder,
  throwingStartupError,
  unfinishedIn,
} from './folders.ts'
import { type SystemUser, findClosedFolder } from './system-user.ts'

export type Cluster = {
  data: string
  log: string
  socketFolder: string
  /** The password of the superuser, which only prepares the role that Doorcode connects as. */
  password: string
  ownerPasswordFile: string
  durable: boolean
}

type CreateOptions = {
  binaries: Binaries
  user: SystemUser | undefined
  durable: boolean
  signal?: AbortSignal | undefined
}

type ClusterOptions = CreateOptions & { folder: string; systemFolder: string }

export const SUPERUSER = 'doorcode'

/** Opens the cluster of the data folder, and creates it if there is none. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { binaries, user, durable } = options
  const home = await openHome(options)
  const data = dataIn(home)
  const version = await versionOf(data)
  if (version === undefined) await createCluster(home, options)
  else assertVersion(version, binaries, data)
  return {
    data,
    log: path.join(home, 'server.log'),
    socketFolder: await makeSocketFolder(home, user),
    password: await readPassword(passwordFileIn(home)),
    ownerPasswordFile: path.join(home, 'owner-password'),
    durable,
  }
}

/**
 * The folder of the cluster, its password, log and socket: `postgres` in the data folder. If PostgreSQL's user cannot
 * access that, as below /root, a new cluster is created in the system folder and `postgres` is a link to it, so that paths
 * stay the same and deleting the data folder still means a new database.
 */
async function openHome({ folder, systemFolder, ...options }: ClusterOptions): Promise<string> {
  const { user } = options
  const usual = path.join(await fs.realpath(folder), 'postgres')
  if (user && (await findClosedFolder(path.dirname(usual), user)) && (await isVacant(usual))) {
    const open = await openSystemFolder(systemFolder, user)
    const clusters = open && (await openSystemFolder(path.join(open, 'clusters'), user))
    if (clusters) await createOutsideFolder(usual, clusters, options)
  }
  const home = await follow(usual)
  await makePrivateFolder(home, user)
  if (user) await assertReachable(home, user)
  return home
}

/** Whether there is neither a cluster nor a link. Removes an empty folder. */
const isVacant = (usual: string): Promise<boolean> =>
  fs.rmdir(usual).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )

/** The link is created last, so that a broken link always means a lost database. */
async function createOutsideFolder(usual: string, clusters: string, options: CreateOptions): Promise<void> {
  const unfinished = unfinishedIn(clusters)
  const home = path.join(clusters, randomBytes(6).toString('hex'))
  try {
    await makePrivateFolder(unfinished, options.user)
    await createCluster(unfinished, options)
    await fs.rename(unfinished, home)
  } finally {
    await fs.rm(unfinished, { recursive: true, force: true })
  }
  await syncFolder(clusters)
  await throwingStartupError(usual, () => fs.symlink(home, usual))
  await syncFolder(path.dirname(usual))
}

async function follow(usual: string): Promise<string> {
  const found = await fs.lstat(usual).catch(() => undefined)
  if (!found?.isSymbolicLink()) return usual
  try {
    return await fs.realpath(usual)
  } catch {
    throw new StartupError(
      `The database of this data folder was in ${await fs.readlink(usual)}, which is gone. Restore it from a backup, or remove the link ${usual} to start with an empty database.`,
    )
  }
}

async function assertReachable(home: string, user: SystemUser): Promise<void> {
  const closed = await findClosedFolder(home, user)
  if (closed) {
    throw new StartupError(
      `PostgreSQL does not run as root but as "${user.name}", who may not enter ${closed}. Open it with "chmod o+x ${closed}", set DOORCODE_DATA_DIR to another folder, start Doorcode as an ordinary user, or set DATABASE_URL.`,
    )
  }
}

const dataIn = (home: string): string => path.join(home, 'data')
const passwordFileIn = (home: string): string => path.join(home, 'password')

async function versionOf(data: string): Promise<string | undefined> {
  try {
    return (await fs.readFile(path.join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') {
      await assertNoDatabase(data)
      return undefined
    }
    throw new StartupError(
      `${data} cannot be read. Start Doorcode as the user who owns the folder, or set DOORCODE_DATA_DIR to a folder of this user.`,
    )
  }
}

/** A new cluster gets this name only when it is complete. Creating another would replace the password of this one. */
async function assertNoDatabase(data: string): Promise<void> {
  const files = await fs.readdir(data).catch(() => [])
  if (files.length > 0)
    throw new StartupError(
      `${data} contains files of a database, but not PG_VERSION, so it is incomplete. Restore it from a backup, or set DOORCODE_DATA_DIR to a new folder.`,
    )
}

function assertVersion(version: string, binaries: Binaries, data: string): void {
  if (version === String(binaries.version)) return
  throw new StartupError(
    `${data} was created by PostgreSQL ${version}; this release includes ${binaries.version}, which cannot read it. Start the release of Doorcode that created it and move the data as docs/backup.md#moving describes, or set DOORCODE_DATA_DIR to a new folder.`,
  )
}

async function createCluster(home: string, { binaries, user, durable, signal }: CreateOptions): Promise<void> {
  await removeUnfinished(home)
  const unfinished = unfinishedIn(home)
  const passwordFile = passwordFileIn(home)
  await makePrivateFolder(unfinished, user)
  await writePassword(passwordFile, user)
  const command = [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    '--data-checksums',
    ...(binaries.version >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    ...(durable ? [] : ['--no-sync']),
  ]
  const { code, errors } = await runInitdb(binaries, command, { home, user, signal })
  if (signal?.aborted) {
    await removeUnfinished(home)
    throw new StartupError('A signal ended the start.')
  }
  if (errors.includes('could not look up effective user ID'))
    throw new StartupError(
      `The embedded PostgreSQL needs a name for the user id ${process.getuid?.()}, but /etc/passwd has no entry for it. Add one, start Doorcode as a user who has one, or set DATABASE_URL to your own PostgreSQL.`,
    )
  if (code !== 0)
    throw new StartupError(`The embedded PostgreSQL could not create its data folder in ${home}: ${errors}`)
  await fs.rename(unfinished, dataIn(home))
  if (durable) await syncFolder(home)
}

type InitdbOptions = { home: string; user: SystemUser | undefined; signal: AbortSignal | undefined }

/** In its own session: Ctrl-C is for Doorcode, which then ends initdb and its children. */
async function runInitdb({ initdb }: Binaries, command: readonly string[], { home, user, signal }: InitdbOptions) {
  const child = spawn(initdb, command, {
    uid: user?.uid,
    gid: user?.gid,
    cwd: home,
    env: postgresEnvironment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // it has just ended
    }
  }
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.once('error', ({ message }) => (errors += message)) // "close" follows
  if (signal?.aborted) kill()
  signal?.addEventListener('abort', kill)
  const [code] = (await once(child, 'close')) as [number | null]
  signal?.removeEventListener('abort', kill)
  return { code, errors: errors.trim() }
}

/** Without the caller's environment: PGDATA, PGPORT and similar variables would change the server. */
export const postgresEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

export async function writePassword(file: string, user: SystemUser | undefined): Promise<void> {
  await fs.rm(file, { force: true })
  await fs.writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  if (user) await fs.chown(file, user.uid, user.gid)
}

export async function readPassword(file: string): Promise<string> {
  try {
    return (await fs.readFile(file, 'utf8')).trim()
  } catch {
    throw new StartupError(
      `${file}, which holds the password of the embedded PostgreSQL, is missing or not readable. Restore it from a backup of the data folder.`,
    )
  }
}

/** The kernel allows 107 bytes on Linux and 103 on macOS for the path of a socket. */
const MAX_SOCKET_PATH_BYTES = 100

async function makeSocketFolder(home: string, user: SystemUser | undefined): Promise<string> {
  const usual = path.join(home, 'socket')
  const fits = Buffer.byteLength(path.join(usual, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH_BYTES
  const folder = fits ? usual : shortSocketFolder(home)
  await makePrivateFolder(folder, user)
  const { uid, mode } = await fs.stat(folder)
  const ours = uid === (user?.uid ?? process.getuid?.()) && (mode & 0o077) === 0
  if (!ours) throw new StartupError(`The folder ${folder} is not private to PostgreSQL’s user. Remove it.`)
  return folder
}

/** Deterministic, so that every process finds the same socket. */
function shortSocketFolder(home: string): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16)
  return path.join(os.tmpdir(), `doorcode-${hash}`)
}
