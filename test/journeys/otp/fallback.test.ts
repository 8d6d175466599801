import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../../src/explain/explain.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { wrongCode } from '../../world/verifications.ts'
import { type WorldReceiver, newPhone, startWorld, toMilliseconds } from '../../world/world.ts'
import { assertVerified } from '../../world/verified.ts'

const MINUTE = { deliverWithinSeconds: 60 }

/** The events of messages, with the status that each says. */
const eventsOf = (receiver: WorldReceiver): unknown[][] =>
  receiver
    .events()
    .filter(({ type }) => type.startsWith('message.'))
    .map(({ type, data }) => [type, data['status']])

test('without a reported delivery message.undelivered goes out once, at its time, and a later delivery still shows', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp(MINUTE)
  await world.whatsapp.reports(otp, ['sent'])
  await world.after('58s')
  assert.deepEqual(eventsOf(receiver), [['message.sent', 'sent']])
  await world.after('2s')
  await world.after('1h')
  const undelivered = await world.getOtp(otp)
  assert.deepEqual(eventsOf(receiver), [
    ['message.sent', 'sent'],
    ['message.undelivered', 'sent'],
  ])
  const event = receiver.events().find(({ type }) => type === 'message.undelivered')
  assert.deepEqual(event?.data, { ...undelivered, occurredAt: undelivered['undeliveredAt'] })
  assert.deepEqual([undelivered['deliverWithinSeconds'], undelivered['failure']], [60, null])
  const passedMs = Date.parse(String(undelivered['undeliveredAt'])) - Date.parse(String(undelivered['createdAt']))
  assert.ok(passedMs >= 60_000, `${passedMs} ms`)

  await world.whatsapp.reports(otp, ['delivered'])
  assert.deepEqual(await world.getOtp(otp), { ...undelivered, status: 'delivered' })
  assert.equal(eventsOf(receiver).length, 2)
  await assertVerified(world)
})

test('a delivery or a failure in time means that nothing goes out, and neither does it without the field', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  await world.whatsapp.reports(await world.sendOtp(MINUTE), ['delivered'])
  await world.whatsapp.reports(await world.sendOtp(MINUTE), ['read'])
  await world.whatsapp.reports(await world.sendOtp(MINUTE), [{ status: 'failed', errors: [131026] }])
  const corrected = await world.sendOtp(MINUTE)
  await world.whatsapp.reports(corrected, [{ status: 'failed', errors: [131026] }, 'delivered'])
  await world.sendOtp()
  await world.after('1h')
  const types = receiver.types()
  assert.ok(!types.includes('message.undelivered'), types.join())
  await assertVerified(world)
})

test('a message that still waits to be sent is undelivered too, and is sent afterwards', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const to = newPhone()
  world.emulator.script({ match: { to, times: 8 }, behaviour: { error: 131016 } })
  const otp = await world.submitOtp({ to, deliverWithinSeconds: 10 })
  await world.after('10s')
  const [[type, status] = [], ...others] = eventsOf(receiver)
  assert.deepEqual([type, others], ['message.undelivered', []])
  assert.match(String(status), /^(queued|sending)$/, 'its retry, due as well, may be under way')
  for (let retry = 0; retry < 7; retry += 1) await world.after('77s')
  await world.whatsapp.gets(otp)
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp))['status'], 'delivered')
  const [undelivered, sent] = receiver.events().map(({ data }) => String(data['occurredAt']))
  assert.ok(undelivered && sent && undelivered < sent, 'occurredAt increases')
  await assertVerified(world)
})

test('a delivery that was stored in time counts, however late it is processed', async (t) => {
  const world = await startWorld(t, { works: false })
  const receiver = await world.receiver()
  const otp = await world.sendOtp(MINUTE)
  const worker = await world.node({ works: true })
  const message = await world.whatsapp.gets(otp)
  await world.settled()
  await worker.stop()
  await world.emulator.report(message, ['delivered'])
  world.advance('61s')
  await world.node({ works: true })
  await world.settled()
  assert.deepEqual(eventsOf(receiver), [['message.sent', 'delivered']])
})

