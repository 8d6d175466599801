import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '@doorcode/whatsapp-emulator/pages/built-pages.ts'
import { readResources } from '../../../locales/resources.ts'
import { LANGUAGES } from '../../../locales/text.ts'
import { dashboardPages } from './pages.ts'

const EMULATOR = '@doorcode/whatsapp-emulator/'

/** The imports that a bundler follows, so without type imports. */
const IMPORTED =
  /^(?:import|export) (?!type\b)[^'";]*'((?:\.|@doorcode\/)[^']+)'|\bimport\('((?:\.|@doorcode\/)[^']+)'\)/gm

/** The files of this repository that are bundled with this entry point. */
async function bundledFrom(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found
  found.add(file)
  if (!/\.tsx?$/.test(file)) return found
  const text = await readFile(path.join(dashboardPages.root, file), 'utf8')
  for (const [, always, lazily] of text.matchAll(IMPORTED)) {
    const imported = always ?? lazily ?? ''
    const isOfEmulator = imported.startsWith(EMULATOR)
    const target = isOfEmulator
      ? path.join('packages/whatsapp-emulator', imported.slice(EMULATOR.length))
      : path.join(path.dirname(file), imported)
    await bundledFrom(target, found)
  }
  return found
}

test('a change of any bundled file or text causes a new build', async () => {
  const bundled = await bundledFrom('dashboard/main.tsx')
  assert.ok(bundled.size > 100, 'finds the pages')
  const sources = new Set(await sourcesOf(dashboardPages))
  const texts = LANGUAGES.flatMap((language) =>
    Object.keys(readResources(language)).map((name) => `locales/${language}/${name}.json`),
  )
  assert.deepEqual(
    [...bundled, ...texts].filter((file) => !sources.has(file)),
    [],
  )
})
