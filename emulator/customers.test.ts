import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TWIN_LIMITS } from './limits.ts'
import { MAGIC_NUMBERS } from './magic-numbers.ts'
import { NAMED_CUSTOMERS } from './named-customers.ts'
import { CUSTOMER, order, startWorld } from './world.ts'
import { DEMO, type InboundRecord } from './emulator.ts'

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

/** What a shop says next, by what it was told last. It thanks for whatever it has no question about. */
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
  world.twin.onInbound(({ from, text: said }) => {
    const sent = world.send({ to: `+${from}`, ...(SHOP[said] ?? text('Thank you')) })
    sending.add(sent)
    void sent.finally(() => sending.delete(sent))
  })
  return async function settled(): Promise<void> {
    await world.twin.idle()
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

test('every named customer has a story here and a number that asks for nothing else', () => {
  assert.deepEqual(
    NAMED_CUSTOMERS.map(({ name }) => name),
    Object.keys(STORIES),
  )
  const endings = [...NAMED_CUSTOMERS, ...MAGIC_NUMBERS].map(({ ending }) => ending)
  assert.equal(new Set(endings).size, endings.length)
})

for (const { name, ending } of NAMED_CUSTOMERS) {
  test(`the customer ${name} answers three buttons and two as the table says, and a second order likewise`, async (t) => {
    const world = await startWorld(t)
    const settled = openShop(world)
    const to = `+3460011${ending}`
    const story = STORIES[name] ?? { three: [], two: [] }
    for (const [what, expected] of [
      [order(), story.three],
      [refusal(), story.two],
      [order(), story.three],
    ] as const) {
      const before = world.twin.inboundMessages().length
      await world.send({ to, ...what })
      await settled()
      const answers = world.twin.inboundMessages().slice(before)
      assert.deepEqual(acts(answers), expected)
      assert.ok(answers.every(({ customer }) => customer === name))
    }
    assert.equal(world.statusNames().includes('read'), true)
  })
}

test('a webhook that is told twice has one id, a second tap another', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder({ to: '+34600110708' })
  await world.twin.idle()
  const [first, copy, second] = world.inboundMessages()
  assert.deepEqual(first, copy)
  assert.notEqual(second?.id, first?.id)
  assert.equal(world.twin.inboundMessages().length, 2)
})

test('a customer who hides the number has no `from` in any webhook', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  await world.send({ to: '+34600110712', ...refusal() })
  await settled()
  assert.equal(world.inboundMessages().length, 2)
  assert.ok(world.callback.posts.every(({ raw }) => !/"from":"3460|"wa_id"/.test(raw)))
})

test('a note can quote what it answers', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  await world.send({ to: '+34600110704', ...refusal() })
  await settled()
  const list = world.twin.messages(({ shown }) => shown.list !== undefined)[0]
  const note = world.inboundMessages().find(({ type }) => type === 'text')
  assert.deepEqual(note?.['context'], { from: '15550100101', id: list?.id })
})

test('any other number reads and never answers', async (t) => {
  const world = await startWorld(t)
  await world.sendOrder()
  await world.twin.idle()
  assert.deepEqual([world.statusNames(), world.inboundMessages()], [['sent', 'delivered', 'read'], []])
})

test('numbers ask for no customer when magic numbers are off', async (t) => {
  const world = await startWorld(t, { magicNumbers: false })
  await world.sendOrder({ to: '+34600110701' })
  await world.twin.idle()
  assert.deepEqual(world.inboundMessages(), [])
})

test('a customer answers after its delay, scaled by the speed, and not before', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', speed: 0.02 })
  const answered = new Promise((resolve) => world.twin.onInbound(resolve))
  const askedAt = performance.now()
  await world.sendOrder({ to: '+34600110701' })
  await answered
  assert.ok(performance.now() - askedAt >= 60, '3 s at this speed are 60 ms')
})

test('nobody answers a message that never comes to the phone', async (t) => {
  const world = await startWorld(t)
  const to = '+34600110701'
  world.twin.script({ match: { times: 1 }, behaviour: { failed: 131026 } })
  world.twin.script({ match: { times: 1 }, behaviour: { skip: ['delivered', 'read'] } })
  world.twin.script({ match: { times: 1 }, behaviour: { messageStatus: 'held_for_quality_assessment' } })
  for (let count = 0; count < 3; count++) await world.sendOrder({ to })
  await world.twin.idle()
  assert.ok(world.twin.messages().every(({ arrivedAt }) => arrivedAt === undefined))
  assert.deepEqual(world.twin.inboundMessages(), [])
})

