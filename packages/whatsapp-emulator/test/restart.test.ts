import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Emulator, type StepSeed, DEMO, demoAccount } from '../src/index.ts'
import { compileCacheEnv } from '../../../test/programs/program.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { SLOW, copyOf, get, graph, newFolder, post, send, start } from './saved-state.ts'
import { listen, order, otp, statusesOf, CUSTOMER } from './world.ts'
import type { DueAnswer } from '../src/wire/chats.ts'

const CONFIRMS_IN_WORDS: StepSeed[] = [{ do: [{ tap: { button: 'Confirm' } }, { text: 'After six' }] }]

test('a restarted emulator has all its accounts, chats, customers and plans', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  await furnish(first)
  const issued = first.issueAccount('700100200300400', { name: 'My shop' })
  const held = await readAll(first)
  await first.close()
  const second = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  assert.deepEqual(await readAll(second), held)
  assert.equal(second.issueAccount(issued.id, {}).accessToken, issued.accessToken)
  const script = await post(second, '/control/scripts', { behaviour: { error: 2 } })
  assert.equal(script['id'], 'script-4', 'no id is given twice')
})

test('overdue plans run after the start, once and in order', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const first = await start(t, { data, speed: SLOW, accounts: [account] })
  first.script({ match: { to: CUSTOMER }, steps: CONFIRMS_IN_WORDS })
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

test('an unsuccessful webhook is retried unchanged after the start', async (t) => {
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

test('a scripted customer continues a conversation after the restart', async (t) => {
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

test('a pause outlives the restart, and webhooks leave unchanged', async (t) => {
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

test('an offline phone stays off after a restart, and gets its messages later', async (t) => {
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

test('a moved clock stays ahead after a restart', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data })
  await first.moveClock({ by: '2d' })
  await first.close()
  const second = await start(t, { data })
  assert.equal((await second.moveClock({ by: '1d' })).aheadMs, 3 * 24 * 60 * 60 * 1000)
  const third = await start(t, { data: await copyOf(t, data) })
  assert.equal((await third.moveClock({ by: '1d' })).aheadMs, 4 * 24 * 60 * 60 * 1000)
})

test('a saved account takes only secrets and callback from the start', async (t) => {
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

test('an emulator that has not begun saves what it answers', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, speed: SLOW, waits: true, accounts: [demoAccount()] })
  await send(first, otp())
  const second = await start(t, { data: await copyOf(t, data), speed: SLOW })
  assert.equal(second.messages().length, 1)
})

test('a killed process loses no state, after any actions', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const account = demoAccount({ callbackUrl: callback.url })
  const first = await start(t, { data, speed: SLOW, retryGapsMs: [60_000], accounts: [account] })
  const assertSaved = async (): Promise<void> => {
    const held = await readAll(first)
    const copy = await start(t, { data: await copyOf(t, data), speed: SLOW, accounts: [account] })
    assert.deepEqual(await readAll(copy), held)
  }
  callback.answerFirst(500)
  await furnish(first)
  await post(first, '/control/clock', { by: '2h' })
  first.pauseStatuses()
  await changeAccounts(first, callback.url)
  await assertSaved()
  await live(first)
  await post(first, '/control/clock', { by: '1s' })
  first.resumeStatuses()
  first.pauseStatuses()
  await assertSaved()
  first.setPhone({ number: '+34600111001', online: true })
  first.resumeStatuses()
  await waitFor('the webhooks to be answered', () => first.metrics.webhooks.busy === 0)
  await assertSaved()
  first.reset()
  await assertSaved()
})

test('every kind of change is in the folder once it was answered', async (t) => {
  let data = await newFolder(t)
  const callback = await listen(t)
  let emulator = await start(t, { data, speed: SLOW, accounts: [demoAccount({ callbackUrl: callback.url })] })
  const again = async (): Promise<void> => {
    data = await copyOf(t, data)
    emulator = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
  }
  await post(emulator, '/control/inbound', { from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await again()
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const parcel = { name: 'parcel', language: 'en', category: 'UTILITY', components }
  await graph(emulator, 'POST', `${DEMO.accountId}/message_templates`, DEMO.accessToken, parcel)
  await again()
  await graph(emulator, 'DELETE', `${DEMO.accountId}/subscribed_apps`)
  await again()
  await post(emulator, '/control/phones', { number: CUSTOMER, online: false })
  await again()
  const { inbound } = (await get(emulator, '/control/inbound')) as { inbound: { text: string }[] }
  assert.deepEqual(
    inbound.map(({ text }) => text),
    ['Hello'],
  )
  const { accounts } = (await get(emulator, '/control/accounts')) as {
    accounts: { subscribed: boolean; templates: { name: string }[] }[]
  }
  assert.equal(accounts[0]?.subscribed, false)
  assert.ok(accounts[0]?.templates.some(({ name }) => name === 'parcel'))
  await send(emulator, otp())
  await post(emulator, '/control/clock', { by: '2h' })
  const { messages } = (await get(emulator, '/control/messages')) as { messages: { arrivedAt: string | null }[] }
  assert.equal(messages[0]?.arrivedAt, null)
})

test('a reported tap survives kill -9, and the customer goes on', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const flags = ['--data', data, '--speed', String(SLOW), '--callback-url', callback.url]
  const first = await runEmulator(t, flags)
  await post(first, '/control/scripts', { match: { to: CUSTOMER, times: 1 }, steps: CONFIRMS_IN_WORDS })
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
  const second = await runEmulator(t, flags)
  await post(second, '/control/clock', { by: '2h' })
  const reported = callback.posts
    .map(({ body }) => body.entry[0]?.changes[0]?.value as Reported)
    .flatMap((value) => value.messages ?? [])
  assert.deepEqual(
    reported.map(({ type }) => type).filter((type, at, types) => types[at - 1] !== type),
    ['button', 'text'],
  )
  assert.equal(new Set(reported.filter(({ type }) => type === 'button').map(({ id }) => id)).size, 1)
  const { inbound } = (await get(second, '/control/inbound')) as { inbound: { id: string; text: string }[] }
  assert.deepEqual(
    inbound.map(({ id, text }) => [id, text]),
    [
      [reported.at(-1)?.id, 'After six'],
      [reported[0]?.id, 'Confirm'],
    ],
  )
})

type Reported = { messages?: { id: string; type: string }[] }

/** Creates something of each kind that an emulator holds. */
async function furnish(emulator: Emulator): Promise<void> {
  const added = emulator.addAccount({ appSecret: 's', accessToken: 'EAAadded', verifyToken: 'v', otpButtons: 'OTP' })
  emulator.addNumber(added.id, { displayPhoneNumber: '+34 911 222 333', throughput: 'HIGH' })
  emulator.changeAccount(added.id, { blockedBy: 131031 })
  emulator.planReview(DEMO.accountId, { outcome: 'never', times: 1 })
  emulator.planReview(DEMO.accountId, { afterMs: 60_000 })
  for (const name of ['stays_pending', 'approved_later']) {
    const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
    emulator.createTemplate(DEMO.accountId, { name, language: 'en', category: 'UTILITY', components })
  }
  await graph(emulator, 'DELETE', `${DEMO.accountId}/message_templates?name=delivery_refusal`)
  emulator.script({ match: { to: '+34600111999', times: 2 }, behaviour: { error: 131016 } })
  emulator.script({ match: { to: CUSTOMER, times: 1 }, preset: 'reschedules' })
  emulator.script({ steps: [{ when: { kind: 'list' }, do: 'ignore' }] })
  emulator.setPhone({ number: '+34600111333', online: false, name: 'Ana', username: 'ana.shop' })
  emulator.setPhone({ number: '+34600111444', block: DEMO.standardNumber, readReceipts: false })
  for (const number of ['+34600111001', '+34600111002']) {
    emulator.setPhone({ number, online: false })
    await send(emulator, order(), number)
  }
  await send(emulator, order())
  await send(emulator, otp(), '+34600111333')
  const [message] = emulator.messages({ to: CUSTOMER })
  assert.ok(message)
  await emulator.report(message, ['sent', 'delivered', { status: 'failed', errors: [131026] }])
  await emulator.inbound({ from: CUSTOMER, tap: { button: 0 }, hidePhone: true })
  await graph(emulator, 'POST', `${DEMO.standardNumberId}/messages`, DEMO.accessToken, {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: emulator.inboundMessages()[0]?.id,
  })
  await emulator.inbound({ from: '+34600111555', to: DEMO.highNumberId, text: 'Olé' })
}

/** Changes existing state, and removes some. */
async function live(emulator: Emulator): Promise<void> {
  const { id: scriptId } = emulator.script({ behaviour: { error: 2 } })
  await fetch(`${emulator.url}/control/scripts/${scriptId}`, { method: 'DELETE' })
  emulator.script({ match: { to: '+34600111888', times: 2 }, behaviour: { skip: ['read'] } })
  await send(emulator, order(), '+34600111888')
  await send(emulator, order(), '+34600110703')
  emulator.script({ match: { to: '+34600111777' }, preset: 'confirms' }).remove()
  emulator.changeNumber(DEMO.standardNumberId, { qualityRating: 'YELLOW' })
  emulator.changeTemplate('90071992547400001', { quality: 'RED' })
  emulator.setPhone({ number: '+34600111333', online: true })
  await graph(emulator, 'POST', `${DEMO.highNumberId}/deregister`)
}

/** Changes each account in a different way. */
async function changeAccounts(emulator: Emulator, callbackUrl: string): Promise<void> {
  const token = 'EAAseveral'
  const components = [{ type: 'BODY', text: 'Your parcel is here.' }]
  const template = { name: 'parcel', language: 'en', category: 'UTILITY', components } as const
  const changes: ((id: string, numberId: string) => unknown)[] = [
    () => {},
    (id) => emulator.changeAccount(id, { blockedBy: 131031 }),
    (id) => emulator.addNumber(id, { displayPhoneNumber: '+34 911 555 555' }),
    (id) => emulator.addTemplate(id, { ...template, components }),
    (id) => emulator.createTemplate(id, template),
    (id) => emulator.planReview(id, { outcome: 'never', times: 1 }),
    (_id, numberId) => emulator.changeNumber(numberId, { qualityRating: 'RED' }),
    (_id, numberId) =>
      graph(emulator, 'POST', `${numberId}/register`, token, { messaging_product: 'whatsapp', pin: '123456' }),
    (_id, numberId) => graph(emulator, 'POST', `${numberId}/deregister`, token),
    (id) => graph(emulator, 'POST', `${id}/subscribed_apps`, token),
    (id) => graph(emulator, 'DELETE', `${id}/subscribed_apps`, token),
    (id) => graph(emulator, 'DELETE', `${id}/message_templates?name=old`, token),
    (id) => emulator.changeTemplate(emulator.getAccount(id).templates.get('old\0en')?.id ?? '', { quality: 'RED' }),
  ]
  const accounts = changes.map((_change, at) =>
    emulator.addAccount({
      appSecret: 's',
      accessToken: token,
      verifyToken: 'v',
      callbackUrl,
      subscribed: at !== 9,
      numbers: [{ displayPhoneNumber: `+34 911 222 ${100 + at}` }],
      templates: [{ ...template, name: 'old', components }],
    }),
  )
  // The initial state is written before it changes.
  await get(emulator, '/control/metrics')
  for (const [at, { id, numbers }] of accounts.entries()) await changes[at]?.(id, [...numbers.keys()][0] ?? '')
}

/** Everything that people can see, and how long each due plan still waits. */
async function readAll(emulator: Emulator): Promise<unknown> {
  const paths = ['accounts', 'conversations', 'messages', 'inbound', 'webhooks']
  const { scripts } = (await get(emulator, '/control/scripts')) as { scripts: { id: string }[] }
  const answers = await Promise.all(paths.map((path) => get(emulator, `/control/${path}`)))
  const templates = await graph(emulator, 'GET', `${DEMO.accountId}/message_templates?limit=100`)
  const chat = new URLSearchParams({ phone: CUSTOMER, number: DEMO.standardNumberId })
  const { due, chat: ofChat } = (await get(emulator, `/control/clock?${chat.toString()}`)) as DueAnswer
  const coming = [...due, ...ofChat].map(({ kind, what, phone, number }) => ({ kind, what, phone, number }))
  const added = scripts.filter(({ id }) => id.startsWith('script-')) // the uses of presets are not saved
  return { answers, added, templates: await templates.json(), coming }
}

/** Runs the emulator in a separate process, as people do. */
async function runEmulator(t: TestContext, flags: readonly string[]) {
  const child = spawn(process.execPath, ['bin/emulator.js', '--port', '0', ...flags], {
    cwd: path.resolve(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...compileCacheEnv() },
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const url = await waitFor('the emulator to listen', () => /listens on (\S+)/.exec(printed)?.[1])
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  return { child, ended, kill, url }
}
