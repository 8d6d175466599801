import type { Resources } from '../../locales/text.ts'

/** Files of `locales` by the name of the file. */
export const byNamespace = (files: Readonly<Record<string, Record<string, string>>>): Resources =>
  Object.fromEntries(Object.entries(files).map(([file, texts]) => [file.replace(/^.*\/(\w+)\.json$/, '$1'), texts]))
