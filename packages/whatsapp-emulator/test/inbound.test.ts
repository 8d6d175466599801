import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '../src/index.ts'
import { body, codeOf, CUSTOMER, quickReply, startWorld, template } from './world.ts'
import type { InboundMessage } from '../src/webhooks/webhook-body.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const text = (value: string) => ({ type: 'text', text: { body: value } })
const replies = (...buttons: object[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Keep the slot?' },
    action: { buttons: buttons.map((reply) => ({ type: 'reply', reply })) },
  },
})
const list = (sections: unknown, changes: object = {}) => ({
  type: 'interactive',
  interactive: { type: 'list', body: { text: 'Choose' }, action: { button: 'See slots', sections }, ...changes },
})
const rows = (count: number, changes: object = {}) =>
  Array.from({ length: count }, (_, at) => ({ id: `s${at}`, title: `Slot ${at}`, ...changes }))
const SLOTS = [
  {
    title: 'Tuesday',
    rows: [
      { id: 's1', title: '10:30', description: 'Dr. Gil' },
      { id: 's2', title: '11:00' },
    ],
  },
]

type World = Awaited<ReturnType<typeof startWorld>>

async function startOpen(
  t: Parameters<typeof startWorld>[0],
  options: Parameters<typeof startWorld>[1] = {},
): Promise<World> {
  const world = await startWorld(t, options)
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  return world
}

test('a text outside the service window is accepted, then fails with 131047', async (t) => {
  const world = await startWorld(t)
  assert.equal((await world.send(text('Hello'))).status, 200)
  await world.emulator.idle()
  assert.deepEqual(
    world.statuses().map((status) => [status.status, status.errors?.[0]?.code]),
    [['failed', 131047]],
  )
})

test('a closed window can be an HTTP error', async (t) => {
  const world = await startWorld(t, { closedWindow: 'http' })
  assert.equal(codeOf(await world.send(text('Hello'))), 131047)
})

test('a customer’s message opens the window for 24 hours, for that number only', async (t) => {
  const world = await startOpen(t, { closedWindow: 'http' })
  world.pass(DAY_MS - 1_000)
  assert.equal(codeOf(await world.send(text('Hello'))), 0)
  assert.equal(codeOf(await world.send(text('Hello'), DEMO.highNumberId)), 131047)
  assert.equal(codeOf(await world.send({ ...text('Hello'), to: '+34600111223' })), 131047)
  world.pass(1_001)
  assert.equal(codeOf(await world.send(text('Hello'))), 131047)
})

test('the window counts from the message’s own timestamp', async (t) => {
  const world = await startWorld(t, { closedWindow: 'http' })
  const timestamp = Date.UTC(2026, 10, 19, 11) / 1000
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello', timestamp })
  assert.equal(codeOf(await world.send(text('Hello'))), 131047)
})

test('a tap on a template is a button with its payload that quotes it', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.send(template('order_confirmation', 'en', [body('Ana', 'A-1', '25'), quickReply(0, 'ok:77')]))
  const { id } = await world.emulator.inbound({ from: CUSTOMER, tap: { button: 'Confirm' }, name: 'Ana' })
  const message = world.emulator.messages()[0]
  assert.deepEqual(world.inboundMessages(), [
    {
      from: '34600111222',
      from_user_id: message?.userId,
      id,
      timestamp: '1795176000',
      type: 'button',
      context: { from: '15550100101', id: message?.id },
      button: { payload: 'ok:77', text: 'Confirm' },
    } as unknown as InboundMessage,
  ])
  const value = world.callback.posts[0]?.body.entry[0]?.changes[0]?.value as { contacts: unknown; metadata: unknown }
  assert.deepEqual(value.contacts, [{ profile: { name: 'Ana' }, wa_id: '34600111222', user_id: message?.userId }])
  assert.deepEqual(value.metadata, { display_phone_number: '15550100101', phone_number_id: DEMO.standardNumberId })
})

test('a tap on an interactive message is a button reply, a choice a list reply', async (t) => {
  const world = await startOpen(t, { statuses: 'manual' })
  await world.send(replies({ id: 'keep:77', title: 'Keep' }, { id: 'drop:77', title: 'Cancel it' }))
  await world.send(list(SLOTS))
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: 1 } })
  await world.emulator.inbound({ from: CUSTOMER, choose: { row: '10:30' } })
  const [, tap, choice] = world.inboundMessages()
  assert.deepEqual(tap?.['interactive'], { type: 'button_reply', button_reply: { id: 'drop:77', title: 'Cancel it' } })
  assert.deepEqual(choice?.['interactive'], {
    type: 'list_reply',
    list_reply: { id: 's1', title: '10:30', description: 'Dr. Gil' },
  })
})

test('an old message can be tapped again, and comes as a new message', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  const first = world.emulator.messages()[0]?.id ?? ''
  await world.sendOrder()
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: 0, message: first } })
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: 2, message: first } })
  const taps = world.inboundMessages()
  assert.deepEqual(
    taps.map((tap) => (tap['context'] as { id: string }).id),
    [first, first],
  )
  assert.notEqual(taps[0]?.id, taps[1]?.id)
})

