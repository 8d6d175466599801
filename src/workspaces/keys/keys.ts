import { hash, timingSafeEqual } from 'node:crypto'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { type Clock, MINUTE_MS } from '../../lib/clock.ts'
import { type Db, type Sql, statement, retryUntilOutcomeKnown } from '../../lib/db/pool.ts'
import { createBatcher } from '../../lib/db/batcher.ts'
import { type ApiKeyParts, hashSecret, newApiKey, parseApiKey } from '../../lib/ids.ts'
import { type Loop, type RunningLoop, startLoop } from '../../runtime/jobs/loop.ts'
import type { Log } from '../../lib/log.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { unknownWorkspace } from '../workspaces.ts'

export type ApiKey = { publicId: string; workspaceId: string }

/** In place of a key's public id, for requests that people send from the dashboard. No key has this id. */
export const DASHBOARD_KEY_ID = 'dashboard'

const insertKey = statement<{ public_id: string }>(
  'insert_api_key',
  `insert into api_keys (public_id, workspace_id, name, secret_hash, created_at, expires_at)
   select $2, w.id, $3, $4, $5, $6 from workspaces w where w.id = $1 and w.deleted_at is null
   returning public_id`,
)

export type NewKey = { workspaceId: string; name: string; expiresAt?: Date | null }

/** Only a hash of the key is stored, so the caller must show it now. Throws UserError. */
export async function createKey(
  sql: Sql,
  clock: Clock,
  { workspaceId, name, expiresAt }: NewKey,
): Promise<{ apiKey: string; publicId: string }> {
  const { publicId, secret, apiKey } = newApiKey()
  const values = [workspaceId, publicId, name, hashSecret(secret), clock.now(), expiresAt]
  if (!(await sql.row(insertKey, values))) throw unknownWorkspace(workspaceId)
  return { apiKey, publicId }
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'find_workspace_of_key',
  'select workspace_id as "workspaceId" from api_keys where public_id = $1',
)

/** The command line names only the key. */
export const findWorkspaceOfKey = async (sql: Sql, publicId: string): Promise<string | undefined> =>
  (await sql.row(selectWorkspaceOf, [publicId]))?.workspaceId

/** Database time, which the polls of every node compare with. */
const markRevoked = statement<{ public_id: string }>(
  'revoke_api_key',
  `update api_keys set revoked_at = clock_timestamp()
   where workspace_id = $1 and public_id = $2 and revoked_at is null returning public_id`,
)

export type KeyId = { workspaceId: string; publicId: string }

/** Takes effect on every node within a second. Returns false if the workspace has no such key, or it no longer works. */
export const revokeKey = async (sql: Sql, { workspaceId, publicId }: KeyId): Promise<boolean> =>
  (await sql.row(markRevoked, [workspaceId, publicId])) !== undefined

/** Database time, as for revocations. */
const bringExpiryForward = statement<{ expiresAt: Date }>(
  'expire_api_key',
  `update api_keys set expires_at = least(expires_at, $3), expiry_changed_at = clock_timestamp()
   where workspace_id = $1 and public_id = $2 and revoked_at is null
   returning expires_at as "expiresAt"`,
)

/** Never postpones an expiry. Takes effect on every node within a second. Returns undefined if there is no such key. */
export async function expireKey(
  sql: Sql,
  { workspaceId, publicId, expiresAt }: KeyId & { expiresAt: Date },
): Promise<Date | undefined> {
  return (await sql.row(bringExpiryForward, [workspaceId, publicId, expiresAt]))?.expiresAt
}

export type KeyAuthenticator = ReturnType<typeof createKeyAuthenticator>

/** About 300 bytes each. */
const MAX_CACHED_KEYS = 50_000
const MAX_UNKNOWN_KEYS = 10_000
/** Limits how often a wrong key reaches the database, and how long a new key may be rejected. */
const UNKNOWN_KEY_TTL_MS = 1_000
const CHANGES_POLL_MS = 300
/** A cached key is valid for this long after it was read or confirmed by a poll, so a revoked key stops within a second. */
const CACHE_TTL_MS = 900
/**
 * How far a poll looks back. A change is visible only once its commit has ended, which a missing synchronous standby can delay for
 * much longer than the gap between two polls.
 */
