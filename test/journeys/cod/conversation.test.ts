import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { encodeReply } from '../../../src/cod/conversation/replies.ts'
import { newId } from '../../../src/lib/ids.ts'
import { type EmulatorMessage, codAccount } from '../../world/cod.ts'
import { startOrder, typesOf } from '../../world/order.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

/** A confirmed order with a refusal check that waits for its answer. */
async function startRefusalCheck(t: TestContext, cod: object = {}) {
  const scene = await startOrder(t, { cod })
  await scene.ana.taps('Confirm')
  await scene.world.startRefusalCheck(scene.order)
  await scene.world.settled()
  return scene
}

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
    const order = await world.createConfirmation({ template: { name: 'order_confirmation', language: 'ar' } })
    await world.settled()
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
  assert.deepEqual(typesOf(receiver), [], 'questions are no outcome')
  await ana.taps('12:00-18:00')
  const view = await world.getConfirmation(order)
  assert.equal(view.status, 'rescheduled')
  assert.deepEqual(view.reschedule, { date: dayIn(world, 2).toString(), timeRange: '12:00-18:00', note: null })
  assert.deepEqual(typesOf(receiver), ['cod.reschedule_requested'])
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
  const order = await world.createConfirmation()
  await world.settled()
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
  const order = await world.createConfirmation({ template: { name: 'order_confirmation', language: 'ar' } })
  await world.settled()
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
  await world.startRefusalCheck(order, { template: { name: 'delivery_refusal', language: 'ar' } })
  await world.settled()
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
  assert.deepEqual(typesOf(receiver), ['cod.reschedule_requested'])
})

test('characters that the database cannot store are removed from a note', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  await ana.sends({ raw: { type: 'text', text: { body: 'After\u0000 six \ud83d' } } })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'After six \ufffd')
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
  assert.deepEqual(typesOf(receiver), ['cod.confirmed', 'cod.cancelled', 'cod.reschedule_requested', 'cod.confirmed'])
  assert.equal(ana.texts().filter((text) => text === 'Thank you!').length, 1, 'one closing message a check')
})

test('the reminder’s buttons work like the template’s', async (t) => {
  const { world, order, ana } = await startOrder(t)
  world.advance('121m')
  await world.settled()
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
    typesOf(receiver),
    Array.from({ length: 3 }, () => 'cod.reschedule_requested'),
  )
})

test('a listed reason confirms a refusal, and a later choice changes it', async (t) => {
  const { world, receiver, order, ana } = await startRefusalCheck(t)
  await ana.taps('Yes')
  assert.deepEqual([ana.last().shown.list?.button, rowsOf(ana.last())], ['Reasons', ['Too late', 'Damaged', 'Other']])
  assert.deepEqual(typesOf(receiver), ['cod.confirmed'])
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
  assert.deepEqual(typesOf(receiver), ['cod.confirmed', 'cod.refusal_confirmed', 'cod.refusal_confirmed'])
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
  assert.deepEqual(typesOf(receiver), ['cod.confirmed', 'cod.refusal_confirmed'])
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
  assert.deepEqual(typesOf(receiver), ['cod.confirmed', 'cod.refusal_denied', 'cod.refusal_confirmed'])
})

test('a reply without number or context counts', async (t) => {
  const { world } = await startOrder(t)
  for (const hidden of [
    { hidePhone: true },
    { omitContext: true },
    { hidePhone: true, omitContext: true, omitContacts: true },
  ]) {
    const order = await world.createConfirmation()
    await world.settled()
    const customer = world.customer(order)
    await customer.taps('Change time', hidden)
    await customer.taps(0, hidden)
    await customer.types('Evening', hidden)
    assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening', JSON.stringify(hidden))
  }
})

test('the first reply identifies a customer whom the send response did not', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  await world.codSettings()
  world.emulator.script({ match: {}, behaviour: { omit: ['user_id'] } })
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Change time', { hidePhone: true })
  await world.customer(order).types('Evening', { hidePhone: true })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
})

