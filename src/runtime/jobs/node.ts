import { createHash } from 'node:crypto'
import type { Config, Role } from '../../lib/config.ts'
import type { Connection } from '../../lib/db/connection.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import manifest from '../../../package.json' with { type: 'json' }

/**
 * A running process: a row of `nodes` with a heartbeat, and an advisory lock on its id. PostgreSQL releases the lock as
 * soon as the connection ends, for example after a `kill -9`.
 */
export type Node = {
  readonly id: string
  /** Whether this process may declare others dead: not right after it was disconnected itself. */
  mayDeclareDead(): boolean
}

/** Settings of a node that other processes need to know. */
export type NodeSettings = Pick<
  Config,
  'allowPrivateWebhooks' | 'publicUrl' | 'host' | 'port' | 'trustedProxies' | 'rateLimit' | 'databasePool' | 'keep'
> & {
  /** A fingerprint: the URL may hold a token. */
  alertTarget: string | null
}

export const nodeSettings = ({
  allowPrivateWebhooks,
  publicUrl,
  host,
  port,
  trustedProxies,
  rateLimit,
  databasePool,
  keep,
  alertTarget,
}: Config): NodeSettings => ({
  allowPrivateWebhooks,
  publicUrl,
  host,
  port,
  trustedProxies,
  rateLimit,
  databasePool,
  keep,
  alertTarget: alertTarget ? fingerprintOf(alertTarget) : null,
})

const FINGERPRINT_DIGITS = 12

/** Without the password of a mail server, which could be guessed from a hash of it. */
const fingerprintOf = (target: NonNullable<Config['alertTarget']>): string =>
  createHash('sha256')
    .update(JSON.stringify({ ...target, auth: undefined }))
    .digest('hex')
    .slice(0, FINGERPRINT_DIGITS)

/** Fingerprints of instance keys: the known ones, newest first, and the one that this node seals with. */
export type KeyReport = { known: readonly string[]; current: string }

/** How a node takes part in a rotation of the instance key (docs/key-rotation.md). */
export type NodeKeys = {
  report(): KeyReport
  /** Called with the row `instance` at each heartbeat. */
  follow(instance: { keyCheck: Buffer; signInSecret: Buffer }): void
}

const HEARTBEAT_MS = 1_000
/** A node without its lock is dead this long after its last heartbeat. Until then it may reconnect. */
const MAX_UNLOCKED_MS = 2_000
/** A node that holds its lock but sends no heartbeat (frozen or cut off) is dead after this. */
const MAX_SILENT_MS = 10_000
/** A heartbeat that is further ahead comes from a clock that has been corrected since. It shows nothing: the lock decides. */
const MAX_AHEAD_MS = 10_000
/** After a database outage all nodes have lost their locks, and the others need time to reconnect. */
const SETTLE_MS = 5_000

/** Begins the application_name of a node's own connection; its id follows. */
const SESSION_NAME = 'doorcode node '

/** The key of the advisory lock that belongs to the row n of `nodes`. */
const LOCK = 'hashtextextended(n.id::text, 7305222)'

type NodeOptions = {
  roles: ReadonlySet<Role>
  settings: NodeSettings | undefined
  keys?: NodeKeys | undefined
  /** Called with the database's time at each heartbeat. */
  onTime?: ((databaseNow: Date) => void) | undefined
}

