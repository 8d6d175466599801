import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorTable } from '../src/errors.ts'
import { type BehaviourSeed, DEMO } from '../src/index.ts'
import { META_LIMITS } from '../src/limits.ts'
import { FAILURES } from '../src/messages/presets.ts'
import { codeOf, CUSTOMER, detailsOf, otp, startWorld } from './world.ts'

test('every documented code works as an HTTP error and as a failed status', async (t) => {
  const world = await startWorld(t, { pairLimit: false, throughputLimit: false })
  for (const [name, row] of Object.entries(errorTable)) {
    const code = Number(name)
    world.emulator.script({ match: { times: 1 }, behaviour: { error: code } })
    const answer = await world.sendOtp()
    assert.deepEqual([answer.status, codeOf(answer), detailsOf(answer)], [row.status, code, row.details])
    world.emulator.script({ match: { times: 1 }, behaviour: { failed: code } })
    assert.equal((await world.sendOtp()).status, 200)
  }
  await world.emulator.idle()
  const failed = world.statuses().map((status) => status.errors?.[0])
  assert.deepEqual(new Set(failed.map((error) => error?.code)), new Set(Object.keys(errorTable).map(Number)))
  assert.ok(failed.every((error) => error?.title !== '' && error?.error_data.details !== ''))
})

test('an error can have any code, HTTP status and words, and echo the parameters', async (t) => {
  const world = await startWorld(t)
  const error = { code: 999999, httpStatus: 418, title: 'Teapot', details: 'No coffee for', echoParameters: true }
  world.emulator.script({ match: { times: 1 }, behaviour: { error } })
  const answer = await world.sendOtp()
  assert.deepEqual(
    [answer.status, answer.at('error', 'message'), detailsOf(answer)],
    [418, '(#999999) Teapot', 'No coffee for: "493817"'],
  )
  world.emulator.script({ behaviour: { failed: error } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.equal(world.statuses()[0]?.errors?.[0]?.error_data.details, 'No coffee for: "493817"')
})

test('the answer can be a page instead of JSON', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ behaviour: { html: { httpStatus: 503 } } })
  const answer = await world.sendOtp()
  assert.equal(answer.status, 503)
  assert.match(answer.text, /^<!DOCTYPE html>/)
  assert.deepEqual(world.emulator.messages(), [])
})

test('a dropped connection leaves the message only after accepting', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { times: 1 }, behaviour: { connection: 'drop_before_accepting' } })
  await assert.rejects(world.sendOtp())
  assert.deepEqual(world.emulator.messages(), [])
  world.emulator.script({ match: { times: 1 }, behaviour: { connection: 'drop_after_accepting' } })
  await assert.rejects(world.sendOtp())
  await world.emulator.idle()
  assert.equal(world.emulator.messages().length, 1)
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

