import { createContext, useContext } from 'react'
import { LANGUAGES, type Language } from '../src/sentences.ts'

export type { Language }

/** The words of one noun's pages. Each folder has its own table; Arabic must have exactly the keys of English. */
export type Words<Table> = Readonly<Record<Language, Table>>

export const words = <const Table extends object>(table: { en: Table; ar: Loose<Table> }): Words<Loose<Table>> =>
  table as Words<Loose<Table>>

/** Any text in the place of each; tables may hold tables, such as one word for each state. */
type Loose<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends string
    ? string
    : Table[Key] extends (...given: never) => unknown
      ? Table[Key]
      : Table[Key] extends object
        ? Loose<Table[Key]>
        : Table[Key]
}

export const LanguageContext = createContext<{ language: Language; choose: (language: Language) => void }>({
  language: 'en',
  choose: () => {},
})

/** The table in the language of the page. */
export const useWords = <Table>(table: Words<Table>): Table => table[useContext(LanguageContext).language]

export const useLanguage = (): { language: Language; choose: (language: Language) => void } =>
  useContext(LanguageContext)

const LANGUAGE_KEPT_AS = 'doorcode-language'

const isLanguage = (text: string | null | undefined): text is Language => LANGUAGES.some((each) => each === text)

/** What was chosen last in this browser, else the browser's own language where we speak it. */
export function firstLanguage(): Language {
  const kept = localStorage.getItem(LANGUAGE_KEPT_AS)
  if (isLanguage(kept)) return kept
  const own = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage)
  return own ?? 'en'
}

export const keepLanguage = (language: Language): void => localStorage.setItem(LANGUAGE_KEPT_AS, language)

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')
