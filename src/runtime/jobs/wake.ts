import type { Role } from '../../lib/config.ts'
import { type Connection, DEALLOCATE } from '../../lib/db/connection.ts'
import type { Db } from '../../lib/db/pool.ts'
import type { Log } from '../../lib/log.ts'
import { newId } from '../../lib/ids.ts'
import { type NodeKeys, type NodeSettings, createNode, markSession } from './node.ts'
import { LIVE_CHANNEL, createLive } from './live.ts'
import { createOutbox } from './outbox.ts'

/** Background work that can be woken. */
export type WorkName =
  | 'submit'
  | 'reports'
  | 'deliver'
  | 'sync'
  | 'timers'
  | 'verifications'
  | 'undelivered'
  | 'sandbox'

/** Wakes this process's loop, or those of other nodes if it has none. Never fails or waits. */
export type Wake = (work: WorkName) => void

export type WakeUps = ReturnType<typeof createWakeUps>

type WakeOptions = {
  db: Pick<Db, 'connect' | 'rows'>
  roles: ReadonlySet<Role>
  log: Log
  settings?: NodeSettings
  keys?: NodeKeys
  /** See createNode. */
  onTime?: (databaseNow: Date) => void
}

const WORK_CHANNEL = 'doorcode_work'
const NOTIFY_EVERY_MS = 50
const RETRY_FIRST_MS = 500
/** Well below the time after which other nodes may declare this one dead (SETTLE_MS in node.ts): it may be working again. */
const MAX_RETRY_MS = 2_000

/** Wakes loops when work is due. Every loop also polls, so a lost wake-up only delays the work by one poll interval. */
export function createWakeUps(options: WakeOptions) {
  const { db, roles, log, settings, keys, onTime } = options
  const loops = new Map<string, () => void>()
  const node = createNode({ roles, settings, keys, onTime })
  const live = createLive({ db, roles, nodeId: node.id })
  const outbox = createOutbox(db, WORK_CHANNEL, NOTIFY_EVERY_MS)
  const isWorker = roles.has('worker')
  const connection = createReconnectingConnection(db, log, async (client) => {
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === LIVE_CHANNEL) live.onNotification(payload)
      else for (const name of payload.split(' ')) loops.get(name)?.()
    })
    const session = newId()
    const listen = `listen ${LIVE_CHANNEL}; ${isWorker ? `listen ${WORK_CHANNEL}; ` : ''}`
    // In one message: behind a pooler that mixes up sessions, the mark and the LISTEN belong to the same one.
    await client.query(`${DEALLOCATE}${listen}${markSession(session)}`)
    // Asks the others which workspaces they follow. Not through the outbox, which would make the next notification wait.
    await client.query(`notify ${LIVE_CHANNEL}, 'who'`)
    live.onListening()
    await node.join(client, session) // last: other nodes may notify a worker as soon as they see it
  })
  const wake: Wake = (work) => {
    const wakeLoop = loops.get(work)
    if (wakeLoop) wakeLoop()
    else if (!isWorker) outbox.put('wake', work)
  }
  return {
    wake,
    live,
    node,
    attach: (loop: string, wakeLoop: () => void): void => void loops.set(loop, wakeLoop),
    /** Starts to listen and to be a node, unless the process has no role. Resolves after the first attempt to connect. */
    async start(): Promise<void> {
      if (roles.size > 0) await connection.open()
    },
    /** Sends pending notifications and disconnects: the database must still be open. */
    async stop(): Promise<void> {
      await Promise.all([live.stop(), outbox.stop()])
      await connection.close((client) => node.leave(client))
    },
  }
}

/** Statements are short. A connection that the network dropped silently never answers. */
const RESPONSE_TIMEOUT_MS = 3_500

/** One connection that reconnects, with backoff. */
function createReconnectingConnection(
  db: Pick<Db, 'connect'>,
  log: Log,
  prepare: (client: Connection) => Promise<void>,
) {
  let connected: Promise<Connection | undefined> | undefined
  let retryMs = RETRY_FIRST_MS
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<Connection | undefined> => {
    let client: Connection | undefined
    try {
      client = await db.connect()
      client.responseTimeoutMs = RESPONSE_TIMEOUT_MS
      client.once('end', onLost)
      await prepare(client)
      retryMs = RETRY_FIRST_MS
      return client
    } catch (error) {
      log.debug({ err: error }, 'no connection for wake-ups; background work polls until there is one')
      if (client)
        client.drop() // "end" follows
      else onLost()
      return undefined
    }
  }
  const onLost = (): void => {
    connected = undefined
    if (closed) return
    timer = setTimeout(() => void (connected = connect()), retryMs).unref()
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
  }
  return {
    /** Resolves after the first attempt. */
    async open(): Promise<void> {
      connected = connect()
      await connected
    },
    /** Runs `last` before it closes, if connected. */
    async close(last: (client: Connection) => Promise<void>): Promise<void> {
      closed = true
      clearTimeout(timer)
      const client = await connected
      if (!client) return
      await last(client).catch(() => {})
      await client.close()
    },
  }
}
