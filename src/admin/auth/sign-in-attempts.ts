import { createHash } from 'node:crypto'
import { MINUTE_MS, later } from '../../clock.ts'
import { type Sql, statement } from '../../db/pool.ts'
import type { Parts } from '../../parts.ts'

/** Wrong passwords or codes for one account within the window. */
const MAX_ATTEMPTS = 10
export const ATTEMPTS_WINDOW_MS = 15 * MINUTE_MS

/** Counts the attempt before it is made, so that concurrent attempts cannot exceed the limit. */
const takeAttempt = statement<{ granted: boolean; tried: number; oldest: Date }>(
  'take_sign_in_attempt',
  `insert into sign_in_attempts as a (account, tried_at, granted) values ($1, array[$2::timestamptz], true)
   on conflict (account) do update set (tried_at, granted) = (
     select case when cardinality(r.tried) < ${MAX_ATTEMPTS} then r.tried || $2::timestamptz else r.tried end,
       cardinality(r.tried) < ${MAX_ATTEMPTS}
     from (select coalesce(array_agg(t order by t) filter (where t > $3), '{}') as tried from unnest(a.tried_at) t) r)
   returning granted, cardinality(tried_at) as tried, tried_at[1] as oldest`,
)

export type Attempt = { granted: true; isLast: boolean } | { granted: false; waitMs: number }

/** `account` is any key. Unknown accounts are counted too, so that the answer does not reveal whether one exists. */
export async function beginAttempt({ db, clock }: Pick<Parts, 'db' | 'clock'>, account: string): Promise<Attempt> {
  const now = clock.now()
  const row = await db.row(takeAttempt, [hashOf(account), now, later(now, -ATTEMPTS_WINDOW_MS)])
  if (!row || row.granted) return { granted: true, isLast: row?.tried === MAX_ATTEMPTS }
  return { granted: false, waitMs: Math.max(0, row.oldest.getTime() + ATTEMPTS_WINDOW_MS - now.getTime()) }
}

const deleteAttempts = statement('delete_sign_in_attempts', 'delete from sign_in_attempts where account = $1')

export const deleteAttemptsOf = (sql: Sql, account: string): Promise<unknown> =>
  sql.rows(deleteAttempts, [hashOf(account)])

const hashOf = (account: string): Buffer => createHash('sha256').update(account).digest()