const LOOK_BACK = `interval '1 hour'`
/** A key is removed from the cache for this long after its change was first seen: a read that began before may still store it. */
const REMOVED_FOR_MS = MINUTE_MS
/** After a longer gap between two polls the cache is cleared. */
const MAX_POLL_GAP_MS = 30_000
const MAX_KEYS_PER_READ = 1_000
const USE_RECORD_INTERVAL_MS = 60_000
const USES_FLUSH_MS = 5_000
const MAX_PENDING_USES = 50_000

type StoredKey = { public_id: string; workspace_id: string; secret_hash: Buffer; expires_at: Date | null }

const readKeys = statement<StoredKey>(
  'read_api_keys',
  `select k.public_id, k.workspace_id, k.secret_hash, k.expires_at
   from api_keys k join workspaces w on w.id = k.workspace_id
   where k.public_id = any($1) and k.revoked_at is null and w.deletion_requested_at is null`,
)

/** `server`: different for each server, and for each start of a server. `changes`: the public id of a key, and the time of its change. */
const listChanged = statement<{ server: string; changes: string[] }>(
  'list_recently_changed_api_keys',
  `select pg_postmaster_start_time()::text as server, array (
     select public_id || ' ' || revoked_at from api_keys where revoked_at > clock_timestamp() - ${LOOK_BACK}
     union all
     select public_id || ' ' || expiry_changed_at from api_keys where expiry_changed_at > clock_timestamp() - ${LOOK_BACK}
     union all
     select k.public_id || ' ' || w.deletion_requested_at from workspaces w join api_keys k on k.workspace_id = w.id
     where w.deletion_requested_at > clock_timestamp() - ${LOOK_BACK}) as changes`,
)

/** After this long without a request the poll pauses: a cached key is read again before its next use. */
const IDLE_AFTER_MS = 10_000

/** The condition limits several nodes together to one update of a key per minute. */
const updateLastUses = statement(
  'update_api_key_uses',
  `update api_keys set last_used_at = $2
   where public_id = any($1) and (last_used_at is null or last_used_at < $2::timestamptz - interval '50 seconds')`,
)

type CachedKey = ApiKey & {
  secretHash: Buffer
  expiresAtMs: number
  readAtMs: number
  /** How many polls had succeeded by then. A later poll confirms the key. */
  readAfterPolls: number
  useRecordedAtMs: number
}