test('a customer whose phone is off answers when it is on again', async (t) => {
  for (const statuses of ['automatic', 'manual'] as const) {
    const world = await startWorld(t, { statuses })
    const number = '+34600110701'
    world.twin.setPhone({ number, online: false })
    await world.sendOrder({ to: number })
    await world.twin.idle()
    assert.deepEqual(world.twin.inboundMessages(), [])
    world.twin.setPhone({ number, online: true })
    await world.twin.idle()
    assert.deepEqual(acts(world.twin.inboundMessages()), ['tapped Confirm'])
  }
})

test('a script of one’s own replaces the number’s customer for what it fits, and goes when removed', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const to = '+34600110701'
  const handle = world.twin.customer({ to }, [
    { when: { kind: 'template', template: 'order_confirmation' }, do: [{ text: 'Who is this?' }] },
  ])
  await world.sendOrder({ to })
  await world.send({ to, ...refusal() })
  await world.twin.idle()
  assert.deepEqual(acts(world.twin.inboundMessages()).toSorted(), ['tapped No', 'typed Who is this?'])
  assert.deepEqual([handle.used, handle.remove(), handle.remove()], [1, true, false])
  await world.sendOrder({ to })
  await world.twin.idle()
  assert.equal(world.twin.inboundMessages().at(-1)?.text, 'Confirm')
})

test('a customer for one time plays its conversation to the end and begins no other', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const settled = openShop(world)
  world.twin.customer({ to: CUSTOMER, times: 1 }, 'reschedules')
  for (let count = 0; count < 2; count++) {
    await world.sendOrder()
    await settled()
  }
  assert.deepEqual(acts(world.twin.inboundMessages()), STORIES['reschedules']?.three)
  assert.deepEqual(world.twin.customers(), [])
})

test('removing a customer stops what it was about to do, and so does a reset', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', speed: 1 })
  const handle = world.twin.customer({}, 'confirms')
  await world.sendOrder()
  assert.equal(handle.remove(), true)
  await world.sendOrder({ to: '+34600110701' })
  world.twin.reset()
  await world.twin.idle()
  assert.deepEqual(world.twin.inboundMessages(), [])
})

test('a customer who ignores a message does not read it', async (t) => {
  const world = await startWorld(t)
  world.twin.customer({}, [{ do: 'ignore' }])
  await world.sendOrder()
  await world.twin.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered'])
})

test('what a customer cannot do is told in the log and in the list, and it lives on', async (t) => {
  const lines: string[] = []
  const world = await startWorld(t, { statuses: 'manual', log: (line) => lines.push(line) })
  const handle = world.twin.customer({}, [{ do: [{ tap: { button: 7 } }, { text: 'Well' }] }])
  await world.sendOrder()
  await world.twin.idle()
  const fault = `${CUSTOMER}: there is no button 7; choose from 0 "Confirm", 1 "Cancel", 2 "Change time"`
  assert.deepEqual(handle.faults, [fault])
  assert.deepEqual(lines, [`customer-1 could not answer as ${fault}`])
  assert.deepEqual(acts(world.twin.inboundMessages()), ['typed Well'])
})

test('a customer set by HTTP acts, is listed beside the named ones, and can be removed', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const customer = await world.call('POST', '/control/customers', { match: { to: CUSTOMER }, plays: 'cancels' })
  await world.sendOrder()
  await world.twin.idle()
  assert.deepEqual(acts(world.twin.inboundMessages()), ['tapped Cancel'])
  const listed = await world.call('GET', '/control/customers')
  assert.deepEqual([listed.at('customers', 0, 'id'), listed.at('customers', 0, 'used')], [customer.at('id'), 1])
  assert.equal(listed.at('named', 'length'), NAMED_CUSTOMERS.length)
  assert.equal((await world.call('DELETE', `/control/customers/${String(customer.at('id'))}`)).status, 200)
  assert.equal((await world.call('DELETE', `/control/customers/${String(customer.at('id'))}`)).status, 404)
  await world.call('POST', '/control/customers', { plays: 'cancels' })
  assert.deepEqual((await world.call('DELETE', '/control/customers')).body, { customers: [] })
  assert.deepEqual(world.twin.customers(), [])
})

test('customers beyond the limit are refused by name, not dropped', async (t) => {
  const world = await startWorld(t)
  for (let count = 0; count < TWIN_LIMITS.customers; count++) world.twin.customer({}, [{ do: 'read' }])
  assert.throws(() => world.twin.customer({}, [{ do: 'read' }]), /1000 customers at most; remove some/)
})

