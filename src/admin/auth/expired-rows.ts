import { DAY_MS, HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'
import { type Removal, removal } from '../../lib/db/removal.ts'
import { ATTEMPTS_WINDOW_MS } from './sign-in-attempts.ts'
import { MAX_SESSION_MS } from './person.ts'

/** The library also accepts the codes of the previous and the next 30 s, so each code is valid for 90 s. */
export const USED_CODE_TTL_MS = 2 * MINUTE_MS

/** Until then, owners see that an invitation has expired. */
const EXPIRED_LINK_MS = 30 * DAY_MS

/** The condition of expiry before the instant $1, and how long rows are kept, ms. */
const EXPIRING: readonly (readonly [Removal, keptMs: number])[] = [
  [removal('remove_idle_sessions', 'auth."session"', '"expiresAt" < $1'), 0],
  [removal('remove_old_sessions', 'auth."session"', '"createdAt" < $1'), MAX_SESSION_MS],
  [removal('remove_verifications', 'auth."verification"', '"expiresAt" < $1'), 0],
  // The sign-in library's longest window is a minute.
  [
    removal('remove_sign_in_rates', 'auth."rateLimit"', '"lastRequest" < extract(epoch from $1::timestamptz) * 1000'),
    HOUR_MS,
  ],
  [removal('remove_sign_in_attempts', 'sign_in_attempts', 'tried_at[cardinality(tried_at)] < $1'), ATTEMPTS_WINDOW_MS],
  [removal('remove_access_links', 'access_links', 'expires_at < $1'), EXPIRED_LINK_MS],
  [removal('remove_used_sign_in_codes', 'used_sign_in_codes', 'used_at < $1'), USED_CODE_TTL_MS],
]

/** Expired rows of signing in. Each statement takes the instant of expiry and a maximum of rows. */
export const expiredSignInRows = (now: Date): [Removal, Date][] =>
  EXPIRING.map(([remove, keptMs]) => [remove, later(now, -keptMs)])
