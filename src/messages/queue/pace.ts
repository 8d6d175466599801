import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts'

/**
 * Our own rate limit, below the provider's (docs/whatsapp-cloud-api.md#limits). A sender's last second is stored in its row of
 * `sender_pace` as slots, each with its number of sends. A slot counts until all of it is older than a second, so that no second has
 * more sends than the limit. In SQL, so that the statement that locks the row also counts.
 */

/** Costs 2 % of the rate; a busy sender has about 50 slots. */
const SLOT_MS = 20

/** Nodes differ by less. Slots further ahead come from a clock that has been corrected since, and would block the sender until then. */
const MAX_AHEAD_MS = 10 * SECOND_MS

export const STANDARD_SENDS_PER_SECOND = 80
export const HIGH_SENDS_PER_SECOND = 1_000

/** A subquery, which PostgreSQL evaluates once for a statement. It would evaluate an expression for each slot. */
const slotAt = (now: string): string =>
  `(select floor(extract(epoch from ${now}::timestamptz) * ${SECOND_MS / SLOT_MS})::bigint)`

const recentSlots = (now: string): string =>
  `select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
   where slot between ${slotAt(now)} - ${SECOND_MS / SLOT_MS} and ${slotAt(now)} + ${MAX_AHEAD_MS / SLOT_MS}`

/** SQL: how many messages the sender with the pace `p` may send at `now`. `share`: of its limit. */
export const paceCapacity = ({
  throughput,
  now,
  share = 1,
}: {
  throughput: string
  now: string
  share?: number
}): string =>
  `greatest(0, case ${throughput} when 'HIGH' then ${HIGH_SENDS_PER_SECOND * share} else ${STANDARD_SENDS_PER_SECOND * share} end
     - (select coalesce(sum(sends), 0) from (${recentSlots(now)}) recent))::int`

/** SQL: `slots` and `slot_sends` of the pace `p` after `sends` more at `now`. */
export const paceAfter = ({ sends, now }: { sends: string; now: string }): string =>
  `select array_agg(slot order by slot), array_agg(sends order by slot)
   from (
     select slot, sum(sends)::int as sends
     from (${recentSlots(now)} union all select ${slotAt(now)}, ${sends}) counted group by slot) slots`

/** One message per 6 s to one recipient, after a burst of 45 that uses later slots in advance. */
export const PAIR_INTERVAL_MS = 6 * SECOND_MS
export const PAIR_BURST = 45
/** Longer than a burst or an open breaker occupies a pair. A later time comes from a clock that has been corrected since. */
export const MAX_PAIR_WAIT_MS = HOUR_MS
