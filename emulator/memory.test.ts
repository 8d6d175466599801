import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { Changes } from './changes.ts'
import { DEMO, demoAccount, startEmulator } from './emulator.ts'
import { Inbox, type Letter } from './inbox.ts'
import { type Change, type Kept, keep, keepChange, withChanges } from './kept.ts'
import { TWIN_LIMITS } from './limits.ts'
import { Memory } from './memory.ts'
import { Messages, type Message } from './messages.ts'
import { makeParts } from './parts.ts'
import { Phones } from './phones.ts'
import { ServiceWindows } from './service-windows.ts'
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
  const third = await start(t, { data: await copyOf(t, data) })
  assert.equal((await third.moveClock({ by: '1d' })).aheadMs, 4 * 24 * 60 * 60 * 1000)
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
  ['whole and makes no sense', () => `{"form":2,"sha256":"${sha256('{}')}"}\n{}`, /it was not understood/],
  ['of an older form', (text: string) => text.replace('"form":2', '"form":1'), /a twin from before the first release/],
  ['of a newer form', (text: string) => text.replace('"form":2', '"form":3'), /a newer release has written it/],
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

test('the file and its journal together are all that a twin holds, whatever was done since the file was written', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const first = await start(t, { data, speed: SLOW, retryGapsMs: [60_000], accounts: [account] })
  await until('the file', () => stat(path.join(data, 'twin.json')).catch(() => undefined))
  await mkdir(path.join(data, BLOCK))
  callback.answerFirst(500)
  await furnish(first)
  await post(first, '/control/clock', { by: '2h' })
  first.pauseStatuses()
  await changeAccounts(first, callback.url)
  await live(first)
  await post(first, '/control/clock', { by: '1s' })
  first.resumeStatuses()
  first.pauseStatuses()
  const held = await tellAll(first)
  const second = await start(t, { data: await copyOf(t, data), speed: SLOW, accounts: [account] })
  assert.deepEqual(await tellAll(second), held)
  await assertJournalTellsAll(data)
  callback.answerWith((_request, response) => {
    if (callback.posts.at(-1)?.raw.includes(`"from":"${CUSTOMER.slice(1)}"`) !== true) response.end()
  })
  const told = callback.posts.length
  first.customer({ to: CUSTOMER }, [{ do: [{ tap: { button: 'Confirm' } }, { text: 'After six' }] }])
  first.script({ behaviour: { statuses: [{ status: 'delivered', afterMs: 0 }] } })
  await send(first, order())
  void first.moveClock({ by: '2h' }).catch(() => {})
  await until('the tap', () =>
    callback.posts.slice(told).some(({ raw }) => raw.includes('"type":"button"') && raw.includes(CUSTOMER.slice(1))),
  )
  assert.equal((await assertJournalTellsAll(data)).performances.length, 1)
  first.setPhone({ number: '+34600111001', online: true })
  first.resumeStatuses()
  await until('all but the tap to be answered', () => first.metrics.webhooks.busy === 1)
  await assertJournalTellsAll(data)
  first.reset()
  await assertJournalTellsAll(data)
})

test('what is forgotten because there is too much of it is gone from the journal as well', () => {
  const changes = new Changes(() => {})
  const [windows, phones, inbox, messages] = [ServiceWindows, Phones, Inbox, Messages].map(
    (Kind) => new Kind(changes),
  ) as [ServiceWindows, Phones, Inbox, Messages]
  const { windowsKept, phonesKept, inboundKept, messagesKept } = TWIN_LIMITS
  for (let at = 0; at <= windowsKept; at++) windows.open('1', String(at), 0)
  for (let at = 0; at <= phonesKept; at++) phones.rememberUserId(String(at), '1')
  for (let at = 0; at <= inboundKept; at++) inbox.add({ record: { id: String(at) } } as Letter)
  for (let at = 0; at <= messagesKept; at++) messages.add({ id: String(at) } as Message)
  const noted = changes.take()
  for (const section of [noted.windows, noted.userIds, noted.inbox, noted.messages] as Map<string, unknown>[]) {
    const [[, first], [, second]] = [...section].slice(0, 2) as [[string, unknown], [string, unknown]]
    assert.deepEqual([first === undefined, second === undefined], [true, false])
  }
})

test('a line of the journal that was being written when the process was killed is left out', async (t) => {
  const [data, name] = await killedFolder(t)
  await appendFile(path.join(data, name), '{"change":{"head":')
  const warnings: string[] = []
  const twin = await start(t, { data, speed: SLOW, warn: (line) => warnings.push(line) })
  assert.deepEqual([twin.messages().length, warnings], [2, []])
})

