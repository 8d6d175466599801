import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMULATOR_LIMITS } from '../src/limits.ts'
import { listConversations } from '../src/messages/conversations.ts'
import { Inbox } from '../src/messages/inbox.ts'
import { Messages } from '../src/messages/messages.ts'
import { NO_STORAGE } from '../src/store/saved-map.ts'
import { CUSTOMERS } from '../src/messages/presets.ts'
import { CUSTOMER, order, startWorld } from './world.ts'
import { DEMO, type InboundRecord } from '../src/index.ts'

const text = (body: string) => ({ type: 'text', text: { body } })
const question = (body: string, ...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: body },
    action: { buttons: titles.map((title) => ({ type: 'reply', reply: { id: title, title } })) },
  },
})
const reasons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'Why?' },
    action: { button: 'Reasons', sections: [{ rows: titles.map((title) => ({ id: title, title })) }] },
  },
})
const refusal = () => order('delivery_refusal', ['Ana', 'A-1001'])

/** What a shop says next, by the customer's last answer. It thanks the customer if it has no further question. */
const SHOP: Record<string, object> = {
  'Change time': question('Which day?', 'Monday', 'Tuesday'),
  Monday: question('At what time?', 'Morning', 'Evening'),
  Yes: reasons('Too late', 'Damaged', 'Other'),
  Other: text('Tell us more'),
}

type World = Awaited<ReturnType<typeof startWorld>>

/** A shop that goes on with the conversation. `settled` resolves when both sides have nothing more to say. */
function openShop(world: World) {
  const sending = new Set<Promise<unknown>>()
  world.emulator.onInbound(({ from, text: body }) => {
    const sent = world.send({ to: `+${from}`, ...(SHOP[body] ?? text('Thank you')) })
    sending.add(sent)
    void sent.finally(() => sending.delete(sent))
  })
  return async function settled(): Promise<void> {
    await world.emulator.idle()
    if (sending.size === 0) return
    await Promise.all(sending)
    await settled()
  }
}

const acts = (records: readonly InboundRecord[]): string[] => records.map(({ did, text }) => `${did} ${text}`)

const STORIES: Record<string, { three: string[]; two: string[] }> = {
  confirms: { three: ['tapped Confirm'], two: ['tapped No'] },
  cancels: { three: ['tapped Cancel'], two: ['tapped Yes', 'chose Too late'] },
  reschedules: { three: ['tapped Change time', 'tapped Monday', 'tapped Evening'], two: ['tapped No'] },
  reschedules_in_words: {
    three: ['tapped Change time', 'typed Thursday after six, please'],
    two: ['tapped Yes', 'typed The box was open'],
  },
  stops_halfway: { three: ['tapped Change time'], two: ['tapped Yes'] },
  never_answers: { three: [], two: [] },
  confirms_then_cancels: {
    three: ['tapped Confirm', 'tapped Cancel'],
    two: ['tapped No', 'tapped Yes', 'chose Too late'],
  },
  answers_twice: { three: ['tapped Confirm', 'tapped Confirm'], two: ['tapped No', 'tapped No'] },
  refuses: { three: ['tapped Confirm'], two: ['tapped Yes', 'chose Damaged'] },
  refuses_in_words: {
    three: ['tapped Confirm'],
    two: ['tapped Yes', 'chose Other', 'typed My neighbour bought me the same one'],
  },
  denies: { three: ['tapped Confirm'], two: ['tapped No'] },
  hides_the_number: { three: ['tapped Confirm'], two: ['tapped Yes', 'chose Too late'] },
}

test('every customer of the presets is tested', () => {
  assert.deepEqual(
    CUSTOMERS.map(({ name }) => name),
    Object.keys(STORIES),
  )
})

