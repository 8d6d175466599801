import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { StartupError, systemCodeOf } from '../../../lib/errors.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import { type Binaries, findBinaries, type PostgresVersion } from './binaries.ts'
import { type Cluster, SUPERUSER, openCluster } from './cluster.ts'
import { withFolderLock } from './folder-lock.ts'
import { OWNER, prepareOwner } from './owner.ts'
import {
  readLogTail,
  findPostmaster,
  quitPostmaster,
  removeStalePidFiles,
  launchPostmaster,
  stopPostmaster,
} from './postmaster.ts'
import { watchCluster } from './cluster-watch.ts'
import { SYSTEM_FOLDER } from './folders.ts'
import { type SystemUser, systemUserFor } from './system-user.ts'

export type EmbeddedPostgresOptions = {
  /** PostgreSQL uses only its subfolder `postgres`. */
  dataDir: string
  version?: PostgresVersion
  /** False is faster but not crash-safe: for tests. */
  durable?: boolean
  /** Used when Doorcode runs as root and PostgreSQL's user cannot access the usual folders. */
  systemFolder?: string
  /** Ends the creation of a new cluster. */
  signal?: AbortSignal | undefined
}

export type EmbeddedPostgres = {
  /** The URL for the role that owns the database. */
  url: string
  /** For tests, which create databases and change settings of the server. */
  superuserUrl: string
  /** Whether it was already running: another process uses it, or a killed one left it. */
  adopted: boolean
  /** Aborts, with a StartupError, if the data folder was deleted or moved. Then the server is ended for all users. */
  lost: AbortSignal
  /** The last user stops the server. */
  stop(): Promise<void>
}

/**
 * Several processes may use one data folder, such as a server and a command. Starts and stops are serialized by a lock of
 * the folder. Each user holds a shared advisory lock, and only a process that finds no other holder stops the server.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, version = 18, durable = true, systemFolder = SYSTEM_FOLDER, signal } = options
  const folder = path.resolve(dataDir)
  const user = await systemUserFor(folder)
  const binaries = await findBinaries(version, { user, systemFolder })
  const withLock = <Result>(work: () => Promise<Result>): Promise<Result> => withFolderLock(folder, user, work)
  return withLock(async () => {
    const cluster = await openCluster({ folder, systemFolder, binaries, user, durable, signal })
    let postmaster = 0
    const enter = async () => {
      const joined = await join(cluster, binaries, user)
      postmaster = joined.pid
      return joined
    }
    const { client, adopted } = await enter()
    const ownerPassword = await prepareOwner(client, cluster.ownerPasswordFile, user).catch(async (error: unknown) => {
      await leave(client, cluster)
      throw error
    })
    const watch = watchCluster(folder)
    const endUse = holdUse(client, async () => {
      await watch.check() // a server whose files were deleted may crash, and must not be made again
      watch.lost.throwIfAborted()
      return withLock(async () => (await enter()).client)
    })
    let stopped: Promise<void> | undefined
    const stop = async (): Promise<void> => {
      watch.end()
      const held = await endUse() // before taking the lock, which a reconnect may hold
      await withLock(() => leave(held, cluster))
    }
    const quit = async (): Promise<void> => {
      void endUse()
      await quitPostmaster(postmaster)
    }
    watch.lost.addEventListener('abort', () => void (stopped ??= quit()))
    return {
      url: await urlOf(cluster, { role: OWNER, password: ownerPassword }),
      superuserUrl: await urlOf(cluster, superuserOf(cluster)),
      adopted,
      lost: watch.lost,
      stop: () => (stopped ??= stop()),
    }
  })
}

const START_TIMEOUT_MS = 60_000
const CHECK_EVERY_MS = 20
/** A second launch handles a server that was just shutting down; further ones would fail too. */
const MAX_LAUNCHES = 3

/** Any number that no other program uses as an advisory lock on this database. */
const USE_LOCK = 7_305_220

/** Opens the connection that marks the server as in use, launching the server if it does not run. */
async function join(cluster: Cluster, binaries: Binaries, user: SystemUser | undefined) {
  const deadline = Date.now() + START_TIMEOUT_MS
  let server: ChildProcess | undefined
  let launches = 0
  for (; Date.now() < deadline; await wait(CHECK_EVERY_MS)) {
    const postmaster = await findPostmaster(cluster.data)
    const client = postmaster && (await connect(cluster).catch(() => undefined))
    if (client) {
      client.on('error', () => {}) // "end" follows
      await client.query('select pg_advisory_lock_shared($1)', [USE_LOCK])
      return { client, adopted: launches === 0, pid: postmaster.pid }
    }
    if (postmaster || isRunning(server)) continue
    if (launches === MAX_LAUNCHES) break
    if (launches === 0) {
      await assertNotElsewhere(cluster)
      await removeStalePidFiles(cluster)
    }
    server = await launchPostmaster(cluster, binaries, user)
    launches += 1
  }
  throw new StartupError(`The embedded PostgreSQL does not start. Its log ends with: ${await readLogTail(cluster.log)}`)
}

