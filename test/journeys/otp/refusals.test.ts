import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockRecipients } from '../../../src/workspaces/blocked.ts'
import { setQuota } from '../../../src/workspaces/quota.ts'
import type { Answer } from '../../world/requester.ts'
import { inDocumentedOrder } from '../../world/order-of-checks.ts'
import { askOverRate } from '../../world/over-rate.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

type Draft = { path: string; key: string; body: Record<string, unknown>; headers: Record<string, string> }

/** A reason to refuse an otherwise valid request. */
type Fault = { status: number; code: string; over: string; lay(draft: Draft, world: World): Promise<void> | void }

const MISSING_ID = '00000000-0000-4000-8000-000000000000'
const MISSING = `/api/v1/otp/messages/${MISSING_ID}`
const BLOCKED = newPhone()
const USED_KEY = 'used-for-another-request'

/** In the order of docs/api.md#order-of-checks: of two faults the earlier one is answered. */
const FAULTS: readonly Fault[] = [
  { over: 'route', status: 404, code: 'NOT_FOUND', lay: (draft) => void (draft.path = '/api/v1/otp/nothing') },
  {
    over: 'key',
    status: 401,
    code: 'API_KEY_INVALID',
    lay: (draft) => void (draft.key = draft.key.slice(0, -1) + (draft.key.endsWith('A') ? 'E' : 'A')),
  },
  { over: 'rate', status: 429, code: 'RATE_LIMITED', lay: () => undefined },
  { over: 'input', status: 422, code: 'DEVELOPER_INVALID_INPUT', lay: ({ body }) => void (body.extra = 1) },
  {
    over: 'idempotency',
    status: 409,
    code: 'IDEMPOTENCY_KEY_REUSED',
    lay: ({ headers }) => void (headers['idempotency-key'] = USED_KEY),
  },
  {
    over: 'sender found',
    status: 404,
    code: 'OTP_SENDER_NOT_FOUND',
    lay: ({ body }) => void (body.senderId = MISSING_ID),
  },
  {
    over: 'template found',
    status: 404,
    code: 'OTP_TEMPLATE_NOT_FOUND',
    lay: ({ body }) => void (body.template = { name: 'missing', language: 'en' }),
  },
  {
    over: 'sender available',
    status: 409,
    code: 'OTP_SENDER_UNAVAILABLE',
    lay: ({ body }, world) => {
      if (body.senderId === world.senderId) body.senderId = world.account.senders[1]?.senderId
    },
  },
  {
    over: 'template usable',
    status: 409,
    code: 'OTP_TEMPLATE_NOT_USABLE',
    lay: ({ body }) => {
      if ((body.template as { name: string }).name === 'login_code')
        body.template = { name: 'summer_offer', language: 'en' }
    },
  },
  { over: 'recipient', status: 422, code: 'RECIPIENT_BLOCKED', lay: ({ body }) => void (body.to = BLOCKED) },
  { over: 'quota', status: 429, code: 'OTP_QUOTA_EXCEEDED', lay: (_, world) => allow(world, 0) },
]

const allow = (world: World, monthlyUnits: number) =>
  setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits })

async function startFaultyWorld(t: Parameters<typeof startWorld>[0]): Promise<World> {
  const world = await startWorld(t)
  const recipients = [{ phone: BLOCKED, reason: null }]
  await blockRecipients(world.parts, { workspaceId: world.workspaceId, by: null, recipients })
  await world.ask('update senders set paused_at = now() where workspace_id = $1 and id <> $2', [
    world.workspaceId,
    world.senderId,
  ])
  await world.sendOtp({}, { headers: { 'idempotency-key': USED_KEY } })
  return world
}

async function askWith(world: World, faults: readonly Fault[]): Promise<Answer> {
  await allow(world, 1_000)
  const draft: Draft = {
    path: '/api/v1/otp/messages',
    key: await world.freshKey(),
    body: { ...world.otpBody() },
    headers: {},
  }
  const goodKey = draft.key
  for (const fault of faults) await fault.lay(draft, world)
  const { path, key, body, headers } = draft
  const ask = () => world.request('POST', path, { key, body, headers })
  return faults.some(({ over }) => over === 'rate') ? askOverRate(world, { key: goodKey, path: MISSING }, ask) : ask()
}

test('of any two faults of an OTP the documented first is answered', async (t) => {
  const codes = FAULTS.map(({ code }) => code)
  assert.deepEqual(codes, await inDocumentedOrder(codes))
  const world = await startFaultyWorld(t)
  for (const [index, earlier] of FAULTS.entries()) {
    for (const later of FAULTS.slice(index + 1)) {
      const answer = await askWith(world, [earlier, later])
      assert.deepEqual(
        [answer.status, answer.body.code],
        [earlier.status, earlier.code],
        `${earlier.over} before ${later.over}`,
      )
    }
  }
})

