import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EmulatorOptions, DEMO } from '../src/index.ts'
import { EMULATOR_LIMITS } from '../src/limits.ts'
import { codeOf, CUSTOMER, startWorld } from './world.ts'
import type { DueAnswer } from '../src/wire/chats.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SCHEDULE = { sentMs: 2_000, deliveredMs: 5_000, readMs: 30_000, jitter: 0 }

/** An emulator whose delays take real time, unless its clock is moved. */
function startSlow(t: Parameters<typeof startWorld>[0], options: EmulatorOptions = {}) {
  return startWorld(t, { now: Date.now, speed: 1, schedule: SCHEDULE, ...options })
}

type World = Awaited<ReturnType<typeof startSlow>>

const due = async (world: World, query = ''): Promise<DueAnswer> =>
  (await world.call('GET', `/control/clock${query}`)).body as DueAnswer
const dueOfChat = async (world: World): Promise<DueAnswer['chat']> =>
  (await due(world, `?phone=${encodeURIComponent(CUSTOMER)}&number=${DEMO.standardNumberId}`)).chat
const kindsOf = (list: DueAnswer['chat']): string[] => list.map(({ kind, what }) => `${kind} ${what}`.trim())
const text = (body: string) => ({ type: 'text', text: { body } })

test('due plans run in order, with the emulator’s time in webhooks', async (t) => {
  const world = await startSlow(t)
  world.emulator.script({
    match: { to: CUSTOMER },
    steps: [{ do: [{ tap: { button: 0 }, afterMs: 10 * MINUTE_MS }] }],
  })
  await world.sendOrder()
  assert.deepEqual(kindsOf(await dueOfChat(world)), ['status sent', 'status delivered', 'status read'])
  const moved = await world.call('POST', '/control/clock', { by: '1h' })
  assert.deepEqual(moved.at('happened'), {
    statuses: 3,
    answers: 1,
    expiries: 0,
    windows: 0,
    reviews: 0,
    webhooks: 4,
  })
  assert.deepEqual([moved.at('requestedMs'), moved.at('movedMs'), moved.at('aheadMs')], [HOUR_MS, HOUR_MS, HOUR_MS])
  const acceptedAt = world.emulator.messages()[0]?.acceptedAt ?? 0
  const reported = world.callback.posts.flatMap(({ body }) =>
    body.entry.flatMap(({ changes }) => {
      const { statuses = [], messages = [] } = (changes[0]?.value ?? {}) as {
        statuses?: Reported[]
        messages?: Reported[]
      }
      return [...statuses, ...messages]
    }),
  )
  assert.deepEqual(
    reported.map(({ status, type }) => status ?? type),
    ['sent', 'delivered', 'read', 'button'],
  )
  for (const [at, afterS] of [2, 5, 30, 605].entries()) {
    const lateMs = Number(reported[at]?.timestamp) * 1000 - (acceptedAt + afterS * 1000)
    assert.ok(Math.abs(lateMs) <= 1_000, `${reported[at]?.status} is ${lateMs} ms late`) // timestamps are whole seconds
  }
})

type Reported = { status?: string; type?: string; timestamp: string }

test('every delay is multiplied by the speed', async (t) => {
  const world = await startSlow(t, { speed: 0.5 })
  world.emulator.script({ behaviour: { statuses: [{ status: 'delivered', afterMs: 2 * MINUTE_MS }] } })
  world.emulator.script({ steps: [{ do: [{ tap: { button: 'Confirm' }, afterMs: 2 * MINUTE_MS }] }] })
  await world.sendOrder()
  const happened: string[][] = []
  for (const by of ['30s', '1m', '1m']) {
    await world.emulator.moveClock({ by })
    happened.push([...world.statusNames(), ...world.emulator.inboundMessages().map(({ text }) => text)])
  }
  assert.deepEqual(happened, [[], ['delivered'], ['delivered', 'Confirm']])
})