const NO_SERVER: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED'])

/**
 * The server of another container answers at its socket, but its process is not visible here. PostgreSQL would mistake its files for those
 * of a crashed server, and both servers would destroy them.
 */
async function assertNotElsewhere(cluster: Cluster): Promise<void> {
  try {
    const client = await connect(cluster)
    await client.end()
  } catch (error) {
    if (NO_SERVER.has(systemCodeOf(error))) return
  }
  throw new StartupError(
    `The PostgreSQL of ${cluster.data} is already running, in another container. Run the command in that container, for example with "docker exec", or stop that container first.`,
  )
}

const isRunning = (server: ChildProcess | undefined): boolean =>
  server?.pid !== undefined && server.exitCode === null && server.signalCode === null

const CONNECT_TIMEOUT_MS = 5_000

async function connect(cluster: Cluster): Promise<Client> {
  const client = new Client({
    connectionString: await urlOf(cluster, superuserOf(cluster)),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'doorcode embedded',
  })
  await client.connect()
  return client
}

/** Port and SSL mode are explicit, so that PGPORT and PGSSLMODE have no effect. */
async function urlOf(cluster: Cluster, { role, password }: { role: string; password: string }): Promise<string> {
  const socketFolder = (await findPostmaster(cluster.data))?.socketFolder ?? cluster.socketFolder
  const query = new URLSearchParams({ host: socketFolder, port: '5432', sslmode: 'disable' })
  return `postgres://${role}:${password}@/postgres?${query.toString()}`
}

const superuserOf = ({ password }: Cluster) => ({ role: SUPERUSER, password })

const REJOIN_AFTER_MS = 500

/**
 * When the server crashes, the connection and its lock end: then the server is started and joined again. Returns the
 * function that ends this; it resolves with the open connection, if there is one.
 */
function holdUse(first: Client, rejoin: () => Promise<Client>): () => Promise<Client | undefined> {
  const ending = new AbortController()
  const hold = (client: Client): Client => client.once('end', () => void (held = holdNext()))
  const holdNext = async (): Promise<Client | undefined> => {
    while (!ending.signal.aborted) {
      await wait(REJOIN_AFTER_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
      const client = ending.signal.aborted ? undefined : await rejoin().catch(() => undefined)
      if (client) return hold(client)
    }
    return undefined
  }
  let held: Promise<Client | undefined> = Promise.resolve(hold(first))
  return () => {
    ending.abort()
    return held
  }
}

/** The last user stops the server. */
async function leave(held: Client | undefined, cluster: Cluster): Promise<void> {
  if (!(await wasLast(held, cluster))) return
  await stopPostmaster(cluster.data)
  await rm(cluster.socketFolder, { recursive: true, force: true })
}

export const MAX_RECOVERY_MS = 10_000

/**
 * Releases the lock and returns whether no other process uses the server. If the server has crashed, as on a full disk, the
 * lock is already released: then this waits for the recovery. If the recovery takes too long, the next user stops the server.
 */
async function wasLast(held: Client | undefined, cluster: Cluster): Promise<boolean> {
  const deadline = Date.now() + MAX_RECOVERY_MS
  for (let first = held; Date.now() < deadline; first = undefined, await wait(CHECK_EVERY_MS)) {
    if (!first && !(await findPostmaster(cluster.data))) return false
    const client = first ?? (await connect(cluster).catch(() => undefined))
    const unused = client && (await isUnusedByOthers(client, first !== undefined).catch(() => undefined))
    if (unused !== undefined) return unused
  }
  return false
}

/** A frozen server, or one whose disk hangs, does not answer. */
const ANSWER_TIMEOUT_MS = 2_000

async function isUnusedByOthers(client: Client, holds: boolean): Promise<boolean> {
  const ask = (text: string) => {
    const query = { text, values: [USE_LOCK], query_timeout: ANSWER_TIMEOUT_MS }
    return client.query<{ unused: boolean }>(query)
  }
  try {
    if (holds) await ask('select pg_advisory_unlock_shared($1)')
    const answer = await ask('select pg_try_advisory_lock($1) as unused')
    return answer.rows[0]?.unused ?? false
  } finally {
    if (!(await withTimeout(ANSWER_TIMEOUT_MS, client.end()))) client.connection.stream.destroy()
  }
}
