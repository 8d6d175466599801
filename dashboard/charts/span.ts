import { dateFormat, numberFormat } from '../ui/formats.ts'
import { DAY } from '../ui/time/parts.ts'

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
