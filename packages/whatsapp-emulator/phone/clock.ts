import type { Language } from '../../../locales/text.ts'

/** The time that the phone shows: of a workspace whose clock was moved, in the zone of its deliveries. */
export type PhoneClock = {
  /** What the clock showed at a real instant. */
  at: (real: Date) => Date
  /** The present time, on the clock of the times that are shown. Default: the real time. */
  now?: () => Date
  timeZone: string
}

export const REAL_CLOCK: PhoneClock = {
  at: (real) => real,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

/** The format of the dashboard's times. */
export const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** The locales of the dashboard's times, with the digits of ids and phone numbers. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en', fr: 'fr', ar: 'ar-u-nu-latn' }

export const formatOf = (language: Language, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(LOCALES[language], { hourCycle: 'h23', ...form })

export const timeOfDay = (at: string, { timeZone, ...clock }: PhoneClock, language: Language): string =>
  formatOf(language, { timeZone, timeStyle: 'short' }).format(clock.at(new Date(at)))

export const shortDay = (at: string, { timeZone, ...clock }: PhoneClock, language: Language): string =>
  formatOf(language, { timeZone, ...DAY }).format(clock.at(new Date(at)))

/** The same text for all instants of one day. */
export const dayOf = (at: Date, { timeZone, ...clock }: PhoneClock, language: Language): string =>
  formatOf(language, { timeZone, dateStyle: 'long' }).format(clock.at(at))

export const todayOf = (clock: PhoneClock, language: Language): string =>
  dayOf(clock.now?.() ?? new Date(), clock, language)

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
