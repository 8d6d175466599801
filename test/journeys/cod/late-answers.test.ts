import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { reportsLoop } from '../../../src/messages/reports/process.ts'
import { explainConversation } from '../../../src/explain/explain.ts'
import { explainInEnglish } from '../../world/explained.ts'
import { codAccount } from '../../world/cod.ts'
import { createStallingProxy } from '../../faults/stalling-proxy.ts'
import { startWorld } from '../../world/world.ts'

async function startConfirmation(t: TestContext) {
  const world = await startWorld(t, { account: codAccount() })
  await world.codSettings()
  const receiver = await world.receiver()
  const order = await world.createConfirmation()
  await world.settled()
  const ana = world.customer(order)
  const template = ana.last()
  const start = Math.floor(world.clock.now().getTime() / 1000)
  world.advance('1m')
  /** The time of a tap this many seconds after the start. */
  const second = (after: number): number => start + after
  return { world, receiver, order, ana, template, second }
}

/** Rounds to the provider's precision, a second. */
const secondOf = (time: string | null | undefined): number => Math.floor(Date.parse(time ?? '') / 1000)

test('a tap reported after a later one changes nothing', async (t) => {
  const { world, receiver, order, ana, template, second } = await startConfirmation(t)
  await ana.taps('Cancel', { on: template, timestamp: second(3) })
  await ana.taps('Confirm', { on: template, timestamp: second(0) })

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', second(3)])
  assert.deepEqual(
    receiver.events().map(({ type }) => type),
    ['cod.cancelled'],
  )
})

test('a superseded tap stays in the history, and explain says why', async (t) => {
  const { world, order, ana, template, second } = await startConfirmation(t)
  await ana.taps('Cancel', { on: template, timestamp: second(3) })
  await ana.taps('Confirm', { on: template, timestamp: second(0) })

  const answers = await world.query<{ answer: string; superseded: boolean }>(
    'select answer, superseded from cod_answers where confirmation_id = $1 order by id',
    [order.confirmationId],
  )
  assert.deepEqual(answers, [
    { answer: 'cancelled', superseded: false },
    { answer: 'confirmed', superseded: true },
  ])
  const story = await explainInEnglish(world.parts, order.confirmationId)
  const details = (story?.timeline ?? []).filter(({ what }) => what === 'customer' || what === 'answer')
  assert.deepEqual(
    details.map(({ detail }) => detail),
    [
      'taps “cancel” of the confirmation’s question',
      'confirmation: cancelled',
      'taps “confirm” of the confirmation’s question; ignored: superseded: the customer gave another answer later',
      'confirmation: confirmed; superseded by a later answer',
    ],
  )
})

test('the transcript marks a superseded answer in both languages', async (t) => {
  const { world, order, ana, template, second } = await startConfirmation(t)
  await ana.taps('Cancel', { on: template, timestamp: second(3) })
  await ana.taps('Confirm', { on: template, timestamp: second(0) })

  const explained = await explainConversation(world.parts, {
    workspaceId: world.workspaceId,
    confirmationId: order.confirmationId,
  })
  assert.ok(explained)
  const ignored = explained.transcript.flatMap((item) =>
    item.by === 'customer' && item.ignored !== null ? [item.ignored] : [],
  )
  assert.deepEqual(ignored, [{ code: 'cod.superseded' }])
})

test('of two taps in one second the later arrival counts', async (t) => {
  const { world, order, ana, template, second } = await startConfirmation(t)
  await ana.taps('Cancel', { on: template, timestamp: second(3) })
  await ana.taps('Confirm', { on: template, timestamp: second(3) })
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('a tap before the deadline counts when reported after it', async (t) => {
  const { world, receiver, order, ana, template, second } = await startConfirmation(t)
  world.advance('2d')
  await world.settled()
  await ana.taps('Cancel', { on: template, timestamp: second(3) })
  await ana.taps('Confirm', { on: template, timestamp: second(0) })

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', second(3)])
  const events = receiver.events().map(({ type, data }) => ({ type, occurredAt: String(data.occurredAt) }))
  assert.deepEqual(
    events.toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1)).map(({ type }) => type),
    ['cod.no_response', 'cod.cancelled'],
  )
})

test('a tap resumed by a stalled node changes no later answer', async (t) => {
  const stall = createStallingProxy()
  const world = await startWorld(t, { works: false, mayLogErrors: true, wrapDb: stall.wrap, account: codAccount() })
  await world.codSettings()
  const other = await world.node({ wrapDb: (db) => db })
  const order = await world.createConfirmation()
  const submitter = await world.node({ wrapDb: (db) => db, works: true })
  const ana = world.customer(order)
  await world.settled()
  await submitter.stop()
  world.nodes.splice(world.nodes.indexOf(submitter), 1)
  const template = ana.last()
  const second = Math.floor(world.clock.now().getTime() / 1000)
  world.clock.advance(60_000)
  const [first, next] = [reportsLoop(world.parts), reportsLoop(other.parts)]

  await world.emulator.inbound({ from: ana.phone, tap: { button: 0, message: template.id }, timestamp: second })
  await stall.stall('take_provider_reports', () => first.turn())
  await world.emulator.inbound({ from: ana.phone, tap: { button: 1, message: template.id }, timestamp: second + 3 })
  await next.turn()
  await stall.cut()
  await first.turn()
  await next.turn()

  const { status, answeredAt } = await world.getConfirmation(order)
  assert.deepEqual([status, secondOf(answeredAt)], ['cancelled', second + 3])
})
