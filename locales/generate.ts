/** `npm run locales`: writes the types of all texts from their English. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readResources } from './resources.ts'
import { codesOf, parametersOf } from './codes.ts'

if (import.meta.main) await writeFile(path.join(import.meta.dirname, 'coded-text.gen.ts'), generatedTypes())

export function generatedTypes(): string {
  const rows = Object.entries(readResources('en')).flatMap(([namespace, texts]) =>
    [...codesOf(texts)].map(([key, forms]) => `  '${namespace}.${key}': ${typeOf(forms)}\n`),
  )
  return `// Written by \`npm run locales\` from locales/en/*.json.
import type { TextValue } from './text.ts'

/** The parameters of each text. */
export type Texts = {
${rows.toSorted().join('')}}
`
}

function typeOf(forms: ReadonlyMap<string, string>): string {
  const names = new Set([...forms.values()].flatMap(parametersOf))
  if (!forms.has('')) names.add('count')
  const members = [...names].toSorted().map((name) => `${name}: ${name === 'count' ? 'number' : 'TextValue'}`)
  return members.length > 0 ? `{ ${members.join('; ')} }` : 'object'
}