for (const [what, damage, says, messages] of [
  ['is damaged in a line', (text: string) => text.replace('"A-2"', '"A-'), /of .*\.journal its line \d+ is damaged/, 1],
  ['is of a newer form', (text: string) => text.replace('"form":1', '"form":2'), /a newer release has written it/, 0],
  ['makes no sense', (text: string) => text.replaceAll('"messages":', '"letters":'), /nothing is known of letters/, 0],
  ['is missing', undefined, /it is missing/, 0],
] as const) {
  test(`a journal that ${what} is kept with a warning, and the twin goes on from what came before`, async (t) => {
    const [data, name] = await killedFolder(t)
    const file = path.join(data, name)
    const damaged = damage?.(await readFile(file, 'utf8'))
    await (damaged === undefined ? rm(file) : writeFile(file, damaged))
    const warnings: string[] = []
    const twin = await start(t, { data, speed: SLOW, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
    assert.match(warnings.join(), says)
    assert.match(warnings.join(), /there is nothing to do/)
    assert.equal(warnings.length, 1)
    assert.deepEqual([twin.messages().length, twin.getAccount('999000111').name], [messages, 'Kept'])
    const aside = (await readdir(data)).find((name) => name.endsWith('.aside'))
    if (damaged === undefined) return assert.equal(aside, undefined)
    assert.equal(await readFile(path.join(data, aside ?? ''), 'utf8'), damaged)
    assert.equal((await stat(path.join(data, aside ?? ''))).mode & 0o777, 0o600)
  })
}

test('a journal of an earlier file is never taken for one of this, and is removed', async (t) => {
  const [data, name] = await killedFolder(t)
  const earlier = await readFile(path.join(data, name))
  const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  first.reset()
  await first.close()
  await writeFile(path.join(data, name), earlier)
  const second = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  assert.deepEqual(second.messages(), [])
  await second.close()
  assert.deepEqual((await readdir(data)).toSorted(), ['twin.json', 'twin.lock'])
})

test('the journal is its owner’s alone', async (t) => {
  const [data, name] = await killedFolder(t)
  assert.equal((await stat(path.join(data, name))).mode & 0o777, 0o600)
})

test('a journal that cannot be written is told, and what has changed is in the next file', async (t) => {
  const data = await newFolder(t)
  const warned = Promise.withResolvers<string>()
  const memory = new Memory({ folder: data, warn: warned.resolve })
  const parts = makeParts({}, memory)
  const some = (): never => {
    throw new Error('no room')
  }
  memory.begin({ all: () => keep(parts), some })
  await memory.settle()
  parts.phones.set('34600111222', { name: 'Ana' })
  assert.equal(await memory.settle(), undefined)
  assert.match(await warned.promise, /cannot be written to .*\.journal: no room/)
  await until('the next file', async () => (await readFile(path.join(data, 'twin.json'), 'utf8')).includes('Ana'))
  await memory.close()
})

test('a twin that waits knows what it answered before it began', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: SLOW, waits: true, accounts: [demoAccount()] })
  await send(first, otp())
  const second = await start(t, { data: await copyOf(t, data), speed: SLOW })
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
  const all = (): Kept => {
    for (const from = performance.now(); performance.now() - from < tookMs; ) continue
    if (rests.length === 0) memory.changed()
    else again.resolve()
    return keep(parts)
  }
  memory.begin({ all, some: (noted) => keepChange(parts, noted) })
  await again.promise
  await memory.close()
  const [rest = 0] = rests
  assert.ok(rest >= saveRestTimes * tookMs && rest > saveAfterMs)
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
  await first.kill()
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

test('what the twin has answered it knows after kill -9: the message is on its phone, and its statuses come', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const flags = ['--data', data, '--speed', String(SLOW), '--callback-url', callback.url]
  const first = await runTwin(t, flags)
  await send(first, order())
  await first.kill()
  const second = await runTwin(t, flags)
  const { messages } = (await get(second, '/control/messages')) as { messages: { text: string }[] }
  assert.deepEqual([messages.length, messages[0]?.text.includes('A-1001')], [1, true])
  await post(second, '/control/clock', { by: '2h' })
  assert.deepEqual(
    statusesOf(callback.posts).map(({ status }) => status),
    ['sent', 'delivered', 'read'],
  )
})

