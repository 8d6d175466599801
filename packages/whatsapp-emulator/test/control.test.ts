import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '../src/index.ts'
import { controlRoutes } from '../src/control/routes.ts'
import { EMULATOR_LIMITS } from '../src/limits.ts'
import { Messages } from '../src/messages/messages.ts'
import { CUSTOMERS, FAILURES } from '../src/messages/presets.ts'
import { NO_STORAGE } from '../src/store/saved-map.ts'
import { codeOf, CUSTOMER, otp, startWorld } from './world.ts'

test('the front page lists exactly the existing routes', async (t) => {
  const world = await startWorld(t)
  const page = await world.call('GET', '/', undefined, '')
  const control = Object.keys(page.at('control') as object)
  assert.deepEqual(
    control,
    controlRoutes.map(({ method, path }) => `${method} ${path}`),
  )
  for (const route of [...(page.at('graph') as string[]), ...control]) {
    const [method = '', path = ''] = route.split(' ')
    if (path === '/control/live') continue // a stream without an end
    const answer = await world.call(method as 'GET', path.replace(':id', '1234567'), method === 'GET' ? undefined : {})
    assert.notEqual(codeOf(answer), 2500, route)
  }
})

test('a message is listed as on the phone, with its webhooks’ answers', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp({ biz_opaque_callback_data: 'job-1' })
  await world.sendOtp({ to: '+34600111223' })
  await world.emulator.idle()
  const answer = await world.call('GET', `/control/messages?to=${encodeURIComponent(CUSTOMER)}`, undefined, '')
  assert.equal(answer.at('messages', 'length'), 1)
  assert.equal(answer.at('messages', 0, 'code'), '493817')
  assert.equal(answer.at('messages', 0, 'callbackData'), 'job-1')
  assert.deepEqual(answer.at('messages', 0, 'template'), {
    name: 'login_code',
    language: 'en_US',
    category: 'AUTHENTICATION',
  })
  assert.equal(answer.at('messages', 0, 'statuses', 2, 'status'), 'read')
  assert.equal(answer.at('messages', 0, 'statuses', 2, 'webhook', 'attempts', 0, 'httpStatus'), 200)
})

test('scripts can be added, listed with their uses, and removed by HTTP', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const add = async (script: object) =>
    (await world.call('POST', '/control/scripts', { match: { to: CUSTOMER }, ...script })).at('id')
  const cancels = await add({ preset: 'cancels' })
  await world.sendOrder()
  await world.emulator.idle()
  const rejects = await add({ behaviour: { error: 131016 } })
  assert.equal(codeOf(await world.sendOtp()), 131016)
  const listed = (await world.call('GET', '/control/scripts')).at('scripts') as { id: string; used: number }[]
  assert.deepEqual(
    listed.slice(0, 3).map(({ id, used }) => [id, used]),
    [
      [rejects, 1],
      [cancels, 1],
      [FAILURES[0].name, 0],
    ],
  )
  assert.deepEqual(
    world.emulator.inboundMessages().map(({ text }) => text),
    ['Cancel'],
  )
  for (const status of [200, 404])
    assert.equal((await world.call('DELETE', `/control/scripts/${String(rejects)}`)).status, status)
  assert.equal(codeOf(await world.sendOtp()), 0)
  const left = await world.call('DELETE', '/control/scripts')
  assert.equal(left.at('scripts', 'length'), FAILURES.length + CUSTOMERS.length)
})

test('an issued account keeps its credentials, and no other account shows any', async (t) => {
  const world = await startWorld(t)
  const issue = (id: string) => world.call('PUT', `/control/accounts/${id}`, { name: 'My shop' })
  const [one, again, other] = [
    await issue('700100200300400'),
    await issue('700100200300400'),
    await issue('700100200300401'),
  ]
  const { accessToken, appSecret, verifyToken } = world.emulator.getAccount('700100200300400')
  assert.deepEqual(one.body, { id: '700100200300400', accessToken, appSecret, verifyToken })
  assert.deepEqual(again.body, one.body)
  assert.notEqual(other.at('accessToken'), accessToken)
  const numbers = ['700100200300400', '700100200300401'].map((id) => [
    ...world.emulator.getAccount(id).numbers.values(),
  ])
  assert.deepEqual(
    numbers.map(([number]) => number?.displayPhoneNumber),
    ['+1 555-011-0001', '+1 555-011-0002'],
  )
  const templates = [...world.emulator.getAccount('700100200300400').templates.values()]
  assert.ok(templates.every(({ status }) => status === 'APPROVED'))
  assert.deepEqual(
    [...new Set(templates.map(({ name }) => name))],
    ['login_code', 'order_confirmation', 'delivery_refusal'],
  )
  assert.equal((await issue(DEMO.accountId)).status, 409)
  const listed = await world.call('GET', '/control/accounts')
  assert.doesNotMatch(JSON.stringify(listed.body), new RegExp(accessToken))
})