test('a jump to the next due plan runs only that plan', async (t) => {
  const world = await startSlow(t)
  await world.sendOrder()
  const [, delivered] = await dueOfChat(world)
  await world.call('POST', '/control/clock', { to: delivered?.at })
  assert.deepEqual(world.statusNames(), ['sent', 'delivered'])
  const again = await world.call('POST', '/control/clock', { to: delivered?.at })
  assert.equal(again.at('movedMs'), 0, 'what has come needs no move')
  assert.deepEqual(kindsOf(await dueOfChat(world)), ['status read'])
})

test('a message for an offline phone expires by the moved clock', async (t) => {
  const world = await startSlow(t)
  world.emulator.setPhone({ number: CUSTOMER, online: false })
  await world.sendOtp()
  await world.emulator.moveClock({ by: '1m' })
  assert.deepEqual(kindsOf(await dueOfChat(world)), ['expiry'])
  const [expiry] = await dueOfChat(world)
  const moved = await world.emulator.moveClock({ to: expiry?.at ?? '' })
  assert.equal(moved.happened.expiries, 1)
  assert.equal(world.emulator.messages()[0]?.expired, true)
  world.emulator.setPhone({ number: CUSTOMER, online: true })
  await world.emulator.moveClock({ by: '1m' })
  assert.deepEqual(world.statusNames(), ['sent'])
})

test('a scripted status that repeats an earlier one is due until it is posted', async (t) => {
  const world = await startSlow(t)
  const statuses = [1, 2].map((minutes) => ({ status: 'read' as const, afterMs: minutes * MINUTE_MS }))
  world.emulator.script({ behaviour: { statuses } })
  await world.sendOtp()
  await world.emulator.moveClock({ by: '90s' })
  assert.deepEqual([world.statusNames(), kindsOf(await dueOfChat(world))], [['read'], ['status read']])
  await world.emulator.moveClock({ by: '1m' })
  assert.deepEqual([world.statusNames(), kindsOf(await dueOfChat(world))], [['read', 'read'], []])
})

test('a reset drops due plans and keeps the clock', async (t) => {
  const world = await startSlow(t)
  world.emulator.script({ behaviour: { whenExpired: 131026 } })
  world.emulator.setPhone({ number: CUSTOMER, online: false })
  await world.sendOtp()
  await world.emulator.moveClock({ by: '1m' })
  assert.deepEqual(kindsOf((await due(world)).due), ['expiry'])
  world.emulator.reset()
  assert.deepEqual(kindsOf((await due(world)).due), [])
  const { aheadMs } = await world.emulator.moveClock({ by: '1h' })
  assert.equal(aheadMs, HOUR_MS + MINUTE_MS)
  assert.deepEqual(world.statusNames(), ['sent'])
})

test('service windows, pair limits and reviews follow the moved clock', async (t) => {
  const world = await startSlow(t, { closedWindow: 'http' })
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  assert.deepEqual(kindsOf(await dueOfChat(world)), ['window'])
  world.emulator.planReview(DEMO.accountId, { outcome: 'reject', reason: 'SCAM', afterMs: HOUR_MS })
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  world.emulator.createTemplate(DEMO.accountId, { name: 'parcel', language: 'en', category: 'UTILITY', components })
  assert.deepEqual(kindsOf((await due(world)).due), ['review parcel (en)'])
  assert.equal(codeOf(await world.send(text('Hello'))), 0)
  for (let count = 0; count < 44; count++) await world.sendOtp()
  assert.equal(codeOf(await world.sendOtp()), 131056)
  const moved = await world.emulator.moveClock({ by: '24h' })
  assert.deepEqual([moved.happened.windows, moved.happened.reviews], [1, 1])
  assert.equal(world.emulator.getAccount(DEMO.accountId).templates.get('parcel\0en')?.status, 'REJECTED')
  assert.equal(codeOf(await world.send(text('Hello'))), 131047)
  assert.equal(codeOf(await world.sendOtp()), 0)
})

test('webhook retries follow the moved clock until a 200', async (t) => {
  const world = await startSlow(t)
  world.callback.answerFirst(500, 500, 500, 500)
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await world.emulator.moveClock({ by: '2s' })
  assert.deepEqual(kindsOf((await due(world)).due), ['webhook text'])
  const moved = await world.emulator.moveClock({ by: '1h' })
  assert.equal(moved.happened.webhooks, 2)
  assert.equal(world.callback.posts.length, 5)
  assert.equal(world.emulator.webhookPosts()[0]?.state, 'answered')
  assert.deepEqual((await due(world)).due, [])
})

