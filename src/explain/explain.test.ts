import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { newPhone, startWorld, type World } from '../../test/world.ts'
import { type Explanation, explain } from './explain.ts'

test('a message is told from its request to its last report, in order, with what was ignored and why', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp({ reference: 'login-7' })
  await world.whatsapp.reports(otp, ['read', 'sent'])
  await receiver.waitFor(1)
  await world.settled()

  const told = await explained(world, otp.messageId)
  assert.deepEqual([told.kind, told.messageId, told.status], ['message', otp.messageId, 'read'])
  const kinds = told.timeline.map(({ what }) => what)
  assert.deepEqual(kinds.toSorted(), ['attempt', 'event', 'quota', 'report', 'report', 'request', 'webhook'])
  assert.deepEqual(kinds.slice(0, 3), ['request', 'quota', 'attempt'])
  const times = told.timeline.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())

  const [request, quota] = told.timeline
  assert.equal(request?.['to'], otp.to)
  assert.equal(request?.['reference'], 'login-7')
  assert.equal(quota?.['unit'], 1)
  const ignored = told.timeline.find(({ outcome }) => outcome === 'ignored')
  assert.match(ignored?.detail ?? '', /reports sent at .*; ignored: the message is already known to be read/)
  assert.equal(told.next.who, 'nobody')
})

test('an event is told with the message that it speaks of', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  const event = (await explained(world, otp.messageId)).timeline.find(({ what }) => what === 'event')
  const told = await explained(world, String(event?.['eventId']))
  assert.deepEqual([told.kind, told.messageId], ['event', otp.messageId])
})

test('a webhook that failed is told with its answer and the time of the next attempt', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  await receiver.waitFor(1)
  await world.settled()
  const { timeline, next } = await explained(world, otp.messageId)
  const [attempt, waiting] = timeline.filter(({ what }) => what === 'webhook')
  assert.equal(attempt?.['httpStatus'], 500)
  assert.equal(waiting?.['dueAt'], waiting?.at)
  assert.equal(next.who, 'caller')
  assert.match(next.sentence, /answered 500; the next attempt is at/)
})

test('a message that waits for a worker is told before any attempt', async (t) => {
  const world = await startWorld(t, { works: false })
  const { messageId } = await world.sendOtp()
  const { status, timeline } = await explained(world, messageId)
  assert.equal(status, 'queued')
  assert.deepEqual(
    timeline.map(({ what }) => what),
    ['request', 'quota'],
  )
})

test('an attempt that WhatsApp accepted is told with the status of its answer', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.gets(otp)
  await world.settled()
  const attempt = (await explained(world, otp.messageId)).timeline.find(({ what }) => what === 'attempt')
  assert.deepEqual([attempt?.['outcome'], attempt?.['httpStatus']], ['accepted', 200])
})

test('a failure is told with the provider’s own code', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }])
  const { timeline, next } = await explained(world, otp.messageId)
  assert.ok(timeline.some(({ detail }) => /reports failed .*code 131026/.test(detail)))
  assert.equal(next.sentence, 'The caller must check the number with the recipient or use another channel.')
})

test('all errors of a failure are told, and the first that is known decides', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [999_999, 131_026] }])
  const { timeline, next } = await explained(world, otp.messageId)
  const report = timeline.find(({ what }) => what === 'report')
  assert.match(
    report?.detail ?? '',
    /\(code 999999, which this release does not know; code 131026 Message undeliverable\)/,
  )
  assert.deepEqual([report?.['providerCode'], report?.['providerCodes']], [131_026, [999_999, 131_026]])
  assert.match(next.sentence, /check the number/)
})

test('a status that is not known is told with its word, and a failure without errors as one without a reason', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  const { id } = await world.whatsapp.gets(otp)
  await world.settled()
  for (const status of ['warned', 'failed']) {
    await postStatuses(world, [{ id, status, timestamp: '1763640000' }])
    await world.settled()
  }
  const { timeline, next } = await explained(world, otp.messageId)
  const [warned, failed] = timeline.filter(({ what }) => what === 'report').map(({ detail }) => detail)
  assert.match(warned ?? '', /reports "warned", which is no status that this release knows; ignored/)
  assert.match(failed ?? '', /reports failed at [^ ]+ \(without a reason\)/)
  assert.match(next.sentence, /reported the failure without a code/)
})

test('a code that no phone has got within its time is told as dropped', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal((await explained(world, otp.messageId)).next.who, 'customer')
  world.advance('20m')
  const { status, next } = await explained(world, otp.messageId)
  assert.deepEqual([status, next.who], ['sent', 'caller'])
  assert.match(next.sentence, /must send a new code/)
})

test('a message that waits behind maintenance names it', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  world.twin.script({ match: { to, times: 1 }, behaviour: { error: 131057 } })
  const otp = await world.sendOtp({ to })
  await world.settled()
  const { next } = await explained(world, otp.messageId)
  assert.equal(next.who, 'nobody')
  assert.match(next.sentence, /code 131057, Number in maintenance/)
})

test('the code is nowhere in what is told', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ code: 'CANARY7' })
  await world.whatsapp.reports(otp, ['sent', 'read'])
  assert.doesNotMatch(JSON.stringify(await explained(world, otp.messageId)), /CANARY7/)
})

test('an id of nothing is told as such', async (t) => {
  const world = await startWorld(t)
  assert.equal(await explain(world.parts, '019f0000-0000-7000-8000-000000000000'), undefined)
})

async function explained(world: World, id: string): Promise<Explanation> {
  const told = await explain(world.parts, id)
  assert.ok(told, `nothing is known of ${id}`)
  return told
}

/** Statuses that the twin would not report. */
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
