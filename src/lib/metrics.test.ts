import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('docs/ lists exactly the metrics of the program', async () => {
  const document = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const metrics = await createMetrics().registry.getMetricsAsJSON()
  assert.deepEqual(
    document.split('\n').filter((line) => line.startsWith('| `doorcode_')),
    metrics.map(({ name, help }) => `| \`${name}\` | ${help} |`),
  )
})

test('a database that fails or hangs does not hide the other metrics', async () => {
  for (const find of [() => Promise.reject(new Error('gone')), () => new Promise<never>(() => {})]) {
    const metrics = createMetrics()
    metrics.watchEvents(find, 1)
    assert.match(
      await metrics.registry.metrics(),
      /doorcode_events_held_seconds Nan\n[^]*doorcode_otp_accepted_total 0/i,
    )
  }
})

test('one read of the metrics asks the database once', async () => {
  const metrics = createMetrics()
  let asked = 0
  metrics.watchEvents(async () => {
    asked += 1
    return { number: asked, heldMs: asked * 1_000 }
  })
  for (const time of [1, 2])
    assert.match(
      await metrics.registry.metrics(),
      new RegExp(`doorcode_events_held ${time}\\n[^]*doorcode_events_held_seconds ${time}\\n`),
    )
})
