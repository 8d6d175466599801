import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { spyOnDb } from '../../database/db-spy.ts'
import { startOrder } from '../../world/order.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const agoMs = (world: World, instant: unknown): number => world.clock.now().getTime() - Date.parse(String(instant))

test('the reminder resends the template once', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  await world.after('119m')
  assert.equal(ana.screen().length, 1)
  await world.after('2m')
  const [template, reminder] = ana.screen()
  assert.equal(reminder?.text, template?.text)
  assert.deepEqual(reminder?.shown.buttons, template?.shown.buttons)
  await world.after('10h')
  assert.equal(ana.screen().length, 2)
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  assert.deepEqual(receiver.types(), [])
})

test('without an answer the deadline ends the confirmation, with no answeredAt', async (t) => {
  const { world, receiver, order } = await startOrder(t)
  await world.after('1439m')
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  await world.after('2m')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.answeredAt, view.failure], ['no_response', null, null])
  assert.deepEqual(receiver.types(), ['cod.no_response'])
  const [event] = receiver.events()
  assert.ok(Math.abs(agoMs(world, event?.data.occurredAt) - 60_000) < 30_000, 'it happened when the deadline passed')
})

test('a deadline missed during downtime is reported with its own time', async (t) => {
  const { world, receiver, order } = await startOrder(t, { cod: { confirmation: { reminderMinutes: null } } })
  await world.after('72h')
  assert.equal((await world.getConfirmation(order)).status, 'no_response')
  const behindMs = agoMs(world, receiver.events()[0]?.data.occurredAt)
  assert.ok(Math.abs(behindMs - 48 * 3_600_000) < 30_000, `${behindMs} ms ago`)
})

test('after an outage beyond the deadline no reminder goes out', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  await world.after('72h')
  assert.equal((await world.getConfirmation(order)).status, 'no_response')
  assert.deepEqual([receiver.types(), ana.screen().length], [['cod.no_response'], 1])
})

/** An order whose reports can be left unread. */
async function startUnreadOrder(t: TestContext) {
  let isReading = true
  let held = 0
  const { world, receiver, order, ana } = await startOrder(t, {
    cod: { confirmation: { reminderMinutes: null } },
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        const rows = isReading || statement.name !== 'take_provider_reports' ? await run() : []
        if (statement.name === 'find_waiting_provider_report' && rows.length > 0) held += 1
        return rows
      }),
  })
  /** The customer confirms, and the deadline passes. */
  const confirmUnread = async (customer = ana): Promise<{ read: () => Promise<unknown> }> => {
    isReading = false
    const answer = customer.taps('Confirm')
    await waitFor('the tap', async () => {
      const unread = await world.query(
        'select id from provider_reports where workspace_id = $1 and due_at is not null',
        [world.workspaceId],
      )
      return unread.length > 0
    })
    held = 0
    world.advance('25h')
    await waitFor('two turns of the timers', () => held >= 2)
    return {
      async read() {
        isReading = true
        await answer
      },
    }
  }
  return { world, receiver, order, confirmUnread }
}

test('an answer that was stored before the deadline counts although it is read after it', async (t) => {
  const { world, receiver, order, confirmUnread } = await startUnreadOrder(t)
  const { read } = await confirmUnread()
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  await read()
  assert.deepEqual(receiver.types(), ['cod.confirmed'])

  const next = await world.askToConfirm()
  const { read: readNext } = await confirmUnread(world.customer(next))
  await readNext()
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.confirmed'], 'after a second outage too')
})

test('unread reports delay a deadline by at most five minutes', async (t) => {
  const { world, receiver, order, confirmUnread } = await startUnreadOrder(t)
  const { read } = await confirmUnread()
  await waitFor('the deadline', async () => {
    world.advance('5s')
    world.nodes.forEach((node) => node.wake(['timers']))
    return (await world.getConfirmation(order)).status === 'no_response'
  })
  await read()
  assert.deepEqual(receiver.types(), ['cod.no_response', 'cod.confirmed'])
})

test('a tap after no_response still counts', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t, { cod: { confirmation: { reminderMinutes: null } } })
  await world.after('25h')
  await ana.taps('Confirm')
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
  assert.deepEqual(receiver.types(), ['cod.no_response', 'cod.confirmed'])
  await world.after('100h')
  assert.equal(receiver.received.length, 2)
})

test('an answer cancels reminder and deadline', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  await ana.taps('Cancel')
  await world.after('3h')
  await world.after('30h')
  assert.equal((await world.getConfirmation(order)).status, 'cancelled')
  assert.deepEqual(receiver.types(), ['cod.cancelled'])
  assert.equal(ana.texts().length, 2, 'the template and the closing message')
})