export function createNode({ roles, settings, keys, onTime }: NodeOptions) {
  const id = newId()
  let membership: { client: Connection; at: number; first: boolean; locked: boolean } | undefined
  let joins = 0
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | undefined

  const beat = async (client: Connection, session: string): Promise<void> => {
    const reported = JSON.stringify({ ...settings, ...(keys && { keys: keys.report() }) })
    const values = [id, [...roles], reported, manifest.version, new Date()]
    const { rows: instances } = await client.query<InstanceRow>({ ...writeNode, values })
    const { keyCheck = null, signInSecret = null, sessionMark = null, databaseNow } = instances[0] ?? {}
    if (sessionMark !== session) throw new Error('a pooler gave the connection another session')
    if (keyCheck && signInSecret) keys?.follow({ keyCheck, signInSecret })
    if (databaseNow) onTime?.(databaseNow)
    // The server may still hold the lock for an earlier connection that broke silently.
    if (membership?.client === client && !membership.locked) {
      const { rows } = await client.query<{ locked: boolean }>({ ...takeLock, values: [id] })
      membership.locked = rows[0]?.locked ?? false
    }
  }
  return {
    id,
    mayDeclareDead: (): boolean =>
      membership !== undefined && (membership.first || performance.now() - membership.at > SETTLE_MS),
    /** Registers the process and keeps its heartbeat until the connection ends. `session`: its mark. */
    async join(client: Connection, session: string): Promise<void> {
      joins += 1
      membership = { client, at: performance.now(), first: joins === 1, locked: false }
      client.once('end', () => {
        clearInterval(timer)
        if (membership?.client === client) membership = undefined
      })
      await client.query(`set application_name = '${SESSION_NAME}${id}'`) // names this process while it is frozen
      await client.query('set synchronous_commit = off') // a heartbeat need not survive a crash of the server
      await beat(client, session)
      timer = setInterval(() => {
        beating ??= beat(client, session)
          .catch(() => client.drop()) // "end" follows, and another connection
          .finally(() => (beating = undefined))
      }, HEARTBEAT_MS).unref()
    },
    async leave(client: Connection): Promise<void> {
      if (!membership) return
      membership = undefined
      clearInterval(timer)
      await beating
      await client.query({ ...removeNode, values: [id] })
    },
  }
}

/**
 * Marks the session of a connection. A pooler whose mode was changed may give the connection another session, or reset it:
 * both lose the LISTEN and the lock, and also the mark.
 */
export const markSession = (session: string): string => `set doorcode.session = '${session}'`

type InstanceRow = {
  keyCheck: Buffer | null
  signInSecret: Buffer | null
  sessionMark: string | null
  databaseNow: Date
}

const writeNode = statement<InstanceRow>(
  'write_node',
  `insert into nodes (id, roles, settings, version, started_at, seen_at)
   values ($1, $2, $3::jsonb || jsonb_build_object('clockAheadMs',
     round(extract(epoch from $5::timestamptz - clock_timestamp()) * 1000)), $4, clock_timestamp(), clock_timestamp())
   on conflict (id) do update set seen_at = excluded.seen_at, settings = excluded.settings
   returning (select key_check from instance) as "keyCheck", (select sign_in_secret from instance) as "signInSecret",
     current_setting('doorcode.session', true) as "sessionMark", clock_timestamp() as "databaseNow"`,
)

const takeLock = statement<{ locked: boolean }>(
  'take_node_lock',
  `select pg_try_advisory_lock(${LOCK}) as locked from (select $1::uuid as id) n`,
)

const removeNode = statement('remove_node', 'delete from nodes where id = $1')

/** Locks the dead nodes for the transaction: no other node finds them, and none of them can come back meanwhile. */
export const lockDeadNodes = (tx: Sql, { id }: Node): Promise<{ id: string }[]> =>
  tx.rows(findDeadNodes, [id, MAX_UNLOCKED_MS, MAX_SILENT_MS, MAX_AHEAD_MS])

const findDeadNodes: Statement<{ id: string }> = statement(
  'find_dead_nodes',
  `select n.id from nodes n
   where n.id <> $1 and case
     when n.seen_at < clock_timestamp() - $3 * interval '1 millisecond' then true
     when n.seen_at < clock_timestamp() - $2 * interval '1 millisecond'
       or n.seen_at > clock_timestamp() + $4 * interval '1 millisecond' then pg_try_advisory_xact_lock(${LOCK})
     else false end
   for update skip locked`,
)

/** SQL: whether a node other than `id` may be dead. `unlockedMs` and `aheadMs`: the values of suspectLimits. */
export const mayNodeBeDead = (id: string, unlockedMs: string, aheadMs: string): string =>
  `(select 1 from nodes n where n.id <> ${id} and n.seen_at not between clock_timestamp() - ${unlockedMs} * interval '1 millisecond'
       and clock_timestamp() + ${aheadMs} * interval '1 millisecond' limit 1) is not null`

export const suspectLimits = [MAX_UNLOCKED_MS, MAX_AHEAD_MS] as const

