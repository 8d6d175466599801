import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setQuota } from '../../../src/workspaces/quota.ts'
import type { Answer } from '../../world/requester.ts'
import { startFaultyServer } from '../../faults/faulty-server.ts'
import { codesOf, problemsOf } from '../../world/findings.ts'
import { startFlakyProxy } from '../../faults/flaky-proxy.ts'
import { withConnection } from '../../database/postgres.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const MISSING = '/api/v1/otp/messages/00000000-0000-4000-8000-000000000000'

test('without its database the service answers 503, and recovers when it is back', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const proxy = await startFlakyProxy(world.databaseUrl)
  t.after(() => proxy.close())
  const receiver = await world.receiver()
  const node = await world.node({ databaseUrl: proxy.url, works: true })
  world.setCallback(node.url)
  const post = () => world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: node.url, key })
  const key = await world.freshKey()
  const before = await post()
  assert.equal(before.status, 202)
  await world.settled()

  proxy.cut()
  for (const answer of [await post(), await world.request('GET', MISSING, { url: node.url, key })]) {
    assert.deepEqual([answer.status, answer.body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.equal(answer.headers.get('retry-after'), null)
    assert.ok(!/postgres|ECONN|socket|sql/i.test(answer.text), answer.text)
  }
  assert.equal((await fetch(`${node.url}/readyz`)).status, 503)
  assert.equal((await fetch(`${node.url}/healthz`)).status, 200)

  proxy.restore()
  await waitFor('readiness', async () => (await fetch(`${node.url}/readyz`)).ok)
  const after = await waitFor('acceptance', async () => {
    const answer = await post()
    return answer.status === 202 && answer
  })
  const otp = { messageId: String(after.body.messageId) }
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal(receiver.events('message.sent').length, 1)
})

test('a node whose background work cannot use the database is not ready', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const server = await startFaultyServer(world.databaseUrl)
  t.after(() => server[Symbol.asyncDispose]())
  const node = await world.node({ databaseUrl: server.url, works: true })
  const readiness = async () => {
    const answer = await fetch(`${node.url}/readyz`)
    return `${answer.status} ${((await answer.json()) as { status: string }).status}`
  }
  assert.equal(await readiness(), '200 ready')
  server.fail(['take_provider_reports'], { state: '58030' })
  await waitFor('503', async () => (await readiness()) === '503 background work fails')
  server.heal()
  await waitFor('200', async () => (await readiness()) === '200 ready')
})

/** Of one statement: our own timeout, a missing grant, a limit on temporary files, no transaction ids. */
const OF_ONE_STATEMENT = [
  { state: '57014' },
  { state: '42501' },
  { state: '53400' },
  { state: '54000', routine: 'GetNewTransactionId' },
]