test('a delayed customer action runs by the moved clock', async (t) => {
  const world = await startSlow(t)
  await world.sendOrder()
  const later = world.call('POST', '/control/inbound', { from: CUSTOMER, tap: { button: 0 }, afterMs: HOUR_MS })
  while ((await dueOfChat(world)).at(-1)?.kind !== 'answer') continue
  await world.emulator.moveClock({ by: '1h' })
  assert.equal((await later).status, 200)
  const missing = world.emulator.inbound({ from: CUSTOMER, tap: { button: 'Maybe' }, afterMs: HOUR_MS })
  await Promise.all([assert.rejects(missing, /there is no button "Maybe"/), world.emulator.moveClock({ by: '1h' })])
})

test('a silent callback ends the move in time, with the time reached', async (t) => {
  const world = await startSlow(t)
  const released = Promise.withResolvers<void>()
  world.callback.answerWith((_request, response) => void released.promise.then(() => response.end()))
  await world.sendOrder()
  const moved = await world.emulator.moveClock({ by: '1h' }, { takesMs: 50 })
  assert.ok(moved.movedMs >= SCHEDULE.sentMs - 1_000 && moved.movedMs < SCHEDULE.deliveredMs, String(moved.movedMs))
  released.resolve()
  const rest = await world.emulator.moveClock({ by: '1h' })
  assert.equal(rest.movedMs, HOUR_MS)
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

test('only one move of the clock runs at a time', async (t) => {
  const world = await startSlow(t)
  const first = world.emulator.moveClock({ by: '1h' })
  await assert.rejects(world.emulator.moveClock({ by: '1h' }), /being moved already/)
  await first
  assert.equal((await world.emulator.moveClock({ by: '1h' })).aheadMs, 2 * HOUR_MS)
})

for (const [body, status, says] of [
  [{}, 400, /exactly one of by and to/],
  [{ by: '1h', to: '2030-01-01T00:00:00Z' }, 400, /exactly one of by and to/],
  [{ by: 'tomorrow' }, 400, /write one such as 90s, 15m, 23h, 2d or 1d12h/],
  [{ by: '-1h' }, 400, /is no span/],
  [{ by: 3600 }, 400, /"by"/],
  [{ to: 'tomorrow' }, 400, /"to"/],
  [{ by: '91d' }, 400, /by at most 90 days in one move/],
  [{ to: '2999-01-01T00:00:00Z' }, 400, /by at most 90 days in one move/],
] as const) {
  test(`an invalid move leaves the clock and says why: ${JSON.stringify(body)}`, async (t) => {
    const world = await startSlow(t)
    const answer = await world.call('POST', '/control/clock', body)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, says)
    assert.equal((await due(world)).aheadMs, 0)
  })
}

test('the clock moves at most ten years ahead', async (t) => {
  const world = await startSlow(t)
  const moves = Math.floor(EMULATOR_LIMITS.clockAheadMs / EMULATOR_LIMITS.clockMoveMs)
  for (let move = 0; move < moves; move++) await world.emulator.moveClock({ by: '90d' })
  await assert.rejects(world.emulator.moveClock({ by: '90d' }), /3650 days ahead at most/)
})

test('due plans are listed for a complete chat or without one', async (t) => {
  const world = await startSlow(t)
  assert.match((await world.call('GET', '/control/clock?phone=%2B34600111222')).text, /give phone and number/)
  assert.equal((await world.call('GET', '/control/clock?phone=Ana&number=1')).status, 400)
})

test('an emulator with an external time machine links to it and keeps its clock', async (t) => {
  const world = await startSlow(t, { timeMachineAt: () => 'http://127.0.0.1:3000/dashboard/' })
  assert.equal((await due(world)).movedAt, 'http://127.0.0.1:3000/dashboard/')
  const answer = await world.call('POST', '/control/clock', { by: '1h' })
  assert.equal(answer.status, 409)
  assert.match(answer.text, /move it at http:\/\/127\.0\.0\.1:3000\/dashboard\//)
})