export const removeNodes = async (tx: Sql, nodes: readonly { id: string }[]): Promise<void> =>
  void (await tx.rows(deleteNodes, [nodes.map(({ id }) => id)]))

const deleteNodes = statement('remove_nodes', 'delete from nodes where id = any ($1::uuid[])')

/** Only a running process holds the lock, whatever the row says. */
const IS_ALIVE = `not pg_try_advisory_xact_lock_shared(${LOCK})`

export const isAnyWorkerAlive = async (sql: Sql): Promise<boolean> => (await sql.row(findWorker))?.alive ?? false

const findWorker = statement<{ alive: boolean }>(
  'is_any_worker_alive',
  `select exists (select from nodes n where 'worker' = any (n.roles) and ${IS_ALIVE}) as alive`,
)

export type LiveNode = { id: string; roles: string[]; version: string; keys: KeyReport }

/** Includes nodes that are reconnecting, and dead ones that no worker has detected yet. */
export const listLiveNodes = (sql: Sql): Promise<LiveNode[]> => sql.rows(selectLiveNodes, [MAX_SILENT_MS, MAX_AHEAD_MS])

const selectLiveNodes: Statement<LiveNode> = statement(
  'list_live_nodes',
  `select n.id, n.roles, n.version, n.settings -> 'keys' as keys from nodes n
   where n.seen_at between clock_timestamp() - $1 * interval '1 millisecond' and clock_timestamp() + $2 * interval '1 millisecond'
     or ${IS_ALIVE}
   order by n.id`,
)

export const doesAnyNodeAllowPrivateWebhooks = async (sql: Sql): Promise<boolean> =>
  (await sql.row(findPrivateWebhooks))?.allowed ?? false

const findPrivateWebhooks = statement<{ allowed: boolean }>(
  'find_node_that_allows_private_webhooks',
  `select exists (
     select from nodes n where n.settings @> '{"allowPrivateWebhooks": true}' and ${IS_ALIVE}) as allowed`,
)

/** A node as the other processes see it. */
export type ListedNode = {
  nodeId: string
  roles: Role[]
  /** `clockAheadMs`: how far its machine's clock is ahead of the database's. */
  settings: NodeSettings & { clockAheadMs: number }
  version: string
  startedAt: Date
  seenAt: Date
  silentMs: number
  isAlive: boolean
}

/** Far more nodes than an instance has. */
const MAX_NODES = 200

const selectNodes = statement<ListedNode>(
  'list_nodes',
  `select n.id as "nodeId", n.roles, n.settings, n.version, n.started_at as "startedAt", n.seen_at as "seenAt",
     round(extract(epoch from clock_timestamp() - n.seen_at) * 1000)::float8 as "silentMs",
     n.seen_at > clock_timestamp() - $1 * interval '1 millisecond' and ${IS_ALIVE} as "isAlive"
   from nodes n order by n.started_at, n.id limit ${MAX_NODES}`,
)

/** Includes dead nodes that no worker has taken over yet. */
export const listNodes = (sql: Sql): Promise<ListedNode[]> => sql.rows(selectNodes, [MAX_SILENT_MS])

/** A process that sends no heartbeat while its connection stays open. `address`: null for a connection over a socket. */
export type FrozenNode = { nodeId: string; address: string | null; silentMs: number }

/**
 * Processes that have been silent for longer than `silentMs` but hold their connection, whether or not another node has taken over
 * their work. The server ends the connection of a machine that is gone within a minute.
 */
export const listFrozenNodes = (sql: Sql, silentMs: number): Promise<FrozenNode[]> =>
  sql.rows(selectFrozenNodes, [SESSION_NAME, silentMs])

const selectFrozenNodes = statement<FrozenNode>(
  'list_frozen_nodes',
  `select f."nodeId", f.address, f."silentMs"
   from (
     select substr(application_name, length($1) + 1) as "nodeId", host(client_addr) as address,
       round(extract(epoch from clock_timestamp() - coalesce(
         (select n.seen_at from nodes n where n.id::text = substr(application_name, length($1) + 1)), state_change)) * 1000)::float8
         as "silentMs"
     from pg_stat_activity
     where datname = current_database() and starts_with(application_name, $1) and state = 'idle') f
   where f."silentMs" > $2 order by f."nodeId" limit ${MAX_NODES}`,
)