test('two nodes record the event of each message once', async (t) => {
  const world = await startWorld(t)
  await world.node({ works: true })
  const receiver = await world.receiver()
  const sent = await Promise.all(Array.from({ length: 40 }, () => world.sendOtp({ deliverWithinSeconds: 30 })))
  await world.settled()
  await world.after('31s')
  const ids = receiver
    .events()
    .filter(({ type }) => type === 'message.undelivered')
    .map(({ data }) => String(data['messageId']))
  assert.deepEqual(ids.toSorted(), sent.map(({ messageId }) => messageId).toSorted())
  await assertVerified(world)
})

test('each message of a verification has its time, until the verification is over', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const [pending, approved, locked] = [
    await world.startVerification({ ...MINUTE, ttlSeconds: 900 }),
    await world.startVerification(MINUTE),
    await world.startVerification({ ...MINUTE, maxAttempts: 1 }),
  ]
  const code = await world.codeOn(approved)
  await world.settled()
  world.advance('31s')
  const again = await world.resend(pending)
  assert.equal((await world.resend(approved)).status, 202)
  await world.settled()
  assert.equal((await world.check(approved, code)).body.status, 'approved')
  await world.check(locked, wrongCode(await world.codeOn(locked)))
  await world.after('31s')
  await world.after('30s')
  const ids = receiver
    .events()
    .filter(({ type }) => type === 'message.undelivered')
    .map(({ data }) => data['messageId'])
  assert.deepEqual(ids, [pending.verificationId, again.body['messageId']])
  await assertVerified(world)
})

test('the time is 10 to 3,600 seconds, and a repeat must have the same', async (t) => {
  const world = await startWorld(t)
  for (const path of ['/api/v1/otp/messages', '/api/v1/otp/verifications']) {
    const { code: _, ...fields } = world.otpBody()
    const body = path.endsWith('messages') ? world.otpBody() : fields
    const send = (deliverWithinSeconds: unknown, key?: string) =>
      world.request('POST', path, {
        body: { ...body, ...(deliverWithinSeconds !== undefined && { deliverWithinSeconds }) },
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      })
    for (const wrong of [9, 3_601, 10.5, '60', null]) assert.equal((await send(wrong)).status, 422, String(wrong))
    const first = await send(10, 'one')
    assert.equal(first.status, 202, first.text)
    assert.deepEqual((await send(10, 'one')).body, first.body)
    for (const other of [11, undefined]) assert.equal((await send(other, 'one')).body['code'], 'IDEMPOTENCY_KEY_REUSED')
    const without = await send(undefined, 'two')
    assert.deepEqual((await send(undefined, 'two')).body, without.body)
    assert.equal((await send(10, 'two')).body['code'], 'IDEMPOTENCY_KEY_REUSED')
  }
})

test('explain shows until when a delivery is awaited, that none was reported, and what to do', async (t) => {
  const world = await startWorld(t)
  await world.receiver()
  const otp = await world.sendOtp(MINUTE)
  await world.whatsapp.reports(otp, ['sent'])
  const timers = async () => {
    const explained = await explain(world.parts, otp.messageId)
    assert.ok(explained)
    const found = explained.timeline.filter(({ what }) => what === 'timer')
    return { codes: found.map(({ detail }) => detail.code), next: explained.next }
  }
  assert.deepEqual((await timers()).codes, ['explain.awaits_delivery'])
  await world.after('60s')
  const { codes, next } = await timers()
  assert.deepEqual(
    [codes, next.who, next.sentence.code],
    [['explain.undelivered'], 'client', 'explain.undelivered_next'],
  )
  await world.whatsapp.reports(otp, ['delivered'])
  const after = await timers()
  assert.deepEqual([after.codes, after.next.who], [['explain.undelivered'], 'none'])
})

test('a sandbox reaches the time by its own clock', async (t) => {
  const world = await startWorld(t, { sandbox: true })
  const receiver = await world.receiver()
  const { workspaceId } = world
  const otp = await world.submitOtp({ deliverWithinSeconds: 600 })
  const advance = (by: string) => advanceSandbox(world.parts, { workspaceId, byMs: toMilliseconds(by) })
  await advance('599s')
  assert.deepEqual(eventsOf(receiver), [])
  await advance('2s')
  assert.deepEqual(eventsOf(receiver), [['message.undelivered', 'sending']])
  const { createdAt, undeliveredAt } = await world.getOtp(otp)
  const passedMs = Date.parse(String(undeliveredAt)) - Date.parse(String(createdAt))
  assert.ok(passedMs >= 600_000 && passedMs < 610_000, `${passedMs} ms`)
  await assertVerified(world)
})
