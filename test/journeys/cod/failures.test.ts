import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BehaviourSeed, ReportedStatus } from '@doorcode/whatsapp-emulator'
import { spyOnDb } from '../../database/db-spy.ts'
import { codAccount } from '../../world/cod.ts'
import { startOrder } from '../../world/order.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

const sentInto = (t: TestContext, ...sends: BehaviourSeed[]) => startOrder(t, { sends })

const LOST: BehaviourSeed = { connection: 'drop_after_accepting' }
const FAILED: ReportedStatus = { status: 'failed', errors: [131026] }

test('a rejected template fails the confirmation, with one event', async (t) => {
  const { world, receiver, order } = await sentInto(t, { error: 131026 })
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.failure?.code, view.answeredAt], ['failed', 'RECIPIENT_UNREACHABLE', null])
  assert.ok(view.failure?.message)
  assert.deepEqual(receiver.types(), ['cod.failed'])
  const { occurredAt: _, ...data } = receiver.events()[0]?.data ?? {}
  assert.deepEqual(data, view)
  await world.after('48h')
  assert.equal(receiver.received.length, 1, 'its timers are over')
})

test('a failed template fails the confirmation only while it has no answer', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t)
  await world.reported(ana.last(), 'sent', FAILED)
  assert.equal((await world.getConfirmation(order)).status, 'failed')
  const answered = await world.askToConfirm()
  const other = world.customer(answered)
  await other.taps('Confirm')
  await world.reported(other.screen()[0] ?? assert.fail(), FAILED)
  const view = await world.getConfirmation(answered)
  assert.deepEqual([view.status, view.failure], ['confirmed', null])
  assert.deepEqual(receiver.types(), ['cod.failed', 'cod.confirmed'])
})

test('an immediate failure is not dated before its message', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t)
  await world.reported(ana.last(), 'failed')
  const { createdAt } = await world.getConfirmation(order)
  const failedAt = String(receiver.events('cod.failed')[0]?.data.occurredAt)
  assert.ok(failedAt > createdAt, `failed at ${failedAt}, created at ${createdAt}`)
})

test('a failure reported after the delivery is ignored', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t)
  await world.reported(ana.last(), 'delivered')
  await world.reported(ana.last(), FAILED)
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  assert.deepEqual(receiver.types(), [])
})

test('a reminder that fails fails the confirmation, and a tap after it counts and clears the failure', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t)
  await world.after('121m')
  await world.reported(ana.last(), FAILED)
  assert.equal((await world.getConfirmation(order)).status, 'failed')
  await ana.taps('Confirm')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.failure], ['confirmed', null])
  assert.deepEqual(receiver.types(), ['cod.failed', 'cod.confirmed'])
})

test('a question, a prompt or a closing message that fails changes nothing', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t, {}, { error: 131026 }, {})
  const [template] = ana.screen()
  await ana.taps('Change time')
  assert.equal(ana.screen().length, 1, 'the day question was rejected')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
  await ana.taps('Change time', { on: template })
  await world.reported(ana.last(), FAILED)
  await ana.taps(0)
  await world.reported(ana.last(), FAILED)
  await ana.taps(0)
  await world.reported(ana.last(), FAILED)
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.failure], ['rescheduled', null])
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested'])
})

test('a failed refusal check leaves the confirmation’s answer', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t)
  await ana.taps('Confirm')
  world.emulator.script({ match: { to: order.to, times: 1 }, behaviour: { error: 132015 } })
  await world.askAboutRefusal(order)
  const view = await world.getConfirmation(order)
  assert.deepEqual(
    [view.status, view.refusalCheck?.status, view.failure?.code],
    ['confirmed', 'failed', 'TEMPLATE_PAUSED'],
  )
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.refusal_failed'])
})

test('GET shows the latest failure of the two checks', async (t) => {
  const { world, order, ana } = await sentInto(t)
  const [template] = ana.screen()
  await world.askAboutRefusal(order)
  await world.reported(ana.last(), { status: 'failed', errors: [131026] })
  assert.equal((await world.getConfirmation(order)).failure?.code, 'RECIPIENT_UNREACHABLE')
  world.advance('1m')
  await world.reported(template ?? assert.fail(), { status: 'failed', errors: [132015] })
  const both = await world.getConfirmation(order)
  assert.deepEqual(
    [both.status, both.refusalCheck?.status, both.failure?.code],
    ['failed', 'failed', 'TEMPLATE_PAUSED'],
  )
  await ana.taps('Confirm', { on: template })
  assert.equal((await world.getConfirmation(order)).failure?.code, 'RECIPIENT_UNREACHABLE')
})