for (const { name, ending } of CUSTOMERS) {
  test(`the customer ${name} answers as the table says, also a second order`, async (t) => {
    const world = await startWorld(t)
    const settled = openShop(world)
    const to = `+3460011${ending}`
    const story = STORIES[name] ?? { three: [], two: [] }
    for (const [what, expected] of [
      [order(), story.three],
      [refusal(), story.two],
      [order(), story.three],
    ] as const) {
      const before = world.emulator.inboundMessages().length
      await world.send({ to, ...what })
      await settled()
      const answers = world.emulator.inboundMessages().slice(before)
      assert.deepEqual(acts(answers), expected)
      assert.ok(answers.every(({ script }) => script === name))
    }
    assert.equal(world.statusNames().includes('read'), true)
  })
}

test('a repeated webhook keeps its id, a second tap gets another', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder({ to: '+34600110708' })
  await world.emulator.idle()
  const [first, copy, second] = world.inboundMessages()
  assert.deepEqual(first, copy)
  assert.notEqual(second?.id, first?.id)
  assert.equal(world.emulator.inboundMessages().length, 2)
})

test('no webhook of a customer who hides the number has `from`', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  await world.send({ to: '+34600110712', ...refusal() })
  await settled()
  assert.equal(world.inboundMessages().length, 2)
  assert.ok(world.callback.posts.every(({ raw }) => !/"from":"3460|"wa_id"/.test(raw)))
})

test('a note can quote the message that it answers', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  await world.send({ to: '+34600110704', ...refusal() })
  await settled()
  const list = world.emulator.messages(({ shown }) => shown.list !== undefined)[0]
  const note = world.inboundMessages().find(({ type }) => type === 'text')
  assert.deepEqual(note?.['context'], { from: '15550100101', id: list?.id })
})

test('any other number reads but never answers', async (t) => {
  const world = await startWorld(t)
  await world.sendOrder()
  await world.emulator.idle()
  assert.deepEqual([world.statusNames(), world.inboundMessages()], [['sent', 'delivered', 'read'], []])
})

test('without magic numbers no number chooses a customer', async (t) => {
  const world = await startWorld(t, { magicNumbers: false })
  await world.sendOrder({ to: '+34600110701' })
  await world.emulator.idle()
  assert.deepEqual(world.inboundMessages(), [])
})

test('no customer answers a message that never arrives', async (t) => {
  const world = await startWorld(t)
  const to = '+34600110701'
  world.emulator.script({ match: { times: 1 }, behaviour: { failed: 131026 } })
  world.emulator.script({ match: { times: 1 }, behaviour: { skip: ['delivered', 'read'] } })
  world.emulator.script({ match: { times: 1 }, behaviour: { messageStatus: 'held_for_quality_assessment' } })
  for (let count = 0; count < 3; count++) await world.sendOrder({ to })
  await world.emulator.idle()
  assert.ok(world.emulator.messages().every(({ arrivedAt }) => arrivedAt === undefined))
  assert.deepEqual(world.emulator.inboundMessages(), [])
})

test('a customer whose phone is off answers when it is on again', async (t) => {
  for (const statuses of ['automatic', 'manual'] as const) {
    const world = await startWorld(t, { statuses })
    const number = '+34600110701'
    world.emulator.setPhone({ number, online: false })
    await world.sendOrder({ to: number })
    await world.emulator.idle()
    assert.deepEqual(world.emulator.inboundMessages(), [])
    world.emulator.setPhone({ number, online: true })
    await world.emulator.idle()
    assert.deepEqual(acts(world.emulator.inboundMessages()), ['tapped Confirm'])
  }
})

test('a script overrides the number’s customer until it is removed', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const to = '+34600110701'
  const handle = world.emulator.script({
    match: { to },
    steps: [{ when: { kind: 'template', template: 'order_confirmation' }, do: [{ text: 'Who is this?' }] }],
  })
  await world.sendOrder({ to })
  await world.send({ to, ...refusal() })
  await world.emulator.idle()
  assert.deepEqual(acts(world.emulator.inboundMessages()).toSorted(), ['tapped No', 'typed Who is this?'])
  assert.deepEqual([handle.used, handle.remove(), handle.remove()], [1, true, false])
  await world.sendOrder({ to })
  await world.emulator.idle()
  assert.equal(world.emulator.inboundMessages().at(-1)?.text, 'Confirm')
})

