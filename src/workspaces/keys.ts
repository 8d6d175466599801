import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type Db, type Sql, statement } from '../db.ts'
import { grouped } from '../group.ts'
import { type ApiKeyParts, hashSecret, newApiKey, parseApiKey } from '../ids.ts'
import { type Loop, type RunningLoop, startLoop } from '../jobs/loop.ts'
import type { Log } from '../log.ts'

/** What a key stands for. */
export type ApiKey = { publicId: string; workspaceId: string }

export class WorkspaceUnknown extends Error {
  constructor(workspaceId: string) {
    super(`no workspace has the id ${workspaceId}`)
    this.name = 'WorkspaceUnknown'
  }
}

const insertKey = statement<{ public_id: string }>(
  'insert_api_key',
  `insert into api_keys (public_id, workspace_id, name, secret_hash, created_at, expires_at)
   select $2, w.id, $3, $4, $5, $6 from workspaces w where w.id = $1
   returning public_id`,
)

export type NewKey = { workspaceId: string; name: string; expiresAt?: Date }

/** The complete key is in the answer and nowhere else: only a hash is stored. Throws WorkspaceUnknown. */
export async function createKey(
  sql: Sql,
  clock: Clock,
  { workspaceId, name, expiresAt }: NewKey,
): Promise<{ apiKey: string; publicId: string }> {
  const { publicId, secret, apiKey } = newApiKey()
  const values = [workspaceId, publicId, name, hashSecret(secret), clock.now(), expiresAt]
  if (!(await sql.row(insertKey, values))) throw new WorkspaceUnknown(workspaceId)
  return { apiKey, publicId }
}

/** By the database's clock, because every node asks it for "lately". A key that is revoked already keeps its time. */
const markRevoked = statement<{ public_id: string }>(
  'revoke_api_key',
  `update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where public_id = $1 returning public_id`,
)

/** The key stops working on every node within a second. False when there is no such key. */
export const revokeKey = async (sql: Sql, publicId: string): Promise<boolean> =>
  (await sql.row(markRevoked, [publicId])) !== undefined

const markRevokedIn = statement<{ public_id: string }>(
  'revoke_api_key_of_workspace',
  `update api_keys set revoked_at = clock_timestamp()
   where workspace_id = $1 and public_id = $2 and revoked_at is null returning public_id`,
)

/** One key of one workspace. */
export type KeyId = { workspaceId: string; publicId: string }

/** As revokeKey, for somebody who may revoke the keys of this workspace alone. False when none was revoked. */
export const revokeKeyOf = async (sql: Sql, { workspaceId, publicId }: KeyId): Promise<boolean> =>
  (await sql.row(markRevokedIn, [workspaceId, publicId])) !== undefined

/** By the database's clock, as with revocations: every node asks it for "lately". */
const bringExpiryForward = statement<{ expiresAt: Date }>(
  'expire_api_key',
  `update api_keys set expires_at = least(expires_at, $3), expiry_changed_at = clock_timestamp()
   where workspace_id = $1 and public_id = $2 and revoked_at is null
   returning expires_at as "expiresAt"`,
)

/** The key expires then, or earlier if that was so already; every node knows within a second. Undefined: no such key. */
export async function expireKey(
  sql: Sql,
  { workspaceId, publicId, expiresAt }: KeyId & { expiresAt: Date },
): Promise<Date | undefined> {
  return (await sql.row(bringExpiryForward, [workspaceId, publicId, expiresAt]))?.expiresAt
}

export type KeyRing = {
  /**
   * The key in an Authorization header; undefined unless it is complete, known, not revoked and not expired. Answers at
   * once for a key that is remembered, else reads it and throws when the database cannot be reached.
   */
  find(authorization: string | undefined): ApiKey | undefined | Promise<ApiKey | undefined>
  /** Starts to follow what changes about keys: before that, every key is read from the database. */
  watch(): void
  close(): Promise<void>
}

/** About 300 bytes each. The oldest goes first. */
const REMEMBERED_MOST = 50_000
const UNKNOWN_MOST = 10_000
/** Keeps a caller with a wrong key from asking the database at its own pace, and is over when the key is created. */
const UNKNOWN_FOR_MS = 1_000
const CHANGES_POLL_MS = 300
/** How old the last proof that a key is as remembered may be: with this, a revoked key stops within a second. */
const TRUST_MS = 900
/** A poll looks back one minute (see the statement). After a gap of half of that, nothing that is remembered is kept. */
const LONGEST_GAP_MS = 30_000
const READ_TOGETHER_MOST = 1_000
const USE_NOTED_EVERY_MS = 60_000
const USES_POLL_MS = 5_000
const USES_MOST = 50_000

type StoredKey = { public_id: string; workspace_id: string; secret_hash: Buffer; expires_at: Date | null }

const readKeys = statement<StoredKey>(
  'read_api_keys',
  `select public_id, workspace_id, secret_hash, expires_at from api_keys where public_id = any($1) and revoked_at is null`,
)

/** Revoked, or given another expiry. */
const listChanged = statement<{ public_id: string }>(
  'list_lately_changed_api_keys',
  `select public_id from api_keys where revoked_at > clock_timestamp() - interval '1 minute'
   union all
   select public_id from api_keys where expiry_changed_at > clock_timestamp() - interval '1 minute'`,
)

/** Several nodes may note the same key: its row changes once a minute all the same. */
const noteUses = statement(
  'note_api_key_uses',
  `update api_keys set last_used_at = $2
   where public_id = any($1) and (last_used_at is null or last_used_at < $2::timestamptz - interval '50 seconds')`,
)

