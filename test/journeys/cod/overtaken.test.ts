import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainInEnglish } from '../../world/explained.ts'
import { pauseSender, resumeSender } from '../../../src/accounts/senders.ts'
import { startWorld } from '../../world/world.ts'

test('a queued reminder is cancelled by an answer, and explain says so', async (t) => {
  const world = await startWorld(t)
  await world.codSettings({ confirmation: { reminderMinutes: 60 } })
  const order = await world.createConfirmation()
  await world.settled()
  const ana = world.customer(order)
  const sender = { workspaceId: world.workspaceId, senderId: world.senderId }

  await pauseSender(world.parts.db, sender, world.clock.now())
  world.advance('61m')
  await world.settled()
  await ana.taps('Confirm')
  await resumeSender(world.parts.db, sender)
  await world.settled()

  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
  assert.deepEqual(
    ana.screen().map(({ type }) => type),
    ['template', 'text'],
    'the question and the closing message only',
  )
  const story = await explainInEnglish(world.parts, order.confirmationId)
  const details = story?.timeline.map(({ detail }) => detail) ?? []
  assert.ok(
    details.some((detail) => /reminder.*; not sent, because/s.test(detail)),
    details.join('\n'),
  )
})
