import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { DEMO, demoAccount, startEmulator } from './emulator.ts'
import { keep } from './kept.ts'
import { TWIN_LIMITS } from './limits.ts'
import { Memory } from './memory.ts'
import { makeParts } from './parts.ts'
import { until } from '../test/until.ts'
import { listen, order, otp, statusesOf, CUSTOMER } from './world.ts'
import type { Emulator, EmulatorOptions } from './emulator.ts'
import type { DueAnswer } from './phone/due.ts'

/** Nothing happens by itself within a test, unless its clock is moved. */
const SLOW = 1_000

test('a twin that was ended finds everything again: accounts, templates, chats, customers and what is to come', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  await furnish(first)
  const held = await tellAll(first)
  await first.close()
  const second = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  assert.deepEqual(await tellAll(second), held)
  const script = await post(second, '/control/scripts', { behaviour: { error: 2 } })
  assert.equal(script['id'], 'script-2', 'no id is given twice')
})

test('what was due while the twin was off happens after its start, in its order and once', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const first = await start(t, { data, speed: SLOW, accounts: [account] })
  first.customer({ to: CUSTOMER }, [{ do: [{ tap: { button: 'Confirm' } }, { text: 'After six' }] }])
  first.planReview(DEMO.accountId, { outcome: 'reject', reason: 'SCAM' })
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  first.createTemplate(DEMO.accountId, { name: 'parcel', language: 'en', category: 'UTILITY', components })
  await send(first, order())
  await first.close()
  const aDayLater = (): number => Date.now() + 24 * 60 * 60 * 1000
  const second = await start(t, { data, speed: 0, batch: { windowMs: 0 }, now: aDayLater, accounts: [account] })
  await second.idle()
  assert.deepEqual(
    statusesOf(callback.posts).map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
  assert.deepEqual(
    second.inboundMessages().map(({ did, text }) => `${did} ${text}`),
    ['tapped Confirm', 'typed After six'],
  )
  assert.equal(second.getAccount(DEMO.accountId).templates.get('parcel\0en')?.status, 'REJECTED')
  await second.close()
  const posts = callback.posts.length
  const third = await start(t, { data, speed: 0, now: aDayLater, accounts: [account] })
  await third.idle()
  assert.equal(callback.posts.length, posts)
})

test('a webhook that was not answered 200 comes again after the start, byte for byte', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const settings = { data, speed: SLOW, retryGapsMs: [60_000], accounts: [account] }
  callback.answerFirst(500)
  const first = await start(t, settings)
  await first.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Olé / 1@2' })
  await first.close()
  const second = await start(t, settings)
  assert.equal(callback.posts.length, 1)
  await second.moveClock({ by: '1d' })
  const [one, other] = callback.posts
  assert.equal(callback.posts.length, 2)
  assert.deepEqual([other?.raw, other?.signature, other?.signed], [one?.raw, one?.signature, true])
  assert.equal(second.webhookPosts()[0]?.state, 'answered')
})

test('a webhook whose answer the twin did not live to see comes again, and the customer goes on after it', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const [first, tapped] = [await start(t, { data, accounts: [account] }), Promise.withResolvers<void>()]
  first.onInbound(() => callback.answerWith(() => tapped.resolve()))
  first.customer({ to: CUSTOMER, times: 1 }, [{ do: [{ tap: { button: 'Confirm' } }, { text: 'After six' }] }])
  first.script({ behaviour: { statuses: [{ status: 'delivered' }] } })
  await send(first, order())
  const moving = first.moveClock({ by: '4s' })
  await tapped.promise
  await first.close()
  await moving
  callback.answerFirst()
  const second = await start(t, { data, accounts: [account] })
  await second.moveClock({ by: '3s' })
  const told = callback.posts.map(({ body }) => body.entry[0]?.changes[0]?.value as { messages?: { type: string }[] })
  assert.deepEqual(
    told.flatMap(({ messages = [] }) => messages.map(({ type }) => type)),
    ['button', 'button', 'text'],
  )
})

test('a scripted customer goes on with a conversation that began before the restart', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: 0, accounts: [demoAccount()] })
  await send(first, order(), '+34600110703')
  await first.idle()
  await first.close()
  const second = await start(t, { data, speed: 0, accounts: [demoAccount()] })
  const buttons = ['Monday', 'Tuesday'].map((title) => ({ type: 'reply', reply: { id: title, title } }))
  const question = { type: 'button', body: { text: 'Which day?' }, action: { buttons } }
  await send(second, { type: 'interactive', interactive: question }, '+34600110703')
  await second.idle()
  assert.deepEqual(
    second.inboundMessages().map(({ text }) => text),
    ['Change time', 'Monday'],
  )
})

