import { HOUR_MS, later } from '../clock.ts'
import { type Statement, statement } from '../db.ts'
import { ATTEMPTS_WINDOW_MS } from './attempts.ts'
import { SESSION_MOST_MS } from './sessions.ts'

type Removed = { removed: number }

/** What signing in leaves behind: each statement takes the instant before which it is over, and how many rows at once. */
export const overdueInSignIn = (now: Date): readonly [Statement<Removed>, Date | number][] => [
  [removeSessions, now],
  [removeOldSessions, later(now, -SESSION_MOST_MS)],
  [removeVerifications, now],
  [removeRateLimits, later(now, -HOUR_MS).getTime()],
  [removeAttempts, later(now, -ATTEMPTS_WINDOW_MS)],
  [removeLinks, now],
]

const removal = (name: string, table: string, condition: string): Statement<Removed> =>
  statement(
    name,
    `with removed as (
       delete from ${table} where ctid = any (array (select ctid from ${table} where ${condition} limit $2)) returning 1)
     select count(*)::int as removed from removed`,
  )

const removeSessions = removal('remove_idle_sessions', 'auth."session"', '"expiresAt" < $1')
const removeOldSessions = removal('remove_old_sessions', 'auth."session"', '"createdAt" < $1')
const removeVerifications = removal('remove_verifications', 'auth."verification"', '"expiresAt" < $1')
/** Written by the sign-in library, in milliseconds. Its longest window is a minute. */
const removeRateLimits = removal('remove_sign_in_rates', 'auth."rateLimit"', '"lastRequest" < $1')
const removeAttempts = removal('remove_sign_in_attempts', 'sign_in_attempts', 'tried_at[cardinality(tried_at)] < $1')
const removeLinks = removal('remove_access_links', 'access_links', 'expires_at < $1')
