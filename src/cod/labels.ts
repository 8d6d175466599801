import { limits } from './settings.ts'

/** From the fullest to the shortest; a shorter form is chosen, since a cut-off word may read as another. */
const FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { weekday: 'long', day: 'numeric', month: 'long' },
  { weekday: 'long', day: 'numeric', month: 'short' },
  { weekday: 'short', day: 'numeric', month: 'short' },
  { weekday: 'short', day: 'numeric', month: 'numeric' },
]

/**
 * The labels of distinct dates (YYYY-MM-DD) in a template's language, all in the fullest form that fits each of them and
 * keeps them apart. A language that this Node does not know gets the dates as they are: every reader understands
 * 2026-11-25, while the host's own language would be a guess.
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
 * The digits that customers of every language read on their phones, and the calendar of the dates that callers get. Left
 * to the locale, both differ between countries of one language and between releases of Node.
 */
const SAME_EVERYWHERE = { numberingSystem: 'latn', calendar: 'gregory' } as const

const fits = (label: string): boolean => Array.from(label).length <= limits.buttonTitleLength

/** Template languages are written en_US, locales en-US. */
function knownLocale(language: string): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language.replaceAll('_', '-'))[0]
  } catch {
    return undefined // not even the form of a language
  }
}