test('a hanging call holds no timer after its caller left', async (t) => {
  const { emulator } = await startWorld(t)
  const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  emulator.script({ behaviour: { connection: 'hang_after_accepting' } })
  const before = timers()
  const caller = new AbortController()
  const call = fetch(`${emulator.url}/${DEMO.standardNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: CUSTOMER, ...otp() }),
    signal: caller.signal,
  })
  await emulator.waitForMessage()
  await emulator.idle()
  caller.abort()
  await assert.rejects(call)
  for (let turns = 0; timers() > before && turns < 100; turns += 1) await nextTurn()
  assert.ok(timers() <= before)
})

test('an answer can be delayed after the message is accepted', async (t) => {
  const world = await startWorld(t, { speed: 0.001 })
  world.emulator.script({ behaviour: { responseAfterMs: 60_000 } })
  let answered = false
  const answer = world.sendOtp().then((answer) => {
    answered = true
    return answer
  })
  await world.emulator.waitForMessage()
  assert.equal(answered, false)
  assert.equal((await answer).status, 200)
})

test('statuses can precede the answer of the HTTP call', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ behaviour: { statusesBeforeResponse: true } })
  await world.sendOtp()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

const LIVES: [string, BehaviourSeed, string[]][] = [
  ['no statuses at all', { statuses: 'none' }, []],
  ['delivered skipped', { skip: ['delivered'] }, ['sent', 'read']],
  ['the opposite order', { reversed: true }, ['read', 'delivered', 'sent']],
  ['sent, then failed', { statuses: [{ status: 'sent' }, { status: 'failed', errors: [131026] }] }, ['sent', 'failed']],
  [
    'failed, then delivered',
    {
      statuses: [
        { status: 'failed', afterMs: 1 },
        { status: 'delivered', afterMs: 2 },
      ],
    },
    ['failed', 'delivered'],
  ],
  [
    'a list by its delays',
    {
      statuses: [
        { status: 'read', afterMs: 90 },
        { status: 'sent', afterMs: 10 },
      ],
    },
    ['sent', 'read'],
  ],
  ['held for quality: none until reported', { messageStatus: 'held_for_quality_assessment' }, []],
]

for (const [what, behaviour, expected] of LIVES) {
  test(`statuses by script: ${what}`, async (t) => {
    const world = await startWorld(t)
    world.emulator.script({ behaviour })
    await world.sendOtp()
    await world.emulator.idle()
    assert.deepEqual(world.statusNames(), expected)
  })
}

test('copies of a status are identical, in separate posts', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ behaviour: { statuses: [{ status: 'sent', copies: 3 }] } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.equal(world.callback.posts.length, 3)
  assert.equal(new Set(world.callback.posts.map((post) => post.raw)).size, 1)
})

test('the answer says that a message is held', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { times: 1 }, behaviour: { messageStatus: 'held_for_quality_assessment' } })
  world.emulator.script({ match: { times: 1 }, behaviour: { messageStatus: 'omitted' } })
  const [held, omitted] = [await world.sendOtp(), await world.sendOtp()]
  assert.equal(held.at('messages', 0, 'message_status'), 'held_for_quality_assessment')
  assert.deepEqual(Object.keys(omitted.at('messages', 0) as object), ['id'])
})

test('fields can be omitted, and unknown ones added', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({
    behaviour: {
      omit: ['recipient_id', 'recipient_user_id', 'biz_opaque_callback_data', 'pricing', 'wa_id', 'user_id'],
      extraFields: true,
    },
  })
  const answer = await world.sendOtp({ biz_opaque_callback_data: 'job-1' })
  assert.deepEqual(answer.at('contacts', 0), { input: CUSTOMER })
  await world.emulator.idle()
  assert.deepEqual(Object.keys(world.statuses()[0] ?? {}), ['id', 'status', 'timestamp', 'unannounced_field'])
})

test('a user with a username never shows the phone number', async (t) => {
  const world = await startWorld(t)
  world.emulator.setPhone({ number: CUSTOMER, username: 'ana.shop' })
  const answer = await world.sendOtp()
  assert.deepEqual(Object.keys(answer.at('contacts', 0) as object), ['input', 'user_id'])
  await world.emulator.inbound({ from: CUSTOMER, text: 'Hello' })
  await world.emulator.idle()
  assert.ok(world.callback.posts.every((post) => !post.raw.includes('34600111222')))
  assert.equal(world.inboundMessages()[0]?.['from_user_id'], world.emulator.messages()[0]?.userId)
})

test('limited scripts apply in sequence, then permanent ones, newest first', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { to: CUSTOMER }, behaviour: { error: 131000 } })
  const newest = world.emulator.script({ match: { to: '34 600 111 222' }, behaviour: { error: 131016 } })
  world.emulator.script({ match: { times: 1 }, behaviour: { error: 2 } })
  world.emulator.script({ match: { times: 2 }, behaviour: { error: 4 } })
  const codes: number[] = []
  for (let count = 0; count < 4; count++) codes.push(codeOf(await world.sendOtp()))
  assert.deepEqual(codes, [2, 4, 4, 131016])
  assert.equal(newest.remove(), true)
  assert.equal(codeOf(await world.sendOtp()), 131000)
  world.emulator.clearScripts()
  assert.equal(codeOf(await world.sendOtp()), 0)
})

test('a script can be for one sending number or one template', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { from: DEMO.highNumber }, behaviour: { error: 131057 } })
  world.emulator.script({ match: { template: 'order_confirmation' }, behaviour: { error: 132007 } })
  assert.equal(codeOf(await world.sendOtp()), 0)
  assert.equal(codeOf(await world.send({ type: 'template' }, DEMO.highNumberId)), 131008)
  assert.equal(codeOf(await world.sendOrder()), 132007)
})

test('a send that is rejected for its own faults, its pace or a closed window uses no script', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', closedWindow: 'http' })
  for (let count = 0; count < META_LIMITS.pairBurstMessages; count++) await world.sendOtp()
  world.emulator.script({ match: { times: 1 }, behaviour: { error: 2 } })
  const rejected = [
    await world.send({ type: 'template' }),
    await world.sendOtp(),
    await world.send({ to: '+34600111223', type: 'text', text: { body: 'Hello' } }),
  ]
  assert.deepEqual(rejected.map(codeOf), [131008, 131056, 131047])
  world.pass(META_LIMITS.pairIntervalMs)
  assert.equal(codeOf(await world.sendOtp()), 2)
})

test('a phone offline beyond the time to live never gets the message', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { times: 1 }, behaviour: { offlineForMs: 601_000 } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent'])
  assert.equal(world.emulator.messages()[0]?.expired, true)
})

test('an expired message can fail, and one within its time arrives', async (t) => {
  const world = await startWorld(t)
  world.emulator.script({ match: { times: 1 }, behaviour: { offlineForMs: 601_000, whenExpired: 131026 } })
  world.emulator.script({ match: { times: 1 }, behaviour: { offlineForMs: 599_000 } })
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'failed'])
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames().slice(2), ['sent', 'delivered', 'read'])
})

test('a phone that is turned on gets the unexpired messages', async (t) => {
  const world = await startWorld(t)
  world.emulator.setPhone({ number: CUSTOMER, online: false })
  await world.sendOtp()
  world.pass(400_000)
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'sent'])
  world.pass(300_000)
  world.emulator.setPhone({ number: CUSTOMER, online: true })
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'sent', 'delivered', 'read'])
  assert.deepEqual(
    world.emulator.messages().map((message) => message.expired),
    [true, false],
  )
})

test('in manual mode only reported statuses are sent, in order', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOtp()
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), [])
  const message = await world.emulator.waitForMessage({ to: CUSTOMER })
  const posts = await world.emulator.report(message, [
    'read',
    { status: 'sent', timestamp: 12 },
    { status: 'failed', errors: [131026, 131000] },
  ])
  assert.deepEqual(
    posts.map((post) => post.state),
    ['answered', 'answered', 'answered'],
  )
  assert.deepEqual(world.statusNames(), ['read', 'sent', 'failed'])
  assert.equal(world.statuses()[1]?.timestamp, '12')
  assert.deepEqual(
    world.statuses()[2]?.errors?.map((error) => error.code),
    [131026, 131000],
  )
})

test('waiting for a message never returns one twice', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp({}, '1111')
  const first = await world.emulator.waitForMessage({ to: CUSTOMER })
  const [second] = await Promise.all([world.emulator.waitForMessage({ to: CUSTOMER }), world.sendOtp({}, '2222')])
  assert.deepEqual([first.code, second.code], ['1111', '2222'])
  await assert.rejects(
    world.emulator.waitForMessage({ to: CUSTOMER }, { timeoutMs: 1 }),
    /2 messages are on the phones, 2 of them match/,
  )
})

test('a recipient’s last digits choose a failure, unless magic numbers are off', async (t) => {
  const world = await startWorld(t)
  const plain = await startWorld(t, { magicNumbers: false })
  for (const { ending, behaviour } of FAILURES as readonly { ending: string; behaviour: BehaviourSeed }[]) {
    if (behaviour.connection !== undefined) await assert.rejects(world.sendOtp({ to: `+3460011${ending}` }))
    else {
      const answer = await world.sendOtp({ to: `+3460011${ending}` })
      const error = typeof behaviour.error === 'number' ? behaviour.error : 0
      assert.equal(codeOf(answer), error, ending)
      assert.equal(answer.status === 200, error === 0 && behaviour.html === undefined, ending)
    }
    assert.equal((await plain.sendOtp({ to: `+3460011${ending}` })).status, 200)
  }
  await world.emulator.idle()
  const names = (ending: string) =>
    world.emulator.messages({ to: `+3460011${ending}` })[0]?.statuses.map((status) => status.status)
  assert.deepEqual(names('1026'), ['failed'])
  assert.deepEqual(names('0600'), ['sent'])
  assert.deepEqual(names('0602'), ['sent', 'read'])
  assert.deepEqual(names('0603'), ['read', 'read', 'delivered', 'delivered', 'sent', 'sent'])
})
