import { asWritten } from '../../../locales/text.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { jsonOfCommand } from '../../world/command-line.ts'
import { explained } from '../../world/explained.ts'
import { releaseQuarantined } from '../../../src/operations/doctor/work/quarantine.ts'
import { readRenewedAccount } from '../../../src/accounts/accounts.ts'
import { connectAccount, storeReading } from '../../world/set-up.ts'
import { later } from '../../../src/lib/clock.ts'
import { pauseSender } from '../../../src/accounts/senders.ts'
import { syncAccount } from '../../../src/accounts/sync/sync.ts'
import { leasesLoop } from '../../../src/runtime/background/dead-nodes.ts'
import { newId } from '../../../src/lib/ids.ts'
import { decideRetry } from '../../../src/runtime/jobs/retry.ts'
import { countFault } from '../../../src/messages/queue/quarantine.ts'
import { failingDb } from '../../database/db-spy.ts'
import { lockRow } from '../../faults/lock-in-another-session.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type SentOtp, type World, startWorld } from '../../world/world.ts'

/** Simulates a restore from another installation: another instance key sealed the stored bytes. */
const sealUnderAnotherKey = (world: World, columns: readonly string[]): Promise<object[]> =>
  world.query(
    `update provider_accounts set ${columns.map((column) => `${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 255)`).join(', ')}
     where id = $1`,
    [world.account.accountId],
  )

const accountOf = async (world: World) => {
  const [row] = await world.query<{ status: string; status_detail: unknown }>(
    'select status, status_detail from provider_accounts where id = $1',
    [world.account.accountId],
  )
  return row
}

const untilStopped = (world: World) =>
  waitFor('the account to be stopped', async () => (await accountOf(world))?.status !== 'connected')

test('an account whose token cannot be decrypted delays only its own messages', async (t) => {
  const [broken, healthy] = [await startWorld(t, { mayLogErrors: true }), await startWorld(t, { mayLogErrors: true })]
  await sealUnderAnotherKey(broken, ['access_token'])
  const held = await broken.sendOtp()
  const otp = await healthy.sendOtp()
  await waitFor('the other account’s message arrives', () => healthy.whatsapp.got(otp).length === 1)
  await untilStopped(broken)
  assert.deepEqual(await accountOf(broken), {
    status: 'credentials_unreadable',
    status_detail: { code: 'accounts.token_unreadable' },
  })
  assert.equal(broken.whatsapp.got(held).length, 0)
  assert.equal((await broken.getOtp(held)).status, 'queued')
})

test('explain blames the instance key for a token that cannot be decrypted', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  await sealUnderAnotherKey(world, ['access_token'])
  const otp = await world.sendOtp()
  await untilStopped(world)
  world.advance('5m')
  const explanation = await explained(world, otp.messageId)
  assert.equal(explanation.next.who, 'operator')
  assert.match(explanation.next.sentence, /cannot decrypt the access token .* encrypted with another instance key/)
  const rejected = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  assert.equal(rejected.body.code, 'OTP_SENDER_UNAVAILABLE')
  assert.doesNotMatch(String(rejected.body.detail), /WhatsApp rejects/)
})

test('connecting an account again replaces all secrets that cannot be decrypted', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  await sealUnderAnotherKey(world, ['access_token', 'app_secret', 'verify_token'])
  const otp = await world.sendOtp()
  await untilStopped(world)
  await connectAccount(world.parts, world.credentials)
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
  assert.deepEqual(await accountOf(world), { status: 'connected', status_detail: null })
})

test('webhooks under an unreadable app secret get 503 and one log line', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const otp = await world.submitOtp()
  await sealUnderAnotherKey(world, ['app_secret'])
  const url = `${world.first.url}/whatsapp/${world.account.accountId}`
  const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'content-type': 'application/json' }
  const post = async () => (await fetch(url, { method: 'POST', headers, body: '{}' })).status
  await waitFor('its secret to be read again', async () => (await post()) === 503)
  for (const _ of [1, 2, 3]) assert.equal(await post(), 503)
  const lines = world.first.logLines.filter((line) => line.includes(world.account.accountId))
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['the app secret of an account cannot be decrypted with this instance key: its webhooks get a 503'],
  )
  await sealUnderAnotherKey(world, ['app_secret']) // sealed twice: as before
  await world.emulator.report(await world.whatsapp.gets(otp), ['sent']).catch(() => {})
  await waitFor('the report counts', async () => (await world.getOtp(otp)).status === 'sent')
})

