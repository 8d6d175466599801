import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { sourcesOf } from '../../emulator/phone/built-pages.ts'
import { dashboardPages } from './build.ts'

/** All that a bundler reads: what is imported as types alone never comes into a page. */
const IMPORTED = /^(?:import|export) (?!type\b)[^'";]*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/** The files of this repository that are bundled when a page begins with this one. */
async function bundledFrom(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found
  found.add(file)
  if (!/\.tsx?$/.test(file)) return found
  const text = await readFile(path.join(dashboardPages.root, file), 'utf8')
  for (const [, always, lazily] of text.matchAll(IMPORTED))
    await bundledFrom(path.join(path.dirname(file), always ?? lazily ?? ''), found)
  return found
}

test('a change of any file that comes into the pages has them built anew', async () => {
  const bundled = await bundledFrom('dashboard/main.tsx')
  assert.ok(bundled.size > 100, 'the walk finds the pages')
  const sources = new Set(await sourcesOf(dashboardPages))
  assert.deepEqual(
    [...bundled].filter((file) => !sources.has(file)),
    [],
  )
})
