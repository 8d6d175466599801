import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { english } from '../../locales/resources.ts'
import { codeOfAction } from './action.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

test('every action of the audit log has a text on the page', async () => {
  const without = new Set<string>()
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    if (name.endsWith('.test.ts')) continue
    const text = await readFile(path.join(SOURCE, name), 'utf8')
    for (const [, action = ''] of text.matchAll(/\b(?:action|records): '([a-z_]+\.[a-z_]+)'/g)) {
      if (!english.has(codeOfAction(action))) without.add(action)
    }
  }
  assert.deepEqual([...without], [])
})
