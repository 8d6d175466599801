import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOtpAcceptor } from '../../../src/otp/accept.ts'
import { setQuota } from '../../../src/workspaces/quota.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { confirmationPath } from '../../world/cod.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const otpPath = '/api/v1/otp/messages'

type Change = { sql: string; otp?: string; cod: string }

/** Changes after requests were accepted, and the codes that reject the next ones. */
const CHANGES: Readonly<Record<string, Change>> = {
  'the sender is paused': {
    sql: 'update senders set paused_at = now() where workspace_id = $1',
    otp: 'OTP_SENDER_UNAVAILABLE',
    cod: 'COD_SENDER_UNAVAILABLE',
  },
  'the number is missing at the provider': {
    sql: 'update senders set gone_at = now() where workspace_id = $1',
    otp: 'OTP_SENDER_UNAVAILABLE',
    cod: 'COD_SENDER_UNAVAILABLE',
  },
  'the number has lost its connection': {
    sql: `update senders set status = 'DISCONNECTED' where workspace_id = $1`,
    otp: 'OTP_SENDER_UNAVAILABLE',
    cod: 'COD_SENDER_UNAVAILABLE',
  },
  'the token is rejected': {
    sql: `update provider_accounts set status = 'credentials_invalid' where workspace_id = $1`,
    otp: 'OTP_SENDER_UNAVAILABLE',
    cod: 'COD_SENDER_UNAVAILABLE',
  },
  'the template is paused': {
    sql: `update templates set status = 'PAUSED' where workspace_id = $1`,
    otp: 'OTP_TEMPLATE_NOT_USABLE',
    cod: 'COD_TEMPLATE_NOT_USABLE',
  },
  'the template has another category': {
    sql: `update templates set category = 'MARKETING' where workspace_id = $1`,
    otp: 'OTP_TEMPLATE_NOT_USABLE',
    cod: 'COD_TEMPLATE_NOT_USABLE',
  },
  'the template has more parameters': {
    sql: `update templates set components = jsonb_set(components, '{0,text}', '"{{1}} {{2}} {{3}} {{4}}"') where workspace_id = $1`,
    otp: 'OTP_TEMPLATE_NOT_USABLE',
    cod: 'COD_TEMPLATE_PARAMETERS_INVALID',
  },
  'the template is missing at the provider': {
    sql: 'delete from templates where workspace_id = $1',
    otp: 'OTP_TEMPLATE_NOT_FOUND',
    cod: 'COD_TEMPLATE_NOT_FOUND',
  },
  'the template’s name has other letters': {
    sql: 'update templates set name = upper(name) where workspace_id = $1',
    otp: 'OTP_TEMPLATE_NOT_FOUND',
    cod: 'COD_TEMPLATE_NOT_FOUND',
  },
  'the recipient is blocked': {
    sql: 'insert into blocked_recipients (workspace_id, phone, created_at) select $1, recipient, now() from messages where workspace_id = $1 limit 1',
    otp: 'RECIPIENT_BLOCKED',
    cod: 'RECIPIENT_BLOCKED',
  },
  'the quota is used up': {
    sql: 'update quotas set monthly_units = 1 where workspace_id = $1',
    otp: 'OTP_QUOTA_EXCEEDED',
    cod: 'COD_QUOTA_EXCEEDED',
  },
  'nothing is configured': {
    sql: 'delete from cod_settings where workspace_id = $1',
    cod: 'COD_NOT_CONFIGURED',
  },
  'the language is not configured': {
    sql: `update cod_settings set document = document #- '{languages,en}' where workspace_id = $1`,
    cod: 'COD_LANGUAGE_NOT_CONFIGURED',
  },
}

for (const [change, { sql, otp, cod }] of Object.entries(CHANGES)) {
  test(`when ${change}, the next request is rejected for it`, async (t) => {
    const world = await startWorld(t, { cod: {} })
    const to = newPhone()
    const requests = [
      { path: confirmationPath, body: world.confirmationBody({ to }), code: cod },
      { path: otpPath, body: world.otpBody({ to }), code: otp },
    ]
    const send = async ({ path, body }: { path: string; body: object }) => {
      const answer = await world.request('POST', path, { body })
      return answer.status === 202 ? undefined : answer.body.code
    }
    for (const request of requests) assert.equal(await send(request), undefined)
    await world.settled()
    await world.query(sql, [world.workspaceId])
    for (const request of requests) assert.equal(await send(request), request.code)
  })
}

/** Requests as the API passes them on, without sockets: requests of one turn form one group. */
function otpRequestOf(world: World, { key = null, senderId }: { key?: string | null; senderId?: string } = {}) {
  const { to: recipient, template, code, senderId: usual } = world.otpBody()
  const by = { workspaceId: world.workspaceId, apiKeyId: 'aaaaaaaaaaaa', correlationId: crypto.randomUUID() }
  return { ...by, idempotencyKey: key, recipient, senderId: senderId ?? usual, template, code, reference: null }
}