test('a customer’s words, a template, a subscription and a phone that is off outlive kill -9 when they were answered', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const flags = ['--data', data, '--speed', String(SLOW), '--callback-url', callback.url]
  let twin = await runTwin(t, flags)
  const again = async (): Promise<void> => {
    await twin.kill()
    twin = await runTwin(t, flags.slice(0, 4))
  }
  await post(twin, '/control/inbound', { from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await again()
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const parcel = { name: 'parcel', language: 'en', category: 'UTILITY', components }
  await graph(twin, 'POST', `${DEMO.accountId}/message_templates`, DEMO.accessToken, parcel)
  await again()
  await graph(twin, 'DELETE', `${DEMO.accountId}/subscribed_apps`)
  await again()
  await post(twin, '/control/phones', { number: CUSTOMER, online: false })
  await again()
  const { inbound } = (await get(twin, '/control/inbound')) as { inbound: { text: string }[] }
  assert.deepEqual(
    inbound.map(({ text }) => text),
    ['Hello'],
  )
  const { accounts } = (await get(twin, '/control/accounts')) as {
    accounts: { subscribed: boolean; templates: { name: string }[] }[]
  }
  assert.equal(accounts[0]?.subscribed, false)
  assert.ok(accounts[0]?.templates.some(({ name }) => name === 'parcel'))
  await send(twin, otp())
  await post(twin, '/control/clock', { by: '2h' })
  const { messages } = (await get(twin, '/control/messages')) as { messages: { arrivedAt: string | null }[] }
  assert.equal(messages[0]?.arrivedAt, null)
})

test('a tap that a business was told of is the same tap after kill -9, and the customer goes on after it', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const flags = ['--data', data, '--speed', String(SLOW), '--callback-url', callback.url]
  const first = await runTwin(t, flags)
  const steps = [{ do: [{ tap: { button: 'Confirm' } }, { text: 'After six' }] }]
  await post(first, '/control/customers', { match: { to: CUSTOMER, times: 1 }, plays: steps })
  await post(first, '/control/scripts', { behaviour: { statuses: [{ status: 'delivered' }] } })
  await send(first, order())
  const tapped = Promise.withResolvers<void>()
  callback.answerWith((request, response) => {
    if (callback.posts.at(-1)?.raw.includes('"type":"button"')) {
      tapped.resolve()
      request.destroy()
    } else response.end()
  })
  const moving = post(first, '/control/clock', { by: '2h' }).catch(() => {})
  await tapped.promise
  await first.kill()
  await moving
  callback.answerFirst()
  const second = await runTwin(t, flags)
  await post(second, '/control/clock', { by: '2h' })
  const told = callback.posts
    .map(({ body }) => body.entry[0]?.changes[0]?.value as Told)
    .flatMap((value) => value.messages ?? [])
  assert.deepEqual(
    told.map(({ type }) => type).filter((type, at, types) => types[at - 1] !== type),
    ['button', 'text'],
  )
  assert.equal(new Set(told.filter(({ type }) => type === 'button').map(({ id }) => id)).size, 1)
  const { inbound } = (await get(second, '/control/inbound')) as { inbound: { id: string; text: string }[] }
  assert.deepEqual(
    inbound.map(({ id, text }) => [id, text]),
    [
      [told.at(-1)?.id, 'After six'],
      [told[0]?.id, 'Confirm'],
    ],
  )
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Reached = Pick<Emulator, 'url'>
type Told = { messages?: { id: string; type: string }[] }

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
  for (const number of ['+34600111001', '+34600111002']) {
    twin.setPhone({ number, online: false })
    await send(twin, order(), number)
  }
  await send(twin, order())
  await send(twin, otp(), '+34600111333')
  const [message] = twin.messages({ to: CUSTOMER })
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

/** What changes things that are there already, and takes some away. */
async function live(twin: Emulator): Promise<void> {
  const { id: scriptId } = twin.script({ behaviour: { error: 2 } })
  await fetch(`${twin.url}/control/scripts/${scriptId}`, { method: 'DELETE' })
  twin.script({ match: { to: '+34600111888', times: 2 }, behaviour: { skip: ['read'] } })
  await send(twin, order(), '+34600111888')
  await send(twin, order(), '+34600110703')
  twin.customer({ to: '+34600111777' }, 'confirms').remove()
  twin.changeNumber(DEMO.standardNumberId, { qualityRating: 'YELLOW' })
  twin.changeTemplate('90071992547400001', { quality: 'RED' })
  twin.setPhone({ number: '+34600111333', online: true })
  await graph(twin, 'POST', `${DEMO.highNumberId}/deregister`)
}

/** Each in one way of its own. */
async function changeAccounts(twin: Emulator, callbackUrl: string): Promise<void> {
  const token = 'EAAseveral'
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const template = { name: 'parcel', language: 'en', category: 'UTILITY', components } as const
  const changes: ((id: string, numberId: string) => unknown)[] = [
    () => {},
    (id) => twin.changeAccount(id, { blockedBy: 131031 }),
    (id) => twin.addNumber(id, { displayPhoneNumber: '+34 911 555 555' }),
    (id) => twin.addTemplate(id, { ...template, components }),
    (id) => twin.createTemplate(id, template),
    (id) => twin.planReview(id, { outcome: 'never', times: 1 }),
    (_id, numberId) => twin.changeNumber(numberId, { qualityRating: 'RED' }),
    (_id, numberId) =>
      graph(twin, 'POST', `${numberId}/register`, token, { messaging_product: 'whatsapp', pin: '123456' }),
    (_id, numberId) => graph(twin, 'POST', `${numberId}/deregister`, token),
    (id) => graph(twin, 'POST', `${id}/subscribed_apps`, token),
    (id) => graph(twin, 'DELETE', `${id}/subscribed_apps`, token),
    (id) => graph(twin, 'DELETE', `${id}/message_templates?name=old`, token),
    (id) => twin.changeTemplate(twin.getAccount(id).templates.get('old\0en')?.id ?? '', { quality: 'RED' }),
  ]
  const accounts = changes.map((_change, at) =>
    twin.addAccount({
      appSecret: 's',
      accessToken: token,
      verifyToken: 'v',
      callbackUrl,
      subscribed: at !== 9,
      numbers: [{ displayPhoneNumber: `+34 911 222 ${100 + at}` }],
      templates: [{ ...template, name: 'old', components }],
    }),
  )
  // What they were made with is written before they change.
  await get(twin, '/control/metrics')
  for (const [at, { id, numbers }] of accounts.entries()) await changes[at]?.(id, [...numbers.keys()][0] ?? '')
}

/** While it is there no other file can be written. */
const BLOCK = 'twin.json.new'

/** Compares with what the twin writes when it can write the file again. */
async function assertJournalTellsAll(data: string): Promise<Kept['rows']> {
  const file = path.join(data, 'twin.json')
  const { head, journal, kept } = await readKept(data)
  const changes: Change[] = []
  for (let name: string | undefined = journal; name !== undefined; ) {
    const lines = (await readFile(path.join(data, name), 'utf8')).split('\n').slice(0, -1)
    name = undefined
    for (const line of lines.map((line) => JSON.parse(line) as { change?: Change; next?: string })) {
      if (line.change) changes.push(line.change)
      name = line.next
    }
  }
  const told = withChanges(kept, changes)
  await rm(path.join(data, BLOCK), { recursive: true })
  await until('the next file', async () => !(await readFile(file, 'utf8')).startsWith(head))
  const whole = (await readKept(data)).kept
  await until('no more to be written', () =>
    mkdir(path.join(data, BLOCK)).then(
      () => true,
      () => false,
    ),
  )
  const { savedAt: _savedAt, elapsedMs: _elapsedMs, ...rest } = whole.head
  assert.partialDeepStrictEqual(told.head, rest)
  for (const [name, rows] of Object.entries(whole.rows)) {
    const all = new Map<string, unknown>(told.rows[name as keyof Kept['rows']])
    const names = new Set(rows.map(([key]) => key))
    // It may tell of more posts and customers: those that nothing leads to any more.
    const more = [...all].filter(([key]) => !names.has(key)).map(([, row]) => row)
    if (name === 'customers') assert.ok(more.every((customer) => !(customer as { isListed: boolean }).isListed))
    else if (name !== 'posts') assert.deepEqual(more, [], name)
    for (const [key, row] of rows) assert.deepEqual(all.get(key), row, `${name} ${key}`)
  }
  return whole.rows
}

async function readKept(data: string): Promise<{ head: string; journal: string; kept: Kept }> {
  const [head = '', body = ''] = (await readFile(path.join(data, 'twin.json'), 'utf8')).split('\n')
  return { head, journal: (JSON.parse(head) as { journal: string }).journal, kept: JSON.parse(body) as Kept }
}

/** As a process that is killed now leaves it. */
async function copyOf(t: TestContext, data: string): Promise<string> {
  const copy = await newFolder(t)
  const names = (await readdir(data)).filter((name) => name === 'twin.json' || name.endsWith('.journal'))
  for (const name of names) await cp(path.join(data, name), path.join(copy, name))
  return copy
}

/** With a file, and in its journal two messages, of which the second is the last line. */
async function killedFolder(t: TestContext): Promise<[data: string, journal: string]> {
  const data = await newFolder(t)
  const numbers = [{ displayPhoneNumber: '+34 911 222 333' }]
  const other = { id: '999000111', name: 'Kept', appSecret: 's', accessToken: 'EAAkept', verifyToken: 'v', numbers }
  const first = await start(t, { data, accounts: [other] })
  await first.close()
  const twin = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  await until('the file', async () => (await readFile(path.join(data, 'twin.json'), 'utf8')).includes('.journal'))
  await mkdir(path.join(data, BLOCK))
  await send(twin, order('order_confirmation', ['Ana', 'A-1', '25 EUR']))
  await send(twin, order('order_confirmation', ['Ana', 'A-2', '25 EUR']))
  const copy = await copyOf(t, data)
  const [head = ''] = (await readFile(path.join(copy, 'twin.json'), 'utf8')).split('\n')
  return [copy, (JSON.parse(head) as { journal: string }).journal]
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
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { child, ended, kill, url }
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
