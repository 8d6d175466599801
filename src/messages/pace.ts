import { SECOND_MS } from '../clock.ts'

/**
 * Our own shaping (contract §7), so that the provider need not refuse us (whatsapp-cloud-api.md §7). Pure.
 * A sender's last second is kept as slots, each with its number of sends; a slot counts until it is wholly older than a
 * second, so that no second ever holds more sends than the limit.
 */
export type SenderPace = { slots: number[]; slotSends: number[] }

/** Short enough to cost 2 % of the rate, long enough that a busy sender has some 50 slots. */
export const SLOT_MS = 20

const STANDARD_SENDS_PER_SECOND = 80
const HIGH_SENDS_PER_SECOND = 1_000

export const sendsPerSecond = (throughput: string | null): number =>
  throughput === 'HIGH' ? HIGH_SENDS_PER_SECOND : STANDARD_SENDS_PER_SECOND

const slotOf = (at: Date): number => Math.floor(at.getTime() / SLOT_MS)

function recent(pace: SenderPace, at: Date): { slot: number; sends: number }[] {
  const oldest = slotOf(at) - SECOND_MS / SLOT_MS
  return pace.slots
    .map((slot, index) => ({ slot, sends: pace.slotSends[index] ?? 0 }))
    .filter(({ slot }) => slot >= oldest)
}

/** How many more sends this sender may begin now. */
export const roomNow = (pace: SenderPace, limit: number, at: Date): number =>
  Math.max(0, limit - recent(pace, at).reduce((sum, { sends }) => sum + sends, 0))

export function withSends(pace: SenderPace, sends: number, at: Date): SenderPace {
  const slot = slotOf(at)
  const kept = recent(pace, at)
  const last = kept.at(-1)
  if (last?.slot === slot) last.sends += sends
  else kept.push({ slot, sends })
  return { slots: kept.map((each) => each.slot), slotSends: kept.map((each) => each.sends) }
}

/** One message per 6 s to one recipient, and a burst of 45 that borrows from the future. */
export const PAIR_INTERVAL_MS = 6 * SECOND_MS
export const PAIR_BURST = 45
