import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('a database that fails or hangs does not hide the other metrics', async () => {
  for (const read of [() => Promise.reject(new Error('gone')), () => new Promise<never>(() => {})]) {
    const metrics = createMetrics()
    metrics.watchInstance(read, 1)
    const text = await metrics.registry.metrics()
    assert.match(text, /^doorcode_database_up 0$/m)
    assert.match(text, /^doorcode_events_held_seconds Nan$/im)
    assert.match(text, /^doorcode_otp_accepted_total 0$/m)
    assert.doesNotMatch(text, /^doorcode_work_due\{/m)
  }
})

test('one read of the metrics asks the database once', async () => {
  const metrics = createMetrics()
  let asked = 0
  metrics.watchInstance(async () => {
    asked += 1
    const samples = [{ labels: { kind: 'reports' }, value: asked }]
    return { events_held: [{ value: asked }], work_due: samples }
  })
  for (const time of [1, 2]) {
    const text = await metrics.registry.metrics()
    assert.match(text, new RegExp(`^doorcode_events_held ${time}$`, 'm'))
    assert.match(text, new RegExp(`^doorcode_work_due\\{kind="reports"\\} ${time}$`, 'm'))
  }
})

test('every turn of a loop counts, and a loop that never succeeds shows how long ago it started', async () => {
  const metrics = createMetrics()
  const ended = metrics.watchLoop({ name: 'submit', pollMs: 250 })
  ended('failed', 40_000)
  const before = await metrics.registry.metrics()
  assert.match(before, /^doorcode_loop_turn_seconds_count\{loop="submit",outcome="failed"\} 1$/m)
  assert.match(before, /^doorcode_loop_turn_seconds_count\{loop="submit",outcome="done"\} 0$/m)
  assert.match(before, /le="60",loop="submit",outcome="failed"\} 1$/m, 'a failover fits the buckets')
  assert.match(before, /le="30",loop="submit",outcome="failed"\} 0$/m)
  assert.match(before, /^doorcode_loop_poll_seconds\{loop="submit"\} 0.25$/m)
  assert.match(before, /^doorcode_loop_since_success_seconds\{loop="submit"\} 0?\.?\d/m)
})
