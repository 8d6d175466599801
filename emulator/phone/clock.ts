import type { Language } from './words.ts'

/** The time that the phone shows: of a workspace whose clock was moved, in the zone of its deliveries. */
export type PhoneClock = {
  /** What the clock showed at a real instant. */
  at: (real: Date) => Date
  /** The instant that it is, on the same scale as those that are shown; the real one, where nobody says otherwise. */
  now?: () => Date
  timeZone: string
}

export const REAL_CLOCK: PhoneClock = {
  at: (real) => real,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}

/** Digits as in ids and phone numbers. */
const localeOf = (language: Language): string => (language === 'ar' ? 'ar-u-nu-latn' : 'en-GB')

export const timeOfDay = (at: string, clock: PhoneClock, language: Language): string =>
  new Intl.DateTimeFormat(localeOf(language), {
    timeZone: clock.timeZone,
    timeStyle: 'short',
    hourCycle: 'h23',
  }).format(clock.at(new Date(at)))

/** The same text for all instants of one day. */
export const dayOf = (at: Date, clock: PhoneClock, language: Language): string =>
  new Intl.DateTimeFormat(localeOf(language), {
    timeZone: clock.timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(clock.at(at))

/** What `dayOf` says of today. */
export const todayOf = (clock: PhoneClock, language: Language): string =>
  dayOf(clock.now?.() ?? new Date(), clock, language)
