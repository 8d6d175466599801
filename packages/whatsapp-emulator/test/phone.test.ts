import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { DEMO, demoAccount } from '../src/index.ts'
import { META_LIMITS, EMULATOR_LIMITS } from '../src/limits.ts'
import { CUSTOMER, order, startWorld } from './world.ts'
import type { BusinessEntry, Change, Entry } from '../src/wire/chats.ts'

type World = Awaited<ReturnType<typeof startWorld>>

/** The changes that a phone receives, in order. */
async function listen(t: TestContext, world: World, query = '') {
  const aborter = new AbortController()
  t.after(() => aborter.abort())
  const answer = await fetch(`${world.emulator.url}/control/live${query}`, { signal: aborter.signal })
  assert.equal(answer.status, 200)
  const changes = events(answer.body ?? new ReadableStream())
  const next = async (): Promise<Change> => {
    const { value, done } = await changes.next()
    assert.ok(!done, 'the stream ended')
    return value
  }
  return {
    /** The stream keeps its answer: an answer without a reference may be collected, which ends it. */
    answer,
    next,
    /** The first matching entry from here on. */
    async entry(fits: (entry: Entry) => boolean): Promise<Entry> {
      for (;;) {
        const change = await next()
        if (change.kind === 'entry' && fits(change.entry)) return change.entry
      }
    },
    changes,
  }
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Change, void> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
    const mayEnd = chunk.includes('\n\n') || (text.endsWith('\n') && chunk.startsWith('\n'))
    text += chunk
    if (!mayEnd) continue // searching the whole text for each chunk of a long event takes seconds
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const data = text.slice(0, end).split('\ndata: ')[1]
      text = text.slice(end + 2)
      if (data) yield JSON.parse(data) as Change
    }
  }
}

const pair = { phone: CUSTOMER, number: DEMO.standardNumberId }
const isFromBusiness = (entry: Entry): entry is BusinessEntry => entry.by === 'business'

test('a stream starts with all chats and sends every change', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOtp()
  const phone = await listen(t, world)
  const state = await phone.next()
  assert.ok(state.kind === 'state')
  assert.deepEqual(
    state.chats.map((chat) => [chat.phone, chat.number, chat.entries.length]),
    [[CUSTOMER, DEMO.standardNumberId, 1]],
  )
  assert.deepEqual([state.time?.aheadMs, state.time?.movedAt], [0, null])
  assert.deepEqual(state.businesses[0], { number: DEMO.standardNumberId, name: 'Demo Shop', display: '+15550100101' })
  await world.sendOrder()
  const sent = await phone.entry(isFromBusiness)
  assert.ok(isFromBusiness(sent))
  assert.equal(sent.ticks, 'accepted')
  await world.emulator.report(sent.id, ['read', 'sent'])
  await phone.entry((entry) => isFromBusiness(entry) && entry.ticks === 'read' && entry.status === 'sent')
  await world.call('POST', '/control/inbound', { from: CUSTOMER, tap: { button: 'Confirm' } })
  const tapped = await phone.entry((entry) => entry.by === 'customer')
  assert.equal(tapped.by === 'customer' && tapped.text, 'Confirm')
  for (;;) {
    const change = await phone.next()
    if (change.kind !== 'post' || change.post.state !== 'answered' || change.post.labels[0] !== 'button') continue
    assert.equal(change.post.attempts[0]?.httpStatus, 200)
    assert.match(change.post.body ?? '', /"payload":"Confirm"/)
    return
  }
})

test('a stream of some numbers reveals nothing about others', async (t) => {
  const world = await startWorld(t)
  const [ours, theirs] = [CUSTOMER, '+34600111999']
  world.emulator.addAccount(
    demoAccount({
      id: '999000111222',
      accessToken: 'EAAother',
      numbers: [{ id: '998000111222', displayPhoneNumber: '+34911000998' }],
    }),
  )
  await world.sendOrder({ to: theirs })
  const phone = await listen(t, world, `?number=998000111222`)
  const state = await phone.next()
  assert.ok(state.kind === 'state')
  assert.deepEqual([state.chats, state.phones, state.posts, state.time], [[], [], [], undefined])
  assert.deepEqual(
    state.businesses.map(({ number }) => number),
    ['998000111222'],
  )
  await world.sendOrder({ to: theirs })
  world.emulator.setPhone({ number: theirs, online: false })
  await world.emulator.idle()
  await world.emulator.moveClock({ by: '1s' })
  await world.emulator.inbound({ from: ours, to: '998000111222', text: 'Hello' })
  const first = await phone.next()
  assert.ok(first.kind === 'entry' && first.number === '998000111222')
  world.emulator.setPhone({ number: ours, online: false, block: DEMO.standardNumberId })
  assert.deepEqual(await phone.next(), {
    kind: 'phone',
    phone: { phone: ours, online: false, readReceipts: true, blocked: [] },
  })
})

test('opening a chat marks it read once, unless script or customer forbid it', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const ticksOf = async (change: () => void, behaviour?: object): Promise<string[]> => {
    world.emulator.reset()
    change()
    if (behaviour) world.emulator.script({ behaviour })
    await world.sendOrder()
    await world.emulator.idle()
    for (const _ of [1, 2]) assert.equal((await world.call('POST', '/control/read', pair)).status, 200)
    await world.emulator.idle()
    return world.emulator.messages()[0]?.statuses.map(({ status }) => status) ?? []
  }
  assert.deepEqual(await ticksOf(() => {}), ['delivered', 'read'])
  assert.deepEqual(await ticksOf(() => {}, { statuses: ['sent'].map((status) => ({ status })) }), ['sent'])
  assert.deepEqual(await ticksOf(() => {}, { skip: ['read'] }), ['delivered'])
  assert.deepEqual(await ticksOf(() => world.emulator.setPhone({ number: CUSTOMER, readReceipts: false })), [])
})

