import starts from './language-starts.json' with { type: 'json' }
import type { LanguageSettings } from './settings.ts'

/** Default texts by language, the same for all its countries. */
export const languageStarts: Readonly<Record<string, LanguageSettings>> = starts
