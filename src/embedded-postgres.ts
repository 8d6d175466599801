import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Client } from 'pg'
import { CannotStart } from './cannot-start.ts'
import { type Binaries, findBinaries, type PostgresVersion } from './embedded-postgres/binaries.ts'
import { type Cluster, openCluster } from './embedded-postgres/cluster.ts'
import { withFolderLock } from './embedded-postgres/folder-lock.ts'
import {
  endOfLog,
  findPostmaster,
  forgetDeadPostmaster,
  launchPostmaster,
  stopPostmaster,
} from './embedded-postgres/postmaster.ts'
import { SYSTEM_FOLDER } from './embedded-postgres/system-folder.ts'
import { type SystemUser, systemUserFor } from './embedded-postgres/system-user.ts'

export type EmbeddedPostgresOptions = {
  /** Everything of PostgreSQL goes into its subfolder `postgres`. */
  dataDir: string
  version?: PostgresVersion
  /** False gives up safety against a crash of the machine for speed: for tests. */
  durable?: boolean
  /** Where root puts the binaries and a new cluster when PostgreSQL's user cannot reach them in their place. */
  systemFolder?: string
}

export type EmbeddedPostgres = {
  url: string
  /** Whether it ran already: another process uses it, or one that was killed left it behind. */
  adopted: boolean
  /** Leaves it; the last one to leave stops the server. */
  stop(): Promise<void>
}

/**
 * Several processes may use one data folder, such as a server and a command beside it. Starting and stopping happen
 * one at a time under a lock of the folder; in between each user holds a shared advisory lock, so that the server is
 * stopped by whoever finds nobody else holding it, and never under somebody's feet.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, version = 18, durable = true, systemFolder = SYSTEM_FOLDER } = options
  const folder = path.resolve(dataDir)
  const user = await systemUserFor(folder)
  const binaries = await findBinaries(version, { user, systemFolder })
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> => withFolderLock(folder, user, work)
  return alone(async () => {
    const cluster = await openCluster({ folder, systemFolder, binaries, user, durable })
    const adopted = await bringUp(cluster, binaries, user)
    const use = holdUse(await join(cluster), () =>
      alone(async () => {
        await bringUp(cluster, binaries, user)
        return join(cluster)
      }),
    )
    let stopped: Promise<void> | undefined
    const stop = async (): Promise<void> => {
      const held = await use.end() // before the lock, which a return to the server may be waiting for
      await alone(async () => {
        if (!(await wasLast(held, cluster))) return
        await stopPostmaster(cluster.data)
        await rm(cluster.socketFolder, { recursive: true, force: true })
      })
    }
    return { url: await urlOf(cluster), adopted, stop: () => (stopped ??= stop()) }
  })
}

const START_TIMEOUT_MS = 60_000
const CHECK_EVERY_MS = 20
/** A second one meets the end of a server that was killed or is on its way down; a third is bound to fail as well. */
const LAUNCHES_MOST = 3

/** Until it answers: starts it when it does not run, waits while it starts, recovers or is still on its way down. */
async function bringUp(cluster: Cluster, binaries: Binaries, user: SystemUser | undefined): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  let launches = 0
  while (Date.now() < deadline && launches <= LAUNCHES_MOST) {
    if (await answers(cluster)) return launches === 0
    if (!(await findPostmaster(cluster.data))) {
      await forgetDeadPostmaster(cluster.data)
      await launchPostmaster(cluster, binaries, user)
      launches += 1
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS))
  }
  throw new CannotStart(`the embedded PostgreSQL does not come up; its log ends with: ${await endOfLog(cluster.log)}`)
}

async function answers(cluster: Cluster): Promise<boolean> {
  if (!(await findPostmaster(cluster.data))) return false
  const client = await connect(cluster).catch(() => undefined)
  await client?.end()
  return client !== undefined
}

const CONNECT_TIMEOUT_MS = 5_000

async function connect(cluster: Cluster): Promise<Client> {
  const client = new Client({
    connectionString: await urlOf(cluster),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'doorcode embedded',
  })
  await client.connect()
  return client
}

/** Port and SSL mode are written out: PGPORT and PGSSLMODE of the environment must not bend them. */
async function urlOf(cluster: Cluster): Promise<string> {
  const socketFolder = (await findPostmaster(cluster.data))?.socketFolder ?? cluster.socketFolder
  const query = new URLSearchParams({ host: socketFolder, port: '5432', sslmode: 'disable' })
  return `postgres://${cluster.role}:${cluster.password}@/postgres?${query.toString()}`
}

/** Any number that no other program uses on this database. */
const USE_LOCK = 7_305_220
const REJOIN_AFTER_MS = 500

/** A connection that says that the server is in use. */
async function join(cluster: Cluster): Promise<Client> {
  const client = await connect(cluster)
  client.on('error', () => {}) // what follows is "end"
  await client.query('select pg_advisory_lock_shared($1)', [USE_LOCK])
  return client
}

type Use = {
  /** The connection as it is; undefined when it is lost at present. */
  end(): Promise<Client | undefined>
}

/** The connection ends when the server crashes, and the lock with it: then the server is brought up and joined again. */
function holdUse(first: Client, rejoin: () => Promise<Client>): Use {
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let held: Promise<Client | undefined>

  const hold = (client: Client): Client => {
    client.on('end', rejoinLater)
    return client
  }
  const rejoinLater = (): void => {
    if (ended) return
    held = Promise.resolve(undefined)
    timer = setTimeout(() => {
      held = rejoin().then(hold, () => {
        rejoinLater()
        return undefined
      })
    }, REJOIN_AFTER_MS).unref()
  }
  held = Promise.resolve(hold(first))

  return {
    async end() {
      ended = true
      clearTimeout(timer)
      return held
    },
  }
}

/** Leaves, and tells whether nobody else uses the server. */
async function wasLast(held: Client | undefined, cluster: Cluster): Promise<boolean> {
  if (!held && !(await findPostmaster(cluster.data))) return false
  const client = held ?? (await connect(cluster))
  try {
    if (held) await client.query('select pg_advisory_unlock_shared($1)', [USE_LOCK])
    const answer = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [USE_LOCK])
    return answer.rows[0]?.alone ?? false
  } finally {
    await client.end()
  }
}