test('accounts, numbers and templates added by HTTP can send', async (t) => {
  const world = await startWorld(t)
  const account = await world.call('POST', '/control/accounts', {
    appSecret: 's',
    accessToken: 'EAAnew',
    verifyToken: 'v',
  })
  const number = await world.call('POST', `/control/accounts/${String(account.at('id'))}/numbers`, {
    displayPhoneNumber: '+34 911 222 333',
  })
  const components = [{ type: 'BODY', text: 'Hello.' }]
  await world.call('POST', `/control/accounts/${String(account.at('id'))}/templates`, {
    name: 'hello',
    language: 'en',
    category: 'UTILITY',
    components,
  })
  const send = {
    messaging_product: 'whatsapp',
    to: CUSTOMER,
    type: 'template',
    template: { name: 'hello', language: { code: 'en' } },
  }
  const answer = await world.call('POST', `/v25.0/${String(number.at('id'))}/messages`, send, 'EAAnew')
  assert.equal(answer.status, 200, answer.text)
})

test('HTTP can post statuses, taps and webhooks, and pause them', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const sent = await world.sendOrder()
  const message = sent.at('messages', 0, 'id')
  await world.call('POST', '/control/statuses', { message, statuses: ['sent', { status: 'failed', errors: [131026] }] })
  assert.deepEqual(world.statusNames(), ['sent', 'failed'])
  await world.call('POST', '/control/inbound', { from: CUSTOMER, tap: { button: 'Cancel' } })
  assert.equal(world.inboundMessages().length, 1)
  const field = { field: 'account_update', value: { event: 'ACCOUNT_RESTRICTION' } }
  const answer = await world.call('POST', `/control/accounts/${DEMO.accountId}/webhook`, field)
  assert.equal(answer.at('posts', 0, 'state'), 'answered')
  assert.deepEqual(world.callback.posts.at(-1)?.body.entry[0]?.changes[0], {
    value: field.value,
    field: 'account_update',
  })
  assert.equal((await world.call('POST', '/control/pause')).at('paused'), true)
  assert.equal((await world.call('GET', '/control/metrics')).at('webhooks', 'paused'), true)
  assert.equal((await world.call('POST', '/control/resume')).at('paused'), false)
})

test('changes of templates, numbers and phones take effect and send webhooks', async (t) => {
  const world = await startWorld(t)
  const template = world.emulator.getAccount(DEMO.accountId).templates.values().next().value
  await world.call('PATCH', `/control/templates/${template?.id}`, { status: 'PAUSED', quality: 'RED' })
  assert.equal(codeOf(await world.sendOtp()), 132015)
  await world.call('PATCH', `/control/numbers/${DEMO.standardNumberId}`, { throughput: 'HIGH', status: 'BANNED' })
  assert.equal(codeOf(await world.sendOrder()), 131031)
  await world.emulator.idle()
  const fields = world.callback.posts.flatMap((post) => post.body.entry.map((entry) => entry.changes[0]?.field))
  assert.deepEqual(
    fields.toSorted((a = '', b = '') => a.localeCompare(b)),
    ['message_template_quality_update', 'message_template_status_update', 'phone_number_quality_update'],
  )
  const phone = await world.call('POST', '/control/phones', { number: CUSTOMER, online: false, name: 'Ana' })
  assert.deepEqual([phone.at('online'), phone.at('name')], [false, 'Ana'])
})

