import { limits } from '../settings/settings.ts'

/** Longest first. A label is never cut off, since the rest may read as another word. */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { weekday: 'long', day: 'numeric', month: 'long' },
  { weekday: 'long', day: 'numeric', month: 'short' },
  { weekday: 'short', day: 'numeric', month: 'short' },
  { weekday: 'short', day: 'numeric', month: 'numeric' },
]

/**
 * Labels for distinct dates (YYYY-MM-DD) in a template's language, in the longest form that fits them all and keeps them
 * distinct. A language that this Node does not know gets the plain dates: the host's language would be a guess.
 */
export function dayLabels(dates: readonly string[], language: string): string[] {
  const locale = knownLocale(language)
  if (locale === undefined) return [...dates]
  const days = dates.map((date) => Temporal.PlainDate.from(date))
  for (const form of FORMS) {
    const formatter = new Intl.DateTimeFormat(locale, { ...form, ...SAME_EVERYWHERE })
    const labels = days.map((day) => formatter.format(day))
    if (labels.every(fits) && new Set(labels).size === labels.length) return labels
  }
  return [...dates]
}

/**
 * The digits that all customers read, and the calendar of the dates that clients get. Locale defaults differ between
 * countries and between releases of Node.
 */
const SAME_EVERYWHERE = { numberingSystem: 'latn', calendar: 'gregory' } as const

const fits = (label: string): boolean => Array.from(label).length <= limits.buttonTitleLength

/** Template languages are written en_US, locales en-US. */
function knownLocale(language: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language.replaceAll('_', '-'))[0]
  } catch {
    return undefined // not well-formed
  }
}