test('each fault refuses an OTP with its own code', async (t) => {
  const world = await startFaultyWorld(t)
  for (const fault of FAULTS) {
    const answer = await askWith(world, [fault])
    assert.deepEqual([answer.status, answer.body.code], [fault.status, fault.code], fault.over)
  }
  assert.equal((await askWith(world, [])).status, 202, 'without a fault it is accepted')
})

test('a refused request stores no message, key or unit', async (t) => {
  const world = await startFaultyWorld(t)
  const count = async () =>
    world.ask(
      'select (select count(*) from messages where workspace_id = $1) as messages, (select sum(used) from quota_usage where workspace_id = $1) as used',
      [world.workspaceId],
    )
  const before = await count()
  for (const fault of FAULTS) await askWith(world, [fault])
  assert.deepEqual(await count(), before)
})

test('a GET with every fault is answered in the same order', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  const faulty = '/api/v1/otp/messages/no-uuid?extra=1'
  const codeOf = async (path: string, request: object) => (await world.request('GET', path, request)).body.code
  assert.equal(await codeOf(faulty, { key: null }), 'API_KEY_INVALID')
  assert.equal(await codeOf(faulty, { key }), 'DEVELOPER_INVALID_INPUT')
  assert.equal(await codeOf(MISSING, { key }), 'NOT_FOUND')
  const limited = await askOverRate(world, { key, path: MISSING }, () => world.request('GET', faulty, { key }))
  assert.equal(limited.body.code, 'RATE_LIMITED')
})

test('a sender is unavailable for each reason until the reason ends', async (t) => {
  const world = await startWorld(t)
  const reasons: Record<string, [string, string]> = {
    paused: ['update senders set paused_at = now() where id = $1', 'update senders set paused_at = null where id = $1'],
    gone: ['update senders set gone_at = now() where id = $1', 'update senders set gone_at = null where id = $1'],
    'not connected': [
      `update senders set status = 'PENDING' where id = $1`,
      `update senders set status = 'CONNECTED' where id = $1`,
    ],
    'token refused': [
      `update provider_accounts a set status = 'credentials_invalid' from senders s where s.account_id = a.id and s.id = $1`,
      `update provider_accounts a set status = 'connected' from senders s where s.account_id = a.id and s.id = $1`,
    ],
  }
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).body.code
  for (const [reason, [begin, end]] of Object.entries(reasons)) {
    await world.ask(begin, [world.senderId])
    assert.equal(await post(), 'OTP_SENDER_UNAVAILABLE', reason)
    await world.ask(end, [world.senderId])
    assert.equal(await post(), undefined, reason)
  }
  await world.ask(`update senders set status = 'FLAGGED' where id = $1`, [world.senderId])
  assert.equal(await post(), undefined, 'a flagged number can send')
})

test('only an approved authentication template with one parameter and OTP buttons is usable', async (t) => {
  const authentication = { language: 'en_US', category: 'AUTHENTICATION' as const }
  const otp = (name: string, more: object = {}) => ({
    ...authentication,
    name,
    components: [{ type: 'BODY' }, OTP_BUTTON],
    ...more,
  })
  const world = await startWorld(t, {
    account: {
      templates: [
        otp('good'),
        otp('without_button', { components: [{ type: 'BODY' }] }),
        otp('pending', { status: 'PENDING' }),
        otp('paused', { status: 'PAUSED' }),
        otp('rejected', { status: 'REJECTED' }),
        {
          name: 'utility',
          language: 'en_US',
          category: 'UTILITY',
          components: [{ type: 'BODY', text: 'Code {{1}} it is.' }],
        },
        {
          name: 'marketing',
          language: 'en_US',
          category: 'MARKETING',
          components: [{ type: 'BODY', text: 'Code {{1}} it is.' }],
        },
      ],
    },
  })
  const post = async (name: string) => {
    const body = world.otpBody({ template: { name, language: 'en_US' } })
    const answer = await world.request('POST', '/api/v1/otp/messages', { body })
    return answer.body.code ?? answer.status
  }
  assert.equal(await post('good'), 202)
  assert.equal(await post('without_button'), 202)
  for (const name of ['pending', 'paused', 'rejected', 'utility', 'marketing']) {
    assert.equal(await post(name), 'OTP_TEMPLATE_NOT_USABLE', name)
  }
  assert.equal(await post('GOOD'), 'OTP_TEMPLATE_NOT_FOUND', 'a name is compared letter by letter')
})

const OTP_BUTTON = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] }
