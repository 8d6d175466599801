import { DAY_MS, later } from '../clock.ts'

/** `expires_soon`: still works, and somebody should rotate it. */
export const KEY_STATES = ['active', 'expires_soon', 'expired', 'revoked'] as const
export type KeyState = (typeof KEY_STATES)[number]

/** Time enough to bring a new key to every server that shows the old one. */
export const EXPIRES_SOON_MS = 7 * DAY_MS

export function keyState(
  { expiresAt, revokedAt }: { expiresAt: Date | null; revokedAt: Date | null },
  now: Date,
): KeyState {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'active'
  if (expiresAt <= now) return 'expired'
  return expiresAt <= later(now, EXPIRES_SOON_MS) ? 'expires_soon' : 'active'
}

export const isWorking = (state: KeyState): boolean => state === 'active' || state === 'expires_soon'
