import { type Language, LANGUAGES } from '../../locales/text.ts'

const LANGUAGE_KEY = 'doorcode-language'

const isLanguage = (text: string | null | undefined): text is Language => LANGUAGES.some((each) => each === text)

/** The last choice in this browser, else the browser's language if it is supported. */
export function initialLanguage(): Language {
  const stored = localStorage.getItem(LANGUAGE_KEY)
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

export const saveLanguage = (language: Language): void => localStorage.setItem(LANGUAGE_KEY, language)
