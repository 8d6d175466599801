import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'

/** How often a span fell between which bounds: sums of several days tell what each of them could not alone. */
export type Spread = readonly number[]

const FIRST_BOUND_MS = SECOND_MS
const LAST_BOUND_MS = 30 * DAY_MS
/** Two to each doubling: what is read from it is wrong by a fifth at the most, and mostly by much less. */
const STEP = Math.SQRT2

/** From a second, which is as exact as WhatsApp tells times, to a month. Bucket n ends at bound n. */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from(
  { length: Math.ceil(Math.log(LAST_BOUND_MS / FIRST_BOUND_MS) / Math.log(STEP)) + 1 },
  (_, place) => Math.round(FIRST_BOUND_MS * STEP ** place),
)

/** How soon customers answer, in steps that people speak of. */
export const ANSWER_BOUNDS_MS: readonly number[] = [
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  DAY_MS,
]

/** The span that this share of all did not exceed; undefined when there are none. */
export function percentile(spread: Spread, share: number): number | undefined {
  const all = spread.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  const rank = share * all
  let below = 0
  for (const [bucket, count] of spread.entries()) {
    if (count > 0 && below + count >= rank) return within(bucket, (rank - below) / count)
    below += count
  }
  return LAST_BOUND_MS
}

/** Between two bounds spans lie more closely at the lower one. */
function within(bucket: number, part: number): number {
  const to = LATENCY_BOUNDS_MS[bucket] ?? LAST_BOUND_MS
  if (bucket === 0) return Math.round(to * part)
  const from = LATENCY_BOUNDS_MS[bucket - 1] ?? LAST_BOUND_MS
  return Math.round(from * (to / from) ** part)
}
