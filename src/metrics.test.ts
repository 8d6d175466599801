import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('docs/ lists exactly the metrics of the program', async () => {
  const document = await readFile(new URL('../docs/operations.md', import.meta.url), 'utf8')
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  assert.deepEqual(
    document.split('\n').filter((line) => line.startsWith('| `doorcode_')),
    metrics.map(({ name, help }) => `| \`${name}\` | ${help} |`),
  )
})
