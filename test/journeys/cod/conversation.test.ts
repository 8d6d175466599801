import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmulatorMessage } from '../../world/cod.ts'
import { startOrder } from '../../world/order.ts'
import { type World, newPhone } from '../../world/world.ts'
import { startRefusalCheck } from '../../world/order.ts'

const labelsOf = ({ shown }: EmulatorMessage): string[] => shown.buttons.map(({ text }) => text)
const rowsOf = ({ shown }: EmulatorMessage): string[] => shown.list?.rows.map(({ title }) => title) ?? []

/** The date (YYYY-MM-DD) this many days from now in the delivery time zone. */
const dayIn = (world: World, days: number, timeZone = 'Africa/Casablanca') =>
  Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .add({ days })

const EVERY_DAY = { deliveryDays: { skipWeekdays: [] } }

test('each button of the template acts by its position, not its label', async (t) => {
  const { world, receiver } = await startOrder(t)
  for (const [button, status, event] of [
    [0, 'confirmed', 'cod.confirmed'],
    [1, 'cancelled', 'cod.cancelled'],
    [2, 'rescheduling', null],
  ] as const) {
    const order = await world.askToConfirm({ template: { name: 'order_confirmation', language: 'ar' } })
    assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
    await world.customer(order).taps(button)
    const view = await world.getConfirmation(order)
    assert.equal(view.status, status)
    assert.equal(view.answeredAt === null, event === null)
    const events = receiver.events().filter(({ data }) => data.confirmationId === order.confirmationId)
    assert.deepEqual(
      events.map(({ type }) => type),
      event ? [event] : [],
    )
  }
})

test('a reschedule asks for day and time range and sends one event', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t, { cod: EVERY_DAY })
  await ana.taps('Change time')
  assert.deepEqual([ana.last().shown.body, labelsOf(ana.last()).length], ['Which day?', 3])
  await ana.taps(1)
  assert.deepEqual([ana.last().shown.body, labelsOf(ana.last())], ['At what time?', ['09:00-12:00', '12:00-18:00']])
  assert.deepEqual(receiver.types(), [], 'questions are no outcome')
  await ana.taps('12:00-18:00')
  const view = await world.getConfirmation(order)
  assert.equal(view.status, 'rescheduled')
  assert.deepEqual(view.reschedule, { date: dayIn(world, 2).toString(), timeRange: '12:00-18:00', note: null })
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested'])
  assert.equal(ana.last().shown.body, 'Thank you!')
})

test('an event has the body of GET and occurredAt', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  await ana.taps('Confirm')
  const [event] = receiver.events()
  const { occurredAt, ...data } = event?.data ?? {}
  assert.deepEqual(data, await world.getConfirmation(order))
  assert.equal(event?.timestamp, occurredAt)
  assert.equal(occurredAt, data.answeredAt)
})

for (const isLate of [false, true])
  test(`an immediate answer${isLate ? ' that is reported late' : ''} is not dated before its question`, async (t) => {
    const { world, order, ana } = await startOrder(t)
    const { createdAt } = await world.getConfirmation(order)
    if (isLate) world.advance('2s')
    await ana.taps('Confirm', isLate ? { timestamp: Math.floor(Date.parse(createdAt) / 1000) } : {})
    const { answeredAt } = await world.getConfirmation(order)
    assert.ok(answeredAt && answeredAt > createdAt, `answered at ${answeredAt}, created at ${createdAt}`)
  })

test('occurredAt always rises, for quick and for old answers', async (t) => {
  const { world, receiver, ana } = await startOrder(t)
  const [template] = ana.screen()
  const second = Math.floor(world.clock.now().getTime() / 1000)
  for (let round = 0; round < 3; round += 1) {
    await ana.taps('Confirm', { on: template, timestamp: second - 600 })
    await ana.taps('Cancel', { on: template, timestamp: second - 600 })
  }
  for (let round = 0; round < 3; round += 1) {
    await ana.taps('Confirm', { on: template, timestamp: second })
    await ana.taps('Cancel', { on: template, timestamp: second })
  }
  const times = receiver.events().map(({ data }) => String(data.occurredAt))
  assert.equal(times.length, 12)
  assert.deepEqual(times, [...new Set(times)].sort())
})

