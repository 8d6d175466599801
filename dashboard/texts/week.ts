import type { Language } from '../../locales/text.ts'

/** Not in every browser. */
type WithWeek = { getWeekInfo?: () => { firstDay: number } }

const MONDAY = 1
/** Without a language, a machine may tell en-US@posix, which Intl rejects. */
const TAG = /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i

/**
 * The first day of a week where the reader lives; Sunday is 0. Browsers tell the region with the language: in Arabic, a week
 * starts on Saturday in Egypt and on Monday in Morocco. Monday if the browser does not know it.
 */
export function firstDayOfWeek(language: Language, languages = navigator.languages): 0 | 1 | 2 | 3 | 4 | 5 | 6 {
  const tags = languages.filter((each) => TAG.test(each))
  const tag = tags.find((each) => each.slice(0, 2) === language) ?? tags[0] ?? language
  const locale: WithWeek = new Intl.Locale(tag)
  const { firstDay = MONDAY } = locale.getWeekInfo?.() ?? {}
  return (firstDay % 7) as ReturnType<typeof firstDayOfWeek>
}