test('a reset drops the history and keeps accounts and webhooks', async (t) => {
  const world = await startWorld(t, { batch: { windowMs: 1_000 } })
  await world.sendOtp()
  await world.call('POST', '/control/scripts', { behaviour: { error: 2 } })
  await world.call('POST', '/control/reset')
  await world.emulator.idle()
  assert.deepEqual([world.emulator.messages().length, world.statusNames().length], [0, 0])
  assert.equal(codeOf(await world.sendOtp()), 0)
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'delivered', 'read'])
})

test('the callback can be verified', async (t) => {
  const world = await startWorld(t)
  const path = `/control/accounts/${DEMO.accountId}/verify-callback`
  assert.deepEqual((await world.call('POST', path)).body, { verified: world.callback.url })
  const wrong = await startWorld(t, { account: { verifyToken: 'wrong' } })
  const answer = await wrong.call('POST', path)
  assert.deepEqual(
    [answer.status, answer.at('error', 'message')],
    [422, 'the callback answered the verification with 403, not 200'],
  )
})

const ACCOUNT = `/control/accounts/${DEMO.accountId}`
const CREDENTIALS = { appSecret: 's', accessToken: 't', verifyToken: 'v' }
const WRONG: [string, string, unknown, RegExp, number?][] = [
  ['a body that is not JSON', 'POST /control/scripts', '{', /must be JSON/],
  ['a body that is a list', 'POST /control/scripts', [], /faults/],
  ['an account without secrets', 'POST /control/accounts', {}, /appSecret.*accessToken.*verifyToken/],
  ['an invalid callback URL', `PATCH ${ACCOUNT}`, { callbackUrl: 'ftp://x' }, /callbackUrl/],
  ['an account twice', 'POST /control/accounts', { id: DEMO.accountId, ...CREDENTIALS }, /exists already/],
  ['no such account', 'POST /control/accounts/1/numbers', { displayPhoneNumber: '+34911222333' }, /GET \/control/, 404],
  ['an invalid number', `POST ${ACCOUNT}/numbers`, { displayPhoneNumber: 'call me' }, /begins with \+/],
  ['no such message', 'POST /control/statuses', { message: 'wamid.x', statuses: ['sent'] }, /no such message/, 404],
  ['an unknown status', 'POST /control/statuses', { message: 'wamid.x', statuses: ['eaten'] }, /statuses\.0/],
  ['nothing written', 'POST /control/inbound', { from: CUSTOMER }, /exactly one of text, tap, choose, raw and again/],
  ['no business number', 'POST /control/inbound', { from: CUSTOMER, text: 'x' }, /say by \\"to\\"/],
  ['a customer without a number', 'POST /control/inbound', { from: 'Ana', text: 'x' }, /not a phone number/],
  ['an unknown template', 'PATCH /control/templates/1', { status: 'PAUSED' }, /no template 1/, 404],
  ['an unknown filter', 'GET /control/messages?colour=red', undefined, /colour/],
  ['a limit of nothing', 'GET /control/messages?limit=0', undefined, /limit/],
]

for (const [what, call, body, says, status = 400] of WRONG) {
  test(`the control API reports what is wrong: ${what}`, async (t) => {
    const world = await startWorld(t)
    const [method, path = ''] = call.split(' ')
    const answer = await world.call(method as 'GET', path, body)
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, says)
  })
}

test('scripts beyond the limit are rejected, not dropped', async (t) => {
  const world = await startWorld(t)
  for (let count = 0; count < EMULATOR_LIMITS.scripts; count++) world.emulator.script({ behaviour: {} })
  assert.throws(() => world.emulator.script({ behaviour: {} }), /1000 scripts at most; remove some/)
})

test('phones beyond the limit are rejected, and offline phones kept', async (t) => {
  const world = await startWorld(t)
  const phone = (count: number) => `+346${String(count).padStart(8, '0')}`
  for (let count = 0; count < EMULATOR_LIMITS.phonesKept; count++)
    world.emulator.setPhone({ number: phone(count), online: false })
  const one = { number: phone(EMULATOR_LIMITS.phonesKept), block: DEMO.standardNumber }
  const rejected = await world.call('POST', '/control/phones', one)
  assert.equal(rejected.status, 409)
  assert.match(rejected.text, /remembers 10000 phones that were changed, and no more; change some back/)
  assert.equal((await world.call('POST', '/control/phones', { number: phone(0), readReceipts: false })).status, 200)
  assert.equal((await world.call('POST', '/control/phones', { ...one, block: undefined, online: true })).status, 200)
  await world.call('POST', '/control/phones', { number: phone(1), online: true })
  assert.equal((await world.call('POST', '/control/phones', one)).status, 200)
})

