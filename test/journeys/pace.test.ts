import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../world.ts'

test('what a sender has sent of late is kept as one slot, however many claims it took', async (t) => {
  const world = await startWorld(t)
  for (let round = 0; round < 4; round += 1) {
    await world.sendOtp()
    await world.settled()
  }
  const [pace] = await world.ask<{ slots: string[]; slot_sends: number[] }>(
    'select slots, slot_sends from sender_pace where sender_id = $1',
    [world.senderId],
  )
  assert.equal(pace?.slot_sends.reduce((sum, sends) => sum + sends, 0), 4)
  assert.equal(new Set(pace?.slots).size, pace?.slots.length)
})
