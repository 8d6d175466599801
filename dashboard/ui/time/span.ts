import { numberFormat } from '../number.ts'

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
  { unit: 'millisecond', ms: 1 },
] as const

/** In its largest unit, with one digit behind the point below ten: `340 ms`, `2.5 sec`, `3 hr`. */
export function spanText(spanMs: number, language: string): string {
  const { unit, ms } = UNITS.find((each) => spanMs >= each.ms) ?? { unit: 'millisecond' as const, ms: 1 }
  const count = spanMs / ms
  return numberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: count < 10 ? 1 : 0,
  }).format(count)
}