test('background work whose statement times out or lacks a grant leaves the node ready, and shows in doctor', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  await world.query(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome, due_at)
     values (gen_random_uuid(), $1, $2, 'unknown', '', now(), 'waiting', now() - interval '1 hour')`,
    [world.workspaceId, world.account.accountId],
  )
  for (const fault of OF_ONE_STATEMENT) {
    const server = await startFaultyServer(world.databaseUrl)
    t.after(() => server[Symbol.asyncDispose]())
    server.fail(['take_provider_reports'], fault)
    const node = await world.node({ databaseUrl: server.url, works: true })
    const failures = () =>
      node.logLines.filter((line) => line.includes(fault.state) && line.includes('will be retried'))
    await waitFor('two failed turns', () => failures().length >= 2)
    assert.equal((await fetch(`${node.url}/readyz`)).status, 200, JSON.stringify(fault))
    assert.ok(codesOf(await problemsOf(node.parts)).includes('work_stuck'))
    await node.stop()
  }
})

/** The requirement, from the moment when the network works again. */
const ACCEPTED_AGAIN_WITHIN_MS = 5_000
const SILENT_MS = 2_000

test('a network that drops its connections costs no request and recovers within 5 s', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const proxy = await startFlakyProxy(world.databaseUrl)
  t.after(() => proxy.close())
  const node = await world.node({ databaseUrl: proxy.url, works: true, rateLimit: 'shared' })
  world.setCallback(node.url)
  const post = async () => {
    const request = { body: world.otpBody(), url: node.url, key: await world.freshKey() }
    const answer = await world.request('POST', '/api/v1/otp/messages', request)
    return { answer, at: performance.now(), to: request.body.to }
  }
  assert.equal((await post()).answer.status, 202)

  proxy.stall()
  const hanging = Array.from({ length: 8 }, post)
  const [readiness] = await Promise.all([fetch(`${node.url}/readyz`), wait(SILENT_MS)])
  assert.equal(readiness.status, 503)
  proxy.restore()
  const openAt = performance.now()
  const first = await waitFor('acceptance', async () => {
    const result = await post()
    return result.answer.status === 202 && result
  })
  assert.ok(first.at - openAt < ACCEPTED_AGAIN_WITHIN_MS, `${first.at - openAt} ms`)

  const answered = await Promise.all(hanging)
  const accepted = answered.filter(({ answer }) => answer.status === 202)
  for (const { to, answer } of answered) {
    const stored = await world.query('select id from messages where recipient = $1', [to])
    assert.equal(stored.length, answer.status === 202 ? 1 : stored.length)
    assert.ok(stored.length <= 1)
  }
  assert.equal(accepted.length, hanging.length)
})

const INSERTS = {
  '/api/v1/otp/messages': 'insert_and_claim_otp_messages_within_quota',
  '/api/v1/cod-confirmations': 'insert_confirmations_within_quota',
} as const

for (const [path, insert] of Object.entries(INSERTS))
  for (const units of ['enough units', 'no unit to spare'])
    test(`${path}: requests whose commit was never answered are accepted once, with ${units}`, async (t) => {
      const world = await startWorld(t, { works: false, mayLogErrors: true })
      const proxy = await startFlakyProxy(world.databaseUrl)
      t.after(() => proxy.close())
      const node = await world.node({ databaseUrl: proxy.url })
      if (path !== '/api/v1/otp/messages') await world.codSettings()
      const post = async (idempotencyKey: string | undefined) =>
        world.request('POST', path, {
          body: path === '/api/v1/otp/messages' ? world.otpBody() : world.confirmationBody(),
          url: node.url,
          key: await world.freshKey(),
          headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
        })
      const REQUESTS = 4
      assert.equal((await post(undefined)).status, 202)
      const kind = path === '/api/v1/otp/messages' ? 'otp' : 'cod_confirmation'
      if (units === 'no unit to spare')
        await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind, monthlyUnits: 1 + REQUESTS })

      proxy.loseAnswerTo(insert)
      const answers = await Promise.all([post('one'), post(undefined), post(undefined), post('other')])
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 202),
      )
      const ids = answers.map(({ body }) => String(body.messageId ?? body.confirmationId))
      const table = kind === 'otp' ? 'messages' : 'confirmations'
      const stored = await world.query<{ id: string }>(`select id from ${table} where workspace_id = $1`, [
        world.workspaceId,
      ])
      assert.equal(stored.length, 1 + REQUESTS)
      assert.ok(ids.every((id) => stored.some((row) => row.id === id)))
      const [usage] = await world.query<{ used: number }>(
        'select used from quota_usage where workspace_id = $1 and kind = $2',
        [world.workspaceId, kind],
      )
      assert.equal(usage?.used, 1 + REQUESTS)
      // The counter is exact: one more is accepted or rejected by what the accepted ones took.
      assert.equal((await post(undefined)).status, units === 'enough units' ? 202 : 429)
    })

for (const unanswered of ['store_provider_reports', 'commit'])
  test(`a status is applied once, and its webhook answered in seconds, if the answer to "${unanswered}" is lost`, {
    timeout: 60_000,
  }, async (t) => {
    const world = await startWorld(t, { mayLogErrors: true })
    const receiver = await world.receiver()
    const proxy = await startFlakyProxy(world.databaseUrl)
    t.after(() => proxy.close())
    // Its loops would take the lost answer.
    const node = await world.node({
      databaseUrl: proxy.url,
      works: false,
      settings: { DOORCODE_ROLES: 'api,worker' },
    })
    const otp = await world.submitOtp()
    const message = await world.whatsapp.gets(otp)
    world.setCallback(node.url)
    proxy.loseAnswerTo(unanswered)
    const [post] = await world.emulator.report(message, ['sent'])
    assert.equal(post?.state, 'answered')
    await world.settled()
    assert.equal((await world.getOtp(otp)).status, 'sent')
    const rows = await world.query('select outcome, input_number from provider_reports where message_id = $1', [
      otp.messageId,
    ])
    assert.deepEqual(rows, [{ outcome: 'applied', input_number: 1 }])
    assert.equal(receiver.events('message.sent').length, 1)
    await assertVerified(world)
  })

const ROUNDS = 20
/** Far below the time of the rounds if each waited for the lock. */
const MAX_OTHERS_TAKE_MS = 6_000

test('a locked quota counter delays no other workspace and is answered in time', async (t) => {
  const locked = await startWorld(t, { works: false, mayLogErrors: true })
  const other = await startWorld(t, { works: false })
  const post = (world: World) =>
    world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: locked.first.url })
  for (const world of [locked, other]) assert.equal((await post(world)).status, 202)
  await withConnection(locked.databaseUrl, async (holder) => {
    await holder.query('begin')
    await holder.query('select used from quota_usage where workspace_id = $1 for update', [locked.workspaceId])
    const startedAt = performance.now()
    const waiting: Promise<Answer>[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      waiting.push(post(locked))
      assert.equal((await post(other)).status, 202)
    }
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < MAX_OTHERS_TAKE_MS, `${tookMs} ms`)
    for (const answer of await Promise.all(waiting))
      assert.deepEqual([answer.status, answer.body.code], [503, 'SERVICE_UNAVAILABLE'])
    await holder.query('rollback')
  })
  assert.equal((await post(locked)).status, 202)
  const stored = await locked.query('select id from messages where workspace_id = $1', [locked.workspaceId])
  assert.equal(stored.length, 2)
})
