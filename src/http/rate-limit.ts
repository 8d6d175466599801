import { type Db, batch, statement } from '../db.ts'
import { grouped } from '../group.ts'

/** Whether a request of this key may go on (spec §8: 20 in any second per key, over all routes). */
export type RateLimit = (publicId: string) => boolean | Promise<boolean>

export const REQUESTS_PER_WINDOW = 20
export const WINDOW_MS = 1_000

/** The instants of a key's last granted requests; once there are 20 of them, the oldest is at `next`. */
type Ring = { at: number[]; next: number }

/**
 * Exact within one process. Two generations of rings instead of a sweep: what was idle for a whole window is dropped
 * with the older one, so that memory follows the keys of the last two seconds.
 */
export function limitInMemory(monotonicMs: () => number = () => performance.now()): RateLimit {
  let young = new Map<string, Ring>()
  let old = new Map<string, Ring>()
  let turnedAt = monotonicMs()

  return (publicId) => {
    const now = monotonicMs()
    if (now - turnedAt > WINDOW_MS) {
      old = now - turnedAt > 2 * WINDOW_MS ? new Map() : young
      young = new Map()
      turnedAt = now
    }
    let ring = young.get(publicId)
    if (!ring) {
      ring = old.get(publicId) ?? { at: [], next: 0 }
      young.set(publicId, ring)
    }
    return grant(ring, now)
  }
}

/** A refused request leaves no trace, so it does not lengthen the wait. */
function grant(ring: Ring, now: number): boolean {
  const oldest = ring.at.length < REQUESTS_PER_WINDOW ? Number.NEGATIVE_INFINITY : (ring.at[ring.next] ?? now)
  if (now - oldest <= WINDOW_MS) return false
  ring.at[ring.next] = now
  ring.next = (ring.next + 1) % REQUESTS_PER_WINDOW
  return true
}

/**
 * Grants as many of the requests that are asked for as there is room for, and records those only. The instant is taken
 * after the row is locked, and never before the latest recorded one: otherwise a node that waited for the lock would
 * count in an older window than the one that was pruned. An instant that lies further ahead than a window was recorded by
 * a clock that was set back since, and counts no more. Rows go in one order, so that two nodes never deadlock.
 */
const grantRequests = statement<{ public_id: string; granted: number }>(
  'grant_requests',
  `insert into rate_limits as r (public_id, hits, granted)
   select a.public_id, array_fill(clock_timestamp(), array[least(a.count, 20)]), least(a.count, 20)
   from jsonb_to_recordset($1) as a (public_id text, count integer)
   order by a.public_id
   on conflict (public_id) do update set (hits, granted) = (
     select k.hits || array_fill(k.now, array[least(excluded.granted, 20 - cardinality(k.hits))]),
       least(excluded.granted, 20 - cardinality(k.hits))
     from (
       select m.now, coalesce(array_agg(h order by h) filter (where h >= m.now - interval '1 second'), '{}') as hits
       from (select greatest(clock_timestamp(), (
         select max(h) from unnest(r.hits) h where h <= clock_timestamp() + interval '1 second')) as now) m
       left join unnest(r.hits) h on h <= m.now
       group by m.now
     ) k
   )
   returning public_id, granted`,
)

const GRANTED_TOGETHER_MOST = 1_000

/** Exact over all nodes of the instance. The requests of one turn cost one statement, and those of one key one row. */
export function limitInDatabase(db: Db): (publicId: string) => Promise<boolean> {
  return grouped(
    async (publicIds: string[]): Promise<boolean[]> => {
      const asked = new Map<string, number>()
      for (const publicId of publicIds) asked.set(publicId, (asked.get(publicId) ?? 0) + 1)
      const rows = await db.rows(grantRequests, [batch([...asked].map(([public_id, count]) => ({ public_id, count })))])
      const left = new Map(rows.map((row) => [row.public_id, row.granted]))
      return publicIds.map((publicId) => {
        const granted = left.get(publicId) ?? 0
        left.set(publicId, granted - 1)
        return granted > 0
      })
    },
    { most: GRANTED_TOGETHER_MOST, lanes: 1, mayRunAlone: () => false },
  )
}
