import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { PAGE_SIZE } from '../../../src/lib/lists/list-pages.ts'
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/endpoints.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { assertSigned } from '../../world/receiver.ts'
import { record } from '../../database/events.ts'
import { type World, type WorldReceiver, startWorld } from '../../world/world.ts'

test('a new endpoint’s secret signs its events, and is shown only once', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { calls } = await signIn(world, 'admin')
  const { endpointId, secret } = await calls.endpoints.add.mutate({ workspaceId, url: `${receiver.url}/second` })
  const { deliveryId } = await calls.endpoints.ping.mutate({ workspaceId, endpointId })
  await world.settled()
  const ping = receiver.received.find(({ path }) => path.endsWith('/second'))
  assert.ok(ping)
  assertSigned(ping, secret)
  const answers = [
    await calls.endpoints.list.query({ workspaceId }),
    await calls.endpoints.find.query({ workspaceId, endpointId }),
    await calls.endpoints.delivery.query({ workspaceId, endpointId, deliveryId }),
    await world.query('select * from audit_log where workspace_id = $1', [workspaceId]),
  ]
  assert.ok(!JSON.stringify(answers).includes(secret.slice('whsec_'.length)))
  const rotated = await calls.endpoints.rotate.mutate({ workspaceId, endpointId })
  const found = await calls.endpoints.find.query({ workspaceId, endpointId })
  assert.equal(found.previousSecretUntil, rotated.previousSecretUntil)
})

test('an invalid URL is rejected at its field', async (t) => {
  const world = await startWorld(t)
  Object.assign(world.parts.config, { allowPrivateWebhooks: false })
  const { calls } = await signIn(world, 'admin')
  const faults: [string, RegExp][] = [
    ['http://example.com/', /must start with https:\/\/\./],
    ['https://127.0.0.1/', /must point to a public host/],
    ['https://[::ffff:10.0.0.1]/', /must point to a public host/],
    ['https://a:b@example.com/', /must not contain a user name/],
    ['  ', /Some fields are not valid/],
  ]
  for (const [url, sentence] of faults)
    await assert.rejects(calls.endpoints.add.mutate({ workspaceId: world.workspaceId, url }), sentence, url)
  const inside = await calls.endpoints.add
    .mutate({ workspaceId: world.workspaceId, url: 'https://127.1/' })
    .catch((error: unknown) => error)
  assert.doesNotMatch(JSON.stringify(inside) + String(inside), /127\.0\.0\.1/, 'what a name means is for operators')
  const strict = await calls.endpoints.list.query({ workspaceId: world.workspaceId })
  assert.deepEqual([strict.endpoints, strict.allowsHttp], [[], false])
  Object.assign(world.parts.config, { allowPrivateWebhooks: true })
  const anyScheme = /must start with https:\/\/ or http:\/\//
  await assert.rejects(calls.endpoints.add.mutate({ workspaceId: world.workspaceId, url: 'ftp://a' }), anyScheme)
})

test('an endpoint is changed and deleted, and its log stays readable', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signIn(world, 'admin')
  const id = { workspaceId, endpointId }
  const url = `${receiver.url}/new`
  await calls.endpoints.update.mutate({ ...id, url, description: 'Orders', eventTypes: ['message.sent'] })
  const [sent] = await record(world, 1)
  await record(world, 1, 'message.failed')
  await world.settled()
  assert.deepEqual(
    receiver.received.map(({ id, path }) => [id, path]),
    [[sent, new URL(url).pathname]],
  )
  const { host } = new URL(url)
  await assert.rejects(
    calls.endpoints.remove.mutate({ ...id, host: 'example.com' }),
    new RegExp(`Enter the host.*${host}`),
  )
  await calls.endpoints.remove.mutate({ ...id, host })
  assert.deepEqual((await calls.endpoints.list.query({ workspaceId })).endpoints, [])
  const deleted = await calls.endpoints.find.query(id)
  assert.ok(deleted.deletedAt)
  assert.equal(deleted.description, 'Orders')
  assert.equal((await calls.endpoints.deliveries.query(id)).rows.length, 1)
  const changes = [
    calls.endpoints.enable.mutate(id),
    calls.endpoints.update.mutate({ ...id, description: '' }),
    calls.endpoints.rotate.mutate(id),
    calls.endpoints.remove.mutate({ ...id, host }),
  ]
  for (const outcome of await Promise.allSettled(changes))
    assert.match(String('reason' in outcome && outcome.reason), /The endpoint was deleted/)
})