test('a script for one time finishes one conversation', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  world.emulator.script({ match: { to: CUSTOMER, times: 1 }, preset: 'reschedules' })
  for (let count = 0; count < 2; count++) {
    await world.sendOrder()
    await settled()
  }
  assert.deepEqual(acts(world.emulator.inboundMessages()), STORIES['reschedules']?.three)
  assert.equal(world.emulator.metrics.scripts, 0)
})

test('removing a script or a reset cancels its planned actions', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', speed: 1 })
  const handle = world.emulator.script({ preset: 'confirms' })
  await world.sendOrder()
  assert.equal(handle.remove(), true)
  await world.sendOrder({ to: '+34600110701' })
  world.emulator.reset()
  await world.emulator.idle()
  assert.deepEqual(world.emulator.inboundMessages(), [])
})

test('a customer who ignores a message does not read it', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ steps: [{ do: 'ignore' }] })
  await world.sendOrder()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered'])
})

test('a failed customer action is logged and listed, and the customer goes on', async (t) => {
  const lines: string[] = []
  const world = await startWorld(t, { statuses: 'manual', log: (line) => lines.push(line) })
  const handle = world.emulator.script({ steps: [{ do: [{ tap: { button: 7 } }, { text: 'Well' }] }] })
  await world.sendOrder()
  await world.emulator.idle()
  const fault = `${CUSTOMER}: there is no button 7; choose from 0 "Confirm", 1 "Cancel", 2 "Change time"`
  assert.deepEqual(handle.faults, [fault])
  assert.deepEqual(lines, [`script-1 could not answer as ${fault}`])
  assert.deepEqual(acts(world.emulator.inboundMessages()), ['typed Well'])
})

const tapping = { tap: { button: 0 } }
const WRONG: [string, object, RegExp][] = [
  ['an unknown preset', { preset: 'confirmes' }, /no preset \\"confirmes\\"; choose from not_on_whatsapp, held_back/],
  ['neither behaviour nor steps', {}, /exactly one of behaviour, steps and preset/],
  ['an unknown behaviour', { behaviour: { explode: true } }, /Unrecognized key: \\"explode\\"/],
  ['a response after years', { behaviour: { responseAfterMs: 1e12 } }, /behaviour\.responseAfterMs/],
  ['no steps', { steps: [] }, /at least|>=1/],
  ['a first step that follows', { steps: [{ follows: true, do: 'read' }] }, /the first step follows nothing/],
  ['an unknown trait', { steps: [{ when: { colour: 'red' }, do: 'read' }] }, /steps\.0\.when.*colour/],
  ['an unknown kind', { steps: [{ when: { kind: 'video' }, do: 'read' }] }, /steps\.0\.when\.kind/],
  ['an action without content', { steps: [{ do: [{ afterMs: 1 }] }] }, /steps\.0\.do\.0.*exactly one of text, tap/],
  ['two actions in one', { steps: [{ do: [{ ...tapping, text: 'x' }] }] }, /exactly one of text, tap/],
  ['an action after years', { steps: [{ do: [{ ...tapping, afterMs: 1e12 }] }] }, /steps\.0\.do\.0\.afterMs/],
  ['an invalid recipient', { match: { to: 'Ana' }, preset: 'confirms' }, /match\.to.*is not a phone number/],
  ['no times', { match: { times: 0 }, preset: 'confirms' }, /match\.times/],
]

for (const [what, seed, says] of WRONG) {
  test(`an invalid script is rejected with the reason: ${what}`, async (t) => {
    const world = await startWorld(t)
    const answer = await world.call('POST', '/control/scripts', seed)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, says)
  })
}

