import { LANGUAGES, LANGUAGE_COOKIE, type Language } from '../../locales/text.ts'

const YEAR_S = 365 * 86_400

const isLanguage = (text: string | null | undefined): text is Language => LANGUAGES.some((each) => each === text)

/** The last choice in this browser, else the browser's language if it is supported. */
export function initialLanguage(): Language {
  const chosen = document.cookie.split('; ').find((cookie) => cookie.startsWith(`${LANGUAGE_COOKIE}=`))
  const language = chosen?.slice(LANGUAGE_COOKIE.length + 1)
  if (isLanguage(language)) return language
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

/** A cookie, because the pages that the server writes, such as those of errors, read it too. */
export function saveLanguage(language: Language): void {
  document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`
}

/** The languages of WhatsApp's templates that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'prs', 'sd', 'ug', 'ur', 'yi'])

/** `code`: a template's language, such as ar or en_US. */
export const directionOfTexts = (code: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(code.split('_')[0] ?? '') ? 'rtl' : 'ltr'

/** The value of HTML's `lang`. */
export const tagOf = (code: string): string => code.replaceAll('_', '-')

/** The name in the language of the page, or the code if it has no name. */
export function nameOfLanguage(code: string, pageLanguage: string): string {
  try {
    return new Intl.DisplayNames([pageLanguage], { type: 'language' }).of(tagOf(code)) ?? code
  } catch {
    return code
  }
}