test('a report after a lost response completes the submission and starts timers', async (t) => {
  const { world, order, ana } = await sentInto(t, LOST)
  assert.equal((await world.getConfirmation(order)).status, 'accepted')
  await world.reported(ana.last(), 'sent')
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  await world.after('121m')
  assert.equal(ana.screen().length, 2, 'the reminder')
  await world.after('22h')
  assert.equal((await world.getConfirmation(order)).status, 'no_response')
})

test('a report after a lost response completes a refusal check’s submission, too', async (t) => {
  const { world, order, ana } = await sentInto(t)
  await ana.taps('Confirm')
  world.emulator.script({ match: { to: order.to, times: 1 }, behaviour: LOST })
  await world.askAboutRefusal(order)
  await world.reported(ana.last(), 'delivered')
  assert.equal((await world.getConfirmation(order)).refusalCheck?.status, 'awaiting_answer')
})

test('without a report a lost response is sent again; both copies work', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t, LOST)
  for (let step = 0; step < 4; step += 1) {
    await world.after('15s')
  }
  const [lost, second] = ana.screen()
  assert.equal(ana.screen().length, 2)
  await ana.taps('Cancel', { on: lost })
  await ana.taps('Confirm', { on: second })
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
  assert.deepEqual(receiver.types(), ['cod.cancelled', 'cod.confirmed'])
})

/** Waits for longer than a lost response and a dead process are waited for. */
async function afterLosses({ world, ana }: Pick<Awaited<ReturnType<typeof startOrder>>, 'world' | 'ana'>) {
  for (let step = 0; step < 4; step += 1) {
    await world.after('30s')
  }
  await assertVerified(world)
  return ana.screen().length
}

test('a template and a question that the customer taps are not sent again after a lost response', async (t) => {
  const { world, receiver, order, ana } = await sentInto(t, LOST, LOST)
  await ana.taps('Change time')
  await ana.taps(0)
  assert.equal(await afterLosses({ world, ana }), 3, 'the template, a day question, a time question')
  await ana.taps(0)
  assert.equal((await world.getConfirmation(order)).status, 'rescheduled')
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested'])
})

test('a template is not sent again if its process died and the customer tapped it', async (t) => {
  const died = Promise.withResolvers<void>()
  let hasDied = false
  const world = await startWorld(t, {
    mayLogErrors: true,
    account: codAccount(),
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        if (hasDied || statement.name !== 'finish_attempts') return run()
        hasDied = true
        died.resolve()
        throw new Error('the process died')
      }),
  })
  await world.codSettings()
  const order = await world.createConfirmation()
  const ana = world.customer(order)
  await died.promise
  const free = 'select id from messages where workspace_id = $1 for update skip locked'
  await waitFor('its locks to be gone', async () => (await world.query(free, [world.workspaceId])).length === 1)
  await world.emulator.inbound({ from: ana.phone, tap: { button: 'Confirm' } })
  await waitFor('the answer', async () => (await world.getConfirmation(order)).status === 'confirmed')
  await world.settled() // or the clock would interrupt what is being sent
  assert.equal(await afterLosses({ world, ana }), 2, 'the template and the closing message')
})

test('after a day without the provider the confirmation fails with the last error', async (t) => {
  const { world, receiver, order } = await sentInto(t, ...Array.from({ length: 40 }, () => ({ error: 131016 })))
  for (const by of ['10m', '23h', '1h', '1m']) await world.after(by)
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.failure?.code], ['failed', 'PROVIDER_UNAVAILABLE'])
  assert.deepEqual(receiver.types(), ['cod.failed'])
})

test('statuses before the provider’s response do not affect the submission', async (t) => {
  const { world, order, ana } = await sentInto(t, {
    statusesBeforeResponse: true,
    statuses: [{ status: 'sent' }, { status: 'read' }],
  })
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  await world.after('121m')
  assert.equal(ana.screen().length, 2)
})
