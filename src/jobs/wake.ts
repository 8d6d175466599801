import type { Client } from 'pg'
import type { Role } from '../config.ts'
import { type Db, type Sql, statement } from '../db.ts'
import type { Log } from '../log.ts'
import type { Live, Wake, WorkName } from '../parts.ts'
import { LIVE_CHANNEL, type LiveLink, askWhoFollows, createLive } from './live.ts'

/**
 * Brings the word that work is due to the loops that do it. It only shortens the wait: every loop polls as well, so a
 * word that is lost costs one poll interval and nothing else.
 */
export type Wakes = {
  wake: Wake
  /** Pages that follow what happens, over the same connection. */
  live: Live
  /** Registers a loop of this process. */
  attach(work: WorkName, rouse: () => void): void
  /** Begins to listen to other nodes. A process without a role does not. */
  start(): void
  /** Sends what still waits to be sent, and leaves. */
  stop(): Promise<void>
}

export type WakeOptions = { db: Pick<Db, 'connect' | 'rows'>; roles: ReadonlySet<Role>; log: Log }

const CHANNEL = 'doorcode_work'

export function createWake({ db, roles, log }: WakeOptions): Wakes {
  const loops = new Map<string, () => void>()
  const live = createLive({ db, roles })
  const works = roles.has('worker')
  const link = works
    ? listener(db, log, { live, work: (name) => loops.get(name)?.() })
    : notifier(db, log, { live, roles })
  return {
    live,
    wake(work) {
      const rouse = loops.get(work)
      if (rouse) rouse()
      else link.tell(work)
    },
    attach: (work, rouse) => loops.set(work, rouse),
    start: () => link.start(),
    async stop() {
      await live.stop()
      await link.stop()
    },
  }
}

const findListener = statement<{ listens: boolean }>(
  'find_listening_worker',
  `select exists (
     select from pg_stat_activity where datname = current_database() and query = 'listen ${CHANNEL}') as listens`,
)

/** Whether any process with the role "worker" listens. A database user who may not see others' queries sees none. */
export const isAnybodyWorking = async (sql: Sql): Promise<boolean> => (await sql.row(findListener))?.listens ?? false

type Link = { start(): void; tell(work: WorkName): void; stop(): Promise<void> }

/** A commit with a NOTIFY takes a lock of the whole database, so at most one per kind in this time. */
const NOTIFY_EVERY_MS = 50
const RETRY_FIRST_MS = 500
const RETRY_MOST_MS = 15_000

/** On a connection of its own: inside a request's transaction a NOTIFY would put all commits in line. */
function notifier(
  db: Pick<Db, 'connect'>,
  log: Log,
  { live, roles }: { live: LiveLink; roles: ReadonlySet<Role> },
): Link {
  const waiting = new Set<WorkName>()
  const listens = roles.size > 0
  const connection = steadyConnection(db, log, async (client) => {
    if (listens) await listenForPages(client, live)
  })
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()

  const send = (): void => {
    timer = undefined
    if (waiting.size === 0) return
    const told = [...waiting]
    waiting.clear()
    timer = setTimeout(send, NOTIFY_EVERY_MS)
    sending = sending.then(() => notify(told))
  }
  const notify = async (told: readonly WorkName[]): Promise<void> => {
    const client = await connection.get()
    if (!client) return // the loops poll
    await client
      .query(`select ${told.map((_, index) => `pg_notify('${CHANNEL}', $${index + 1})`).join(', ')}`, [...told])
      .catch(() => {})
  }
  return {
    start() {
      if (listens) connection.keep()
    },
    tell(work) {
      waiting.add(work)
      timer ??= setTimeout(send, 0)
    },
    async stop() {
      clearTimeout(timer)
      send()
      clearTimeout(timer)
      await sending
      await connection.close()
    },
  }
}

type Hearing = { live: LiveLink; work: (name: string) => void }

function listener(db: Pick<Db, 'connect'>, log: Log, { live, work }: Hearing): Link {
  const connection = steadyConnection(db, log, async (client) => {
    client.on('notification', ({ channel, payload }) => {
      if (payload && channel === CHANNEL) work(payload)
    })
    await listenForPages(client, live)
    await client.query(`listen ${CHANNEL}`) // the last thing that this connection asks: see findListener
  })
  return { start: () => connection.keep(), tell() {}, stop: () => connection.close() }
}

async function listenForPages(client: Client, live: LiveLink): Promise<void> {
  client.on('notification', ({ channel, payload }) => {
    if (payload && channel === LIVE_CHANNEL) live.heard(payload)
  })
  await client.query(`listen ${LIVE_CHANNEL}`)
  await client.query('select pg_notify($1, $2)', [askWhoFollows.channel, askWhoFollows.payload])
  live.linked()
}

type SteadyConnection = {
  /** Undefined while the database is away. */
  get(): Promise<Client | undefined>
  /** From now on connects again by itself when it is lost. */
  keep(): void
  close(): Promise<void>
}

/** One connection that comes back; a failed attempt is not repeated before its wait is over. */
function steadyConnection(
  db: Pick<Db, 'connect'>,
  log: Log,
  prepare: (client: Client) => Promise<void>,
): SteadyConnection {
  let open: Promise<Client | undefined> | undefined
  let retryMs = RETRY_FIRST_MS
  let notBefore = 0
  let kept = false
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<Client | undefined> => {
    try {
      const client = await db.connect()
      client.on('error', () => {}) // what follows is "end"
      client.on('end', lost)
      await prepare(client)
      retryMs = RETRY_FIRST_MS
      return client
    } catch (error) {
      log.debug({ err: error }, 'no connection for wake-ups; background work polls meanwhile')
      lost()
      return undefined
    }
  }
  const lost = (): void => {
    if (closed) return
    open = undefined
    notBefore = performance.now() + retryMs
    if (kept) {
      clearTimeout(timer)
      timer = setTimeout(() => {
        notBefore = 0 // a timer may ring a moment early
        void get()
      }, retryMs).unref()
    }
    retryMs = Math.min(retryMs * 2, RETRY_MOST_MS)
  }
  const get = async (): Promise<Client | undefined> => {
    if (closed || (!open && performance.now() < notBefore)) return undefined
    open ??= connect()
    return open
  }
  return {
    get,
    keep() {
      kept = true
      void get()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      const client = await open
      await client?.end().catch(() => {})
    },
  }
}