test('webhooks that a pause held back are held back after the start, and leave as they would have left', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const first = await start(t, { data, speed: 0, accounts: [account] })
  first.pauseStatuses()
  first.changeTemplate('90071992547400001', { quality: 'RED' })
  await send(first, otp())
  await first.idle()
  await first.close()
  const second = await start(t, { data, speed: 0, accounts: [account] })
  await second.idle()
  assert.equal(callback.posts.length, 0)
  second.resumeStatuses()
  await second.idle()
  assert.deepEqual(
    statusesOf(callback.posts).map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
  assert.match(callback.posts[0]?.raw ?? '', /"message_template_id":90071992547400001,/)
  assert.equal(second.messages()[0]?.statuses[2]?.post?.state, 'answered')
})

test('a phone that was off stays off, and gets what waited for it when it is on again', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: 0, accounts: [demoAccount()] })
  first.setPhone({ number: CUSTOMER, online: false })
  await send(first, otp())
  await first.idle()
  await first.close()
  const second = await start(t, { data, speed: 0, accounts: [demoAccount()] })
  assert.equal(second.messages()[0]?.arrivedAt, undefined)
  second.setPhone({ number: CUSTOMER, online: true })
  assert.deepEqual(
    second.messages()[0]?.statuses.map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
})

test('a clock that was moved stays ahead', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data })
  await first.moveClock({ by: '2d' })
  await first.close()
  const second = await start(t, { data })
  assert.equal((await second.moveClock({ by: '1d' })).aheadMs, 3 * 24 * 60 * 60 * 1000)
})

test('an account that is remembered takes its secrets and its callback from the start, and nothing else', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, accounts: [demoAccount()] })
  await graph(first, 'DELETE', `${DEMO.accountId}/message_templates?name=summer_offer`)
  first.changeNumber(DEMO.standardNumberId, { qualityRating: 'RED' })
  await first.close()
  const changes = { accessToken: 'EAAanother', callbackUrl: 'http://127.0.0.1:9/hook' }
  const second = await start(t, { data, accounts: [demoAccount(changes)] })
  const account = second.getAccount(DEMO.accountId)
  assert.deepEqual([account.callbackUrl, account.subscribed], [changes.callbackUrl, true])
  assert.equal(account.templates.has('summer_offer\0en'), false)
  assert.equal(account.numbers.get(DEMO.standardNumberId)?.qualityRating, 'RED')
  assert.equal((await graph(second, 'GET', DEMO.accountId)).status, 401)
  assert.equal((await graph(second, 'GET', DEMO.accountId, 'EAAanother')).status, 200)
})

for (const [what, damage, says] of [
  ['cut off', (text: string) => text.slice(0, -10), /it is damaged/],
  ['changed by hand', (text: string) => text.replace('Demo Shop', 'Demo Sh0p'), /it is damaged/],
  ['no file of a twin', () => 'hello', /it is damaged/],
  ['empty', () => '', /it is damaged/],
  ['whole and makes no sense', () => `{"form":1,"sha256":"${sha256('{}')}"}\n{}`, /it was not understood/],
  ['of a newer form', (text: string) => text.replace('"form":1', '"form":2'), /a newer release has written it/],
] as const) {
  test(`a file that is ${what} is put aside with a warning, and the twin begins empty`, async (t) => {
    const data = await newFolder(t)
    const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
    await send(first, otp())
    await first.close()
    const file = path.join(data, 'twin.json')
    const damaged = damage(await readFile(file, 'utf8'))
    await writeFile(file, damaged)
    const warnings: string[] = []
    const second = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
    assert.deepEqual(second.messages(), [])
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', says)
    const aside = (await readdir(data)).find((name) => name.endsWith('.aside')) ?? ''
    assert.ok(warnings[0]?.includes(aside))
    assert.equal(await readFile(path.join(data, aside), 'utf8'), damaged)
    await send(second, otp())
    await second.close()
    const third = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
    assert.deepEqual([third.messages().length, warnings.length], [1, 1])
  })
}

