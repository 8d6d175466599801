import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../test/world/wait-for.ts'
import { newPhone, startWorld, type World } from '../../test/world/world.ts'
import { explain } from './explain.ts'
import { explained } from '../../test/world/explained.ts'

test('a message shows its request, attempts, reports and webhooks in order', async (t) => {
  const world = await startWorld(t)
  await world.receiver()
  const otp = await world.sendOtp({ reference: 'login-7' })
  await world.whatsapp.reports(otp, ['read', 'sent'])

  const explanation = await explained(world, otp.messageId)
  assert.deepEqual([explanation.kind, explanation.messageId, explanation.status], ['message', otp.messageId, 'read'])
  const kinds = explanation.timeline.map(({ what }) => what)
  assert.deepEqual(kinds.toSorted(), ['attempt', 'event', 'quota', 'report', 'report', 'request', 'webhook'])
  assert.deepEqual(kinds.slice(0, 3), ['request', 'quota', 'attempt'])
  const times = explanation.timeline.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())

  const [request, quota] = explanation.timeline
  assert.equal(request?.['to'], otp.to)
  assert.equal(request?.['reference'], 'login-7')
  assert.equal(quota?.['unit'], 1)
  const ignored = explanation.timeline.find(({ outcome }) => outcome === 'ignored')
  assert.match(ignored?.detail ?? '', /reports sent at .*; ignored: the message is already known to be read/)
  assert.equal(explanation.next.who, 'none')
})

test('the operator must replace an endpoint secret that cannot be decrypted', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const { endpointId } = await world.receiver()
  const lose = 'update webhook_endpoints set secret = set_byte(secret, 20, get_byte(secret, 20) # 255) where id = $1'
  await world.query(lose, [endpointId])
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  const tried = 'select status from webhook_deliveries where endpoint_id = $1 and attempts > 0 and lease is null'
  await waitFor('an attempt', async () => (await world.query(tried, [endpointId])).length > 0)
  const states = [
    [`status = 'pending', due_at = now() + interval '1 hour'`, 'enabled', ''],
    [`status = 'failed', due_at = null, early_at = null, ended_at = now()`, 'enabled', ''],
    [`status = 'held', due_at = null, early_at = null, ended_at = null`, 'enabled', ''],
    [`status = 'failed', ended_at = now()`, 'paused', `“doorcode endpoint resume ${endpointId}” and `],
    [
      `status = 'held', due_at = null, early_at = null, ended_at = null`,
      'disabled',
      `“doorcode endpoint enable ${endpointId}” and `,
    ],
  ] as const
  for (const [delivery, endpoint, enable] of states) {
    await world.query(`update webhook_deliveries set ${delivery} where endpoint_id = $1`, [endpointId])
    await world.query('update webhook_endpoints set status = $2 where id = $1', [endpointId, endpoint])
    const { who, sentence } = (await explained(world, otp.messageId)).next
    assert.equal(who, 'operator')
    const expected = `^Run “doorcode endpoint rotate ${endpointId}” and .*, then run ${enable}“doorcode endpoint resend ${endpointId} --event .*”: nothing was sent`
    assert.match(sentence, new RegExp(expected), delivery)
  }
})

test('an event is explained with its message', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  const event = (await explained(world, otp.messageId)).timeline.find(({ what }) => what === 'event')
  const explanation = await explained(world, String(event?.['eventId']))
  assert.deepEqual([explanation.kind, explanation.messageId], ['event', otp.messageId])
})

/** A code whose webhook failed once. */
async function startFailing(t: TestContext) {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  return { world, receiver, otp }
}

test('a failed webhook shows its answer and the time of the next attempt', async (t) => {
  const { world, otp } = await startFailing(t)
  const { timeline, next } = await explained(world, otp.messageId)
  const [attempt, waiting] = timeline.filter(({ what }) => what === 'webhook')
  assert.equal(attempt?.['httpStatus'], 500)
  assert.equal(waiting?.['dueAt'], waiting?.at)
  assert.equal(next.who, 'client')
  assert.match(next.sentence, /responded with 500; the next attempt is at/)
})

