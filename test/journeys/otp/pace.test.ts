import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimMessages } from '../../../src/messages/queue/claim.ts'
import { createStoppedClock } from '../../faults/moved-clock.ts'
import { startWorld } from '../../world/world.ts'

test('the sends of one moment share one slot over several claims', async (t) => {
  const world = await startWorld(t, { clock: createStoppedClock() })
  for (let round = 0; round < 4; round += 1) {
    await world.submitOtp()
  }
  const [pace] = await world.query<{ slot_sends: number[] }>(
    'select slot_sends from sender_pace where sender_id = $1',
    [world.senderId],
  )
  assert.deepEqual(pace?.slot_sends, [4])
})

test('with little capacity no backlog of one sender starves another', async (t) => {
  const world = await startWorld(t, { works: false })
  const [busy = '', other = ''] = world.account.senders.map(({ senderId }) => senderId)
  await world.query(`update senders set throughput = 'HIGH' where id = $1`, [other])
  for (let count = 0; count < 40; count += 1) await world.sendOtp({ senderId: busy })
  await world.sendOtp({ senderId: other })
  const claimed: string[] = []
  for (let turn = 0; turn < 40; turn += 1) {
    for (const { senderId } of (await claimMessages(world.parts, 1)).messages) claimed.push(senderId)
  }
  assert.ok(claimed.includes(other), 'the other sender had no turn of 40')
})
