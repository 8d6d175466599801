import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { verify } from '../../src/verify/verify.ts'
import { codAccount } from '../cod.ts'
import { type World, startWorld } from '../world.ts'

const check = ({ parts, workspaceId }: World, more: object = {}) =>
  verify(parts, { workspaceId, secondLookMs: 1, maxBatch: 3, ...more })

/** A world with everything in it: codes, orders and refusal checks with every outcome, and webhooks that fail. */
async function fullWorld(t: TestContext) {
  const world = await startWorld(t, { account: codAccount() })
  const receiver = await world.receiver()
  await world.codSettings({
    confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
    refusal: { reminderMinutes: 60, noResponseMinutes: 300 },
    languages: { en: { closingMessages: { confirmation: 'Thank you!', refusal: 'Sorry' } } },
  })
  receiver.answers = [500, 500]
  const delivered = await world.sendOtp()
  await world.whatsapp.reports(delivered, ['read', 'sent', 'delivered'])
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, ['sent', { status: 'failed', errors: [131026] }])
  const corrected = await world.sendOtp()
  await world.whatsapp.reports(corrected, [{ status: 'failed', errors: [131026] }, 'delivered', 'sent'])
  world.emulator.script({ match: { to: '+212600000001', times: 1 }, behaviour: { error: 131026 } })
  const refused = await world.sendOtp({ to: '+212600000001' })
  await world.settled()

  const order = async () => {
    const created = await world.createConfirmation()
    await world.settled()
    return { created, customer: world.customer(created) }
  }
  const rescheduled = await order()
  await rescheduled.customer.taps('Change time')
  await rescheduled.customer.taps(0)
  await rescheduled.customer.taps(0)
  const later = await order()
  await later.customer.taps('Confirm')
  await later.customer.taps('Cancel', { on: later.customer.screen()[0] })
  const expiring = await order()
  await expiring.customer.taps('Change time')
  await expiring.customer.taps(1)
  const noted = await order()
  await noted.customer.taps('Change time')
  await noted.customer.types('Evening')
  const lost = await order()
  await world.reported(lost.customer.last(), { status: 'failed', errors: [131026] })
  const silent = await order()
  const denied = await order()
  await denied.customer.taps('Confirm')
  await world.startRefusalCheck(denied.created)
  await world.settled()
  await denied.customer.taps('No')
  await world.startRefusalCheck(rescheduled.created)
  await world.settled()
  await rescheduled.customer.taps('Yes')
  await rescheduled.customer.chooses(2)
  await rescheduled.customer.types('Too expensive')
  world.advance('121m')
  await world.settled()
  world.advance('24h')
  await world.settled()
  await world.startRefusalCheck(silent.created)
  await world.settled()
  world.advance('6h')
  await world.settled()
  return { world, receiver, delivered, failed, corrected, refused, rescheduled, later, expiring, noted, lost, silent, denied }
}

test('a workspace with every outcome verifies without a difference', async (t) => {
  const { world } = await fullWorld(t)
  const found = await check(world)
  assert.deepEqual(found.differences, { total: 0, byCode: {}, shown: [] })
  assert.deepEqual(Object.values(found.notVerifiable), [0, 0, 0, 0, 0])
  console.log(found.checked)
})
