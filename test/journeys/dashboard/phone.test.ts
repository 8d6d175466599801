import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { MAX_LOCK_WAIT_MS } from '../../../src/lib/db/pool.ts'
import { quickReplies } from '../../world/cod.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { failAuditEntries, stateOf } from '../../faults/audit-faults.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import { numberOf, startSandbox, stopMonthHalfWay } from '../../world/sandbox.ts'
import { assertVerified } from '../../world/verified.ts'
import { listen } from '../../world/listen.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone } from '../../world/world.ts'

test('nothing is sent and no clock moves without an audit entry', async (t) => {
  const world = await startSandbox(t, { mayLogErrors: true })
  const { workspaceId } = world
  const { calls, email } = await signIn(world, 'admin')
  const { confirmationId } = await world.askToConfirm()
  const order = { ...world.confirmationBody(), parameters: { body: ['Ana', '5521', '349 MAD'] } }
  const check = { ...world.refusalBody(), parameters: { body: ['Ana', '5521'] } }
  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    'otp.sent': () => calls.phone.sendOtp.mutate({ workspaceId, body: world.otpBody() }),
    'confirmation.sent': () => calls.phone.sendConfirmation.mutate({ workspaceId, body: order }),
    'refusal_check.sent': () => calls.phone.sendRefusalCheck.mutate({ workspaceId, confirmationId, body: check }),
    'clock.advanced': () => calls.phone.advance.mutate({ workspaceId, to: { byMs: 60_000 } }),
  }
  for (const [action, act] of Object.entries(actions)) {
    await world.settled()
    const state = await stateOf(world)
    const entries = await failAuditEntries(world, `new.action = '${action}'`)
    await assert.rejects(act, /internal error/, action)
    await entries.again()
    assert.deepEqual(await stateOf(world), state, action)
    await act()
  }
  await world.settled()
  const recorded = await world.query<{ action: string; who: string; after: object }>(
    'select action, who, after from audit_log where workspace_id = $1 order by id',
    [workspaceId],
  )
  assert.deepEqual(
    recorded.map(({ action, who }) => [action, who]),
    Object.keys(actions).map((action) => [action, email]),
  )
  assert.deepEqual(recorded[3]?.after, { byMs: 60_000 })
  await assertVerified(world)
})

test('a request from the page is processed immediately and uses one unit', async (t) => {
  const world = await startSandbox(t, { otpQuota: 1 })
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const body = world.otpBody()
  const { messageId } = await calls.phone.sendOtp.mutate({ workspaceId, body })
  await waitFor('the code to be at WhatsApp', async () => (await world.getOtp({ messageId }))['status'] !== 'queued')
  await assert.rejects(calls.phone.sendOtp.mutate({ workspaceId, body }), /quota of one-time codes for/)
  const entries = await world.query('select 1 from audit_log where workspace_id = $1', [workspaceId])
  assert.equal(entries.length, 1, 'a rejected request is not recorded as sent')
})

test('a request from the page waits for a locked quota row like one of the API', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId, parts } = world
  const { calls } = await signIn(world, 'admin')
  await calls.phone.sendOtp.mutate({ workspaceId, body: world.otpBody() })
  const lock = 'select used from quota_usage where workspace_id = $1 for update'
  const unlock = await lockInAnotherSession(t, parts.db, lock, workspaceId)
  const sending = calls.phone.sendOtp.mutate({ workspaceId, body: world.otpBody() })
  await Promise.race([sending, wait(MAX_LOCK_WAIT_MS / 2)])
  await unlock()
  assert.match((await sending).messageId, /^[\da-f-]{36}$/)
})

test('while a demo month is made, no page sends: the deadline would pass before the sender sees the question', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { confirmationId } = await world.createConfirmation()
  const { calls } = await signIn(world, 'admin')
  const order = { ...world.confirmationBody(), parameters: { body: ['Ana', '5521', '349 MAD'] } }
  const check = { ...world.refusalBody(), parameters: { body: ['Ana', '5521'] } }
  const end = await stopMonthHalfWay(world)
  const sends = [
    () => calls.phone.sendOtp.mutate({ workspaceId, body: world.otpBody() }),
    () => calls.phone.sendConfirmation.mutate({ workspaceId, body: order }),
    () => calls.phone.sendRefusalCheck.mutate({ workspaceId, confirmationId, body: check }),
  ]
  for (const send of sends) await assert.rejects(send, /A demo month is being made/)
  await end()
  for (const send of sends) await send()
})