test('only the secrets that an account keeps must be decryptable', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const { workspaceId, credentials, account, parts } = world
  const of = { workspaceId, accountId: account.accountId }
  await sealUnderAnotherKey(world, ['access_token'])
  await storeReading(parts, await readRenewedAccount(parts, { ...of, accessToken: credentials.accessToken }))
  assert.deepEqual(await accountOf(world), { status: 'connected', status_detail: null })
  await sealUnderAnotherKey(world, ['app_secret'])
  await assert.rejects(
    readRenewedAccount(parts, { ...of, accessToken: credentials.accessToken }),
    /cannot decrypt the stored credentials .* Enter a new access token, app secret and verify token together/,
  )
})

test('an account works again within minutes after the right instance key is set', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  await sealUnderAnotherKey(world, ['access_token'])
  const otp = await world.sendOtp()
  await untilStopped(world)
  await assert.rejects(syncAccount(world.parts, world.account.accountId), /cannot decrypt the stored access token/)
  await sealUnderAnotherKey(world, ['access_token']) // sealed twice: as before
  world.advance('6m')
  await waitFor('the message goes', () => world.whatsapp.got(otp).length === 1)
  assert.deepEqual(await accountOf(world), { status: 'connected', status_detail: null })
})

for (const [what, change, why] of [
  [
    'does not open',
    'code = set_byte(code, 20, get_byte(code, 20) # 255)',
    'the stored code cannot be decrypted with this instance key',
  ],
  ['is missing', 'code = null', 'the stored code is missing'],
] as const) {
  test(`a code that ${what} fails only its message, immediately and without a request`, async (t) => {
    const world = await startWorld(t, { works: false, mayLogErrors: true })
    const receiver = await world.receiver()
    const otp = await world.sendOtp()
    await world.query(`update messages set ${change} where id = $1`, [otp.messageId])
    await world.node({ works: true })
    await world.settled()
    const { status, failure } = await world.getOtp(otp)
    assert.equal(status, 'failed')
    assert.equal((failure as { code: string }).code, 'UNKNOWN')
    assert.match((failure as { message: string }).message, /Doorcode itself could not send the message. The operator/)
    assert.equal(world.whatsapp.got(otp).length, 0)
    assert.equal(receiver.events('message.failed').length, 1)
    const explanation = await explained(world, otp.messageId)
    assert.ok(explanation.timeline.some(({ detail }) => detail === `attempt 1: not made (${why})`))
    assert.deepEqual(explanation.next, {
      who: 'operator',
      sentence: `Find out why ${why}. WhatsApp was not called, and your backend can send a new code immediately.`,
    })
  })
}

test('a locked message delays only its own report', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const [locked, other] = [await world.submitOtp(), await world.submitOtp()]
  const release = await lockRow(t, world, 'messages', locked.messageId)
  await world.emulator.report(await world.whatsapp.gets(locked), ['sent'])
  await world.emulator.report(await world.whatsapp.gets(other), ['sent'])
  await waitFor('the other report counts', async () => (await world.getOtp(other)).status === 'sent')
  await waitFor('the report is put off', async () => (await reportsOf(world, locked)).every(({ put_off }) => put_off))
  assert.deepEqual(await reportsOf(world, locked), [
    {
      outcome: 'waiting',
      attempts: 0,
      note: { code: 'jobs.row_locked' },
      put_off: true,
    },
  ])
  await release()
  await world.after('31s')
  assert.equal((await world.getOtp(locked)).status, 'sent')
})

const reportsOf = (world: World, otp: SentOtp) =>
  world.query<{ outcome: string; attempts: number; note: { code: string } | null; put_off: boolean }>(
    'select outcome, attempts, note, note is not null as put_off from provider_reports where message_id = $1',
    [otp.messageId],
  )

/** Confirmations past their deadline whose end the database rejects, all due before any other. */
async function deadlinesThatFail(t: TestContext, world: World, howMany: number): Promise<() => Promise<void>> {
  const model = await world.askToConfirm()
  const gate = await world.parts.db.connect()
  const repair = async () => void (await gate.query('alter table confirmations drop constraint if exists no_end'))
  t.after(async () => {
    await repair()
    await gate.end()
  })
  await gate.query(`alter table confirmations add constraint no_end
    check (reference <> 'cannot end' or status <> 'no_response') not valid`)
  await world.query(
    `insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters, reference,
       correlation_id, api_key_id, quota_unit, created_at, status, deadline_at)
     select gen_random_uuid(), workspace_id, sender_id, recipient, template_name, template_language, parameters, 'cannot end',
       correlation_id, api_key_id, quota_unit, created_at, status, created_at
     from confirmations cross join generate_series(1, $2) where id = $1`,
    [model.confirmationId, howMany],
  )
  return repair
}

