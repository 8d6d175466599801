import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RESEND_INTERVAL_MS } from '../../../src/otp/verifications/limits.ts'
import type { VerificationStatus } from '../../../src/otp/verifications/decide.ts'
import { signIn } from '../../world/dashboard.ts'
import { explained } from '../../world/explained.ts'
import { erase, exported } from '../../world/recipients.ts'
import { assertVerified } from '../../world/verified.ts'
import { wrongCode } from '../../world/verifications.ts'
import { type World, startWorld } from '../../world/world.ts'

/** One verification of each kind: approved after a resend, locked, expired, pending. */
async function oneOfEach(world: World) {
  const approved = await world.startVerification({ reference: 'login-7' })
  const code = await world.codeOn(approved)
  await world.check(approved, wrongCode(code))
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const resent = await world.resend(approved)
  await world.check(approved, code)
  const locked = await world.startVerification({ maxAttempts: 1 })
  await world.check(locked, wrongCode(await world.codeOn(locked)))
  const expired = await world.startVerification({ ttlSeconds: 60 })
  await world.settled()
  await world.after('60s')
  const pending = await world.startVerification()
  await world.settled()
  return { approved, resent: { messageId: String(resent.body.messageId) }, locked, expired, pending }
}

test('what is stored about verifications follows from their checks, and a changed row is found', async (t) => {
  const world = await startWorld(t)
  await world.receiver()
  const { approved } = await oneOfEach(world)
  await assertVerified(world)
  await world.query(`update otp_verifications set sent_at = sent_at || sent_at where id = $1`, [
    approved.verificationId,
  ])
  const found: string[] = []
  await assertVerified(world, ({ id, code }) => id === approved.verificationId && found.push(code) > 0)
  assert.deepEqual(found, ['verification_messages'])
})

test('a verification is explained with its message: its checks, its resends, its end, and what to do', async (t) => {
  const world = await startWorld(t)
  const { approved, resent, locked, expired, pending } = await oneOfEach(world)
  const explanation = await explained(world, approved.verificationId)
  assert.match(explanation.status, /, verification approved$/)
  const details = explanation.timeline.map(({ detail }) => detail).join('\n')
  assert.match(details, /verification with a code of 6 digits, which expires at .* or after 5 wrong codes/)
  assert.match(details, /a wrong code was checked; attempts left: 4/)
  assert.match(details, new RegExp(`the code is sent again, by message ${resent.messageId}`))
  assert.match(details, /the right code was checked: the verification is approved/)
  const again = await explained(world, resent.messageId)
  assert.match(
    again.timeline.map(({ detail }) => detail).join('\n'),
    new RegExp(`of verification ${approved.verificationId} again`),
  )

  const nextOf = async ({ verificationId }: { verificationId: string }) => (await explained(world, verificationId)).next
  await world.whatsapp.reports({ messageId: locked.verificationId }, ['delivered'])
  await world.whatsapp.reports({ messageId: expired.verificationId }, ['delivered'])
  await world.whatsapp.reports({ messageId: pending.verificationId }, ['delivered'])
  assert.equal((await nextOf(locked)).who, 'client')
  assert.equal((await nextOf(expired)).who, 'client')
  assert.equal((await nextOf(pending)).who, 'customer')
})

test('a verification whose code was sent again is explained by the arrival of that, although its first message failed', async (t) => {
  const world = await startWorld(t)
  const started = await world.startVerification()
  const first = { messageId: started.verificationId }
  const code = await world.codeOn(started)
  await world.whatsapp.reports(first, [{ status: 'failed', errors: [131026] }])
  assert.equal((await explained(world, started.verificationId)).next.who, 'client')
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const resent = await world.resend(started)
  assert.equal((await explained(world, started.verificationId)).next.who, 'client')
  await world.whatsapp.reports({ messageId: String(resent.body.messageId) }, ['delivered'])
  assert.equal((await explained(world, started.verificationId)).next.who, 'customer', 'the second message arrived')
  await world.check(started, code)
  const { status, next } = await explained(world, started.verificationId)
  assert.equal(status, 'failed, verification approved')
  assert.deepEqual(next, { who: 'none', sentence: 'No action is needed: the customer typed the right code.' })
})

test('an export contains a verification without its code, and an erasure ends it with the pseudonym', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const started = await world.startVerification()
  const code = await world.codeOn(started)
  await world.check(started, wrongCode(code))
  await world.settled()
  const { oneTimeCodes } = (await exported(world, started.to)) as {
    oneTimeCodes: { verification: Record<string, unknown> }[]
  }
  const verification = oneTimeCodes[0]?.verification
  assert.deepEqual(
    [verification?.id, verification?.to, verification?.status],
    [started.verificationId, started.to, 'pending'],
  )
  assert.ok(!JSON.stringify(oneTimeCodes).includes(code))

  const { pseudonym } = await erase(world, started)
  await world.settled()
  const after = await world.getVerification(started)
  assert.deepEqual([after.status, after.to], ['expired', pseudonym])
  assert.equal((await world.check(started, code)).body.status, 'expired')
  assert.equal((await world.resend(started)).body.code, 'OTP_VERIFICATION_ENDED')
  const [event] = receiver.events().filter(({ type }) => type === 'otp.verification_failed')
  assert.equal(event?.data.to, pseudonym)
  await assertVerified(world)
})

test('the list of messages shows the state of each verification, and finds those of one state', async (t) => {
  const world = await startWorld(t)
  const { approved, locked, expired, pending } = await oneOfEach(world)
  await world.sendOtp()
  const { calls } = await signIn(world, 'member')
  const list = async (verification: VerificationStatus | null) => {
    const { rows } = await calls.messages.list.query({ workspaceId: world.workspaceId, verification })
    return rows.map(({ id, verification }) => ({ id, verification }))
  }
  for (const [verification, { verificationId: id }] of Object.entries({ approved, locked, expired, pending }))
    assert.deepEqual(await list(verification as VerificationStatus), [{ id, verification }])
  const states = (await list(null)).map(({ verification }) => String(verification)).sort()
  assert.deepEqual(states, ['approved', 'expired', 'locked', 'null', 'null', 'pending'])
})