/** Polling for changes and recording uses run in the background, so that no request waits for them. */
export function createKeyAuthenticator(
  { db, clock, log, metrics }: { db: Db; clock: Clock; log: Log; metrics?: Pick<Metrics, 'watchLoop'> },
  monotonicMs: () => number = () => performance.now(),
) {
  const cache = new BoundedMap<string, CachedKey>(MAX_CACHED_KEYS)
  const unknown = new BoundedMap<string, number>(MAX_UNKNOWN_KEYS)
  const uses = new Set<string>()
  let server: string | undefined
  /** When each change was first seen. */
  let changes = new Map<string, number>()
  let polls = 0
  let polledAtMs = Number.NEGATIVE_INFINITY
  let askedAtMs = Number.NEGATIVE_INFINITY
  let loops: RunningLoop[] = []

  /**
   * The key of an Authorization header; undefined unless it is complete, known, not revoked and not expired. Synchronous
   * for a cached key; otherwise reads the database, and rejects when that cannot be reached.
   */
  const find = (authorization: string | undefined): ApiKey | undefined | Promise<ApiKey | undefined> => {
    const parts = keyInHeader(authorization)
    if (!parts) return undefined
    const nowMs = monotonicMs()
    askedAtMs = nowMs
    const key = cache.get(parts.publicId)
    if (key && isFresh(key, nowMs)) return check(key, parts, nowMs)
    if (nowMs - (unknown.get(parts.publicId) ?? Number.NEGATIVE_INFINITY) < UNKNOWN_KEY_TTL_MS) return undefined
    return read(parts.publicId).then((key) => check(key, parts, nowMs))
  }

  /** When the key of a header that `find` has rejected expired; undefined without the key's secret. Reads only the cache. */
  const findExpiry = (authorization: string | undefined): Date | undefined => {
    const parts = keyInHeader(authorization)
    const key = parts && cache.get(parts.publicId)
    if (!key || key.expiresAtMs > clock.now().getTime() || !isSecretOf(key, parts.secret)) return undefined
    return new Date(key.expiresAtMs)
  }

  const isFresh = (key: CachedKey, nowMs: number): boolean =>
    nowMs - (key.readAfterPolls < polls ? polledAtMs : key.readAtMs) <= CACHE_TTL_MS

  const check = (key: CachedKey | undefined, { secret }: ApiKeyParts, nowMs: number): ApiKey | undefined => {
    if (!key || !isSecretOf(key, secret)) return undefined
    if (key.expiresAtMs <= clock.now().getTime()) return undefined
    if (nowMs - key.useRecordedAtMs >= USE_RECORD_INTERVAL_MS && uses.size < MAX_PENDING_USES) {
      key.useRecordedAtMs = nowMs
      uses.add(key.publicId)
    }
    return key
  }

  const read = createBatcher(
    async (publicIds: string[]): Promise<(CachedKey | undefined)[]> => {
      const readAtMs = monotonicMs()
      const rows = await retryUntilOutcomeKnown(() => db.rows(readKeys, [publicIds]))
      const keys = new Map(rows.map((row) => [row.public_id, store(row, readAtMs)]))
      for (const publicId of publicIds) if (!keys.has(publicId)) storeUnknown(publicId)
      return publicIds.map((publicId) => keys.get(publicId))
    },
    { maxItems: MAX_KEYS_PER_READ, concurrency: 1, mayRunOneByOne: () => false },
  )

  const store = (row: StoredKey, readAtMs: number): CachedKey => {
    const key = {
      publicId: row.public_id,
      workspaceId: row.workspace_id,
      secretHash: row.secret_hash,
      expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      readAtMs,
      readAfterPolls: polls,
      useRecordedAtMs: cache.get(row.public_id)?.useRecordedAtMs ?? Number.NEGATIVE_INFINITY,
    }
    cache.set(key.publicId, key)
    return key
  }

  const storeUnknown = (publicId: string): void => {
    cache.delete(publicId)
    unknown.set(publicId, monotonicMs())
  }

  const pollChanges: Loop = {
    name: 'key changes',
    pollMs: CHANGES_POLL_MS,
    async turn() {
      const startedAtMs = monotonicMs()
      if (startedAtMs - askedAtMs > IDLE_AFTER_MS) return { more: false }
      const answer = await db.row(listChanged)
      // A new server may lack the latest changes of the former one (docs/high-availability.md#what-a-node-remembers).
      if (answer?.server !== server || startedAtMs - polledAtMs > MAX_POLL_GAP_MS) cache.clear()
      server = answer?.server
      changes = new Map(answer?.changes.map((change) => [change, changes.get(change) ?? startedAtMs]))
      for (const [change, seenAtMs] of changes)
        if (startedAtMs - seenAtMs < REMOVED_FOR_MS) cache.delete(change.slice(0, change.indexOf(' ')))
      polledAtMs = startedAtMs
      polls += 1
      return { more: false }
    },
  }

  const recordUses: Loop = {
    name: 'key uses',
    pollMs: USES_FLUSH_MS,
    async turn() {
      const publicIds = [...uses]
      uses.clear() // a use that is lost with a failed statement is recorded again a minute later
      if (publicIds.length > 0) await db.rows(updateLastUses, [publicIds, clock.now()])
      return { more: false }
    },
  }

  return {
    find,
    findExpiry,
    /** Starts to poll for changes, which keeps cached keys valid for longer than CACHE_TTL_MS. */
    watch(): void {
      loops = [pollChanges, recordUses].map((loop) => startLoop(loop, log, { metrics }))
    },
    async close(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.stop()))
      await recordUses
        .turn()
        .catch((error: unknown) => log.warn({ err: error }, 'could not record the last use of API keys'))
    },
  }
}

const SHA256_BYTES = 32
const hashBuffer = Buffer.alloc(SHA256_BYTES)

/** Compares in constant time. Reuses one buffer: a new one per request costs 20 times as much heap. */
function isSecretOf({ secretHash }: CachedKey, secret: string): boolean {
  hashBuffer.write(hash('sha256', secret, 'latin1'), 'latin1')
  return timingSafeEqual(hashBuffer, secretHash)
}

const BEARER = /^bearer +/i
/** Far longer than any key. */
const MAX_AUTHORIZATION_LENGTH = 200

function keyInHeader(authorization: string | undefined): ApiKeyParts | undefined {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_LENGTH) return undefined
  const scheme = BEARER.exec(authorization)
  return scheme ? parseApiKey(authorization.slice(scheme[0].length)) : undefined
}
