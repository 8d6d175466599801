import type { Language } from '../../../locales/text.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: MINUTE_MS },
  { unit: 'second', ms: 1_000 },
] as const

/** "1 day 2 hours": the two largest units, none of which is zero. */
export function spanOf(ms: number, language: Language): string {
  const locale = `${language}-u-nu-latn`
  const parts: string[] = []
  let left = Math.max(0, Math.round(ms / 1_000) * 1_000)
  for (const { unit, ms: size } of UNITS) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0 || (unit === 'second' && parts.length === 0)) {
      parts.push(new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
    }
    if (parts.length === 2) break
  }
  return new Intl.ListFormat(locale, { style: 'narrow', type: 'unit' }).format(parts)
}