test('templates and review plans beyond the limit are rejected', async (t) => {
  const { emulator } = await startWorld(t)
  const components = [{ type: 'BODY', text: 'Hello.' }]
  const add = (count: number) =>
    emulator.addTemplate(DEMO.accountId, { name: `t${count}`, language: 'en', category: 'UTILITY', components })
  const held = emulator.getAccount(DEMO.accountId).templates.size
  for (let count = held; count < EMULATOR_LIMITS.templatesHeld; count++) add(count)
  assert.throws(() => add(EMULATOR_LIMITS.templatesHeld), /1000 templates at most; delete some/)
  for (let count = 0; count < EMULATOR_LIMITS.reviewsPlanned; count++) emulator.planReview(DEMO.accountId, { times: 1 })
  assert.throws(() => emulator.planReview(DEMO.accountId, { times: 1 }), /1000 plans for reviews at most/)
})

test('only the latest messages are kept', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', pairLimit: false })
  await world.sendOtp()
  const [message] = world.emulator.messages()
  assert.ok(message !== undefined)
  const messages = new Messages(NO_STORAGE)
  for (let count = 0; count <= EMULATOR_LIMITS.messagesKept; count++) messages.add({ ...message, id: `wamid.${count}` })
  assert.deepEqual(
    [messages.list().length, messages.find('wamid.0'), messages.find('wamid.1')?.id],
    [EMULATOR_LIMITS.messagesKept, undefined, 'wamid.1'],
  )
})

test('a reset does not cancel a delayed answer', async (t) => {
  const world = await startWorld(t, { speed: 0.001 })
  world.emulator.script({ behaviour: { responseAfterMs: 50_000 } })
  const answer = world.sendOtp()
  await world.emulator.waitForMessage()
  world.emulator.reset()
  assert.equal((await answer).status, 200)
})

test('a hurried account reports all statuses immediately, with times as far apart as usual, the last one now', async (t) => {
  const world = await startWorld(t, {
    schedule: { sentMs: 1_000, deliveredMs: 5_000, readMs: 20_000, jitter: 0 },
    speed: 1,
  })
  await world.call('PATCH', `/control/accounts/${DEMO.accountId}`, { hurried: true })
  await world.sendOtp()
  await world.emulator.idle()
  const [message] = world.emulator.messages()
  const times = message?.statuses.map(({ status, timestamp }) => [
    status,
    Number(timestamp) - Math.floor((message?.acceptedAt ?? 0) / 1000),
  ])
  assert.deepEqual(times, [
    ['sent', -19],
    ['delivered', -15],
    ['read', 0],
  ])
})

test('clearing the chats of a number removes both sides and what is planned, and keeps other numbers', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  await world.sendOrder()
  await world.emulator.inbound({ from: CUSTOMER, text: 'hello' })
  const [chat] = world.emulator.conversations()
  assert.ok(chat)
  const other = chat.phoneNumberId === DEMO.highNumberId ? DEMO.standardNumberId : DEMO.highNumberId
  await world.call('DELETE', `/control/numbers/${other}/chats`)
  assert.equal(world.emulator.conversations().length, 1)
  await world.call('DELETE', `/control/numbers/${chat.phoneNumberId}/chats`)
  assert.deepEqual(world.emulator.conversations(), [])
})

test('a cleared message is not delivered when its phone comes back, and one of another number is', async (t) => {
  const world = await startWorld(t)
  world.emulator.setPhone({ number: CUSTOMER, online: false })
  await world.sendOtp()
  const kept = await world.send(otp(), DEMO.highNumberId)
  await world.emulator.idle()
  assert.deepEqual(world.statusNames(), ['sent', 'sent'])
  await world.call('DELETE', `/control/numbers/${DEMO.standardNumberId}/chats`)
  world.emulator.setPhone({ number: CUSTOMER, online: true })
  await world.emulator.idle()
  const delivered = world.statuses().filter(({ status }) => status === 'delivered')
  assert.deepEqual(
    delivered.map(({ id }) => id),
    [kept.at('messages', 0, 'id')],
  )
})
