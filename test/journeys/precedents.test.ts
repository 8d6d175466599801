import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { otpAccepting } from '../../src/otp/accept.ts'
import { setAllowance } from '../../src/workspaces/allowances.ts'
import { aroundDb } from '../around-db.ts'
import { confirmationPath } from '../cod.ts'
import { type World, newPhone, startWorld } from '../world.ts'

const otpPath = '/api/v1/otp/messages'

/** What happens to a workspace after its requests were accepted, each with the SQL that it comes down to. */
const CHANGES: Readonly<Record<string, string>> = {
  'the sender is paused': 'update senders set paused_at = now() where workspace_id = $1',
  'the number is gone': 'update senders set gone_at = now() where workspace_id = $1',
  'the number has lost its connection': `update senders set status = 'DISCONNECTED' where workspace_id = $1`,
  'the token is refused': `update provider_accounts set status = 'credentials_invalid' where workspace_id = $1`,
  'the template is paused': `update templates set status = 'PAUSED' where workspace_id = $1`,
  'the template has another category': `update templates set category = 'MARKETING' where workspace_id = $1`,
  'the template has more parameters': `update templates set components = '[{"type":"BODY","text":"{{1}} {{2}} {{3}} {{4}}"}]' where workspace_id = $1`,
  'the template is gone': 'delete from templates where workspace_id = $1',
  'the recipient is blocked': `insert into blocked_recipients select $1, recipient, now() from messages where workspace_id = $1 limit 1`,
  'the allowance is used up': 'update allowances set monthly_units = 1 where workspace_id = $1',
}

/** Only of confirmations. */
const COD_CHANGES: Readonly<Record<string, string>> = {
  'nothing is configured': 'delete from cod_settings where workspace_id = $1',
  'the language is not configured': `update cod_settings set document = document #- '{languages,en}' where workspace_id = $1`,
}

type Asked = { path: string; body: { to: string } }

/** All but what is of this one answer. */
async function refusalOf(world: World, { path, body }: Asked, url: string) {
  const { status, body: problem } = await world.request('POST', path, { body, url })
  const { correlationId: _, instance: __, ...rest } = problem
  return { status, ...rest }
}

for (const [change, sql] of Object.entries({ ...CHANGES, ...COD_CHANGES })) {
  test(`when ${change}, a node that has just accepted the same refuses exactly as one that has not`, async (t) => {
    const world = await startWorld(t)
    await world.codSettings()
    const to = newPhone()
    const asked: Asked[] = [{ path: confirmationPath, body: world.confirmationBody({ to }) }]
    if (change in CHANGES) asked.push({ path: otpPath, body: world.otpBody({ to }) })
    for (const { path, body } of asked) assert.equal((await world.request('POST', path, { body })).status, 202)
    await world.settled()
    await world.ask(sql, [world.workspaceId])
    const other = await world.node()
    for (const each of asked) {
      const refused = await refusalOf(world, each, world.first.url)
      assert.ok(refused.status >= 400, `${each.path} was accepted`)
      assert.deepEqual(refused, await refusalOf(world, each, other.url))
    }
  })
}

/** `run`: the statements of its acceptances, as they come. */
async function startCountedWorld(t: TestContext) {
  const run: string[] = []
  const world = await startWorld(t, {
    works: false,
    wrapDb: (db) =>
      aroundDb(db, (call) => {
        if (/otp_requests|otp_messages|confirmation_requests|confirmations_within/.test(call.statement.name))
          run.push(call.statement.name)
        return call.run()
      }),
  })
  return { world, run }
}

test('a request like one that was accepted costs one statement, and so do many of them', async (t) => {
  const { world, run } = await startCountedWorld(t)
  await world.codSettings()
  await world.sendOtp()
  await world.createConfirmation()
  run.length = 0
  await world.sendOtp()
  await world.createConfirmation()
  assert.deepEqual(run, ['insert_otp_messages_within_quota', 'insert_confirmations_within_quota'])
  run.length = 0
  await Promise.all(Array.from({ length: 30 }, () => world.sendOtp()))
  assert.deepEqual([...new Set(run)], ['insert_otp_messages_within_quota'])
})

