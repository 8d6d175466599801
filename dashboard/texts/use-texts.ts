import { createContext, use } from 'react'
import { type Language, type TextCode, type Translator, createTranslator } from '../../locales/text.ts'

export type T = Translator['t']

/** The keys of a file of texts. */
export type KeyOf<Page extends string> = TextCode extends infer Code
  ? Code extends `${Page}.${infer Key}`
    ? Key
    : never
  : never

/** The translator of the page, `n` for numbers, and `choose` to switch the language. */
export type PageTexts = Translator & { n: (value: number) => string; choose: (language: Language) => Promise<void> }

export const TextsContext = createContext<PageTexts>({
  ...createTranslator('en', {}),
  n: String,
  choose: () => Promise.resolve(),
})

/** `const { t, textOf } = useTexts()` */
export const useTexts = (): PageTexts => use(TextsContext)

/** The text of WhatsApp's word, or the word itself: WhatsApp adds new ones. */
export function translateWord({ t, has }: PageTexts, texts: string, word: string): string {
  const code = `${texts}_${word.toLowerCase()}`
  return has(code) ? t(code) : word
}
