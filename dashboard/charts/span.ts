import { numberFormat } from '../ui/number.ts'
import { DAY } from '../ui/time-parts.ts'

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

/** In its largest unit that it fills, to two digits that mean something. Undefined below a second. */
export function spanText(ms: number, language: string): string | undefined {
  const found = UNITS.find((each) => ms >= each.ms)
  if (!found) return undefined
  return numberFormat(language, {
    style: 'unit',
    unit: found.unit,
    unitDisplay: 'short',
    maximumSignificantDigits: 2,
  }).format(ms / found.ms)
}

export const shareText = (part: number, whole: number, language: string): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(whole === 0 ? 0 : part / whole)

/** From the first of the days to the last, both of them within. */
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