type RememberedKey = ApiKey & {
  secretHash: Buffer
  expiresAtMs: number
  /** When it was read, and how many polls had succeeded by then. A later poll vouches for it anew. */
  readAtMs: number
  readAfterPolls: number
  useNotedAtMs: number
}

export type KeyRingOptions = {
  db: Db
  clock: Clock
  log: Log
  /** Only differences count. Tests move it. */
  monotonicMs?: () => number
}

/** Polls of changes and notes of uses run in the background, off every request's way. */
export function openKeyRing({ db, clock, log, monotonicMs = () => performance.now() }: KeyRingOptions): KeyRing {
  const remembered = new Map<string, RememberedKey>()
  const unknown = new Map<string, number>()
  const uses = new Set<string>()
  let polls = 0
  let polledAtMs = Number.NEGATIVE_INFINITY
  let loops: RunningLoop[] = []

  const find = (authorization: string | undefined): ApiKey | undefined | Promise<ApiKey | undefined> => {
    const given = keyInHeader(authorization)
    if (!given) return undefined
    const nowMs = monotonicMs()
    const key = remembered.get(given.publicId)
    if (key && isTrusted(key, nowMs)) return check(key, given, nowMs)
    if (nowMs - (unknown.get(given.publicId) ?? Number.NEGATIVE_INFINITY) < UNKNOWN_FOR_MS) return undefined
    return read(given.publicId).then((key) => check(key, given, nowMs))
  }

  const isTrusted = (key: RememberedKey, nowMs: number): boolean =>
    nowMs - (key.readAfterPolls < polls ? polledAtMs : key.readAtMs) <= TRUST_MS

  const check = (key: RememberedKey | undefined, { secret }: ApiKeyParts, nowMs: number): ApiKey | undefined => {
    if (!key || !isSecretOf(key, secret)) return undefined
    if (key.expiresAtMs <= clock.now().getTime()) return undefined
    if (nowMs - key.useNotedAtMs >= USE_NOTED_EVERY_MS && uses.size < USES_MOST) {
      key.useNotedAtMs = nowMs
      uses.add(key.publicId)
    }
    return key
  }

  const read = grouped(
    async (publicIds: string[]): Promise<(RememberedKey | undefined)[]> => {
      const readAtMs = monotonicMs()
      const rows = await db.rows(readKeys, [publicIds])
      const found = new Map(rows.map((row) => [row.public_id, remember(row, readAtMs)]))
      for (const publicId of publicIds) if (!found.has(publicId)) forget(publicId)
      return publicIds.map((publicId) => found.get(publicId))
    },
    { most: READ_TOGETHER_MOST, lanes: 1, mayRunAlone: () => false },
  )

  const remember = (row: StoredKey, readAtMs: number): RememberedKey => {
    const key = {
      publicId: row.public_id,
      workspaceId: row.workspace_id,
      secretHash: row.secret_hash,
      expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      readAtMs,
      readAfterPolls: polls,
      useNotedAtMs: remembered.get(row.public_id)?.useNotedAtMs ?? Number.NEGATIVE_INFINITY,
    }
    setBounded(remembered, key.publicId, key, REMEMBERED_MOST)
    return key
  }

  const forget = (publicId: string): void => {
    remembered.delete(publicId)
    setBounded(unknown, publicId, monotonicMs(), UNKNOWN_MOST)
  }

  const followChanges: Loop = {
    name: 'key changes',
    pollMs: CHANGES_POLL_MS,
    async turn() {
      const startedAtMs = monotonicMs()
      const changed = await db.rows(listChanged)
      if (startedAtMs - polledAtMs > LONGEST_GAP_MS) remembered.clear()
      for (const { public_id } of changed) remembered.delete(public_id)
      polledAtMs = startedAtMs
      polls += 1
      return { more: false }
    },
  }

  const writeUses = async (): Promise<void> => {
    if (uses.size === 0) return
    const noted = [...uses]
    uses.clear() // a note that is lost with a failed statement comes again a minute later
    await db.rows(noteUses, [noted, clock.now()])
  }

  return {
    find,
    watch() {
      const noteUses = { name: 'key uses', pollMs: USES_POLL_MS, turn: () => writeUses().then(() => ({ more: false })) }
      loops = [followChanges, noteUses].map((loop) => startLoop(loop, log))
    },
    async close() {
      await Promise.all(loops.map((loop) => loop.stop()))
      await writeUses().catch((error: unknown) => log.warn({ err: error }, 'the last uses of API keys were not noted'))
    },
  }
}

const SHA256_BYTES = 32
const givenHash = Buffer.alloc(SHA256_BYTES)

/** In constant time. Into the same bytes each time: a new buffer per request costs 20 times as much in the heap. */
function isSecretOf({ secretHash }: RememberedKey, secret: string): boolean {
  givenHash.write(hash('sha256', secret, 'latin1'), 'latin1')
  return timingSafeEqual(givenHash, secretHash)
}

const BEARER = /^bearer +/i
/** Far above any key of ours. */
const AUTHORIZATION_MOST = 200

function keyInHeader(authorization: string | undefined): ApiKeyParts | undefined {
  if (authorization === undefined || authorization.length > AUTHORIZATION_MOST) return undefined
  const scheme = BEARER.exec(authorization)
  return scheme ? parseApiKey(authorization.slice(scheme[0].length)) : undefined
}

/** A map keeps the order in which it was filled: the first entry is the oldest. */
function setBounded<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.delete(name)
  for (const oldest of map.keys()) {
    if (map.size < most) break
    map.delete(oldest)
  }
  map.set(name, value)
}
