import { callbackify } from 'node:util'
import { Client, type ClientConfig, DatabaseError, Pool, type PoolConfig } from 'pg'
import { findFault } from './faults.ts'

/** The database was unreachable or stopped responding: the caller may retry later (503). */
export class DatabaseUnavailable extends Error {
  /** The system's code, such as ECONNREFUSED. */
  readonly code?: string
  /** The statement was sent and its answer lost, so the database may have committed it or may still commit it. */
  readonly mayBeCommitted: boolean

  constructor(cause: unknown, { mayBeCommitted = false }: { mayBeCommitted?: boolean } = {}) {
    super(reasonOf(cause), { cause })
    this.name = 'DatabaseUnavailable'
    this.mayBeCommitted = mayBeCommitted
    const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
    if (typeof code === 'string') this.code = code
  }
}

/** An AggregateError (one error per address of the host) has an empty message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || (cause instanceof AggregateError ? cause.errors.map(String).join('; ') : cause.name)
}

/** A connection that cannot open means an unavailable database, unless the server itself reported an error. */
const toConnectError = (error: unknown): unknown =>
  isReported(error) || error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error)

/** The driver reports an answer that is not of PostgreSQL's protocol as a DatabaseError without SQLSTATE. */
const isReported = (error: unknown): error is DatabaseError & { code: string } =>
  error instanceof DatabaseError && error.code !== undefined

const spoilsSession = ({ code, routine }: DatabaseError & { code: string }): boolean =>
  findFault({ state: code, routine })?.spoilsSession ?? false

/** A network that swallows packets must not delay the next attempt. */
const CONNECT_TIMEOUT_MS = 3_500
/** After this the connection is closed without the server's answer. */
const MAX_CLOSE_MS = 1_000

/** Settings of PostgreSQL, by name. */
export type SessionSettings = Readonly<Record<string, string | number>>

type Session = { sessionSettings?: SessionSettings; deallocates?: boolean }

/** A pooler may hand over a server process that still has the statements of another client. */
export const DEALLOCATE = 'deallocate all; '