test('the days on offer begin tomorrow in the delivery time zone, and skip weekdays', async (t) => {
  const weekday = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
  const timeZone = 'Pacific/Auckland'
  const { world } = await startOrder(t)
  const tomorrow = dayIn(world, 1, timeZone)
  const skipped = weekday[tomorrow.dayOfWeek - 1]
  await world.codSettings({ timeZone, deliveryDays: { offered: 2, skipWeekdays: [skipped] } })
  const order = await world.askToConfirm()
  const ana = world.customer(order)
  await ana.taps('Change time')
  assert.equal(labelsOf(ana.last()).length, 2)
  await ana.taps(0)
  await ana.taps(0)
  const { reschedule } = await world.getConfirmation(order)
  assert.equal(reschedule?.date, dayIn(world, 2, timeZone).toString())
})

test('in Arabic every label is Arabic and has at most 20 characters', async (t) => {
  const { world } = await startOrder(t)
  const order = await world.askToConfirm({ template: { name: 'order_confirmation', language: 'ar' } })
  const ana = world.customer(order)
  await ana.taps('تغيير الموعد')
  assert.equal(ana.last().shown.body, 'أي يوم؟')
  for (const label of labelsOf(ana.last())) {
    assert.match(label, /[\u0600-\u06ff]/)
    assert.ok(Array.from(label).length <= 20, label)
  }
  await ana.taps(0)
  await ana.taps('مساء')
  assert.equal((await world.getConfirmation(order)).reschedule?.timeRange, 'مساء')
  assert.equal(ana.last().shown.body, 'شكرا لك')
  await world.askAboutRefusal(order, { template: { name: 'delivery_refusal', language: 'ar' } })
  await ana.taps('نعم')
  assert.deepEqual(rowsOf(ana.last()), ['متأخر', 'تالف', 'سبب آخر'])
  await ana.chooses('سبب آخر')
  assert.equal(ana.last().shown.body, 'أخبرنا بالمزيد')
  await ana.types('وصل مكسورا')
  const { refusalCheck } = await world.getConfirmation(order)
  assert.deepEqual([refusalCheck?.reason, refusalCheck?.note], ['سبب آخر', 'وصل مكسورا'])
})

test('typed text completes a reschedule as a note, with earlier choices', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t, { cod: EVERY_DAY })
  await ana.taps('Change time')
  await ana.taps(0)
  await ana.types('After six, please 🙂')
  const view = await world.getConfirmation(order)
  assert.equal(view.status, 'rescheduled')
  assert.deepEqual(view.reschedule, { date: dayIn(world, 1).toString(), timeRange: null, note: 'After six, please 🙂' })
  assert.deepEqual(receiver.types(), ['cod.reschedule_requested'])
})

test('characters that the database cannot store are removed from a note', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  await ana.sends({ raw: { type: 'text', text: { body: 'After\u0000 six \ud83d' } } })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'After six \ufffd')
})

test('a text without a visible character is no note and completes nothing', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  for (const text of ['\u2800', '\u200e', ' \u3164 ']) await ana.types(text)
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
  await ana.types('🌙')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, '🌙')
})

test('a later tap on the template changes the answer, with one event each', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  const [template] = ana.screen()
  await ana.taps('Confirm')
  await ana.taps('Confirm')
  await ana.taps('Cancel', { on: template })
  await ana.taps('Change time', { on: template })
  const between = await world.getConfirmation(order)
  assert.deepEqual([between.status, between.answeredAt, between.reschedule], ['rescheduling', null, null])
  await ana.taps(0)
  await ana.taps(0)
  await ana.taps('Confirm', { on: template })
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.reschedule], ['confirmed', null])
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.cancelled', 'cod.reschedule_requested', 'cod.confirmed'])
  assert.equal(ana.texts().filter((text) => text === 'Thank you!').length, 1, 'one closing message a check')
})

