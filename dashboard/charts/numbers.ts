import { DAY, dateFormat, numberFormat } from '../texts/formats.ts'

/** A number, or a part of a whole. */
export type Value = number | { part: number; whole: number }

/** A number changes by a percentage of the earlier number, a share by percentage points. */
export type Change = { kind: 'percent' | 'points'; by: number }

/** Returns undefined if the earlier span has nothing to compare with. */
export function changeOf(now: Value, before: Value | undefined): Change | undefined {
  if (before === undefined) return undefined
  if (typeof now === 'number' || typeof before === 'number')
    return typeof now === 'number' && typeof before === 'number' && before > 0
      ? { kind: 'percent', by: now / before - 1 }
      : undefined
  if (now.whole === 0 || before.whole === 0) return undefined
  return { kind: 'points', by: (now.part / now.whole - before.part / before.whole) * 100 }
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