test('a repeated reply counts once', async (t) => {
  const { world, receiver, ana } = await startOrder(t)
  const [template] = ana.screen()
  await ana.taps('Confirm', { copies: 3 })
  const cancelled = await ana.taps('Cancel', { on: template })
  await ana.taps('Confirm', { on: template })
  world.advance('5m')
  await ana.repeats(cancelled)
  assert.deepEqual(typesOf(receiver), ['cod.confirmed', 'cod.cancelled', 'cod.confirmed'])
})

test('typed text goes to the conversation that it quotes', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.createConfirmation({ to: order.to, reference: 'other' })
  await world.settled()
  const [first, second] = ana.screen()
  await ana.taps('Change time', { on: first })
  const dayQuestion = ana.last()
  await ana.taps('Change time', { on: second })
  await ana.types('For the first one', { on: dayQuestion })
  const [one, two] = [await world.getConfirmation(order), await world.getConfirmation(other)]
  assert.deepEqual([one.status, one.reschedule?.note], ['rescheduled', 'For the first one'])
  assert.equal(two.status, 'rescheduling')
})

test('typed text without a quote goes to the latest open question', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.createConfirmation({ to: order.to })
  await world.settled()
  const [first, second] = ana.screen()
  await ana.taps('Change time', { on: second })
  await ana.taps('Change time', { on: first })
  await ana.types('For the first one')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'For the first one')
  assert.equal((await world.getConfirmation(other)).status, 'rescheduling')
  await ana.types('For the second one')
  assert.equal((await world.getConfirmation(other)).reschedule?.note, 'For the second one')
  await ana.types('For no question')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'For the first one')
})

test('of two questions of one batch, text answers the second', async (t) => {
  // On a slow machine the gate stays closed for longer than a statement waits for a lock, which is logged.
  const { world, order, ana } = await startOrder(t, { mayLogErrors: true })
  const other = await world.createConfirmation({ to: order.to })
  await world.settled()
  const [first, second] = ana.screen()
  assert.ok(first && second)
  for (const [earlier, later, answered] of [
    [second, first, order],
    [first, second, other],
  ] as const) {
    await tapTogether(world, { phone: order.to, messages: [earlier, later] })
    await ana.types('Evening')
    assert.equal((await world.getConfirmation(answered)).reschedule?.note, 'Evening')
    await ana.types('Whenever')
  }
})

/** Taps on change time that are stored while an earlier reply waits, so that the next turn takes them together. */
async function tapTogether(world: World, { phone, messages }: { phone: string; messages: EmulatorMessage[] }) {
  world.advance('1m')
  const now = Math.floor(world.clock.now().getTime() / 1000)
  const gate = await world.parts.db.connect()
  await gate.query('begin')
  await gate.query('lock table confirmations in exclusive mode')
  await world.emulator.inbound({ from: phone, tap: { button: 0, message: messages[0]?.id ?? '' }, timestamp: now - 20 })
  await waitFor('a reply waits for the lock', async () => (await gate.query(LOCK_WAITS)).rowCount !== 0)
  for (const [index, { id }] of messages.entries()) {
    await world.emulator.inbound({ from: phone, tap: { button: 2, message: id }, timestamp: now - 10 + index })
  }
  await gate.query('commit')
  await gate.end()
  await world.settled()
}

const LOCK_WAITS = `select 1 from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.relation = 'confirmations'::regclass and not l.granted`

test('when both checks ask, text goes to the one that asked last', async (t) => {
  const { world, order, ana } = await startRefusalCheck(t)
  const [template] = ana.screen()
  await ana.taps('Change time', { on: template })
  await ana.taps('Yes', { on: ana.screen().find(({ template: of }) => of?.name === 'delivery_refusal') })
  await ana.types('It was broken')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.refusalCheck?.note, view.status], ['It was broken', 'rescheduling'])
  await ana.types('Tomorrow evening')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Tomorrow evening')
})

test('a message that answers nothing is only kept in the transcript', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  const before = await world.getConfirmation(order)
  await ana.types('Hello?')
  await ana.sends({ raw: { type: 'reaction', reaction: { message_id: ana.last().id, emoji: '👍' } } })
  await ana.sends({ raw: { type: 'image', image: { id: '1' } } })
  await ana.sends({ raw: { type: 'unsupported' } })
  assert.deepEqual(await world.getConfirmation(order), before)
  assert.deepEqual([ana.screen().length, receiver.received.length], [1, 0])
  const transcript = await world.query<{ outcome: string; note: string }>(
    `select outcome, note from provider_reports where confirmation_id = $1 order by received_at`,
    [order.confirmationId],
  )
  assert.equal(transcript.length, 4)
  for (const { outcome, note } of transcript) assert.ok(outcome === 'ignored' && note)
})