test('the reminder’s buttons work like the template’s', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await world.after('121m')
  const [template, reminder] = ana.screen()
  assert.equal(reminder?.text, template?.text)
  await ana.taps('Cancel', { on: reminder })
  assert.equal((await world.getConfirmation(order)).status, 'cancelled')
  await ana.taps('Confirm', { on: template })
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('a button of an old day question means the date that it showed', async (t) => {
  const { world, order, ana } = await startOrder(t, { cod: EVERY_DAY })
  const [template] = ana.screen()
  const shown = dayIn(world, 1).toString()
  await ana.taps('Change time')
  const old = ana.last()
  world.advance('22h')
  await ana.taps('Change time', { on: template })
  world.advance('22h')
  await world.codSettings({ ...EVERY_DAY, timeZone: 'Pacific/Auckland' })
  await ana.taps(0, { on: old })
  await ana.taps(0)
  assert.equal((await world.getConfirmation(order)).reschedule?.date, shown)
})

test('after a reschedule only its latest day question changes the date', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t, { cod: EVERY_DAY })
  const [template] = ana.screen()
  await ana.taps('Change time')
  const earlier = ana.last()
  await ana.taps(0)
  await ana.taps(0)
  await ana.taps('Change time', { on: template })
  const latest = ana.last()
  await ana.taps(0)
  await ana.taps(0)
  const dateOf = async () => (await world.getConfirmation(order)).reschedule?.date
  await ana.taps(2, { on: latest })
  assert.equal(await dateOf(), dayIn(world, 3).toString())
  await ana.taps(1, { on: earlier })
  assert.equal(await dateOf(), dayIn(world, 3).toString())
  await ana.taps(2, { on: latest })
  assert.deepEqual(
    receiver.types(),
    Array.from({ length: 3 }, () => 'cod.reschedule_requested'),
  )
})

test('a listed reason confirms a refusal, and a later choice changes it', async (t) => {
  const { world, receiver, order, ana } = await startRefusalCheck(t)
  await ana.taps('Yes')
  assert.deepEqual([ana.last().shown.list?.button, rowsOf(ana.last())], ['Reasons', ['Too late', 'Damaged', 'Other']])
  assert.deepEqual(receiver.types(), ['cod.confirmed'])
  await ana.chooses('Damaged')
  const { status, refusalCheck } = await world.getConfirmation(order)
  assert.equal(status, 'confirmed')
  assert.deepEqual(
    [refusalCheck?.status, refusalCheck?.reason, refusalCheck?.note],
    ['refusal_confirmed', 'Damaged', null],
  )
  assert.ok(refusalCheck?.answeredAt)
  await ana.chooses('Too late')
  assert.equal((await world.getConfirmation(order)).refusalCheck?.reason, 'Too late')
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.refusal_confirmed', 'cod.refusal_confirmed'])
})

test('nine reasons and Other fit one list', async (t) => {
  const reasons = Array.from({ length: 9 }, (_, index) => `Reason number ${index + 1}`)
  const { world, order, ana } = await startRefusalCheck(t, { languages: { en: { refusalReasons: reasons } } })
  await ana.taps('Yes')
  assert.deepEqual(rowsOf(ana.last()), [...reasons, 'Other'])
  await ana.chooses(8)
  assert.equal((await world.getConfirmation(order)).refusalCheck?.reason, 'Reason number 9')
})