const failing = (world: World) =>
  world.query<{ id: string; tries: number; fault: unknown; quarantined: boolean }>(
    `select id, timer_tries as tries, timer_error as fault, timer_quarantined_at is not null as quarantined
     from confirmations where workspace_id = $1 and reference = 'cannot end' and status = 'awaiting_answer'`,
    [world.workspaceId],
  )

test('a full batch of failing timers delays no other timer', async (t) => {
  const world = await startWorld(t, {
    mayLogErrors: true,
    cod: { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } },
  })
  const order = await world.askToConfirm()
  await deadlinesThatFail(t, world, 200)
  world.advance('61m')
  await waitFor('the other deadline passes', async () => (await world.getConfirmation(order)).status === 'no_response')
})

test('a timer that fails five times is quarantined until an operator releases it', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true, cod: {} })
  const repair = await deadlinesThatFail(t, world, 1)
  for (let tries = 1; tries <= 5; tries += 1) {
    await waitFor('it is tried', async () => (await failing(world))[0]?.tries === tries)
    const [{ id: confirmationId } = { id: '' }] = await failing(world)
    const explanation = await explained(world, confirmationId)
    assert.equal(explanation.next.who, tries < 5 ? 'none' : 'operator')
    if (tries < 5) world.advance('31s')
  }
  const [{ id, ...timer } = { id: '' }] = await failing(world)
  assert.deepEqual(timer, { tries: 5, fault: asWritten('error 23514'), quarantined: true })
  assert.deepEqual(await countsOfStuckWork(world.parts, 'timer'), { waiting: 4, quarantined: 1 })
  const explanation = await explained(world, id)
  assert.match(explanation.next.sentence, new RegExp(`Find out from the log .* “doorcode quarantine release ${id}”`))
  assert.ok(explanation.timeline.some(({ detail }) => /quarantined after 5 attempts.*error 23514/.test(detail)))

  await repair()
  await world.parts.db.transaction((tx) => releaseQuarantined(tx, id, world.clock.now()))
  await waitFor('it rings', async () => (await world.getConfirmation({ confirmationId: id })).status === 'no_response')
})

/** `doorcode_stuck_work_total` of one kind of work. */
async function countsOfStuckWork(parts: World['parts'], work: string): Promise<Record<string, number>> {
  const { values } = await parts.metrics.stuckWork.get()
  return Object.fromEntries(
    values.filter(({ labels }) => labels.work === work).map(({ labels, value }) => [String(labels.outcome), value]),
  )
}

/** Of some messages the database rejects the failure, and that they are undelivered. */
async function messagesThatCannotEnd(
  t: TestContext,
  world: World,
  faulty: readonly SentOtp[],
): Promise<() => Promise<void>> {
  const gate = await world.parts.db.connect()
  const repair = async () => void (await gate.query('alter table messages drop constraint if exists no_failure'))
  t.after(async () => {
    await repair()
    await gate.end()
  })
  const ids = faulty.map(({ messageId }) => `'${messageId}'`).join(', ')
  await gate.query(
    `alter table messages add constraint no_failure
     check ((status <> 'failed' and undelivered_event_at is null) or id not in (${ids})) not valid`,
  )
  return repair
}

const endOf = async (world: World, { messageId }: SentOtp) => {
  const [row] = await world.query<{ tries: number; fault: unknown; quarantined: boolean; has_code: boolean }>(
    `select finish_tries as tries, finish_error as fault, quarantined_at is not null as quarantined, code is not null as has_code
     from messages where id = $1`,
    [messageId],
  )
  return row
}

test('an overdue message that cannot be failed is quarantined and delays no other', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const [faulty, other] = [await world.sendOtp(), await world.sendOtp()]
  await pauseSender(world.parts.db, { workspaceId: world.workspaceId, senderId: world.senderId }, world.clock.now())
  const { parts } = await world.node({ works: true })
  const repair = await messagesThatCannotEnd(t, world, [faulty])
  world.advance('11m')
  await waitFor('the other message fails', async () => (await world.getOtp(other)).status === 'failed')
  for (let tries = 1; tries <= 5; tries += 1) {
    await waitFor('it is tried', async () => (await endOf(world, faulty))?.tries === tries)
    if (tries < 5) world.advance('31s')
  }
  assert.deepEqual(await endOf(world, faulty), {
    tries: 5,
    fault: asWritten('error 23514'),
    quarantined: true,
    has_code: false,
  })
  assert.deepEqual(await countsOfStuckWork(parts, 'message'), { waiting: 4, quarantined: 1 })
  const explanation = await explained(world, faulty.messageId)
  const release = /“doorcode (quarantine release [^”]+)”/.exec(explanation.next.sentence)?.[1] ?? ''
  assert.equal(explanation.next.who, 'operator')

  assert.deepEqual(
    ((await jsonOfCommand(world, 'quarantine', 'list')).quarantined as { id: string }[]).map(({ id }) => id),
    [faulty.messageId],
  )
  await repair()
  const { kind } = await jsonOfCommand(world, ...release.split(' '))
  assert.equal(kind, 'message')
  await waitFor('it fails', async () => (await world.getOtp(faulty)).status === 'failed')
  assert.deepEqual(await jsonOfCommand(world, 'quarantine', 'list', '--workspace', world.workspaceId), {
    quarantined: [],
  })
})

