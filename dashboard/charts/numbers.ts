import { DAY, dateFormat, numberFormat } from '../texts/formats.ts'

/** A number, or a part of a whole. */
export type Value = number | { part: number; whole: number }

/** A number changes by a percentage of the earlier number, a share by percentage points. */
export type Change = { kind: 'percent' | 'points'; by: number }

/** With fewer, one more or less would look like a trend. */
const MIN_COMPARED = 20

/** Returns undefined if one of the spans has too little to compare. */
export function changeOf(now: Value, before: Value | undefined): Change | undefined {
  if (before === undefined) return undefined
  if (typeof now === 'number' || typeof before === 'number')
    return typeof now === 'number' && typeof before === 'number' && before >= MIN_COMPARED
      ? { kind: 'percent', by: now / before - 1 }
      : undefined
  if (Math.min(now.whole, before.whole) < MIN_COMPARED) return undefined
  return { kind: 'points', by: (now.part / now.whole - before.part / before.whole) * 100 }
}

const MAX_STEPS = 5
/** In each power of ten. */
const ROUND_STEPS = [1, 2, 2.5, 5, 10]

/** The labels of an axis for counts up to `highest`: round numbers at equal distances from 0, the last not below `highest`. */
export function roundTicks(highest: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest / MAX_STEPS)))
  const steps = ROUND_STEPS.map((each) => each * power).filter(Number.isInteger)
  const step = steps.find((each) => each * MAX_STEPS >= highest) ?? 10 * power
  const count = Math.max(1, Math.ceil(highest / step))
  return Array.from({ length: count + 1 }, (_, nth) => nth * step)
}

const MAX_DAYS_NAMED = 7

/** At most `max` days at equal distances, including the last; the same weekday if they are more than a week apart. */
export function namedDays<Day>(days: readonly Day[], max: number): Day[] {
  const least = Math.ceil(days.length / Math.max(1, Math.min(max, MAX_DAYS_NAMED)))
  const step = least > 7 ? Math.ceil(least / 7) * 7 : least
  return days.filter((_, index) => (days.length - 1 - index) % step === 0)
}

export const shareText = (part: number, whole: number, language: string): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(whole === 0 ? 0 : part / whole)

/** The days from the first to the last, inclusive. */
export const spanOfDays = ({ from, to }: { from: string; to: string }, language: string): string =>
  dateFormat(language, { timeZone: 'UTC', ...DAY }).formatRange(
    new Date(`${from}T00:00:00Z`),
    new Date(`${to}T00:00:00Z`),
  )

/** A day such as `2026-11-25`, without a time zone. */
export const dayText = (day: string, language: string): string =>
  dateFormat(language, { timeZone: 'UTC', day: 'numeric', month: 'short' }).format(new Date(`${day}T00:00:00Z`))