test('what waits is counted, and shows its next attempt, recipient and reference', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const id = { workspaceId, endpointId: receiver.endpointId }
  const { calls } = await signIn(world, 'admin')
  receiver.always({ status: 503, headers: { 'retry-after': '600' } })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  await record(world, 2)
  await world.settled()
  const [first] = (await calls.endpoints.deliveries.query({ ...id, about: otp.messageId })).rows
  assert.deepEqual(
    [first?.nextAttempt, first?.recipient, first?.reference],
    [{ number: 2, of: 10 }, otp.to, otp.reference ?? null],
  )
  assert.equal(await calls.endpoints.waiting.query(id), 3)
})

test('a delivery shows each attempt, its response and the next attempt', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  receiver.answers({ status: 500, body: 'out of paper' })
  const { calls } = await signIn(world, 'member')
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  const { rows: deliveries } = await calls.endpoints.deliveries.query({ workspaceId, endpointId, about: otp.messageId })
  assert.equal(deliveries.length, 1)
  const { deliveryId } = deliveries[0]!
  const ask = () => calls.endpoints.delivery.query({ workspaceId, endpointId, deliveryId })
  const waiting = await ask()
  assert.equal(waiting.status, 'pending')
  assert.deepEqual(waiting.nextAttempt, { number: 2, of: 10 })
  assert.ok(waiting.dueAt)
  assert.deepEqual([waiting.tries[0]?.httpStatus, waiting.tries[0]?.response], [500, 'out of paper'])
  await world.after('6s')
  const arrived = await ask()
  assert.equal(arrived.status, 'succeeded')
  assert.deepEqual(
    arrived.tries.map(({ attempt, httpStatus }) => [attempt, httpStatus]),
    [
      [2, 204],
      [1, 500],
    ],
  )
  assert.equal(arrived.body, receiver.received[1]?.body)
  const sent = receiver.received.toReversed().map(({ headers }) => headers)
  arrived.tries.forEach(({ headers }, index) => {
    for (const { name, value } of headers)
      if (name === 'webhook-signature') assert.equal(value, null)
      else assert.equal(value, sent[index]?.[name], name)
  })
})

test('a delivered event is resent with the same id, and shows who asked', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  await record(world, 1)
  await world.settled()
  const { calls, email } = await signIn(world, 'admin')
  const { rows: deliveries } = await calls.endpoints.deliveries.query({ workspaceId, endpointId })
  await calls.endpoints.resend.mutate({ workspaceId, endpointId, deliveryId: deliveries[0]!.deliveryId })
  await world.settled()
  assert.equal(receiver.received.length, 2)
  assert.equal(receiver.received[0]?.id, receiver.received[1]?.id)
  const [entry] = await world.query<{ who: string; target: string }>(
    `select who, target from audit_log where workspace_id = $1 and action = 'endpoint.resent_one'`,
    [workspaceId],
  )
  assert.deepEqual(entry, { who: email, target: endpointId })
})

test('a resend sends the counted deliveries in batches, and can continue', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signIn(world, 'admin')
  await calls.endpoints.pause.mutate({ workspaceId, endpointId })
  await record(world, 1_203)
  const missed = await calls.endpoints.missed.query({ workspaceId, endpointId })
  assert.deepEqual([missed.held, missed.failed], [1_203, 0])
  await calls.endpoints.enable.mutate({ workspaceId, endpointId })
  const choice = { workspaceId, endpointId, statuses: ['failed', 'held'] as ('failed' | 'held')[] }
  const { total, at } = await calls.endpoints.countChosen.query(choice)
  assert.equal(total, 1_203)
  receiver.answers({ status: 410 }) // disables the endpoint in the middle of the run
  const first = await calls.endpoints.resendChosen.mutate({ ...choice, at })
  assert.deepEqual(first, { resent: 1_000, more: true })
  await world.settled()
  await assert.rejects(calls.endpoints.resendChosen.mutate({ ...choice, at }), /is disabled because deliveries failed/)
  const left = await calls.endpoints.missed.query({ workspaceId, endpointId })
  const arrived = new Set(receiver.ids()).size
  assert.ok(left.held >= 204 && left.held + arrived >= 1_203, `${left.held} held, ${arrived} received`)
  await calls.endpoints.enable.mutate({ workspaceId, endpointId })
  let run = { resent: 0, more: true }
  let resent = 0
  while (run.more) {
    run = await calls.endpoints.resendChosen.mutate({ ...choice, at: left.at })
    resent += run.resent
  }
  assert.equal(resent, left.held + left.failed)
  await world.settled()
  assert.equal(new Set(receiver.ids()).size, 1_203)
  const entries = await world.query<{ resent: number }>(
    `select (after ->> 'resent')::int as resent from audit_log where workspace_id = $1 and action = 'endpoint.resent'`,
    [workspaceId],
  )
  assert.equal(
    entries.reduce((sum, entry) => sum + entry.resent, 0),
    1_000 + resent,
  )
})

