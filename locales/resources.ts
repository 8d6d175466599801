import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type CodedText, type Language, type Resources, type Translator, createTranslator } from './text.ts'

/** All texts of a language, from its folder. Pages load theirs with the bundle instead. */
export const readResources = (language: Language): Resources =>
  Object.fromEntries(
    readdirSync(path.join(import.meta.dirname, language))
      .filter((file) => file.endsWith('.json'))
      .map((file) => [
        path.basename(file, '.json'),
        JSON.parse(readFileSync(path.join(import.meta.dirname, language, file), 'utf8')) as Record<string, string>,
      ]),
  )

/** What the API, the command line and logs say. */
export const english = createTranslator('en', { en: readResources('en') })

const translators = new Map<Language, Translator>([['en', english]])

/** For the few pages that the server writes itself. */
export function translatorOf(language: Language): Translator {
  let translator = translators.get(language)
  if (!translator) {
    translator = createTranslator(language, { en: readResources('en'), [language]: readResources(language) })
    translators.set(language, translator)
  }
  return translator
}

export const inEnglish = (coded: CodedText): string => english.textOf(coded)
