import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { startWorld } from './world.ts'

test('a world starts although another process took the port of the last one', async (t) => {
  let port = 0
  await t.test('the first world', async (t) => {
    const { first } = await startWorld(t)
    port = Number(new URL(first.url).port)
  })
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  await t.test('the next world', async (t) => {
    const { first } = await startWorld(t)
    assert.notEqual(Number(new URL(first.url).port), port)
  })
})
