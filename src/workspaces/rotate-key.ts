import { type Clock, HOUR_MS, DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import { sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { isWorking, keyState } from './key-state.ts'
import { type KeyId, createKey, expireKey } from './keys.ts'

/** How long the old key works beside the new one. */
export const OVERLAPS_MS = { none: 0, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const
export type Overlap = keyof typeof OVERLAPS_MS

type Rotating = KeyId & {
  overlap: Overlap
  /** Of the new key. */
  expiresAt?: Date | undefined
}

export type Rotated = { apiKey: string; publicId: string; name: string; oldExpiresAt: Date }

/** A new key of the same name in the caller's transaction. Undefined: no such key. Throws SetupRefused. */
export async function rotateKey(
  tx: Sql,
  clock: Clock,
  { workspaceId, publicId, overlap, expiresAt }: Rotating,
): Promise<Rotated | undefined> {
  const old = await tx.row(lockKey, [workspaceId, publicId])
  if (!old) return undefined
  const now = clock.now()
  const state = keyState(old, now)
  if (!isWorking(state)) throw new SetupRefused(says.over({ state }))
  const { name } = old
  const created = await createKey(tx, clock, { workspaceId, name, ...(expiresAt && { expiresAt }) })
  const ends = later(now, OVERLAPS_MS[overlap])
  const oldExpiresAt = (await expireKey(tx, { workspaceId, publicId, expiresAt: ends })) ?? ends
  return { ...created, name, oldExpiresAt }
}

/** Two people who rotate one key at once: the second meets what the first left. */
const lockKey = statement<{ name: string; expiresAt: Date | null; revokedAt: Date | null }>(
  'lock_api_key_to_rotate',
  `select name, expires_at as "expiresAt", revoked_at as "revokedAt"
   from api_keys where workspace_id = $1 and public_id = $2 for update`,
)

const says = sentences({
  over: {
    en: 'The key is {state} already. Create a new one.',
    ar: 'المفتاح {state} من قبل. أنشئ مفتاحًا جديدًا.',
    words: { state: { revoked: 'ملغى', expired: 'منتهي الصلاحية' } },
  },
})
