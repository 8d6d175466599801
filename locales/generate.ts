/** `npm run locales`: writes the types of all texts from their English. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readResources } from './resources.ts'
import { codesOf, parametersOf } from './codes.ts'

if (import.meta.main) await writeFile(path.join(import.meta.dirname, 'coded-text.gen.ts'), generatedTypes())

export function generatedTypes(): string {
  const rows = Object.entries(readResources('en')).flatMap(([namespace, texts]) =>
    [...codesOf(texts)].map(([key, forms]) => `  '${namespace}.${key}': ${namesOf(forms)}\n`),
  )
  return `// Written by \`npm run locales\` from locales/en/*.json.

/** The names of each text's parameters. */
export type ParameterNames = {
${rows.toSorted().join('')}}
`
}

function namesOf(forms: ReadonlyMap<string, string>): string {
  const names = new Set([...forms.values()].flatMap(parametersOf))
  if (!forms.has('')) names.add('count')
  return names.size === 0
    ? 'never'
    : [...names]
        .toSorted()
        .map((name) => `'${name}'`)
        .join(' | ')
}
