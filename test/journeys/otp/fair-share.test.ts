import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../world/world.ts'

test('codes, verifications and confirmations take turns together', async (t) => {
  const world = await startWorld(t)
  const { fairShare } = world.parts
  assert.ok(fairShare)
  const turn = t.mock.method(fairShare, 'waitForTurn')
  const ended = t.mock.method(fairShare, 'groupEnded')
  await world.codSettings()
  await world.sendOtp()
  await world.startVerification()
  await world.createConfirmation()
  const turns = turn.mock.calls.map((call) => call.arguments[0])
  assert.deepEqual(
    turns,
    Array.from({ length: 3 }, () => world.workspaceId),
  )
  assert.equal(ended.mock.callCount(), 3)
})