test('a folder that stands where the file should be is put aside with a warning', async (t) => {
  const data = await newFolder(t)
  await mkdir(path.join(data, 'twin.json'))
  const warnings: string[] = []
  const first = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
  await first.close()
  assert.match(warnings.join(), /as it is no file\. It is now .*\.aside, and the twin begins empty/)
  assert.ok((await stat(path.join(data, 'twin.json'))).isFile())
})

test('a folder has one twin at a time, and the next when that one has ended or could not begin', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, accounts: [demoAccount()] })
  await send(first, otp())
  await assert.rejects(startEmulator({ data }), /another twin that runs keeps .*: end it, or choose another folder/)
  await first.close()
  const { port } = new URL((await start(t, {})).url)
  await assert.rejects(startEmulator({ data, port: Number(port) }), /EADDRINUSE/)
  const second = await start(t, { data })
  assert.equal(second.messages().length, 1)
})

test('the longer it takes to gather what is written, the longer the twin rests before the next time', async (t) => {
  const { saveAfterMs, saveRestTimes } = TWIN_LIMITS
  const tookMs = (2 * saveAfterMs) / saveRestTimes
  const rests: number[] = []
  t.mock.method(globalThis, 'setTimeout', (act: () => void, ms: number) => {
    rests.push(ms)
    return setImmediate(act)
  })
  const memory = new Memory({ folder: await newFolder(t), warn: assert.fail })
  const parts = makeParts({})
  const again = Promise.withResolvers<void>()
  memory.begin(() => {
    for (const from = performance.now(); performance.now() - from < tookMs; ) continue
    if (rests.length === 1) memory.changed()
    else again.resolve()
    return keep(parts)
  })
  await again.promise
  await memory.close()
  const [first, second = 0] = rests
  assert.equal(first, saveAfterMs)
  assert.ok(second >= saveRestTimes * tookMs)
})

test('the file is its owner’s alone, in a folder that is made when it is missing', async (t) => {
  const data = await newFolder(t)
  const twin = await start(t, { data: path.join(data, 'made') })
  await twin.close()
  assert.equal((await stat(path.join(data, 'made', 'twin.json'))).mode & 0o777, 0o600)
  assert.deepEqual((await readdir(path.join(data, 'made'))).toSorted(), ['twin.json', 'twin.lock'])
})

test('a folder that cannot be written to is told once, and the twin goes on', async (t) => {
  const data = await newFolder(t)
  await mkdir(path.join(data, 'twin.json.new')) // where a file is to be written
  const warned = Promise.withResolvers<string>()
  const warnings: string[] = []
  const twin = await start(t, {
    data,
    accounts: [demoAccount()],
    warn: (line) => {
      warnings.push(line)
      warned.resolve(line)
    },
  })
  assert.match(await warned.promise, /cannot be written to .*twin\.json: EISDIR/)
  await send(twin, otp())
  await twin.close()
  assert.equal(warnings.length, 1)
})

test('a folder that cannot be read ends the start', async (t) => {
  const data = path.join(await newFolder(t), 'file')
  await writeFile(data, '')
  await assert.rejects(startEmulator({ data }), /twin\.json cannot be read .*choose another folder/)
})

test('what is more than the file may hold is not written, and told', async (t) => {
  const data = await newFolder(t)
  const warnings: string[] = []
  const twin = await start(t, {
    data,
    dataBytes: 1_000,
    accounts: [demoAccount()],
    warn: (line) => warnings.push(line),
  })
  await twin.close()
  assert.match(warnings.join(), /more than 1000 bytes; POST \/control\/reset makes room/)
  assert.deepEqual(await readdir(data), ['twin.lock'])
})