const tapping = { tap: { button: 0 } }
const WRONG: [string, object, RegExp][] = [
  ['a name that nobody has', { plays: 'confirmes' }, /no customer \\"confirmes\\"; choose from confirms, cancels/],
  ['no play', {}, /plays/],
  ['no steps', { plays: [] }, /at least|>=1/],
  ['a first step that follows', { plays: [{ follows: true, do: 'read' }] }, /the first step follows nothing/],
  ['an unknown trait', { plays: [{ when: { colour: 'red' }, do: 'read' }] }, /plays\.0\.when.*colour/],
  ['a kind that is none', { plays: [{ when: { kind: 'video' }, do: 'read' }] }, /plays\.0\.when\.kind/],
  ['an action without content', { plays: [{ do: [{ afterMs: 1 }] }] }, /plays\.0\.do\.0.*exactly one of text, tap/],
  ['two things at once', { plays: [{ do: [{ ...tapping, text: 'x' }] }] }, /exactly one of text, tap/],
  ['a delay of years', { plays: [{ do: [{ ...tapping, afterMs: 1e12 }] }] }, /plays\.0\.do\.0\.afterMs/],
  ['a recipient that is none', { match: { to: 'Ana' }, plays: 'confirms' }, /to: Ana is no phone number/],
  ['no times', { match: { times: 0 }, plays: 'confirms' }, /match\.times/],
]

for (const [what, seed, says] of WRONG) {
  test(`a customer is refused with what is wrong: ${what}`, async (t) => {
    const world = await startWorld(t)
    const answer = await world.call('POST', '/control/customers', seed)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, says)
  })
}

test('who listens is told of each thing that a customer does, once', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const heard: InboundRecord[] = []
  const stop = world.twin.onInbound((record) => heard.push(record))
  await world.sendOrder({ to: '+34600110708' })
  await world.twin.idle()
  stop()
  await world.twin.inbound({ from: CUSTOMER, to: '+1 555-010-0101', text: 'Hello' })
  const [message] = world.twin.messages()
  assert.deepEqual(acts(heard), ['tapped Confirm', 'tapped Confirm'])
  assert.deepEqual(
    heard.map(({ quotes, customer, payload }) => [quotes, customer, payload]),
    [
      [message?.id, 'answers_twice', 'Confirm'],
      [message?.id, 'answers_twice', 'Confirm'],
    ],
  )
})

test('a conversation shows both sides in the order in which it happened, whatever times are claimed', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.twin.inbound({ from: CUSTOMER, tap: { button: 2 }, timestamp: 1 })
  await world.send(question('Which day?', 'Monday', 'Tuesday'))
  await world.twin.inbound({ from: CUSTOMER, text: 'Any day' })
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

test('chats come latest first, each cut to the latest entries asked for', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.sendOrder({ to: '+34600111223' })
  await world.twin.inbound({ from: CUSTOMER, tap: { button: 0 } })
  const answer = await world.call('GET', '/control/conversations?limit=1')
  const phones = (answer.at('conversations') as { phone: string; entries: object[] }[]).map(({ phone, entries }) => [
    phone,
    entries.length,
  ])
  assert.deepEqual(phones, [
    [CUSTOMER, 1],
    ['+34600111223', 1],
  ])
  assert.equal(world.twin.conversations().length, 2)
  world.twin.reset()
  assert.deepEqual(world.twin.conversations(), [])
})

for (const [query, says] of [
  ['phone=Ana', /phone: Ana is no phone number/],
  ['number=123', /there is no business number 123/],
  ['limit=0', /limit/],
  ['colour=red', /colour/],
] as const) {
  test(`a chat that is asked for wrongly is refused with what is wrong: ${query}`, async (t) => {
    const world = await startWorld(t)
    const answer = await world.call('GET', `/control/conversations?${query}`)
    assert.equal(answer.status, 400)
    assert.match(answer.text, says)
  })
}

test('of what customers said only the latest is kept', async (t) => {
  const world = await startWorld(t)
  const [{ Conversations }, { Inbox }, { Messages }] = await Promise.all([
    import('./conversations.ts'),
    import('./inbox.ts'),
    import('./messages.ts'),
  ])
  const inbox = new Inbox()
  const conversations = new Conversations(new Messages(), inbox)
  const account = world.twin.getAccount(DEMO.accountId)
  const update = { kind: 'field', field: 'none', value: null } as const
  const record = { from: '34600111222', phoneNumberId: '1' } as InboundRecord
  for (let count = 0; count <= TWIN_LIMITS.inboundKept; count++) {
    inbox.add({ record: { ...record, id: String(count), order: conversations.takePlace() }, account, update })
  }
  const [conversation] = conversations.list()
  assert.equal(conversation?.entries.length, TWIN_LIMITS.inboundKept)
  assert.equal(conversation?.entries[0]?.order, 2)
})
