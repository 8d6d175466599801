import type { Config } from '../config.ts'
import { type Db, batch, statement, retryUntilOutcomeKnown } from '../db/pool.ts'
import { createBatcher } from '../db/batcher.ts'
import { removal } from '../db/removal.ts'

/** Whether a request with this key is allowed (docs/api.md#limits). */
export type RateLimit = (publicId: string) => boolean | Promise<boolean>

export const REQUESTS_PER_WINDOW = 20
export const WINDOW_MS = 1_000

/** In memory or in the database, as the setting says. */
export const createRateLimit = ({ config, db }: { config: Pick<Config, 'rateLimit'>; db: Db }): RateLimit =>
  config.rateLimit === 'memory' ? createMemoryRateLimit() : createDatabaseRateLimit(db)

/** Exact within one process. A rejected request is not recorded, so it does not lengthen the wait. */
export function createMemoryRateLimit(monotonicMs: () => number = () => performance.now()): RateLimit {
  /** When each key's latest requests were granted; the key that waits longest comes first. */
  const granted = new Map<string, number[]>()
  return (publicId) => {
    const now = monotonicMs()
    const isRecent = (at: number | undefined): boolean => at !== undefined && now - at <= WINDOW_MS
    for (const [key, times] of granted) {
      if (isRecent(times.at(-1))) break
      granted.delete(key)
    }
    const recent = (granted.get(publicId) ?? []).filter(isRecent)
    if (recent.length >= REQUESTS_PER_WINDOW) return false
    recent.push(now)
    granted.delete(publicId)
    granted.set(publicId, recent)
    return true
  }
}

const WINDOW = `interval '${WINDOW_MS} milliseconds'`

/**
 * Grants as many requests as the window allows and records only those. The time is read after the row is locked, and is
 * never before the latest recorded one: otherwise a node that waited for the lock would count in an older window than the
 * one already pruned. A hit more than a window in the future was recorded before the clock was set back, and is dropped.
 * Rows are ordered so that two nodes never deadlock.
 */
const grantRequests = statement<{ public_id: string; granted: number }>(
  'grant_requests',
  `insert into rate_limits as r (public_id, hits, granted)
   select a.public_id, array_fill(clock_timestamp(), array[least(a.count, ${REQUESTS_PER_WINDOW})]),
     least(a.count, ${REQUESTS_PER_WINDOW})
   from jsonb_to_recordset($1) as a (public_id text, count integer)
   order by a.public_id
   on conflict (public_id) do update set (hits, granted) = (
     select k.hits || array_fill(k.now, array[least(excluded.granted, ${REQUESTS_PER_WINDOW} - cardinality(k.hits))]),
       least(excluded.granted, ${REQUESTS_PER_WINDOW} - cardinality(k.hits))
     from (
       select m.now, coalesce(array_agg(h order by h) filter (where h >= m.now - ${WINDOW}), '{}') as hits
       from (select greatest(clock_timestamp(), (
         select max(h) from unnest(r.hits) h where h <= clock_timestamp() + ${WINDOW})) as now) m
       left join unnest(r.hits) h on h <= m.now
       group by m.now
     ) k
   )
   returning public_id, granted`,
)

const MAX_BATCH = 1_000

/**
 * A limit that is exact across all nodes. Requests of one event loop turn share a statement, and requests of one key
 * share a row.
 */
export function createDatabaseRateLimit(db: Db): (publicId: string) => Promise<boolean> {
  return createBatcher(
    async (publicIds: string[]): Promise<boolean[]> => {
      const counts = new Map<string, number>()
      for (const publicId of publicIds) counts.set(publicId, (counts.get(publicId) ?? 0) + 1)
      const payload = batch([...counts].map(([public_id, count]) => ({ public_id, count })))
      // What a lost attempt recorded has left the window by then.
      const rows = await retryUntilOutcomeKnown(() => db.rows(grantRequests, [payload]))
      const granted = new Map(rows.map((row) => [row.public_id, row.granted]))
      return publicIds.map((publicId) => {
        const remaining = granted.get(publicId) ?? 0
        granted.set(publicId, remaining - 1)
        return remaining > 0
      })
    },
    { maxItems: MAX_BATCH, concurrency: 1, mayRunOneByOne: () => false },
  )
}

/** The longest window is a minute. */
export const removeIdleRateLimits = removal('remove_idle_rate_limits', 'rate_limits', 'hits[cardinality(hits)] < $1')