/** The phone's own calls, as the page makes them. */
const callsOf = (world: World, { cookie }: SignedIn, { url } = world.first) => {
  const headers = { cookie, origin: url, 'content-type': 'application/json' }
  const path = `${url}/dashboard/emulator/${world.workspaceId}`
  const { workspaceId } = world
  const answer = async (act: unknown) => {
    const body = JSON.stringify({ workspaceId, act })
    const answer = await fetch(`${url}/dashboard/calls/phone.act`, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  return {
    act: async (act: unknown) => (await answer(act)).status,
    answer,
    chat: async (phone: string, number: string) => {
      const input = encodeURIComponent(JSON.stringify({ workspaceId, phone, number }))
      const answer = await fetch(`${url}/dashboard/calls/phone.chat?input=${input}`, { headers })
      return { status: answer.status, text: await answer.text() }
    },
    live: (signal?: AbortSignal) => fetch(`${path}/live`, { headers, ...(signal && { signal }) }),
    get: async (rest: string) => (await fetch(`${path}/${rest}`, { headers })).status,
  }
}

test('another workspace’s chats on the same emulator look missing', async (t) => {
  const world = await startSandbox(t)
  const calls = callsOf(world, await signIn(world, 'owner'))
  const theirs = world.emulator.addAccount({
    appSecret: 'their-secret',
    accessToken: 'EAAtheirs',
    verifyToken: 'theirs',
    numbers: [{ displayPhoneNumber: '+34911222333' }],
  })
  const [foreign] = [...theirs.numbers.keys()]
  assert.ok(foreign)
  const [to, elsewhere] = [newPhone(), newPhone()]
  await world.emulator.inbound({ from: elsewhere, to: foreign, text: 'Their secret' })
  await world.submitOtp({ to })
  const ours = numberOf(world)

  assert.equal((await calls.chat(to, ours)).status, 200)
  assert.equal((await calls.chat(elsewhere, foreign)).status, 404)
  assert.ok(!(await calls.chat(elsewhere, ours)).text.includes('Their secret'))
  assert.equal(await calls.act({ do: 'text', phone: to, number: ours, text: 'Hello' }), 200)
  assert.equal(await calls.act({ do: 'text', phone: to, number: foreign, text: 'Hello' }), 404)
  assert.equal(await calls.act({ do: 'online', phone: to, online: false }), 200)
  assert.equal(await calls.act({ do: 'online', phone: elsewhere, online: false }), 404)
  assert.equal(await calls.act({ do: 'block', phone: to, number: foreign, blocked: true }), 404)
  const aborter = new AbortController()
  const stream = await calls.live(aborter.signal)
  const { value } = (await stream.body?.getReader().read()) ?? {}
  const text = Buffer.from(value ?? []).toString()
  aborter.abort()
  assert.ok(text.includes(to) && !text.includes(elsewhere) && !text.includes(foreign))
})

test('other workspaces’ data on the emulator gets the answer of missing data', async (t) => {
  const world = await startSandbox(t)
  const theirs = world.emulator.addAccount({
    appSecret: 'their-secret',
    accessToken: 'EAAtheirs',
    verifyToken: 'theirs',
    numbers: [{ displayPhoneNumber: '+34911222333' }],
    templates: [
      {
        name: 'their_question',
        language: 'en',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Are you sure?' }, quickReplies('Yes', 'No')],
      },
    ],
  })
  const [foreign = ''] = [...theirs.numbers.keys()]
  const [to, another, elsewhere] = [newPhone(), newPhone(), newPhone()]
  const sent = await fetch(`${world.emulator.url}/v25.0/${foreign}/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer EAAtheirs', 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: elsewhere,
      type: 'template',
      template: { name: 'their_question', language: { code: 'en' } },
    }),
  })
  assert.equal(sent.status, 200)
  await world.createConfirmation({ to })
  await world.askToConfirm({ to: another })
  const messageOn = (phone: string): string => world.emulator.messages({ to: phone })[0]?.id ?? ''
  const elsewhereOnly = [messageOn(elsewhere), messageOn(another)]
  assert.ok(elsewhereOnly.every((id) => id !== ''))

  const number = numberOf(world)
  for (const role of ['member', 'admin'] as const) {
    const { answer } = callsOf(world, await signIn(world, role))
    for (const does of [
      { do: 'tap', button: 0 },
      { do: 'choose', row: 0 },
    ]) {
      const missing = await answer({ ...does, phone: to, number, message: 'wamid.nobody-ever-sent' })
      assert.equal(missing.status, 404)
      for (const message of elsewhereOnly)
        assert.deepEqual(await answer({ ...does, phone: to, number, message }), missing)
    }
    for (const does of [
      { do: 'online', online: false },
      { do: 'receipts', readReceipts: false },
    ]) {
      const missing = await answer({ ...does, phone: newPhone() })
      assert.equal(missing.status, 404)
      assert.deepEqual(await answer({ ...does, phone: elsewhere }), missing)
    }
    assert.equal((await answer({ do: 'online', phone: to, online: true })).status, 200)
  }
})

test('only the listed emulator calls reach a phone, only for its members', async (t) => {
  const world = await startSandbox(t)
  const member = await signIn(world, 'member')
  const calls = callsOf(world, member)
  for (const path of ['control/messages', '../control/reset', 'accounts', 'webhooks', '']) {
    assert.equal(await calls.get(path), 200 /* the page itself, which knows no such path */, path)
  }
  assert.equal(await calls.act({ do: 'reset' }), 400)
  assert.equal(await calls.act({ do: 'read', phone: newPhone(), number: numberOf(world), path: '/control/reset' }), 400)
  const stranger = callsOf(world, await signIn(world, 'stranger'))
  assert.equal((await stranger.live()).status, 404)
  assert.equal(await stranger.act({ do: 'online', phone: newPhone(), online: true }), 404)
  assert.equal((await callsOf(world, { ...member, cookie: '' }).live()).status, 401)
  await world.query('update workspaces set sandbox = false where id = $1', [world.workspaceId])
  assert.equal((await calls.live()).status, 404)
  await assert.rejects(member.calls.phone.state.query({ workspaceId: world.workspaceId }), /a live workspace/)
})

test('a phone’s stream ends with its server', async (t) => {
  const world = await startSandbox(t)
  const node = await world.node({ works: false })
  const stream = await callsOf(world, await signIn(world, 'member'), node).live()
  assert.equal(stream.status, 200)
  const reader = stream.body?.getReader()
  await reader?.read()
  world.nodes.splice(world.nodes.indexOf(node), 1) // the world would stop it again
  await node.stop()
  assert.ok((await reader?.read().catch(() => ({ done: true })))?.done)
})

test('a jump with a hanging endpoint ends in time and reports its progress', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const answered = Promise.withResolvers<void>()
  receiver.answers({ status: 200, after: answered.promise })
  const { to } = await world.askToConfirm()
  const { posts } = await world.emulator.inbound({ from: to, tap: { button: 'Confirm' } })
  assert.equal(posts[0]?.state, 'answered')
  await receiver.waitFor(1)
  const { calls } = await signIn(world, 'admin')
  const advance = (byMs: number, maxMs?: number) =>
    calls.phone.advance.mutate({ workspaceId, to: { byMs }, ...(maxMs && { maxMs }) })
  assert.equal((await advance(60_000, 50)).advancedBy, 0)
  answered.resolve()
  assert.equal((await advance(60_000)).advancedBy, 60_000)
  assert.equal((await advance(1)).advancedBy, 1, 'however little was left')
})

test('a member may tap, but neither move the clock nor send', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'member')
  const normalize = (typed: string) => calls.phone.normalize.query({ workspaceId, typed })
  assert.deepEqual(
    [await normalize('+212661234'), await normalize('+212 661-234567')],
    [{ fault: { code: 'http.phone_digits', min: 9, callingCode: '212', found: 6 } }, { phone: '+212661234567' }],
  )
  assert.equal((await calls.phone.state.query({ workspaceId })).hasEmulator, true)
  await assert.rejects(calls.phone.advance.mutate({ workspaceId, to: { byMs: 60_000 } }), /requires the role admin/)
  const body = { ...world.otpBody() }
  await assert.rejects(calls.phone.sendOtp.mutate({ workspaceId, body }), /requires the role admin/)
})

test('an account on no emulator shows no phone', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'member')
  const put = (graphUrl: string) =>
    world.query('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, graphUrl])
  await put('https://graph.facebook.com')
  assert.equal((await calls.phone.state.query({ workspaceId })).hasEmulator, false)
  await put(world.first.url)
  assert.equal((await calls.phone.state.query({ workspaceId })).hasEmulator, false)
  await put(world.emulator.url)
  assert.equal((await calls.phone.state.query({ workspaceId })).hasEmulator, true)
})

test('an emulator below a path of a proxy shows its phone, with or without a version in the URL', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { to } = await world.sendOtp()
  const member = await signIn(world, 'member')
  const proxy = createServer((request, response) => {
    const path = /^\/whatsapp(\/.*)$/.exec(request.url ?? '')?.[1]
    if (path === undefined) return response.writeHead(404).end()
    const headers = { accept: 'application/json', 'content-type': 'application/json' }
    buffer(request)
      .then((body) =>
        fetch(world.emulator.url + path, { method: request.method ?? '', headers, ...(body.length > 0 && { body }) }),
      )
      .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
      .catch(() => response.destroy())
    return undefined
  })
  const url = `http://${await listen(t, proxy)}/whatsapp`
  for (const graphUrl of [url, `${url}/v25.0`]) {
    await world.query('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, graphUrl])
    assert.equal((await member.calls.phone.state.query({ workspaceId })).hasEmulator, true, graphUrl)
    assert.equal(await callsOf(world, member).act({ do: 'read', phone: to, number: numberOf(world) }), 200)
  }
})

test('a jump to a past timer is rejected, and the clock stays', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const { confirmationId, to: phone } = await world.askToConfirm()
  const customer = { phone, number: numberOf(world) }
  const due = await calls.phone.due.query({ workspaceId, customer })
  assert.deepEqual(
    due.customer.map(({ timer }) => timer),
    ['reminder', 'deadline'],
  )
  await world.customer({ to: phone }).taps('Confirm')
  const to = { ...customer, confirmationId, check: 'confirmation' as const, timer: 'reminder' as const }
  await assert.rejects(calls.phone.advance.mutate({ workspaceId, to }), /no longer due/)
  assert.equal((await calls.phone.state.query({ workspaceId })).offsetMs, 0)
})
