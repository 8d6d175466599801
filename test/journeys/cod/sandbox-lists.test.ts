import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../world/dashboard.ts'
import { startWorld } from '../../world/world.ts'

test('a sandbox lists messages and orders by the time they show', async (t) => {
  const world = await startWorld(t, { sandbox: true, works: false, cod: {} })
  const { workspaceId } = world
  const { calls } = await signIn(world, 'member')
  const codes = [await world.sendOtp(), await world.sendOtp(), await world.sendOtp()]
  const orders = [await world.createConfirmation(), await world.createConfirmation(), await world.createConfirmation()]
  // Simulates a clock that jumps while they are accepted: the first one shows the latest time.
  for (const table of ['messages', 'confirmations']) {
    await world.query(`update ${table} set created_at = created_at + interval '1 h' where id = any ($1)`, [
      [codes[0]?.messageId, orders[0]?.confirmationId],
    ])
  }
  const messages = await calls.messages.list.query({ workspaceId, kind: 'otp' })
  assert.deepEqual(
    messages.rows.map(({ id }) => id),
    [0, 2, 1].map((index) => codes[index]?.messageId),
  )
  const confirmations = await calls.confirmations.list.query({ workspaceId })
  assert.deepEqual(
    confirmations.rows.map(({ id }) => id),
    [0, 2, 1].map((index) => orders[index]?.confirmationId),
  )
})