test('text to another number of the business answers nothing', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  await ana.types('Evening', { to: '15550100102' })
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
})

/** A tap whose payload is made up; the emulator's own taps send only what was on the screen. */
const forged = (payload: string, quote?: string) => ({
  raw: { type: 'button', button: { payload, text: 'Confirm' } },
  ...(quote !== undefined && { quote }),
})

test('a payload of another workspace or release changes nothing', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  const theirs = await startOrder(t)
  const before = [await world.getConfirmation(order), await theirs.world.getConfirmation(theirs.order)]
  const good = encodeReply({ to: 'confirmation', confirmationId: order.confirmationId, answer: 'confirm' })
  for (const payload of [
    encodeReply({ to: 'confirmation', confirmationId: theirs.order.confirmationId, answer: 'confirm' }),
    encodeReply({ to: 'confirmation', confirmationId: newId(), answer: 'confirm' }),
    encodeReply({ to: 'question', questionId: newId(), index: 0 }),
    encodeReply({ to: 'refusal', confirmationId: order.confirmationId, answer: 'yes' }),
    good.replace('dc1', 'dc2'),
    `${good} `,
    good.replace(':0', ':7'),
    'Confirm',
    'x'.repeat(5_000),
  ])
    await ana.sends(forged(payload))
  assert.deepEqual([await world.getConfirmation(order), await theirs.world.getConfirmation(theirs.order)], before)
  assert.equal(receiver.received.length + theirs.receiver.received.length, 0)
})

test('a payload that quotes another conversation’s message is rejected', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.createConfirmation({ to: order.to })
  await world.settled()
  const [first, second] = ana.screen()
  const payload = encodeReply({ to: 'confirmation', confirmationId: order.confirmationId, answer: 'confirm' })
  await ana.sends(forged(payload, second?.id))
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  assert.equal((await world.getConfirmation(other)).status, 'awaiting_answer')
  await ana.sends(forged(payload, first?.id))
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('a choice that quotes the order’s other check is rejected', async (t) => {
  const { world, order, ana } = await startRefusalCheck(t)
  const [template] = ana.screen()
  const refusal = ana.last()
  await ana.taps('Change time', { on: template })
  const choice = ana.last().shown.buttons[0]?.payload ?? ''
  const chosen = {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: choice, title: 'x' } },
  }
  const choices = () => world.query('select choices from confirmations where id = $1', [order.confirmationId])
  const before = await choices()
  await ana.sends({ raw: chosen, quote: refusal.id })
  assert.deepEqual(await choices(), before)
})

test('the forms in which WhatsApp writes a number are one customer', async (t) => {
  const { world } = await startOrder(t)
  for (const to of ['+5511987654321', '+525512345678', '+5491123456789']) {
    const order = await world.createConfirmation({ to })
    await world.settled()
    const customer = world.customer(order)
    await customer.taps('Change time')
    // Only the number identifies the customer.
    await world.emulator.inbound({ from: to, text: 'Evening' })
    await world.settled()
    assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening', to)
  }
})

test('messages of a conversation never cause message.* events', async (t) => {
  const { world, receiver, ana } = await startOrder(t)
  await ana.taps('Change time')
  for (const message of ana.screen()) await world.reported(message, 'sent', 'delivered', 'read')
  await world.reported(ana.last(), { status: 'failed', errors: [131026] })
  assert.deepEqual(typesOf(receiver), [])
})

test('texts are read when a question is sent, timers when the submission completes', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await world.codSettings({
    confirmation: { reminderMinutes: 60, noResponseMinutes: 120 },
    languages: {
      en: { texts: { dayQuestion: 'When?' }, timeRanges: ['Morning'], closingMessages: { confirmation: 'Bye' } },
    },
  })
  world.advance('61m')
  await world.settled()
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