test('a code whose message.undelivered cannot be stored delays no other, and has it when the fault is over', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const receiver = await world.receiver()
  const [faulty, other] = [
    await world.sendOtp({ deliverWithinSeconds: 10 }),
    await world.sendOtp({ deliverWithinSeconds: 10 }),
  ]
  await world.settled()
  const repair = await messagesThatCannotEnd(t, world, [faulty])
  const triesOf = async () =>
    (
      await world.query<{ tries: number }>('select deliver_tries as tries from messages where id = $1', [
        faulty.messageId,
      ])
    )[0]?.tries
  const undelivered = () =>
    receiver.events().flatMap(({ type, data }) => (type === 'message.undelivered' ? [data['messageId']] : []))
  world.advance('10s')
  await waitFor('the other one is undelivered', () => undelivered().length === 1)
  for (let tries = 1; tries <= 5; tries += 1) {
    await waitFor('it is tried', async () => (await triesOf()) === tries)
    if (tries < 5) world.advance('31s')
  }
  assert.deepEqual(undelivered(), [other.messageId])
  assert.deepEqual(await countsOfStuckWork(world.parts, 'undelivered'), { waiting: 4, quarantined: 1 })
  await repair()
  await world.after('1h')
  assert.deepEqual(undelivered(), [other.messageId, faulty.messageId])
  assert.equal(await triesOf(), 0)
})

test('the lease of a quarantined message stops no takeover of other leases', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId, parts } = world
  const { messageId: id } = await world.sendOtp()
  const lease = newId()
  const now = world.clock.now()
  await world.query(`update messages set status = 'sending', attempts = 1, lease = $2 where id = $1`, [id, lease])
  await world.query(`insert into leases (id, node_id, kind, item_ids, taken_at) values ($1, $1, 'messages', $2, $3)`, [
    lease,
    [id],
    later(now, -6_000),
  ])
  const fault = decideRetry(new TypeError('faulty'), { tries: 4, now })
  assert.equal((await countFault(parts.db, { workspace_id: workspaceId, id, lease, tries: 0 }, fault)).length, 1)
  await leasesLoop(parts).turn()
  assert.deepEqual(await world.query('select id from leases where id = $1', [lease]), [])
})

test('a quarantined report is explained with its release command, and counts after it', async (t) => {
  let faulty = true
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: failingDb((name) => faulty && name === 'write_reported_messages' && new TypeError('faulty')),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  for (let tries = 1; tries < 5; tries += 1) {
    await world.after('31s')
  }
  const explanation = await explained(world, otp.messageId)
  const release =
    /report from WhatsApp.* “doorcode (quarantine release [^”]+)”/.exec(explanation.next.sentence)?.[1] ?? ''
  faulty = false
  assert.equal((await jsonOfCommand(world, ...release.split(' '))).kind, 'report')
  await world.settled()
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

test('a claimed message whose end cannot be stored is quarantined', async (t) => {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const otp = await world.sendOtp()
  await messagesThatCannotEnd(t, world, [otp])
  world.advance('11m')
  await world.node({ works: true })
  for (let tries = 1; tries <= 5; tries += 1) {
    await waitFor('it is tried', async () => (await endOf(world, otp))?.tries === tries)
    if (tries < 5) world.advance('2m') // its lease is over
  }
  assert.deepEqual(await endOf(world, otp), {
    tries: 5,
    fault: asWritten('error 23514'),
    quarantined: true,
    has_code: false,
  })
  assert.equal(world.whatsapp.got(otp).length, 0)
})

test('a locked confirmation delays only its own timer', async (t) => {
  const world = await startWorld(t, { cod: { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } } })
  const [locked, other] = [await world.askToConfirm(), await world.askToConfirm()]
  const unlock = await lockRow(t, world, 'confirmations', locked.confirmationId)
  world.advance('61m')
  await waitFor('the other deadline passes', async () => (await world.getConfirmation(other)).status === 'no_response')
  assert.equal((await world.getConfirmation(locked)).status, 'awaiting_answer')
  await unlock()
  await world.settled()
  assert.equal((await world.getConfirmation(locked)).status, 'no_response')
})
