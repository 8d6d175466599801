import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { failingDb } from '../../database/db-spy.ts'
import { assertSigned } from '../../world/receiver.ts'
import { verificationsPath, wrongCode } from '../../world/verifications.ts'
import { requestOverRateLimit } from '../../world/rejections.ts'
import { startWorld } from '../../world/world.ts'

test('the code on the phone approves the verification, once, and the event says so', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const started = await world.startVerification({ reference: 'login-8812' })
  assert.deepEqual([started.status, started.reference], ['pending', 'login-8812'])
  const code = await world.codeOn(started)
  assert.match(code, /^\d{6}$/)

  const approved = await world.check(started, code)
  const { verificationId } = started
  assert.deepEqual(approved.body, { verificationId, status: 'approved', attemptsLeft: 0 })
  const again = await world.check(started, code)
  assert.deepEqual([again.status, again.body.code], [409, 'OTP_VERIFICATION_ENDED'])

  await world.settled()
  const verification = await world.getVerification(started)
  assert.deepEqual(
    [verification.status, verification.to, verification.attemptsLeft, verification.nextResendAt],
    ['approved', started.to, 0, null],
  )
  const [webhook, ...more] = receiver.received.filter(({ event }) => event.type === 'otp.verified')
  assert.ok(webhook)
  assert.equal(more.length, 0)
  assertSigned(webhook, receiver.secret)
  assert.deepEqual(webhook.event.data, { ...verification, occurredAt: verification.endedAt })
})

test('wrong codes count down, and the last one locks the verification', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const started = await world.startVerification({ maxAttempts: 3, length: 4 })
  const code = await world.codeOn(started)
  assert.match(code, /^\d{4}$/)
  const answers = []
  for (let attempt = 0; attempt < 4; attempt += 1) answers.push((await world.check(started, wrongCode(code))).body)
  answers.push((await world.check(started, code)).body)
  assert.deepEqual(
    answers.map(({ status, attemptsLeft }) => [status, attemptsLeft]),
    [
      ['pending', 2],
      ['pending', 1],
      ['locked', 0],
      ['locked', 0],
      ['locked', 0],
    ],
  )
  await world.settled()
  const failed = receiver.events().filter(({ type }) => type.startsWith('otp.'))
  assert.deepEqual(
    failed.map(({ type, data }) => [type, data.status]),
    [['otp.verification_failed', 'locked']],
  )
})

test('a code of another length counts as a wrong one', async (t) => {
  const world = await startWorld(t)
  const started = await world.startVerification({ length: 8 })
  const code = await world.codeOn(started)
  assert.deepEqual((await world.check(started, code.slice(0, 6))).body.attemptsLeft, 4)
  assert.equal((await world.check(started, code)).body.status, 'approved')
})

test('a code is right in the digits that the customer’s keyboard has', async (t) => {
  const world = await startWorld(t)
  for (const zero of ['٠', '۰', '०', '০']) {
    const started = await world.startVerification()
    const typed = Array.from(await world.codeOn(started), (digit) =>
      String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)),
    ).join('')
    assert.deepEqual((await world.check(started, typed)).body.status, 'approved', typed)
  }
})

test('a verification expires at its time, at a check or without one', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const [checked, left] = [
    await world.startVerification({ ttlSeconds: 60 }),
    await world.startVerification({ ttlSeconds: 60 }),
  ]
  const code = await world.codeOn(checked)
  await world.settled()
  world.advance('60s')
  assert.equal((await world.check(checked, code)).body.status, 'expired')
  assert.equal((await world.check(checked, code)).body.status, 'expired')
  await world.settled()
  assert.equal((await world.getVerification(left)).status, 'expired')
  const events = receiver.events().filter(({ type }) => type.startsWith('otp.'))
  assert.deepEqual(
    events.map(({ type, data }) => `${type} ${String(data.status)} ${String(data.verificationId)}`).sort(),
    [checked, left].map(({ verificationId }) => `otp.verification_failed expired ${verificationId}`).sort(),
  )
})

test('what a code is made from and compared with is sealed or hashed, and erased at the end', async (t) => {
  const world = await startWorld(t)
  const started = await world.startVerification()
  const code = await world.codeOn(started)
  const rows = () =>
    world.query<{ code_key: Buffer | null; code_hash: Buffer | null }>(
      'select code_key, code_hash from otp_verifications where id = $1',
      [started.verificationId],
    )
  const [before] = await rows()
  assert.equal(before?.code_hash?.length, 32)
  assert.ok(before.code_key)
  await world.check(started, code)
  assert.deepEqual(await rows(), [{ code_key: null, code_hash: null }])
})

test('a repeat with the same Idempotency-Key gets the first verification, and a different one is rejected', async (t) => {
  const world = await startWorld(t)
  const headers = { 'idempotency-key': 'once' }
  const body = world.verificationBody({ reference: 'r', ttlSeconds: 300 })
  const post = (changed: object) =>
    world.request('POST', '/api/v1/otp/verifications', { body: { ...body, ...changed }, headers })
  const [first, ...repeats] = await Promise.all([post({}), post({}), post({})])
  for (const repeat of repeats) assert.deepEqual(repeat.body, first.body)
  for (const changed of [{ length: 5 }, { ttlSeconds: 301 }, { maxAttempts: 4 }, { reference: 's' }])
    assert.equal((await post(changed)).body.code, 'IDEMPOTENCY_KEY_REUSED')
  // The keys of one-time codes are separate.
  await world.sendOtp({ to: body.to }, { headers })
})

test('a check without a valid key, or over the rate of its key, uses no attempt', async (t) => {
  const world = await startWorld(t)
  const started = await world.startVerification()
  const code = await world.codeOn(started)
  const unknown = await world.check(started, wrongCode(code), { key: null })
  assert.deepEqual([unknown.status, unknown.body.code], [401, 'API_KEY_INVALID'])
  const key = await world.freshKey()
  const path = `${verificationsPath}/${started.verificationId}`
  let made = 0 // on a busy machine the key may make a request again
  const limited = await requestOverRateLimit(world, { key, path }, async () => {
    const answer = await world.check(started, wrongCode(code), { key })
    if (answer.status !== 429) made += 1
    return answer
  })
  assert.deepEqual([limited.status, limited.body.code], [429, 'RATE_LIMITED'])
  const { attemptsLeft } = await world.getVerification(started)
  assert.equal(attemptsLeft, 5 - made)
})

for (const [what, fault, status, code] of [
  ['a fault of ours', new TypeError('inner secret'), 500, 'INTERNAL_ERROR'],
  ['a database that cannot be reached', new DatabaseUnavailable(new Error('inner secret')), 503, 'SERVICE_UNAVAILABLE'],
] as const) {
  test(`${what} reveals nothing of a verification, and uses neither unit nor attempt`, async (t) => {
    let faulty = false
    const world = await startWorld(t, {
      mayLogErrors: true,
      wrapDb: failingDb((name) => faulty && /verification|resend/.test(name) && fault),
    })
    const started = await world.startVerification()
    const sent = await world.codeOn(started)
    faulty = true
    for (const answer of [
      await world.request('POST', verificationsPath, { body: world.verificationBody() }),
      await world.check(started, sent),
      await world.resend(started),
      await world.request('GET', `${verificationsPath}/${started.verificationId}`),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [status, code])
      assert.ok(!/inner|secret|TypeError/.test(answer.text))
    }
    faulty = false
    assert.equal((await world.getVerification(started)).attemptsLeft, 5)
    const used = await world.query('select used from quota_usage where workspace_id = $1', [world.workspaceId])
    assert.deepEqual(used, [{ used: 1 }])
  })
}
