import { type Language, type Resources, type Translator, createTranslator } from '../../locales/text.ts'
import { numberFormat } from './formats.ts'

type TextFile = () => Promise<{ resources: Resources }>

/** Two files per language, which vite.config.ts builds: the texts of the first load, and those of all other pages. */
const files: Readonly<Record<Language, { first: TextFile; later: TextFile }>> = {
  en: { first: () => import('texts:en/first'), later: () => import('texts:en/later') },
  ar: { first: () => import('texts:ar/first'), later: () => import('texts:ar/later') },
  fr: { first: () => import('texts:fr/first'), later: () => import('texts:fr/later') },
}

let current: Translator | undefined
/** The translator that has the texts of all pages. */
let complete: Translator | undefined

function translate(language: Language, resources: Resources): Translator {
  current = createTranslator(language, { [language]: resources }, numberFormat(language))
  return current
}

/** Loads the texts that the first load needs. */
export const loadFirstTranslator = async (language: Language): Promise<Translator> =>
  translate(language, (await files[language].first()).resources)

/** Loads the texts of every page: the page that is open must not lose its texts. */
export async function loadTranslator(language: Language): Promise<Translator> {
  const [first, later] = await Promise.all([files[language].first(), files[language].later()])
  complete = translate(language, { ...first.resources, ...later.resources })
  return complete
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
  if (!translator || translator === complete) return
  const { resources } = await files[translator.language].later()
  translator.addTexts(resources)
  complete = translator
}