test('a tap on an unknown button lists the existing ones', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await assert.rejects(world.emulator.inbound({ from: CUSTOMER, tap: { button: 0 } }), /send one first/)
  await world.sendOrder()
  await assert.rejects(
    world.emulator.inbound({ from: CUSTOMER, tap: { button: 'Maybe' } }),
    /0 "Confirm", 1 "Cancel", 2 "Change time"/,
  )
  await world.sendOtp()
  const otp = world.emulator.messages().at(-1)?.id ?? ''
  await assert.rejects(
    world.emulator.inbound({ from: CUSTOMER, tap: { button: 0, message: otp } }),
    /has no reply buttons/,
  )
})

test('an unsuitable message for a tap is named with the reason', async (t) => {
  const world = await startOpen(t, { statuses: 'manual' })
  const { emulator } = world
  await assert.rejects(emulator.inbound({ from: CUSTOMER, choose: { row: 0 } }), {
    message: 'no message with a list is on the phone 34600111222; send one first',
  })
  await world.sendOrder()
  const message = emulator.messages()[0]?.id ?? ''
  const press = { button: 0, message }
  await assert.rejects(emulator.inbound({ from: CUSTOMER, choose: { row: 0, message } }), {
    message: `message ${message} has no list`,
  })
  await assert.rejects(emulator.inbound({ from: '+34600111223', tap: press }), {
    message: `message ${message} is not on the phone 34600111223 but on ${CUSTOMER}`,
  })
  await assert.rejects(emulator.inbound({ from: CUSTOMER, tap: { button: 0, message: 'wamid.x' } }), {
    message: 'there is no message wamid.x on any phone',
  })
  await world.send(list(SLOTS))
  await assert.rejects(emulator.inbound({ from: CUSTOMER, choose: { row: '12:00' } }), {
    message: 'there is no row "12:00"; choose from 0 "10:30", 1 "11:00"',
  })
})

test('-1 means the last button or row', async (t) => {
  const world = await startOpen(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.send(list(SLOTS))
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: -1 } })
  await world.emulator.inbound({ from: CUSTOMER, choose: { row: -1 } })
  const texts = world.emulator.inboundMessages().map(({ text }) => text)
  assert.deepEqual(texts, ['Hello', 'Change time', '11:00'])
})

test('an earlier webhook can be repeated exactly, without a second message', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  const { id } = await world.emulator.inbound({ from: CUSTOMER, tap: { button: 0 }, hidePhone: true })
  world.pass(DAY_MS)
  await world.emulator.inbound({ from: CUSTOMER, again: id })
  assert.equal(world.callback.posts.length, 2)
  assert.equal(world.callback.posts[0]?.raw, world.callback.posts[1]?.raw)
  assert.equal(world.emulator.inboundMessages().length, 1)
  await assert.rejects(world.emulator.inbound({ from: CUSTOMER, again: 'wamid.x' }), /no customer wrote wamid\.x/)
  await assert.rejects(world.emulator.inbound({ from: '+34600111223', again: id }), /was written by 34600111222/)
})

test('a customer can answer later, and a reset still answers the caller', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', speed: 0.001 })
  await world.sendOrder()
  const answer = world.emulator.inbound({ from: CUSTOMER, tap: { button: 0 }, afterMs: 30_000 })
  assert.deepEqual(world.emulator.inboundMessages(), [])
  await world.emulator.idle()
  assert.equal(world.emulator.inboundMessages()[0]?.id, (await answer).id)
  const late = world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello', afterMs: 30_000 })
  world.emulator.reset()
  assert.equal((await late).posts.length, 1)
})

test('phone number, context and contacts can be omitted', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.emulator.inbound({
    from: CUSTOMER,
    tap: { button: 0 },
    hidePhone: true,
    omitContext: true,
    omitContacts: true,
  })
  const value = world.callback.posts[0]?.body.entry[0]?.changes[0]?.value as object
  assert.deepEqual(Object.keys(value), ['messaging_product', 'metadata', 'messages'])
  assert.deepEqual(Object.keys(world.inboundMessages()[0] ?? {}), ['from_user_id', 'id', 'timestamp', 'type', 'button'])
})

test('a customer who writes first without a phone number is answered by the user id', async (t) => {
  const world = await startWorld(t)
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumber, text: 'Hello', hidePhone: true })
  const recipient = world.inboundMessages()[0]?.['from_user_id']
  const answer = await world.send({ to: undefined, recipient, type: 'text', text: { body: 'Hello, too' } })
  assert.equal(answer.status, 200)
  await world.emulator.idle()
  const [message] = world.emulator.messages({ to: CUSTOMER })
  assert.deepEqual(
    [message?.waId, message?.statuses.map(({ status }) => status)],
    ['34600111222', ['sent', 'delivered', 'read']],
  )
})