test('what is refused since something changed costs one statement as well, from the second time on', async (t) => {
  const { world, run } = await startCountedWorld(t)
  await world.sendOtp()
  await world.ask('update senders set paused_at = now() where workspace_id = $1', [world.workspaceId])
  const refused = async () => (await world.request('POST', otpPath, { body: world.otpBody() })).status
  assert.equal(await refused(), 409)
  run.length = 0
  assert.equal(await refused(), 409)
  assert.deepEqual(run, ['look_up_otp_requests'])
})

test('a parameter that does not fit is refused after others that did', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  await world.createConfirmation()
  const body = world.confirmationBody({ parameters: { body: ['Ana', ' '] } })
  const answer = await world.request('POST', confirmationPath, { body })
  assert.deepEqual([answer.status, answer.body.code], [422, 'COD_TEMPLATE_PARAMETERS_INVALID'])
})

test('repeats and refusals between accepted requests leave no gap in the units and count none twice', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp()
  const blocked = newPhone()
  await world.ask('insert into blocked_recipients values ($1, $2, now())', [world.workspaceId, blocked])
  const body = world.otpBody()
  const first = await world.request('POST', otpPath, { body, headers: { 'idempotency-key': 'k' } })
  const answers = await Promise.all(
    Array.from({ length: 45 }, (_, index) => {
      if (index % 3 === 0) return world.request('POST', otpPath, { body, headers: { 'idempotency-key': 'k' } })
      return world.request('POST', otpPath, { body: world.otpBody(index % 3 === 1 ? { to: blocked } : {}) })
    }),
  )
  answers.forEach(({ status, text, body: { code } }, index) => {
    if (index % 3 === 0) assert.equal(text, first.text)
    else assert.deepEqual([status, code], index % 3 === 1 ? [422, 'RECIPIENT_BLOCKED'] : [202, undefined])
  })
  const rows = await world.ask<{ quota_unit: number }>(
    'select quota_unit from messages where workspace_id = $1 order by quota_unit',
    [world.workspaceId],
  )
  assert.deepEqual(
    rows.map((row) => row.quota_unit),
    Array.from({ length: 17 }, (_, index) => index + 1),
  )
})

test('with one unit left a repeat takes none from the request beside it', async (t) => {
  const world = await startWorld(t, { otpAllowance: 2 })
  const body = world.otpBody()
  const headers = { 'idempotency-key': 'k' }
  const first = await world.request('POST', otpPath, { body, headers })
  const [again, other] = await Promise.all([
    world.request('POST', otpPath, { body, headers }),
    world.request('POST', otpPath, { body: world.otpBody() }),
  ])
  assert.equal(again.text, first.text)
  assert.equal(other.status, 202)
  await setAllowance(world.parts.db, { workspaceId: world.workspaceId, kind: 'otp', monthlyUnits: 3 })
  assert.equal((await world.request('POST', otpPath, { body: world.otpBody() })).status, 202)
})

test('a request whose sender changes again and again fails alone: what was accepted beside it stays accepted', async (t) => {
  const world = await startWorld(t, { works: false })
  const [changing, steady] = world.account.senders
  assert.ok(changing && steady)
  const db = aroundDb(world.parts.db, async ({ statement, run }) => {
    if (statement.name === 'insert_otp_messages_within_quota')
      await world.ask('update senders set status = status where id = $1', [changing.senderId])
    return run()
  })
  const accept = otpAccepting({ ...world.parts, db })
  const { to: recipient, template, code } = world.otpBody()
  const { workspaceId } = world
  const by = { workspaceId, apiKeyId: 'a test', correlationId: workspaceId, idempotencyKey: null, reference: null }
  const [failed, accepted] = await Promise.allSettled(
    [changing, steady].map(({ senderId }) => accept({ ...by, recipient, senderId, template, code })),
  )
  assert.equal(accepted?.status, 'fulfilled')
  assert.match(String(failed?.status === 'rejected' && failed.reason), /found no outcome in \d+ rounds/)
})

test('a message accepted after a sandbox’s clock was moved is of the new time', async (t) => {
  const world = await startWorld(t)
  await world.sendOtp()
  await world.ask('update workspaces set sandbox = true, clock_offset_ms = 86400000 where id = $1', [world.workspaceId])
  const { createdAt } = await world.getOtp(await world.sendOtp())
  assert.ok(Date.parse(String(createdAt)) > world.clock.now().getTime() + 86_000_000, String(createdAt))
})
