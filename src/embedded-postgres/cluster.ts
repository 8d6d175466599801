import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { CannotStart } from '../cannot-start.ts'
import { isMissing } from '../make-folders.ts'
import { type Binaries, idsOf } from './binaries.ts'
import { halfMadeIn, removeHalfMade, syncFolder } from './half-made.ts'
import { openHome } from './home.ts'
import { makePrivateFolder } from './private-folder.ts'
import type { SystemUser } from './system-user.ts'

const run = promisify(execFile)

/** A data directory that is ready to be started. */
export type Cluster = {
  data: string
  log: string
  socketFolder: string
  role: string
  password: string
  durable: boolean
}

type Making = { binaries: Binaries; user: SystemUser | undefined; durable: boolean }

type ClusterOptions = Making & { folder: string; systemFolder: string }

const ROLE = 'doorcode'

/** Opens the cluster of the data folder, and makes it when there is none. */
export async function openCluster({ folder, systemFolder, ...making }: ClusterOptions): Promise<Cluster> {
  const { binaries, user, durable } = making
  const home = await openHome({ folder, user, systemFolder, make: (place) => makeCluster(place, making) })
  const data = dataIn(home)
  const version = await versionOf(data)
  if (version === undefined) await makeCluster(home, making)
  else mustFit(version, binaries, data)
  return {
    data,
    log: path.join(home, 'server.log'),
    socketFolder: await makeSocketFolder(home, user),
    role: ROLE,
    password: await readPassword(passwordFileIn(home)),
    durable,
  }
}

const dataIn = (home: string): string => path.join(home, 'data')
const passwordFileIn = (home: string): string => path.join(home, 'password')

async function versionOf(data: string): Promise<string | undefined> {
  try {
    return (await readFile(path.join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new CannotStart(
      `${data} cannot be read: run as the user who owns the folder, or set DOORCODE_DATA_DIR to a folder of this user`,
    )
  }
}

function mustFit(version: string, binaries: Binaries, data: string): void {
  if (version === String(binaries.version)) return
  throw new CannotStart(
    `${data} was made by PostgreSQL ${version} and this release brings ${binaries.version}, which cannot read it: start the release of Doorcode that made it and move the data as docs/operations.md says, or set DOORCODE_DATA_DIR to a new folder`,
  )
}

async function makeCluster(home: string, { binaries, user, durable }: Making): Promise<void> {
  await removeHalfMade(home)
  const unfinished = halfMadeIn(home)
  const passwordFile = passwordFileIn(home)
  await makePrivateFolder(unfinished, user)
  await writePassword(passwordFile, user)
  const command = [
    `--pgdata=${unfinished}`,
    `--username=${ROLE}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    '--data-checksums',
    ...(binaries.version >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    ...(durable ? [] : ['--no-sync']),
  ]
  try {
    await run(binaries.initdb, command, { ...idsOf(user), cwd: home, env: postgresEnvironment })
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new CannotStart(`the embedded PostgreSQL could not make its data folder in ${home}: ${reason.trim()}`)
  }
  await rename(unfinished, dataIn(home))
  if (durable) await syncFolder(home)
}

/** Nothing of the caller's environment: PGDATA, PGPORT and their like would bend what is started. */
export const postgresEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

async function writePassword(file: string, user: SystemUser | undefined): Promise<void> {
  await rm(file, { force: true })
  await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
  if (user) await chown(file, user.uid, user.gid)
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch {
    throw new CannotStart(
      `${file}, which holds the password of the embedded PostgreSQL, is missing or not readable: bring it back from a backup of the data folder`,
    )
  }
}

/** The kernel allows 107 bytes on Linux and 103 on macOS for the path of a socket. */
const SOCKET_PATH_MOST_BYTES = 100

async function makeSocketFolder(home: string, user: SystemUser | undefined): Promise<string> {
  const beside = path.join(home, 'socket')
  const fits = Buffer.byteLength(path.join(beside, '.s.PGSQL.5432')) <= SOCKET_PATH_MOST_BYTES
  const folder = fits ? beside : shortSocketFolder(home)
  await makePrivateFolder(folder, user)
  const { uid, mode } = await stat(folder)
  const ours = uid === (user?.uid ?? process.getuid?.()) && (mode & 0o077) === 0
  if (!ours) throw new CannotStart(`the folder ${folder} is not private to the user of PostgreSQL: remove it`)
  return folder
}

/** The same one each time, so that a second process looks where the first one put it. */
function shortSocketFolder(home: string): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16)
  return path.join(os.tmpdir(), `doorcode-${hash}`)
}