test('listeners get each customer action once', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const received: InboundRecord[] = []
  const stop = world.emulator.onInbound((record) => received.push(record))
  await world.sendOrder({ to: '+34600110708' })
  await world.emulator.idle()
  stop()
  await world.emulator.inbound({ from: CUSTOMER, to: '+1 555-010-0101', text: 'Hello' })
  const [message] = world.emulator.messages()
  assert.deepEqual(acts(received), ['tapped Confirm', 'tapped Confirm'])
  assert.deepEqual(
    received.map(({ quotes, script, payload }) => [quotes, script, payload]),
    [
      [message?.id, 'answers_twice', 'Confirm'],
      [message?.id, 'answers_twice', 'Confirm'],
    ],
  )
})

test('a conversation shows both sides in order, whatever times messages claim', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: 2 }, timestamp: 1 })
  await world.send(question('Which day?', 'Monday', 'Tuesday'))
  await world.emulator.inbound({ from: CUSTOMER, text: 'Any day' })
  await world.send(text('Thank you'))
  await world.sendOrder({ to: '+34600111223' })
  const path = `/control/conversations?phone=${encodeURIComponent(CUSTOMER)}&number=15550100101`
  const answer = await world.call('GET', path)
  assert.equal(answer.at('conversations', 'length'), 1)
  assert.equal(answer.at('conversations', 0, 'phone'), CUSTOMER)
  const entries = answer.at('conversations', 0, 'entries') as { by: string; text?: string; body?: string }[]
  assert.deepEqual(
    entries.map(({ by, text, body }) => `${by}: ${text ?? body}`),
    [
      'business: Hello Ana, please confirm your order A-1001 of 25 EUR, to be paid on delivery.',
      'customer: Change time',
      'business: Which day?',
      'customer: Any day',
      'business: Thank you',
    ],
  )
  assert.deepEqual(answer.at('conversations', 0, 'entries', 2, 'buttons', 1), {
    index: 1,
    type: 'REPLY',
    text: 'Tuesday',
    payload: 'Tuesday',
  })
  assert.equal(answer.at('conversations', 0, 'entries', 1, 'quotes'), answer.at('conversations', 0, 'entries', 0, 'id'))
})

test('chats are listed latest first, limited to their latest entries', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.sendOrder({ to: '+34600111223' })
  await world.emulator.inbound({ from: CUSTOMER, tap: { button: 0 } })
  const answer = await world.call('GET', '/control/conversations?limit=1')
  const phones = (answer.at('conversations') as { phone: string; entries: object[] }[]).map(({ phone, entries }) => [
    phone,
    entries.length,
  ])
  assert.deepEqual(phones, [
    [CUSTOMER, 1],
    ['+34600111223', 1],
  ])
  assert.equal(world.emulator.conversations().length, 2)
  world.emulator.reset()
  assert.deepEqual(world.emulator.conversations(), [])
})

for (const [query, says] of [
  ['phone=Ana', /phone: Ana is not a phone number/],
  ['number=123', /there is no business number 123/],
  ['limit=0', /limit/],
  ['colour=red', /colour/],
] as const) {
  test(`an invalid chat query is rejected with the reason: ${query}`, async (t) => {
    const world = await startWorld(t)
    const answer = await world.call('GET', `/control/conversations?${query}`)
    assert.equal(answer.status, 400)
    assert.match(answer.text, says)
  })
}

test('only the latest customer messages are kept', async () => {
  const [inbox, messages] = [new Inbox(NO_STORAGE), new Messages(NO_STORAGE)]
  const update = { kind: 'field', field: 'none', value: null } as const
  const record = { from: '34600111222', phoneNumberId: '1' } as InboundRecord
  for (let count = 0; count <= EMULATOR_LIMITS.inboundKept; count++) {
    inbox.add({
      record: { ...record, id: String(count), order: count + 1 },
      accountId: DEMO.accountId,
      update,
    })
  }
  const [conversation] = listConversations({ messages, inbox })
  assert.equal(conversation?.entries.length, EMULATOR_LIMITS.inboundKept)
  assert.equal(conversation?.entries[0]?.order, 2)
})
