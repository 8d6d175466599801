import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'

/** Counts per bucket, which can be added over days, unlike percentiles. */
export type Histogram = readonly number[]

const FIRST_BOUND_MS = SECOND_MS
const LAST_BOUND_MS = 30 * DAY_MS
/** Two buckets per doubling: a percentile is at most 20 % off. */
const STEP = Math.SQRT2

/** The bounds go from one second, the precision of WhatsApp's times, to a month. Bucket n ends at bound n. */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from(
  { length: Math.ceil(Math.log(LAST_BOUND_MS / FIRST_BOUND_MS) / Math.log(STEP)) + 1 },
  (_, index) => Math.round(FIRST_BOUND_MS * STEP ** index),
)

/** Answer times in familiar steps. */
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

/** Undefined without data. */
export function percentile(histogram: Histogram, share: number): number | undefined {
  const all = histogram.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  const rank = share * all
  let below = 0
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && below + count >= rank) return interpolate(bucket, (rank - below) / count)
    below += count
  }
  return LAST_BOUND_MS
}

/** Interpolates logarithmically: values are denser at the lower bound. */
function interpolate(bucket: number, part: number): number {
  const to = LATENCY_BOUNDS_MS[bucket] ?? LAST_BOUND_MS
  if (bucket === 0) return Math.round(to * part)
  const from = LATENCY_BOUNDS_MS[bucket - 1] ?? LAST_BOUND_MS
  return Math.round(from * (to / from) ** part)
}