test('concurrent requests share one look-up and one insert; rejected ones are not inserted', async (t) => {
  const world = await startWorld(t, { works: false })
  const ran: string[] = []
  const db = spyOnDb(world.parts.db, (call) => {
    ran.push(call.statement.name)
    return call.run()
  })
  const accept = createOtpAcceptor({ ...world.parts, db })
  await accept(otpRequestOf(world)) // opens the month's counter
  ran.length = 0
  await Promise.all(Array.from({ length: 30 }, () => accept(otpRequestOf(world))))
  assert.deepEqual(ran, ['look_up_otp_requests', 'insert_otp_messages_within_quota'])
  ran.length = 0
  await assert.rejects(accept(otpRequestOf(world, { senderId: crypto.randomUUID() })))
  assert.deepEqual(ran, ['look_up_otp_requests'])
})

for (const { takes, key, units, outcome } of [
  { takes: 'its key', key: 'k', units: 9, outcome: 'the other answer' },
  { takes: 'its key and the last unit', key: 'k', units: 1, outcome: 'the other answer' },
  { takes: 'the last unit', key: 'other', units: 1, outcome: 'OTP_QUOTA_EXCEEDED' },
])
  test(`a request during which another node takes ${takes} gets: ${outcome}`, async (t) => {
    const world = await startWorld(t, { works: false, otpQuota: units })
    const request = otpRequestOf(world, { key: 'k' })
    let other: { messageId: string } | undefined
    const db = spyOnDb(world.parts.db, async ({ statement, run }) => {
      if (statement.name === 'insert_otp_messages_within_quota')
        other ??= await createOtpAcceptor(world.parts)({ ...request, idempotencyKey: key })
      return run()
    })
    const accepted = createOtpAcceptor({ ...world.parts, db })(request)
    if (outcome === 'the other answer') assert.deepEqual(await accepted, other)
    else await assert.rejects(accepted, { code: outcome })
    const used = await world.query('select used from quota_usage where workspace_id = $1', [world.workspaceId])
    assert.deepEqual(used, [{ used: 1 }])
  })

test('repeats and rejections leave no gap in the units and count none twice', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp()
  const blocked = newPhone()
  await world.block(blocked)
  const repeated = { body: world.otpBody(), headers: { 'idempotency-key': 'k' } }
  const first = await world.request('POST', otpPath, repeated)
  const kinds = [
    [{}, undefined],
    [{ to: blocked }, 'RECIPIENT_BLOCKED'],
    [{ template: { name: 'missing', language: 'en_US' } }, 'OTP_TEMPLATE_NOT_FOUND'],
    [{ senderId: '00000000-0000-4000-8000-000000000000' }, 'OTP_SENDER_NOT_FOUND'],
  ] as const
  await Promise.all(
    Array.from({ length: 15 }, async () => {
      assert.equal((await world.request('POST', otpPath, repeated)).text, first.text)
      for (const [change, code] of kinds)
        assert.equal((await world.request('POST', otpPath, { body: world.otpBody(change) })).body.code, code)
    }),
  )
  const rows = await world.query<{ quota_unit: number }>(
    'select quota_unit from messages where workspace_id = $1 order by quota_unit',
    [world.workspaceId],
  )
  assert.deepEqual(
    rows.map((row) => row.quota_unit),
    Array.from({ length: 17 }, (_, index) => index + 1),
  )
})

test('a repeat needs no unit, and does not take the last one from another request', async (t) => {
  const world = await startWorld(t, { otpQuota: 2 })
  const body = world.otpBody()
  const headers = { 'idempotency-key': 'k' }
  const first = await world.request('POST', otpPath, { body, headers })
  const [again, other] = await Promise.all([
    world.request('POST', otpPath, { body, headers }),
    world.request('POST', otpPath, { body: world.otpBody() }),
  ])
  assert.equal(again.text, first.text)
  assert.equal(other.status, 202)
  assert.equal((await world.request('POST', otpPath, { body, headers })).text, first.text, 'the quota is used up')
  await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits: 3 })
  assert.equal((await world.request('POST', otpPath, { body: world.otpBody() })).status, 202)
})

test('a message accepted after a sandbox’s clock moved has the new time', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp()
  await world.query('update workspaces set sandbox = true, clock_offset_ms = 86400000 where id = $1', [
    world.workspaceId,
  ])
  const { createdAt } = await world.getOtp(await world.sendOtp())
  assert.ok(Date.parse(String(createdAt)) > world.clock.now().getTime() + 86_000_000, String(createdAt))
})