test('a resend by type, time and status sends exactly the matches', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signIn(world, 'admin')
  await pauseEndpoint(world.parts.db, world.parts.clock, { workspaceId, endpointId })
  await record(world, 2)
  world.advance('1h')
  const from = world.clock.now().toISOString()
  const wanted = await record(world, 3)
  await record(world, 2, 'message.failed')
  await resumeEndpoint(world.parts.db, world.parts.clock, { workspaceId, endpointId })
  const choice = { workspaceId, endpointId, statuses: ['held' as const], type: 'message.sent' as const, from }
  const { total, at } = await calls.endpoints.countChosen.query(choice)
  assert.equal(total, 3)
  assert.deepEqual(await calls.endpoints.resendChosen.mutate({ ...choice, at }), { resent: 3, more: false })
  await world.settled()
  assert.deepEqual(receiver.ids().sort(), wanted.sort())
  await assert.rejects(calls.endpoints.countChosen.query({ ...choice, to: from }), /Some fields are not valid/)
})

test('paging shows every delivery once while new ones arrive', async (t) => {
  const world = await startWorld(t)
  const { endpointId } = await world.receiver()
  const { calls } = await signIn(world, 'member')
  const known = await record(world, 2 * PAGE_SIZE + 20)
  const seen = await readLog(calls, { world, endpointId }, () => record(world, 7))
  assert.deepEqual(seen.toSorted(), known.toSorted())
  assert.deepEqual(await readLog(calls, { world, endpointId, status: 'failed' }, async () => []), [])
})

test('the log is filtered by status, type, time and subject', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signIn(world, 'member')
  receiver.answers({ status: 500 })
  const [failing] = await record(world, 1)
  await world.settled()
  world.advance('1h')
  const between = world.clock.now().toISOString()
  const late = await record(world, PAGE_SIZE + 1, 'message.failed')
  const { confirmationId: order } = await world.confirmedOrder()
  await world.settled()
  const ids = (filter: Partial<LogFilter>) => readLog(calls, { world, endpointId, ...filter }, async () => [])
  assert.deepEqual((await ids({ type: 'message.failed' })).toSorted(), late.toSorted())
  assert.deepEqual(await ids({ to: between }), [failing])
  assert.equal((await ids({ from: between })).includes(failing ?? ''), false)
  assert.deepEqual(await ids({ about: failing ?? '' }), [failing])
  assert.deepEqual(await ids({ about: failing ?? '', status: 'held' }), [])
  const [ofOrder] = (await calls.endpoints.deliveries.query({ workspaceId, endpointId, about: order })).rows
  assert.deepEqual([ofOrder?.type, ofOrder?.confirmationId], ['cod.confirmed', order])
  const { recipient, reference } = ofOrder!
  const eventIds = [ofOrder!.eventId]
  for (const about of [reference!, recipient!, recipient!.replace('+', '00')])
    assert.deepEqual(await ids({ about }), eventIds)
  const otp = await world.sendOtp({ reference: 'login-1' })
  await world.whatsapp.reports(otp, ['sent'])
  const [ofCode] = await ids({ about: otp.messageId })
  assert.ok(ofCode)
  for (const about of ['login-1', otp.to]) assert.deepEqual(await ids({ about }), [ofCode])
  assert.deepEqual(await ids({ about: 'no such thing' }), [])
})