test('timers start when the submission completes', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  const order = await world.createConfirmation()
  world.advance('5h')
  await world.node({ works: true })
  await world.settled()
  const ana = world.customer(order)
  await world.after('119m')
  await world.reported(ana.last(), 'delivered')
  assert.equal(ana.screen().length, 1)
  await world.after('2m')
  assert.equal(ana.screen().length, 2)
})

test('a follow-up expires 23 hours after any last message, with the choices', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t, { cod: { deliveryDays: { skipWeekdays: [] } } })
  await ana.taps('Change time')
  await world.after('22h')
  await ana.sends({ raw: { type: 'image', image: { id: '1' } } })
  await world.after('22h')
  await ana.taps(0)
  const date = (
    await world.query<{ choices: { date: string } }>('select choices from confirmations where id = $1', [
      order.confirmationId,
    ])
  )[0]?.choices.date
  await world.after('22h')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
  await world.after('61m')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.reschedule], ['rescheduled', { date, timeRange: null, note: null }])
  assert.ok(view.answeredAt, 'the partial expiry sets it')
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested'])
  assert.ok(!ana.texts().includes('Thank you!'), 'a timer closes without a message')
  await world.after('48h')
  assert.equal(receiver.received.length, 1)
})

test('a follow-up without choices expires with nulls', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  await world.after('23h')
  await world.after('1s')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.reschedule], ['rescheduled', { date: null, timeRange: null, note: null }])
})

test('a refusal check has its own reminder, deadline and expiry', async (t) => {
  const settings = { refusal: { reminderMinutes: 15, noResponseMinutes: 60 }, confirmation: { reminderMinutes: null } }
  const { world, receiver, order } = await startOrder(t, { cod: settings })
  const others = [await world.createConfirmation(), await world.createConfirmation()]
  for (const each of [order, ...others]) {
    await world.settled()
    await world.customer(each).taps('Confirm')
    await world.askAboutRefusal(each)
  }
  const customers = [order, ...others].map((each) => world.customer(each))
  await customers[1]?.taps('Yes')
  await customers[2]?.taps('Yes')
  await customers[2]?.chooses('Other')
  await world.after('16m')
  assert.equal(customers[0]?.screen().filter(({ template }) => template?.name === 'delivery_refusal').length, 2)
  await world.after('45m')
  await world.after('23h')
  const views = await Promise.all([order, ...others].map((each) => world.getConfirmation(each)))
  assert.deepEqual(
    views.map(({ status, refusalCheck }) => [
      status,
      refusalCheck?.status,
      refusalCheck?.reason,
      refusalCheck?.answeredAt === null,
    ]),
    [
      ['confirmed', 'no_response', null, true],
      ['confirmed', 'refusal_confirmed', null, false],
      ['confirmed', 'refusal_confirmed', 'Other', false],
    ],
  )
  assert.deepEqual(receiver.types().slice(3).sort(), [
    'cod.refusal_confirmed',
    'cod.refusal_confirmed',
    'cod.refusal_no_response',
  ])
})

test('on two nodes each timer of 60 confirmations fires once', async (t) => {
  const { world, receiver } = await startOrder(t)
  await world.node()
  await world.node()
  const orders = await Promise.all(Array.from({ length: 60 }, () => world.createConfirmation({ to: newPhone() })))
  await world.settled()
  // Messages, not what the phones show: a slow machine may send one again whose outcome is unknown.
  const reminders = () =>
    world.query(`select confirmation_id from messages where workspace_id = $1 and purpose = 'reminder'`, [
      world.workspaceId,
    ])
  await world.after('121m')
  for (const order of orders) assert.ok(world.customer(order).screen().length >= 2)
  assert.equal((await reminders()).length, 61)
  await world.after('22h')
  const confirmationIds = receiver.events('cod.no_response').map(({ data }) => data.confirmationId)
  assert.equal(confirmationIds.length, 61)
  assert.equal(new Set(confirmationIds).size, 61)
  assert.equal((await reminders()).length, 61)
})

test('a timer that fails does not delay others', async (t) => {
  const { world, order } = await startOrder(t, { mayLogErrors: true })
  const other = await world.askToConfirm()
  const gate = await world.parts.db.connect()
  t.after(() => gate.end())
  await gate.query(`alter table messages add constraint no_reminder
    check (confirmation_id <> '${order.confirmationId}' or purpose <> 'reminder') not valid`)
  world.advance('121m')
  await waitFor('the other reminder is sent', () => world.customer(other).screen().length === 2)
  assert.equal(world.customer(order).screen().length, 1)
  const triesOf = async () =>
    (
      await world.query<{ timer_tries: number }>('select timer_tries from confirmations where id = $1', [
        order.confirmationId,
      ])
    )[0]?.timer_tries
  await waitFor('it is put off', async () => (await triesOf()) === 1)
  await gate.query('alter table messages drop constraint no_reminder')
  await world.after('31s')
  assert.equal(world.customer(order).screen().length, 2, 'it fires when it can')
})