test('any kind of message can be sent raw, even twice', async (t) => {
  const world = await startWorld(t)
  const raw = { type: 'unsupported', errors: [{ code: 131051 }] }
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumber, raw, copies: 2 })
  assert.equal(world.callback.posts.length, 2)
  assert.equal(world.callback.posts[0]?.raw, world.callback.posts[1]?.raw)
  assert.deepEqual(world.inboundMessages()[0]?.['errors'], raw.errors)
})

test('a read receipt marks only an existing customer message', async (t) => {
  const world = await startOpen(t)
  const [inbound] = world.emulator.inboundMessages()
  const receipt = (message_id: string | undefined) => world.send({ status: 'read', message_id })
  assert.deepEqual((await receipt(inbound?.id)).body, { success: true })
  assert.equal(inbound?.readByBusiness, true)
  assert.equal(codeOf(await receipt('wamid.nothing')), 131009)
  assert.equal(codeOf(await receipt(undefined)), 131008)
})

test('utility templates inside the window are free until October 2026', async (t) => {
  const september = Date.UTC(2026, 8, 30)
  const world = await startOpen(t, { now: () => september })
  await world.sendOrder()
  await world.emulator.idle()
  assert.deepEqual(world.statuses()[0]?.pricing, {
    billable: false,
    pricing_model: 'PMP',
    type: 'free_customer_service',
    category: 'utility',
  })
  const later = await startOpen(t)
  await later.sendOrder()
  await later.emulator.idle()
  assert.equal(later.statuses()[0]?.pricing?.billable, true)
})

const button = (changes: object = {}) => ({ id: 'a', title: 'A', ...changes })
const buttons = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `b${at}`, title: `B ${at}` }))
/** Two sections: `count` rows in the first, and one in the second. */
const sections = (count: number, second: object = { title: 'b' }) =>
  list([
    { title: 'a', rows: rows(count) },
    { ...second, rows: [{ id: 'x', title: 'X' }] },
  ])
const withBody = (value: string) => ({
  ...replies(button()),
  interactive: { ...replies(button()).interactive, body: { text: value } },
})
const INTERACTIVE: [string, object, number][] = [
  ['a text of 4096 characters', text('x'.repeat(4096)), 0],
  ['a text of 4097 characters', text('x'.repeat(4097)), 131009],
  ['an empty text', text(''), 131008],
  ['three buttons', replies(...buttons(3)), 0],
  ['four buttons', replies(...buttons(4)), 131009],
  ['no buttons', replies(), 131008],
  ['a title of 20 emoji', replies(button({ title: '😀'.repeat(20) })), 0],
  ['a title of 21 characters', replies(button({ title: 'x'.repeat(21) })), 131009],
  ['two buttons with one title', replies(button(), button({ id: 'b' })), 131009],
  ['two buttons with one id', replies(button(), button({ title: 'B' })), 131009],
  ['an id of 257 characters', replies(button({ id: 'x'.repeat(257) })), 131009],
  ['an id that begins with a space', replies(button({ id: ' a' })), 131009],
  ['a button body of 1024 characters', withBody('x'.repeat(1024)), 0],
  ['a button body of 1025 characters', withBody('x'.repeat(1025)), 131009],
  ['a list', list(SLOTS), 0],
  ['a list body of 4096 characters', list(SLOTS, { body: { text: 'x'.repeat(4096) } }), 0],
  ['a list body of 4097 characters', list(SLOTS, { body: { text: 'x'.repeat(4097) } }), 131009],
  ['a header of 61 characters', list(SLOTS, { header: { type: 'text', text: 'x'.repeat(61) } }), 131009],
  ['a footer of 61 characters', list(SLOTS, { footer: { text: 'x'.repeat(61) } }), 131009],
  ['a picture above a list', list(SLOTS, { header: { type: 'image', image: { id: '1' } } }), 131009],
  ['ten rows in two sections', sections(9), 0],
  ['eleven rows in two sections', sections(10), 131009],
  ['two sections, one without a title', sections(1, {}), 131008],
  ['one section without a title', list([{ rows: rows(1) }]), 0],
  ['a section without rows', list([{ title: 'a', rows: [] }]), 131008],
  ['two rows with one id', list([{ rows: [...rows(1), ...rows(1)] }]), 131009],
  ['a row title of 25 characters', list([{ rows: rows(1, { title: 'x'.repeat(25) }) }]), 131009],
  ['a row id of 201 characters', list([{ rows: rows(1, { id: 'x'.repeat(201) }) }]), 131009],
  ['a description of 73 characters', list([{ rows: rows(1, { description: 'x'.repeat(73) }) }]), 131009],
  ['a list label of 21 characters', list(SLOTS, { action: { button: 'x'.repeat(21), sections: SLOTS } }), 131009],
  ['an unknown kind', { type: 'interactive', interactive: { type: 'carousel', action: {} } }, 131009],
]

for (const [what, request, code] of INTERACTIVE) {
  test(`inside the window a message gets ${code}: ${what}`, async (t) => {
    const world = await startOpen(t)
    const answer = await world.send(request)
    assert.equal(codeOf(answer), code, answer.text)
  })
}
