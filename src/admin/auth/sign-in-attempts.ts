import { createHash, createHmac } from 'node:crypto'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'

/** Wrong passwords or codes for one account within the window. */
const MAX_ATTEMPTS = 10
export const ATTEMPTS_WINDOW_MS = 15 * MINUTE_MS

/** 65,536 rows. */
const ADDRESS_ROW_BYTES = 2

/**
 * The row of an address without an account. Such addresses share a fixed number of rows, because they must not add rows without
 * limit. An account has a row of its own: attempts at other addresses can neither pause it nor end its pause.
 */
export const rowOfMadeUpAddress = (seal: Pick<Parts['seal'], 'signInSecret'>, email: string): Buffer =>
  createHmac('sha256', seal.signInSecret()).update(`sign-in\0${email}`).digest().subarray(0, ADDRESS_ROW_BYTES)

/** The row of a person or a trusted browser. Only an account, or a browser that has signed in, adds one. */
export const rowOf = (account: string): Buffer => createHash('sha256').update(account).digest()

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

/** Unknown addresses are counted too, so that the answer does not reveal whether one has an account. */
export async function beginAttempt({ db, clock }: Pick<Parts, 'db' | 'clock'>, row: Buffer): Promise<Attempt> {
  const now = clock.now()
  const taken = await db.row(takeAttempt, [row, now, later(now, -ATTEMPTS_WINDOW_MS)])
  if (!taken || taken.granted) return { granted: true, isLast: taken?.tried === MAX_ATTEMPTS }
  return { granted: false, waitMs: Math.max(0, taken.oldest.getTime() + ATTEMPTS_WINDOW_MS - now.getTime()) }
}

const deleteAttempts = statement('delete_sign_in_attempts', 'delete from sign_in_attempts where account = $1')

export const deleteAttemptsOf = (sql: Sql, row: Buffer): Promise<unknown> => sql.rows(deleteAttempts, [row])
