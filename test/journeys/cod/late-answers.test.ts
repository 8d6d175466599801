import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { reportsLoop } from '../../../src/messages/reports/process.ts'
import { explainConversation } from '../../../src/explain/explain.ts'
import { encodeReply } from '../../../src/cod/conversation/replies.ts'
import { newId } from '../../../src/lib/ids.ts'
import { codAccount } from '../../world/cod.ts'
import { explained } from '../../world/explained.ts'
import { startOrder } from '../../world/order.ts'
import { postMessages } from '../../world/signed-webhooks.ts'
import { createStallingProxy } from '../../faults/stalling-proxy.ts'
import { waitFor } from '../../world/wait-for.ts'
import { assertVerified } from '../../world/verified.ts'
import { startWorld } from '../../world/world.ts'

async function startConfirmation(t: TestContext) {
  const scene = await startOrder(t)
  const { world, ana } = scene
  const start = Math.floor(world.clock.now().getTime() / 1000)
  world.advance('1m')
  /** A tap on the template, this many seconds after the start. */
  const [template] = ana.screen()
  const tapped = (button: string, after: number) => ana.taps(button, { on: template, timestamp: start + after })
  return { ...scene, start, tapped }
}

/** Rounds to the provider's precision, a second. */
const secondOf = (time: string | null | undefined): number => Math.floor(Date.parse(time ?? '') / 1000)

test('a tap reported after a later one changes nothing, and stays in the history as superseded', async (t) => {
  const { world, receiver, order, start, tapped } = await startConfirmation(t)
  await tapped('Cancel', 3)
  await tapped('Confirm', 0)

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', start + 3])
  assert.deepEqual(receiver.types(), ['cod.cancelled'])
  const answers = await world.query<{ answer: string; superseded: boolean }>(
    'select answer, superseded from cod_answers where confirmation_id = $1 order by id',
    [order.confirmationId],
  )
  assert.deepEqual(answers, [
    { answer: 'cancelled', superseded: false },
    { answer: 'confirmed', superseded: true },
  ])
  const story = await explained(world, order.confirmationId)
  const details = story.timeline.filter(({ what }) => what === 'customer' || what === 'answer')
  assert.deepEqual(
    details.map(({ detail }) => detail),
    [
      'taps “cancel” on the confirmation question',
      'the customer cancelled the order',
      'taps “confirm” on the confirmation question; ignored: superseded: the customer gave another answer later',
      'the customer confirmed the order; superseded by a later answer',
    ],
  )
  const { confirmationId } = order
  const shown = await explainConversation(world.parts, { workspaceId: world.workspaceId, confirmationId })
  const ignored = (shown?.transcript ?? []).flatMap((item) =>
    item.by === 'customer' && item.ignored !== null ? [item.ignored] : [],
  )
  assert.deepEqual(ignored, [{ code: 'cod.superseded' }])
})

test('of two taps in one second the later arrival counts', async (t) => {
  const { world, order, tapped } = await startConfirmation(t)
  await tapped('Cancel', 3)
  await tapped('Confirm', 3)
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('of two taps in the same second of one webhook, the later one counts', async (t) => {
  const { world, start } = await startConfirmation(t)
  const orders = await Promise.all(Array.from({ length: 6 }, () => world.createConfirmation()))
  await world.settled()
  for (const { confirmationId, to } of orders) {
    const messages = (['confirm', 'cancel'] as const).map((answer) => {
      const button = { text: answer, payload: encodeReply({ to: 'confirmation', confirmationId, answer }) }
      return { from: to.slice(1), id: `wamid.${newId()}`, timestamp: String(start + 60), type: 'button', button }
    })
    await postMessages(world, messages)
  }
  await world.settled()
  const statuses = await Promise.all(orders.map(async (order) => (await world.getConfirmation(order)).status))
  assert.deepEqual(
    statuses,
    orders.map(() => 'cancelled'),
  )
})

test('a tap before the deadline counts when reported after it', async (t) => {
  const { world, receiver, order, start, tapped } = await startConfirmation(t)
  await world.after('2d')
  await tapped('Cancel', 3)
  await tapped('Confirm', 0)

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', start + 3])
  const events = receiver.events().map(({ type, data }) => ({ type, occurredAt: String(data.occurredAt) }))
  assert.deepEqual(
    events.toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1)).map(({ type }) => type),
    ['cod.no_response', 'cod.cancelled'],
  )
})

test('a text reported before the tap that opened its question is the answer to that question', async (t) => {
  const { world, receiver, order, ana, start, tapped } = await startConfirmation(t)
  await ana.types('Before the tap', { timestamp: start + 1 })
  await ana.types('Evening', { timestamp: start + 5 })
  await tapped('Change time', 3)
  const { status, reschedule, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, reschedule?.note, secondOf(answeredAt)], ['rescheduled', 'Evening', start + 5])

  await world.askAboutRefusal(order)
  await ana.types('It was broken', { timestamp: start + 9 })
  await ana.taps('Yes', { timestamp: start + 7 })
  const { refusalCheck } = await world.getConfirmation(order)
  assert.deepEqual([refusalCheck?.status, refusalCheck?.note], ['refusal_confirmed', 'It was broken'])
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested', 'cod.refusal_confirmed'])
  await assertVerified(world)
})

