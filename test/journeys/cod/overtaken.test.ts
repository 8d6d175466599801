import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codAccount } from '../../world/cod.ts'
import { explained } from '../../world/explained.ts'
import { pauseSender, resumeSender } from '../../../src/accounts/senders.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

/** Each keeps a reminder waiting and returns the function that releases it. */
const WAITS: Record<string, (world: World, to: string) => Promise<() => Promise<unknown>>> = {
  'for its sender': async ({ parts, workspaceId, senderId, clock }) => {
    await pauseSender(parts.db, { workspaceId, senderId }, clock.now())
    return () => resumeSender(parts.db, { workspaceId, senderId })
  },
  'for its next attempt': async (world, to) => {
    world.emulator.script({ match: { to, times: 1 }, behaviour: { error: 131056 } })
    return async () => world.advance('10s')
  },
}

for (const [waits, keepWaiting] of Object.entries(WAITS))
  test(`a reminder that waits ${waits} is cancelled by an answer, and explain says so`, async (t) => {
    const world = await startWorld(t, { account: codAccount(), cod: { confirmation: { reminderMinutes: 60 } } })
    const to = newPhone()
    const order = await world.askToConfirm({ to })
    const ana = world.customer(order)

    const letGo = await keepWaiting(world, to)
    await world.after('61m')
    await ana.taps('Confirm')
    await letGo()
    await world.settled()

    assert.equal((await world.getConfirmation(order)).status, 'confirmed')
    assert.deepEqual(
      ana.screen().map(({ type }) => type),
      ['template', 'text'],
      'the question and the closing message only',
    )
    const details = (await explained(world, order.confirmationId)).timeline.map(({ detail }) => detail)
    assert.ok(
      details.some((detail) => /reminder.*; not sent, because/s.test(detail)),
      details.join('\n'),
    )
  })