test('a twin that is killed goes on where it was, whatever it was just writing', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const flags = ['--data', data, '--speed', String(SLOW), '--callback-url', callback.url]
  const first = await runTwin(t, flags)
  await send(first, order())
  await until('the message to be written', async () =>
    (await readFile(path.join(data, 'twin.json'), 'utf8').catch(() => '')).includes('A-1001'),
  )
  first.child.kill('SIGKILL')
  await first.ended
  await writeFile(path.join(data, 'twin.json.new'), '{"form":1')
  const second = await runTwin(t, flags)
  await post(second, '/control/clock', { by: '2h' })
  const told = statusesOf(callback.posts).map(({ status }) => status)
  assert.deepEqual(told, ['sent', 'delivered', 'read'])
  second.child.kill('SIGTERM')
  assert.deepEqual(await second.ended, [0, null])
  const third = await start(t, { data })
  assert.deepEqual(
    third.messages()[0]?.statuses.map(({ status }) => status),
    told,
  )
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Reached = Pick<Emulator, 'url'>

/** Something of each kind that a twin holds. */
async function furnish(twin: Emulator): Promise<void> {
  const added = twin.addAccount({ appSecret: 's', accessToken: 'EAAadded', verifyToken: 'v', otpButtons: 'OTP' })
  twin.addNumber(added.id, { displayPhoneNumber: '+34 911 222 333', throughput: 'HIGH' })
  twin.changeAccount(added.id, { blockedBy: 131031 })
  twin.planReview(DEMO.accountId, { outcome: 'never', times: 1 })
  twin.planReview(DEMO.accountId, { afterMs: 60_000 })
  for (const name of ['stays_pending', 'approved_later']) {
    const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
    twin.createTemplate(DEMO.accountId, { name, language: 'en', category: 'UTILITY', components })
  }
  await graph(twin, 'DELETE', `${DEMO.accountId}/message_templates?name=delivery_refusal`)
  twin.script({ match: { to: '+34600111999', times: 2 }, behaviour: { error: 131016 } })
  twin.customer({ to: CUSTOMER, times: 1 }, 'reschedules')
  twin.customer({}, [{ when: { kind: 'list' }, do: 'ignore' }])
  twin.setPhone({ number: '+34600111333', online: false, name: 'Ana', username: 'ana.shop' })
  twin.setPhone({ number: '+34600111444', block: DEMO.standardNumber, readReceipts: false })
  await send(twin, order())
  await send(twin, otp(), '+34600111333')
  const [message] = twin.messages()
  assert.ok(message)
  await twin.report(message, ['sent', 'delivered', { status: 'failed', errors: [131026] }])
  await twin.inbound({ from: CUSTOMER, tap: { button: 0 }, hidePhone: true })
  await graph(twin, 'POST', `${DEMO.standardNumberId}/messages`, DEMO.accessToken, {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: twin.inboundMessages()[0]?.id,
  })
  await twin.inbound({ from: '+34600111555', to: DEMO.highNumberId, text: 'Olé' })
}

/** All that people can be shown of it, and how long it takes until what is due. */
async function tellAll(twin: Emulator): Promise<unknown> {
  const paths = ['accounts', 'scripts', 'customers', 'conversations', 'messages', 'inbound', 'webhooks']
  const told = await Promise.all(paths.map((path) => get(twin, `/control/${path}`)))
  const templates = await graph(twin, 'GET', `${DEMO.accountId}/message_templates?limit=100`)
  const chat = new URLSearchParams({ phone: CUSTOMER, number: DEMO.standardNumberId })
  const { due, chat: ofChat } = (await get(twin, `/control/clock?${chat.toString()}`)) as DueAnswer
  const coming = [...due, ...ofChat].map(({ kind, what, phone, number }) => ({ kind, what, phone, number }))
  return { told, templates: await templates.json(), coming }
}

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-twin-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

async function start(t: TestContext, options: EmulatorOptions): Promise<Emulator> {
  const twin = await startEmulator(options)
  t.after(() => twin.close())
  return twin
}

/** As people run it: a process of its own. */
async function runTwin(t: TestContext, flags: readonly string[]) {
  const child = spawn(process.execPath, ['bin/emulator.js', '--port', '0', ...flags], {
    cwd: path.resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const url = await until('the twin to listen', () => /listens on (\S+)/.exec(printed)?.[1])
  return { child, ended, url }
}

async function send(twin: Reached, body: object, to = CUSTOMER): Promise<void> {
  const message = { messaging_product: 'whatsapp', to, ...body }
  const answer = await graph(twin, 'POST', `${DEMO.standardNumberId}/messages`, DEMO.accessToken, message)
  assert.equal(answer.status, 200, await answer.text())
}

const graph = ({ url }: Reached, method: string, path: string, token: string = DEMO.accessToken, body?: object) =>
  fetch(`${url}/v25.0/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

async function get({ url }: Reached, path: string): Promise<unknown> {
  return await (await fetch(`${url}${path}`)).json()
}

async function post({ url }: Reached, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Record<string, unknown>
}
