/**
 * Creating an `Intl` format costs more than using it, and a list formats hundreds of values, so each format is created
 * once.
 */
const formats = new Map<string, unknown>()

function once<Format>(
  kind: string,
  language: string,
  options: object | undefined,
  make: (locale: string) => Format,
): Format {
  const key = `${kind} ${language} ${JSON.stringify(options)}`
  const known = formats.get(key) as Format | undefined
  if (known) return known
  const format = make(localeOf(language))
  formats.set(key, format)
  return format
}

/** Latin digits in every language: ids, phones and codes are not Arabic-Indic either. */
const localeOf = (language: string): string => `${language}-u-nu-latn`

export const numberFormat = (language: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat =>
  once('number', language, options, (locale) => new Intl.NumberFormat(locale, options))

export const dateFormat = (language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  once('date', language, options, (locale) => new Intl.DateTimeFormat(locale, options))

export const relativeFormat = (language: string, options: Intl.RelativeTimeFormatOptions): Intl.RelativeTimeFormat =>
  once('relative', language, options, (locale) => new Intl.RelativeTimeFormat(locale, options))

/** The month is a word, because some readers would take a number for the day. */
export const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

export const DAY_OF_YEAR = { day: 'numeric', month: 'short' } as const

/** The 24-hour clock on every page, as on the phone and in delivery ranges. */
export const CLOCK = { hourCycle: 'h23' } as const

export const MINUTE = { hour: '2-digit', minute: '2-digit', ...CLOCK } as const

/** Quotas count UTC months and days. */
export const dayInUtc = (language: string, at: string): string =>
  dateFormat(language, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(at))
