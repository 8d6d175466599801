import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createMetrics } from '../../src/lib/metrics.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

test('every metric is used', async () => {
  const { registry: _registry, ...metrics } = createMetrics()
  let text = ''
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    if (!name.endsWith('.test.ts')) text += await readFile(path.join(SOURCE, name), 'utf8')
  }
  const idle = Object.keys(metrics).filter((name) => !new RegExp(`metrics\\??\\.${name}\\b`).test(text))
  assert.deepEqual(idle, [])
})
