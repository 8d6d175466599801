import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { numberFormat } from '../formats.ts'

const UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: MINUTE_MS },
  { unit: 'second', ms: SECOND_MS },
  { unit: 'millisecond', ms: 1 },
] as const

/** In its largest unit, with one decimal below ten: `340 ms`, `2.5 sec`, `3 hr`. Arabic has no clear abbreviations of units. */
export function spanText(spanMs: number, language: string): string {
  const { unit, ms } = UNITS.find((each) => spanMs >= each.ms) ?? { unit: 'millisecond' as const, ms: 1 }
  const count = spanMs / ms
  return numberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: language === 'ar' ? 'long' : 'short',
    maximumFractionDigits: count < 10 ? 1 : 0,
  }).format(count)
}
