import { numberFormat } from '../ui/number.ts'
import { DAY } from '../ui/time/parts.ts'

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

/** In the largest unit that it fills, to two significant digits. Undefined below a second. */
export function spanText(ms: number, language: string): string | undefined {
  const largest = UNITS.find((each) => ms >= each.ms)
  if (!largest) return undefined
  return numberFormat(language, {
    style: 'unit',
    unit: largest.unit,
    unitDisplay: 'short',
    maximumSignificantDigits: 2,
  }).format(ms / largest.ms)
}

export const shareText = (part: number, whole: number, language: string): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(whole === 0 ? 0 : part / whole)

/** From the first day to the last, inclusive. */
export const spanOfDays = ({ from, to }: { from: string; to: string }, language: string): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone: 'UTC', ...DAY }).formatRange(
    new Date(`${from}T00:00:00Z`),
    new Date(`${to}T00:00:00Z`),
  )

/** A day as `2026-11-25`, which has no zone any more. */
export const dayText = (day: string, language: string): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone: 'UTC', day: 'numeric', month: 'short' }).format(
    new Date(`${day}T00:00:00Z`),
  )
