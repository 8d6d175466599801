import { type Language, type Resources, type Translator, createTranslator } from '../../locales/text.ts'
import { numberFormat } from '../ui/formats.ts'

type TextFile = () => Promise<{ resources: Resources }>

/** Two files per language: the texts of the first load, and those of all other pages. */
const files: Readonly<Record<Language, { first: TextFile; pages: TextFile }>> = {
  en: { first: () => import('./en.ts'), pages: () => import('./en-pages.ts') },
  ar: { first: () => import('./ar.ts'), pages: () => import('./ar-pages.ts') },
  fr: { first: () => import('./fr.ts'), pages: () => import('./fr-pages.ts') },
}

let current: Translator | undefined

/** Loads the texts that the first load needs. */
export async function loadFirstTranslator(language: Language): Promise<Translator> {
  const { resources } = await files[language].first()
  current = createTranslator(language, { [language]: resources }, numberFormat(language))
  return current
}

/** Loads the texts of every page: the page that is open must not lose its texts. */
export async function loadTranslator(language: Language): Promise<Translator> {
  const [first, pages] = await Promise.all([files[language].first(), files[language].pages()])
  const resources = { ...first.resources, ...pages.resources }
  current = createTranslator(language, { [language]: resources }, numberFormat(language))
  return current
}

/** Loads a page and, before it renders, the texts of all pages. */
export const withTexts =
  <Module>(loadModule: () => Promise<Module>): (() => Promise<Module>) =>
  async () => {
    const [module] = await Promise.all([loadModule(), addPageTexts()])
    return module
  }

async function addPageTexts(): Promise<void> {
  const translator = current
  if (!translator) return
  const { resources } = await files[translator.language].pages()
  translator.addTexts(resources)
}
