import { LANGUAGES, type Language } from '../../locales/text.ts'

const LANGUAGE_KEY = 'doorcode-language'

const isLanguage = (text: string | null | undefined): text is Language => LANGUAGES.some((each) => each === text)

/** The last choice in this browser, else the browser's language if it is supported. */
export function initialLanguage(): Language {
  const stored = localStorage.getItem(LANGUAGE_KEY)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

export const saveLanguage = (language: Language): void => localStorage.setItem(LANGUAGE_KEY, language)

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
