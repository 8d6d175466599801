import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createOutbox } from './outbox.ts'

const EVERY_MS = 50

test('a notification that failed is sent again only after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let sent = 0
  const outbox = createOutbox(
    {
      rows: async () => {
        sent += 1
        if (sent < 10) throw new Error('no connection')
        return []
      },
    },
    'test',
    EVERY_MS,
  )
  outbox.put('changed', 'one')
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  assert.equal(sent, 1)
  t.mock.timers.tick(999)
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  assert.equal(sent, 1, 'not as soon as after a success')
  t.mock.timers.tick(1)
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  assert.equal(sent, 2)
  await outbox.stop()
})