test('a URL is never blamed for what the former one answered', async (t) => {
  const { world, receiver, otp } = await startFailing(t)
  const { endpointId } = receiver
  const wait = `update webhook_deliveries set due_at = now() + interval '1 hour' where endpoint_id = $1`
  await world.query(wait, [endpointId])
  const change = 'update webhook_endpoints set url_changed_at = $2, failing_since = null where id = $1'
  await world.query(change, [endpointId, world.clock.now()])
  const { next } = await explained(world, otp.messageId)
  assert.deepEqual([next.who, next.sentence.includes('is on its way')], ['none', true], next.sentence)
})

test('a message that waits for a worker shows no attempt', async (t) => {
  const world = await startWorld(t, { works: false })
  const { messageId } = await world.sendOtp()
  const { status, timeline } = await explained(world, messageId)
  assert.equal(status, 'queued')
  assert.deepEqual(
    timeline.map(({ what }) => what),
    ['request', 'quota'],
  )
})

test('an accepted attempt shows the status of WhatsApp’s response', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const attempt = (await explained(world, otp.messageId)).timeline.find(({ what }) => what === 'attempt')
  assert.deepEqual([attempt?.['outcome'], attempt?.['httpStatus']], ['accepted', 200])
})

test('a failure shows the provider’s own code', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }])
  const { timeline, next } = await explained(world, otp.messageId)
  assert.ok(timeline.some(({ detail }) => /reports a failure .*code 131026/.test(detail)))
  assert.equal(next.sentence, 'Check the number with the recipient, or use another channel.')
})

test('a failure shows all errors, and the first known one decides', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [999_999, 131_026] }])
  const { timeline, next } = await explained(world, otp.messageId)
  const report = timeline.find(({ what }) => what === 'report')
  assert.match(
    report?.detail ?? '',
    /\(code 999999, which this release does not know; code 131026: Message undeliverable\)/,
  )
  assert.deepEqual([report?.['providerCode'], report?.['providerCodes']], [131_026, [999_999, 131_026]])
  assert.match(next.sentence, /^Check the number/)
})

test('an unknown status shows its word; a failure without errors says so', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const { id } = await world.whatsapp.gets(otp)
  for (const status of ['warned', 'failed']) {
    await postStatuses(world, [{ id, status, timestamp: '1763640000' }])
    await world.settled()
  }
  const { timeline, next } = await explained(world, otp.messageId)
  const [warned, failed] = timeline.filter(({ what }) => what === 'report').map(({ detail }) => detail)
  assert.match(warned ?? '', /reports "warned", a status that this release does not know; ignored/)
  assert.match(failed ?? '', /reports a failure at [^ ]+ \(without a reason\)/)
  assert.match(next.sentence, /reported the failure without a code/)
})

test('a code that reached no phone in time is dropped', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal((await explained(world, otp.messageId)).next.who, 'customer')
  world.advance('20m')
  const { status, next } = await explained(world, otp.messageId)
  assert.deepEqual([status, next.who], ['sent', 'client'])
  assert.match(next.sentence, /^Send a new code/)
})

test('a message that waits for maintenance to end names it', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  world.emulator.script({ match: { to, times: 1 }, behaviour: { error: 131057 } })
  const otp = await world.submitOtp({ to })
  const { next } = await explained(world, otp.messageId)
  assert.equal(next.who, 'none')
  assert.match(next.sentence, /code 131057, Number in maintenance/)
})

test('an explanation never contains the code', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ code: 'CANARY7' })
  await world.whatsapp.reports(otp, ['sent', 'read'])
  assert.doesNotMatch(JSON.stringify(await explained(world, otp.messageId)), /CANARY7/)
})

test('an unknown id has no explanation', async (t) => {
  const world = await startWorld(t)
  assert.equal(await explain(world.parts, '019f0000-0000-7000-8000-000000000000'), undefined)
})

/** Statuses that the emulator would not report. */
async function postStatuses(world: World, statuses: readonly object[]): Promise<void> {
  const body = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value: { statuses } }] }] })
  const signature = createHmac('sha256', world.credentials.appSecret).update(body).digest('hex')
  const answer = await fetch(`${world.first.url}${world.account.webhookPath}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
  })
  assert.equal(answer.status, 200)
}