test('the log is searched by part of a number, reference or id', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { endpointId } = await world.receiver()
  const { calls } = await signIn(world, 'member')
  const { confirmationId: order } = await world.confirmedOrder()
  const otp = await world.sendOtp({ to: '+212661987654', reference: 'Login-100%' })
  await world.whatsapp.reports(otp, ['sent'])
  const found = async (about: string, status?: 'held') => {
    const { rows } = await calls.endpoints.deliveries.query({
      workspaceId: world.workspaceId,
      endpointId,
      about,
      ...(status && { status }),
    })
    return rows.map(({ messageId, confirmationId }) => confirmationId ?? messageId)
  }
  for (const part of ['987654', '661-98', 'OGIN-1', '00%', otp.messageId.slice(-12)])
    assert.deepEqual(await found(part), [otp.messageId], part)
  assert.deepEqual(await found(order.slice(-12).toUpperCase()), [order])
  for (const part of ['ogin_1', '9876540', 'fedcbafedcba']) assert.deepEqual(await found(part), [], part)
  assert.deepEqual(await found('987654', 'held'), [])
})

test('another workspace’s endpoint or delivery gets the answer of a missing one and stays unchanged', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  const theirs = await other.receiver()
  await record(other, 1)
  await other.settled()
  const [foreign] = await other.query<{ id: string }>('select id from webhook_deliveries where endpoint_id = $1', [
    theirs.endpointId,
  ])
  const { calls } = await signIn(world, 'owner')
  const { workspaceId } = world
  const mine = await world.receiver()
  const storedOfTheirs = () => other.query('select * from webhook_endpoints where id = $1', [theirs.endpointId])
  const before = await storedOfTheirs()
  const answers = async (endpointId: string, deliveryId: string): Promise<string[]> => {
    const id = { workspaceId, endpointId }
    const statuses = ['held' as const]
    const tries = [
      calls.endpoints.find.query(id),
      calls.endpoints.pause.mutate(id),
      calls.endpoints.enable.mutate(id),
      calls.endpoints.rotate.mutate(id),
      calls.endpoints.ping.mutate(id),
      calls.endpoints.update.mutate({ ...id, description: 'mine' }),
      calls.endpoints.remove.mutate({ ...id, host: new URL(theirs.url).host }),
      calls.endpoints.waiting.query(id),
      calls.endpoints.retryWaiting.mutate(id),
      calls.endpoints.deliveries.query(id),
      calls.endpoints.delivery.query({ ...id, deliveryId }),
      calls.endpoints.delivery.query({ ...id, endpointId: mine.endpointId, deliveryId }),
      calls.endpoints.resend.mutate({ ...id, deliveryId }),
      calls.endpoints.missed.query(id),
      calls.endpoints.countChosen.query({ ...id, statuses }),
      calls.endpoints.resendChosen.mutate({ ...id, statuses, at: new Date().toISOString() }),
    ]
    return (await Promise.allSettled(tries)).map((outcome) => {
      assert.equal(outcome.status, 'rejected')
      return String(outcome.reason)
    })
  }
  assert.deepEqual(await answers(theirs.endpointId, foreign?.id ?? ''), await answers(newId(), newId()))
  const { endpoints } = await calls.endpoints.list.query({ workspaceId })
  assert.deepEqual(
    endpoints.map(({ endpointId }) => endpointId),
    [mine.endpointId],
  )
  assert.deepEqual(await storedOfTheirs(), before)
  assert.equal(theirs.received.length, 1)
})

type LogFilter = Parameters<SignedIn['calls']['endpoints']['deliveries']['query']>[0]
type Reading = Partial<LogFilter> & { world: World } & Pick<WorldReceiver, 'endpointId'>

/** The event ids of the log, page by page; `meanwhile` runs after each page. */
async function readLog(
  calls: SignedIn['calls'],
  { world, ...filter }: Reading,
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await calls.endpoints.deliveries.query({
      workspaceId: world.workspaceId,
      ...filter,
      ...(cursor && { cursor }),
    })
    assert.ok(page.rows.length <= PAGE_SIZE)
    seen.push(...page.rows.map(({ eventId }) => eventId))
    cursor = page.nextCursor ?? undefined
    await meanwhile()
  } while (cursor)
  return seen
}