test('a message read by opening the chat is not reported read again', async (t) => {
  let speed = 0
  const world = await startWorld(t, {
    speed: () => speed,
    schedule: { sentMs: 0, deliveredMs: 0, readMs: 60_000, jitter: 0 },
  })
  speed = 1
  await world.sendOrder()
  const message = await world.emulator.waitForMessage()
  const phone = await listen(t, world)
  await phone.next()
  if (message.arrivedAt === undefined)
    await phone.entry((entry) => isFromBusiness(entry) && entry.ticks === 'delivered')
  await world.call('POST', '/control/read', pair)
  assert.equal(message.statuses.filter(({ status }) => status === 'read').length, 1)
  world.emulator.reset()
})

test('messages to a customer who blocked the number arrive only after unblocking', async (t) => {
  const world = await startWorld(t)
  const block = { number: CUSTOMER, block: DEMO.standardNumber }
  assert.deepEqual((await world.call('POST', '/control/phones', block)).at('blocked'), [DEMO.standardNumberId])
  await world.sendOrder()
  await world.emulator.idle()
  const [blocked] = world.emulator.messages()
  assert.deepEqual(
    blocked?.statuses.map(({ status }) => status),
    ['sent'],
  )
  const tap = { from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' }
  assert.equal((await world.call('POST', '/control/inbound', tap)).status, 409)
  await world.call('POST', '/control/phones', { number: CUSTOMER, unblock: DEMO.standardNumberId })
  await world.sendOrder()
  await world.emulator.idle()
  const [, after] = world.emulator.messages()
  assert.deepEqual(
    after?.statuses.map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
  assert.equal(blocked?.arrivedAt, undefined)
})

test('messages to an offline phone arrive when it is on again', async (t) => {
  const world = await startWorld(t)
  await world.call('POST', '/control/phones', { number: CUSTOMER, online: false })
  await world.sendOrder()
  await world.emulator.idle()
  const phone = await listen(t, world)
  const state = await phone.next()
  assert.ok(state.kind === 'state')
  const [entry] = state.chats[0]?.entries ?? []
  assert.ok(entry?.by === 'business')
  assert.deepEqual([entry.ticks, entry.arrivedAt, state.phones[0]?.online], ['sent', null, false])
  await world.call('POST', '/control/phones', { number: CUSTOMER, online: true })
  await phone.entry((later) => isFromBusiness(later) && later.ticks === 'read' && later.arrivedAt !== null)
})

test('an action in one chat never answers a message of another', async (t) => {
  const world = await startWorld(t)
  await world.send(order())
  const [message] = world.emulator.messages()
  const elsewhere = { from: CUSTOMER, to: DEMO.highNumberId, tap: { button: 0 } }
  assert.equal((await world.call('POST', '/control/inbound', elsewhere)).status, 400)
  const named = { ...elsewhere, tap: { button: 0, message: message?.id } }
  assert.match((await world.call('POST', '/control/inbound', named)).text, /is not from the number/)
})

test('pages of other sites can neither read nor change anything', async (t) => {
  const world = await startWorld(t)
  const { port, host } = new URL(world.emulator.url)
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const asked = httpRequest({ host: '127.0.0.1', port, path: '/control/reset', method: 'POST', headers })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }]
    answer.resume()
    return answer.statusCode
  }
  assert.equal(await ask({ host }), 200)
  assert.equal(
    await ask({ host: `localhost:${port}`, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' }),
    200,
  )
  assert.equal(await ask({ host, origin: 'https://evil.example' }), 403)
  assert.equal(await ask({ host, origin: 'null' }), 403)
  assert.equal(await ask({ host, 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(await ask({ host, 'sec-fetch-site': 'same-site' }), 403)
  assert.equal(await ask({ host: `rebound.example:${port}` }), 403)
})

test('a stream’s first state is bounded and prefers the latest entries', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', pairLimit: false, throughputLimit: false })
  const { liveEntriesPerChat, liveStateBytes } = EMULATOR_LIMITS
  const body = '€'.repeat(META_LIMITS.textBodyCharacters)
  const customers = ['+34600111001', '+34600111002', '+34600111003', '+34600111004', '+34600111005']
  for (const to of customers) {
    for (let sent = 0; sent < liveEntriesPerChat; sent++) await world.send({ to, type: 'text', text: { body } })
  }
  const phone = await listen(t, world)
  const state = await phone.next()
  assert.ok(state.kind === 'state')
  assert.deepEqual(
    state.chats.map((chat) => chat.phone),
    customers.toReversed(),
  )
  const bytes = Buffer.byteLength(JSON.stringify(state.chats))
  assert.ok(bytes > 0.9 * liveStateBytes && bytes < 1.1 * liveStateBytes, String(bytes))
  const [latest, ...others] = state.chats
  assert.equal(latest?.entries.length, liveEntriesPerChat)
  const last = others.at(-1)?.entries
  assert.equal(last?.length, 1)
  assert.equal(last[0]?.order, liveEntriesPerChat)
})

test('the number of streams is limited, and they end with the emulator', async (t) => {
  const world = await startWorld(t)
  const streams = await Promise.all(Array.from({ length: EMULATOR_LIMITS.liveStreams }, () => listen(t, world)))
  await Promise.all(streams.map((stream) => stream.next())) // an answer that is not read may be collected, which ends it
  assert.equal((await fetch(`${world.emulator.url}/control/live`)).status, 503)
  await world.emulator.close()
  assert.equal((await streams[0]?.changes.next().catch(() => ({ done: true })))?.done, true)
})