test('Other asks for a note, which completes the check', async (t) => {
  const { world, receiver, order, ana } = await startRefusalCheck(t)
  await ana.taps('Yes')
  await ana.chooses('Other')
  assert.equal(ana.last().shown.body, 'Tell us more')
  const waiting = (await world.getConfirmation(order)).refusalCheck
  assert.deepEqual([waiting?.status, waiting?.reason], ['awaiting_note', 'Other'])
  await ana.types('Wrong colour')
  const view = (await world.getConfirmation(order)).refusalCheck
  assert.deepEqual([view?.status, view?.reason, view?.note], ['refusal_confirmed', 'Other', 'Wrong colour'])
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.refusal_confirmed'])
})

test('a denied refusal sends one event and can still be confirmed', async (t) => {
  const { world, receiver, order, ana } = await startRefusalCheck(t)
  const question = ana.last()
  await ana.taps('No')
  await ana.taps('No')
  assert.equal((await world.getConfirmation(order)).refusalCheck?.status, 'denied')
  await ana.taps('Yes', { on: question })
  assert.equal((await world.getConfirmation(order)).refusalCheck?.status, 'awaiting_reason')
  await ana.types('It was broken')
  const view = (await world.getConfirmation(order)).refusalCheck
  assert.deepEqual([view?.status, view?.reason, view?.note], ['refusal_confirmed', null, 'It was broken'])
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.refusal_denied', 'cod.refusal_confirmed'])
})

test('messages of a conversation never cause message.* events', async (t) => {
  const { world, receiver, ana } = await startOrder(t)
  await ana.taps('Change time')
  for (const message of ana.screen()) await world.reported(message, 'sent', 'delivered', 'read')
  await world.reported(ana.last(), { status: 'failed', errors: [131026] })
  assert.deepEqual(receiver.types(), [])
})

test('texts are read when a question is sent, timers when the submission completes', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await world.codSettings({
    confirmation: { reminderMinutes: 60, noResponseMinutes: 120 },
    languages: {
      en: { texts: { dayQuestion: 'When?' }, timeRanges: ['Morning'], closingMessages: { confirmation: 'Bye' } },
    },
  })
  await world.after('61m')
  assert.equal(ana.screen().length, 1, 'the reminder keeps the time that was set when the template went out')
  await ana.taps('Change time')
  assert.equal(ana.last().shown.body, 'When?')
  await ana.taps(0)
  assert.deepEqual(labelsOf(ana.last()), ['Morning'])
  await ana.taps('Morning')
  assert.equal(ana.last().shown.body, 'Bye')
  assert.equal((await world.getConfirmation(order)).status, 'rescheduled')
})

test('answers still count after their language was removed from the settings', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await world.codSettings({ languages: { en: undefined } })
  await ana.taps('Change time')
  assert.equal(ana.screen().length, 1, 'there is nothing to ask with')
  await ana.types('Evening')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
})

test('every answer ever given is kept', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const [template] = ana.screen()
  await ana.taps('Confirm')
  await ana.taps('Change time', { on: template })
  await ana.taps(0)
  await ana.types('Evening')
  await ana.taps('Cancel', { on: template })
  const answers = await world.query<{ answer: string }>(
    'select answer from cod_answers where confirmation_id = $1 order by id',
    [order.confirmationId],
  )
  assert.deepEqual(
    answers.map(({ answer }) => answer),
    ['confirmed', 'reschedule_started', 'day_chosen', 'rescheduled', 'cancelled'],
  )
})

test('simultaneous answers of two customers do not block or mix', async (t) => {
  const { world, receiver } = await startOrder(t)
  const orders = await Promise.all(Array.from({ length: 40 }, () => world.createConfirmation({ to: newPhone() })))
  await world.settled()
  await Promise.all(
    orders.map((order, index) => world.emulator.inbound({ from: order.to, tap: { button: index % 3 } })),
  )
  await world.settled()
  for (const [index, order] of orders.entries())
    assert.equal((await world.getConfirmation(order)).status, ['confirmed', 'cancelled', 'rescheduling'][index % 3])
  assert.equal(receiver.received.length, orders.filter((_, index) => index % 3 !== 2).length)
})
