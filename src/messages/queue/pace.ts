import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts'

/**
 * Our own rate limit, below the provider's (docs/whatsapp-cloud-api.md#limits). Pure. A sender's last second is stored as
 * slots, each with its number of sends. A slot counts until all of it is older than a second, so that no second has more
 * sends than the limit.
 */
export type SenderPace = { slots: number[]; slotSends: number[] }

/** Costs 2 % of the rate; a busy sender has about 50 slots. */
const SLOT_MS = 20

/** Nodes differ by less. Slots further ahead come from a clock that has been corrected since, and would block the sender until then. */
const MAX_AHEAD_MS = 10 * SECOND_MS

const STANDARD_SENDS_PER_SECOND = 80
const HIGH_SENDS_PER_SECOND = 1_000

export const sendsPerSecond = (throughput: string | null): number =>
  throughput === 'HIGH' ? HIGH_SENDS_PER_SECOND : STANDARD_SENDS_PER_SECOND

const slotOf = (at: Date): number => Math.floor(at.getTime() / SLOT_MS)

function recent(pace: SenderPace, at: Date): { slot: number; sends: number }[] {
  const slotNow = slotOf(at)
  return pace.slots
    .map((slot, index) => ({ slot, sends: pace.slotSends[index] ?? 0 }))
    .filter(({ slot }) => slot >= slotNow - SECOND_MS / SLOT_MS && slot <= slotNow + MAX_AHEAD_MS / SLOT_MS)
}

export const capacityNow = (pace: SenderPace, limit: number, at: Date): number =>
  Math.max(0, limit - recent(pace, at).reduce((sum, { sends }) => sum + sends, 0))

export function withSends(pace: SenderPace, sends: number, at: Date): SenderPace {
  const slot = slotOf(at)
  const slots = recent(pace, at)
  const last = slots.at(-1)
  if (last?.slot === slot) last.sends += sends
  else slots.push({ slot, sends })
  return { slots: slots.map((each) => each.slot), slotSends: slots.map((each) => each.sends) }
}

/** One message per 6 s to one recipient, after a burst of 45 that uses later slots in advance. */
export const PAIR_INTERVAL_MS = 6 * SECOND_MS
export const PAIR_BURST = 45
/** Longer than a burst or an open breaker occupies a pair. A later time comes from a clock that has been corrected since. */
export const MAX_PAIR_WAIT_MS = HOUR_MS