test('a text reported after a choice that the customer made later still becomes the note', async (t) => {
  const { world, receiver, order, ana, start, tapped } = await startConfirmation(t)
  await tapped('Change time', 1)
  await ana.taps(0, { timestamp: start + 3 })
  await ana.taps('09:00-12:00', { timestamp: start + 9 })
  await ana.types('Ring twice', { timestamp: start + 6 })
  await ana.types('Thanks', { timestamp: start + 12 })
  const { reschedule, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([reschedule?.timeRange, reschedule?.note], ['09:00-12:00', 'Ring twice'])
  assert.equal(secondOf(answeredAt), start + 9)

  await world.askAboutRefusal(order)
  await ana.taps('Yes', { timestamp: start + 20 })
  await ana.chooses('Damaged', { timestamp: start + 29 })
  await ana.types('It was wet', { timestamp: start + 25 })
  const { refusalCheck } = await world.getConfirmation(order)
  assert.deepEqual([refusalCheck?.reason, refusalCheck?.note], ['Damaged', 'It was wet'])
  const events = ['cod.reschedule_requested', 'cod.refusal_confirmed']
  assert.deepEqual(
    receiver.types(),
    events.flatMap((type) => [type, type]),
  )
  assert.deepEqual(receiver.events().at(-1)?.data.refusalCheck, refusalCheck)
  await assertVerified(world)
})

test('a text written before the expiry becomes the note although it is reported after it', async (t) => {
  const { world, receiver, order, ana, start, tapped } = await startConfirmation(t)
  await tapped('Change time', 1)
  await world.after('24h')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduled')
  await ana.types('Evening', { timestamp: start + 5 })
  await ana.types('Too late')
  const { reschedule, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([reschedule?.note, secondOf(answeredAt)], ['Evening', start + 5])
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested', 'cod.reschedule_requested'])
  await assertVerified(world)
})

test('a text counts although the tap before it is reported a day later', async (t) => {
  const { world, order, ana, start, tapped } = await startConfirmation(t)
  await ana.types('Evening', { timestamp: start + 5 })
  await world.after('24h')
  await tapped('Change time', 3)
  const { status, reschedule } = await world.getConfirmation(order)
  assert.deepEqual([status, reschedule?.note], ['rescheduled', 'Evening'])
  await assertVerified(world)
})

test('a text answers no question that was opened after the text was written', async (t) => {
  const { world, order, ana, start, tapped } = await startConfirmation(t)
  const later = await world.askToConfirm({ to: order.to })
  await ana.taps('Change time', { on: ana.last(), timestamp: start + 9 })
  await ana.types('Evening', { timestamp: start + 5 })
  await tapped('Change time', 3)
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
  assert.equal((await world.getConfirmation(later)).status, 'rescheduling')
  await assertVerified(world)
})

test('a text answers the question of the latest tap although an earlier tap is reported later', async (t) => {
  const { world, order, ana, start, tapped } = await startConfirmation(t)
  const later = await world.askToConfirm({ to: order.to })
  const template = ana.last()
  const taps = (after: number) => ana.taps('Change time', { on: template, timestamp: start + after })
  await taps(5)
  await tapped('Change time', 3)
  await ana.types('Evening', { timestamp: start + 9 })
  assert.equal((await world.getConfirmation(later)).reschedule?.note, 'Evening')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')

  await taps(12)
  await tapped('Change time', 12)
  await ana.types('Morning', { timestamp: start + 14 })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Morning', 'within one second arrival decides')
  await assertVerified(world)
})

test('a text belongs to the order that it answered, although that is complete when it is reported', async (t) => {
  const { world, order, ana, start, tapped } = await startConfirmation(t)
  await tapped('Change time', 0)
  const later = await world.askToConfirm({ to: order.to })
  await ana.taps('Change time', { on: ana.last(), timestamp: start + 2 })
  await ana.taps(0, { on: ana.last(), timestamp: start + 3 })
  await ana.taps(0, { on: ana.last(), timestamp: start + 9 })
  await ana.types('Ring twice', { timestamp: start + 6 })
  assert.equal((await world.getConfirmation(later)).reschedule?.note, 'Ring twice')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
  await assertVerified(world)
})

/** An order on two nodes whose reports are processed turn by turn. The first node can stall. */
async function startTwoNodes(t: TestContext) {
  const stall = createStallingProxy()
  const world = await startWorld(t, {
    works: false,
    mayLogErrors: true,
    wrapDb: stall.wrap,
    account: codAccount(),
    cod: {},
  })
  const other = await world.node({ wrapDb: (db) => db })
  const order = await world.createConfirmation()
  const submitter = await world.node({ wrapDb: (db) => db, works: true })
  const ana = world.customer(order)
  await world.settled()
  await submitter.stop()
  world.nodes.splice(world.nodes.indexOf(submitter), 1)
  const second = Math.floor(world.clock.now().getTime() / 1000)
  world.clock.advance(60_000)
  const says = (seed: object, after: number) =>
    world.emulator.inbound({ from: ana.phone, timestamp: second + after, ...seed })
  const taps = (button: number, after: number) => says({ tap: { button, message: ana.last().id } }, after)
  return { world, order, stall, second, says, taps, first: reportsLoop(world.parts), next: reportsLoop(other.parts) }
}

test('a tap resumed by a stalled node changes no later answer', async (t) => {
  const { world, order, stall, second, taps, first, next } = await startTwoNodes(t)
  await taps(0, 0)
  await stall.stall('take_provider_reports', () => first.turn())
  await taps(1, 3)
  await next.turn()
  await stall.cut()
  await first.turn()
  await next.turn()

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', second + 3])
})

test('a text counts although another node opens its question at the same time', async (t) => {
  const { world, order, stall, says, taps, first, next } = await startTwoNodes(t)
  await says({ text: 'Evening' }, 3)
  await stall.stall('end_provider_reports', () => first.turn())
  await taps(2, 0)
  const opened = next.turn()
  await waitFor('the tap waits or is processed', async () => {
    const waiting = await world.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return waiting.length > 0 || (await world.getConfirmation(order)).status === 'rescheduling'
  })
  await stall.release()
  await opened
  await next.turn()
  await next.turn()
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
})
