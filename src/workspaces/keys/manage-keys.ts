import { plainText } from '../../../locales/text.ts'
import { type Clock, DAY_MS, HOUR_MS, later } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import { type KeyId, createKey, expireKey } from './keys.ts'

export type ListedKey = {
  publicId: string
  name: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
}

/** A workspace may have more keys than a list shows. */
export const MAX_LISTED_KEYS = 500

const COLUMNS = `public_id as "publicId", name, created_at as "createdAt", last_used_at as "lastUsedAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`

const selectKeys = statement<ListedKey>(
  'list_api_keys',
  `select ${COLUMNS}
   from api_keys where workspace_id = $1 order by created_at desc, public_id limit ${MAX_LISTED_KEYS}`,
)

const selectKey = statement<ListedKey>(
  'find_api_key',
  `select ${COLUMNS}
   from api_keys where workspace_id = $1 and public_id = $2`,
)

/** Returns undefined for a key of another workspace too. */
export const findKey = (sql: Sql, { workspaceId, publicId }: KeyId): Promise<ListedKey | undefined> =>
  sql.row(selectKey, [workspaceId, publicId])

export const listKeys = (sql: Sql, workspaceId: string): Promise<ListedKey[]> => sql.rows(selectKeys, [workspaceId])

/** `expires_soon`: still works, but should be rotated. */
type KeyState = 'active' | 'expires_soon' | 'expired' | 'revoked'

/** Enough time to deploy a new key to every server that uses the old one. */
const EXPIRES_SOON_MS = 7 * DAY_MS

export function keyState(
  { expiresAt, revokedAt }: { expiresAt: Date | null; revokedAt: Date | null },
  now: Date,
): KeyState {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'active'
  if (expiresAt <= now) return 'expired'
  return expiresAt <= later(now, EXPIRES_SOON_MS) ? 'expires_soon' : 'active'
}

export const isWorking = (state: KeyState): state is 'active' | 'expires_soon' =>
  state === 'active' || state === 'expires_soon'

/** How long the old key works after the rotation. */
export const OVERLAPS_MS = { none: 0, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const
export type Overlap = keyof typeof OVERLAPS_MS

type Rotation = KeyId & {
  overlap: Overlap
  /** When the new key expires. */
  expiresAt?: Date | null
}

/** Creates a key with the same name. Returns undefined if there is no such key. Throws UserError for a key that no longer works. */
export async function rotateKey(tx: Sql, clock: Clock, rotation: Rotation) {
  const { workspaceId, publicId, overlap, expiresAt } = rotation
  const old = await tx.row(lockKey, [workspaceId, publicId])
  if (!old) return undefined
  const now = clock.now()
  const state = keyState(old, now)
  if (!isWorking(state)) throw new UserError({ code: 'workspaces.over', state: plainText(`workspaces.state_${state}`) })
  const { name } = old
  const created = await createKey(tx, clock, { workspaceId, name, expiresAt: expiresAt ?? null })
  const expiry = later(now, OVERLAPS_MS[overlap])
  const oldExpiresAt = (await expireKey(tx, { workspaceId, publicId, expiresAt: expiry })) ?? expiry
  return { ...created, name, oldExpiresAt }
}

/** The lock serializes simultaneous rotations of one key. */
const lockKey = statement<{ name: string; expiresAt: Date | null; revokedAt: Date | null }>(
  'lock_api_key_to_rotate',
  `select name, expires_at as "expiresAt", revoked_at as "revokedAt"
   from api_keys where workspace_id = $1 and public_id = $2 for update`,
)
