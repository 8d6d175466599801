import assert from 'node:assert/strict'
import { test } from 'node:test'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { phoneNumber } from 'better-auth/plugins'
import { PhoneNumberError, createClient, doorcodePhoneNumber } from '../../../packages/client/src/index.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

/** An app that signs people in with their phone numbers. */
async function startApp(world: World, senderId = world.senderId, log?: (message: string, ...more: unknown[]) => void) {
  const doorcode = createClient({ url: world.first.url, apiKey: await world.freshKey(), maxRetries: 0 })
  const auth = betterAuth({
    baseURL: 'http://localhost:3000',
    secret: 'a secret of the app that is long enough',
    logger: log ? { log: (_level, message, ...more) => log(message, ...more) } : { disabled: true },
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    plugins: [
      phoneNumber({
        ...doorcodePhoneNumber({
          doorcode,
          senderId,
          template: (_phone, request) => ({
            name: 'login_code',
            language: request?.headers.get('accept-language')?.startsWith('ar') ? 'ar' : 'en_US',
          }),
        }),
        signUpOnVerification: { getTempEmail: (phone) => `${phone.slice(1)}@example.com` },
      }),
    ],
  })
  return async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'accept-language': 'ar', origin: 'http://localhost:3000' }
    const request = new Request(`http://localhost:3000/api/auth/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const response = await auth.handler(request)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}

test('better-auth sends its codes through Doorcode, and signs the person in who types one', async (t) => {
  const world = await startWorld(t)
  const call = await startApp(world)
  const phone = newPhone()
  const sent = await call('phone-number/send-otp', { phoneNumber: phone })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const [row] = await world.query<{ id: string; language: string }>(
    'select id, template_language as language from messages where workspace_id = $1 and recipient = $2',
    [world.workspaceId, phone],
  )
  assert.equal(row?.language, 'ar')
  const code = await world.codeOn({ messageId: row.id })
  assert.equal((await call('phone-number/verify', { phoneNumber: phone, code: '000' })).status, 400)
  const verified = await call('phone-number/verify', { phoneNumber: phone, code })
  assert.equal(verified.status, 200, JSON.stringify(verified.body))
  assert.equal((verified.body['user'] as { phoneNumber: string }).phoneNumber, phone)
})

test('the app of better-auth learns whether the number or the service is the reason that a code is not sent', async (t) => {
  const world = await startWorld(t, { otpQuota: 0 })
  const call = await startApp(world)
  const blocked = newPhone()
  await world.block(blocked)
  for (const [number, status, code] of [
    [blocked, 422, 'PHONE_NUMBER_REJECTED'],
    ['+1', 422, 'PHONE_NUMBER_REJECTED'],
    [newPhone(), 503, 'CODE_NOT_SENT'],
  ] as const) {
    const answer = await call('phone-number/send-otp', { phoneNumber: number })
    assert.deepEqual([answer.status, answer.body['code']], [status, code], JSON.stringify(answer.body))
  }
})

test('a code for a new password that is not sent is an error only in the log of better-auth', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const logged: unknown[][] = []
  const call = await startApp(world, world.senderId, (...entry) => void logged.push(entry))
  const phone = newPhone()
  await call('phone-number/send-otp', { phoneNumber: phone })
  const [message] = await world.query<{ id: string }>('select id from messages where workspace_id = $1', [
    world.workspaceId,
  ])
  const code = await world.codeOn({ messageId: message?.id ?? '' })
  assert.equal((await call('phone-number/verify', { phoneNumber: phone, code })).status, 200)
  const reset = await call('phone-number/request-password-reset', { phoneNumber: phone })
  assert.deepEqual(reset, { status: 200, body: { status: true } })
  const [text, error] = logged.at(-1) ?? []
  assert.ok(error instanceof PhoneNumberError)
  assert.deepEqual([text, error.body.code], ['Failed to run background task:', 'CODE_NOT_SENT'])
})

test('a setting of the app that Doorcode rejects is never blamed on the phone number', async (t) => {
  const world = await startWorld(t)
  const call = await startApp(world, 'not a sender')
  for (const number of [newPhone(), '+1']) {
    const answer = await call('phone-number/send-otp', { phoneNumber: number })
    assert.deepEqual([answer.status, answer.body['code']], [503, 'CODE_NOT_SENT'], JSON.stringify(answer.body))
  }
})