/** Settings are sent as statements, because poolers reject or drop startup parameters. */
const setText = (settings: SessionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ')

/**
 * Throws DatabaseError if the database answered with an error, and DatabaseUnavailable if the connection was lost. A
 * firewall may drop a connection silently, so statements have a response timeout.
 */
export class Connection extends Client {
  /** Without it, no limit. */
  responseTimeoutMs: number | undefined
  /** Measured by performance.now(). */
  lastResponseAt: number = performance.now()
  /** Called after a response timeout dropped the connection. */
  onTimeout: (() => void) | undefined
  /** Called after the connection was dropped because the session is not the one that it was (db/faults.ts). */
  onSpoiled: (() => void) | undefined
  #lost = false

  constructor({ sessionSettings = {}, deallocates = false, ...config }: ClientConfig & Session = {}) {
    super({ ...config, connectionTimeoutMillis: 0 }) // see #limitConnectTime
    this.on('error', () => (this.#lost = true))
    this.connection.once('end', () => (this.#lost = true))
    const query = this.query.bind(this) as (...args: unknown[]) => unknown
    this.query = ((...args: unknown[]) =>
      typeof args.at(-1) === 'function' ? query(...args) : this.#run(() => query(...args))) as Client['query']
    const connect = this.connect.bind(this)
    const open = async (): Promise<void> => {
      const endLimit = this.#limitConnectTime()
      try {
        await connect()
        await query((deallocates ? DEALLOCATE : '') + setText(sessionSettings))
      } catch (error) {
        this.drop()
        throw toConnectError(error)
      } finally {
        endLimit()
      }
    }
    this.connect = ((callback?: (error: Error | null) => void) =>
      callback ? callbackify(open)(callback) : open()) as Client['connect']
  }

  get isLost(): boolean {
    return this.#lost
  }

  #limitConnectTime(): () => void {
    let isOpening = true
    const timer = setTimeout(() => {
      const late = new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)
      setImmediate(() => isOpening && this.connection.stream.destroy(late)) // after a read of the socket, as in #run
    }, CONNECT_TIMEOUT_MS)
    return () => {
      isOpening = false
      clearTimeout(timer)
    }
  }

  async #run(query: () => unknown): Promise<unknown> {
    const wasLost = this.#lost
    let waiting = true
    const timer =
      this.responseTimeoutMs !== undefined &&
      setTimeout(() => {
        // After a read of the socket: a process that was frozen runs its timers before it reads waiting answers.
        setImmediate(() => waiting && this.#timeOut())
      }, this.responseTimeoutMs)
    try {
      const answer = await query()
      this.lastResponseAt = performance.now()
      return answer
    } catch (error) {
      if (isReported(error)) {
        this.lastResponseAt = performance.now()
        if (spoilsSession(error)) this.#endSpoiled()
      } else if (error instanceof DatabaseError) {
        this.drop()
        throw new DatabaseUnavailable(error, { mayBeCommitted: true })
      } else if (this.#lost) throw new DatabaseUnavailable(error, { mayBeCommitted: !wasLost })
      throw error
    } finally {
      waiting = false
      if (timer) clearTimeout(timer)
    }
  }

  #timeOut(): void {
    this.drop()
    this.onTimeout?.()
  }

  #endSpoiled(): void {
    this.drop()
    this.onSpoiled?.()
  }

  /** Without notifying the server. */
  drop(): void {
    this.#lost = true
    this.connection.stream.destroy()
  }

  async close(): Promise<void> {
    const timer = setTimeout(() => this.drop(), MAX_CLOSE_MS)
    await this.end().catch(() => {})
    clearTimeout(timer)
  }
}

const POOL_WAIT_MS = 5_000
/** The driver sends a statement without waiting for the responses to those before it. */
const PIPELINE = { pipeline: true }
/** A connection that responded this recently is known to work. */
const RECENT_RESPONSE_MS = 500

/** What a pool tells the metrics. */
export type PoolWatch = {
  opened(use: () => PoolUse): void
  /** Called after each wait for a connection, if none was idle. */
  waited(ms: number): void
}

export type PoolUse = { inUse: number; idle: number; waiting: number }

type PoolOptions = PoolConfig & Session & { responseTimeoutMs: number; watch?: PoolWatch }

export type PooledConnection = Connection & { release(broken?: Error): void }

/**
 * Connections of a pool share one network path. When one times out, all without a recent response are dropped with it, so
 * that an outage costs one timeout and not one per connection. They also share one pooler: when it gave one of them another
 * session, none of them is used again.
 */
export function openPool({ responseTimeoutMs, watch, ...config }: PoolOptions): Pool {
  const open = new Set<Connection>()
  const inUse = new WeakSet<object>()
  const retired = new WeakSet<object>()
  const drop = (connection: Connection): void => {
    connection.drop()
    // The pool would learn of it a moment later, and might lend the connection meanwhile.
    if (!inUse.has(connection)) connection.emit('error', new Error('the connection was dropped'))
  }
  const dropSilent = (): void => {
    const now = performance.now()
    for (const connection of open) if (now - connection.lastResponseAt > RECENT_RESPONSE_MS) drop(connection)
  }
  const endAllAfterUse = (): void => {
    for (const connection of open) {
      if (inUse.has(connection)) retired.add(connection)
      else drop(connection)
    }
  }
  class Pooled extends Connection {
    constructor(options?: ClientConfig & Session) {
      super({ ...options, ...PIPELINE, deallocates: true })
      this.responseTimeoutMs = responseTimeoutMs
      this.onTimeout = dropSilent
      this.onSpoiled = endAllAfterUse
      this.once('connect', () => open.add(this))
      this.once('end', () => open.delete(this))
    }
  }
  const pool = new Pool({ ...config, Client: Pooled, connectionTimeoutMillis: POOL_WAIT_MS })
  pool.on('acquire', (client) => inUse.add(client))
  pool.on('release', (_error, client) => {
    inUse.delete(client)
    const isLost = client instanceof Connection && client.isLost
    if (retired.has(client) || isLost) void client.end() // the pool keeps no connection that is ending
  })
  watch?.opened(() => ({
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  const connect = pool.connect.bind(pool)
  const connectWatched = async (): Promise<unknown> => {
    const startedAtMs = watch && pool.idleCount <= pool.waitingCount ? performance.now() : undefined
    try {
      return await connect()
    } catch (error) {
      throw toConnectError(error)
    } finally {
      if (startedAtMs !== undefined) watch?.waited(performance.now() - startedAtMs)
    }
  }
  pool.connect = ((callback?: Parameters<Pool['connect']>[0]) =>
    callback ? connect(callback) : connectWatched()) as Pool['connect']
  return pool
}
