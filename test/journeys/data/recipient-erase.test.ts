import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS, SECOND_MS, later } from '../../../src/lib/clock.ts'
import { newPseudonym } from '../../../src/lib/phone/erased-recipient.ts'
import { transactionWithEvents } from '../../../src/events/record.ts'
import { lifeOf, tableNames } from '../../../src/operations/columns.ts'
import { eraseRows } from '../../../src/operations/lifecycle/recipients/erase-rows.ts'
import {
  type Erasure,
  MAX_STEPS,
  NOTHING_ERASED,
  beginErasure,
  eraseNext,
} from '../../../src/operations/lifecycle/recipients/erase.ts'
import { findPerson } from '../../../src/operations/lifecycle/recipients/person.ts'
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/endpoints.ts'
import { countMissed, countResendable } from '../../../src/webhooks/resend.ts'
import { blockRecipients } from '../../../src/workspaces/blocked.ts'
import { refusalPath } from '../../world/cod.ts'
import { createHook, sendThroughHook } from '../../world/hooks.ts'
import { erase, exported, formsOf, recordIn, requestOf, tablesWith, waitForLock } from '../../world/recipients.ts'
import { assertVerified } from '../../world/verified.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

/** Texts, each with a word that occurs nowhere else. */
const TEXTS = {
  name: 'Zubaydafarida',
  header: 'Qasbahcanary',
  note: 'after the noon prayer Xylofon',
  refusalNote: 'the box was wet Krokodyl',
  text: 'where is it Quetzalcoatl',
  response: 'stored for Wunderkammer',
  reason: 'asked us to stop Mississippi',
}

/** An unfinished erasure keeps a person only sealed. */
const TABLES_WITH_PERSON = tableNames.filter(
  (table) => table !== 'unfinished_erasures' && Object.keys(lifeOf(table).person ?? {}).length > 0,
)

test('no table and no log line contains a person after the erasure', async (t) => {
  const world = await startWorld(t)
  const person = await fillWithPerson(world)
  assert.deepEqual(await tablesWith(world, person), TABLES_WITH_PERSON.toSorted())
  person.receiver.always({ status: 204 })

  const { erased } = await erase(world, person)
  await world.settled()
  assert.deepEqual(await tablesWith(world, person), [])
  const log = world.nodes.flatMap((node) => node.logLines).join('')
  assert.deepEqual(
    person.forms.filter((form) => log.includes(form)),
    [],
  )
  assert.ok(erased.messages > 5 && erased.confirmations === 6 && erased.events > 3 && erased.blocks === 1)

  const before = await world.query('select count(*) from audit_log where workspace_id = $1', [world.workspaceId])
  const { erased: erasedAgain, finishesEarlier } = await erase(world, person)
  assert.deepEqual([erasedAgain, finishesEarlier], [NOTHING_ERASED, false])
  const after = await world.query('select count(*) from audit_log where workspace_id = $1', [world.workspaceId])
  assert.deepEqual(after, before)
  await assertVerified(world)
})

test('statuses, answers and units stay after the erasure', async (t) => {
  const world = await startWorld(t)
  const person = await fillWithPerson(world)
  const kept = `select m.id, m.status, m.failure_code, m.sent_at, m.quota_unit from messages m
    where workspace_id = $1 and due_at is null order by id`
  const before = await world.query<{ id: string }>(kept, [world.workspaceId])
  const answered = await world.getConfirmation(person.answered)
  person.receiver.always({ status: 204 })
  const { pseudonym } = await erase(world, person)
  await world.settled()
  const ids = new Set(before.map(({ id }) => id))
  const after = await world.query<{ id: string }>(kept, [world.workspaceId])
  assert.deepEqual(
    after.filter(({ id }) => ids.has(id)),
    before,
  )
  assert.ok(answered.reschedule && answered.refusalCheck)
  assert.deepEqual(await world.getConfirmation(person.answered), {
    ...answered,
    to: pseudonym,
    reference: pseudonym, // it contained the number
    reschedule: { ...answered.reschedule, note: null },
    refusalCheck: { ...answered.refusalCheck, note: null },
  })
})

test('running messages and conversations end with RECIPIENT_ERASED, one event each, without the number', async (t) => {
  const world = await startWorld(t)
  const person = await fillWithPerson(world)
  person.receiver.always({ status: 204 })
  const seen = person.receiver.received.length
  const { pseudonym } = await erase(world, person)
  await world.settled()
  // The endpoint answers again: the webhook that it rejected before may go out while the erasure runs.
  const events = () =>
    person.receiver.received
      .slice(seen)
      .filter(({ event: { data } }) => data['messageId'] !== person.failing.messageId)
      .map(({ event: { type, data } }) => [
        type,
        data['confirmationId'] ?? data['messageId'] ?? data['verificationId'],
        data['to'],
        (data['failure'] as { code: string } | null)?.code,
      ])
  assert.deepEqual(
    inOrder(events()),
    inOrder([
      ['cod.failed', person.asked.confirmationId, pseudonym, 'RECIPIENT_ERASED'],
      ['cod.failed', person.rescheduling.confirmationId, pseudonym, 'RECIPIENT_ERASED'],
      ['cod.refusal_failed', person.checked.confirmationId, pseudonym, 'RECIPIENT_ERASED'],
      ['message.failed', person.waiting.messageId, pseudonym, 'RECIPIENT_ERASED'],
      ['message.failed', person.verification.verificationId, pseudonym, 'RECIPIENT_ERASED'],
      ['otp.verification_failed', person.verification.verificationId, pseudonym, undefined],
    ]),
  )
  await world.after('3d')
  assert.equal(events().length, 6, 'no timer and no retry is left')
  await assertVerified(world)
})

test('a client’s own idempotency key stays after an erasure, even one that begins like a hook’s', async (t) => {
  const world = await startWorld(t)
  const options = { body: world.otpBody(), headers: { 'idempotency-key': 'hook_login_17' } }
  const send = () => world.request('POST', '/api/v1/otp/messages', options)
  assert.equal((await send()).status, 202)
  await world.settled()
  await erase(world, { to: options.body.to })
  const repeated = await send()
  assert.deepEqual([repeated.status, repeated.body['code']], [409, 'IDEMPOTENCY_KEY_REUSED'])
})

test('a late report applies to an erased message without bringing the number back', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  const otp = await world.sendOtp({ to })
  await world.whatsapp.reports(otp, ['sent'])
  await erase(world, { to })
  await world.whatsapp.reports(otp, ['delivered', 'read'])
  assert.equal((await world.getOtp(otp)).status, 'read')
  await assertVerified(world)
  assert.deepEqual(await tablesWith(world, { forms: formsOf(to) }), [])
})

test('a late report corrects the failure of what an erasure ended', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  world.emulator.script({ match: { to, times: 1 }, behaviour: { connection: 'drop_after_accepting' } })
  const otp = await world.submitOtp({ to })
  await erase(world, { to })
  assert.deepEqual(await world.query('select status, failure_code from messages where id = $1', [otp.messageId]), [
    { status: 'failed', failure_code: 'RECIPIENT_ERASED' },
  ])
  await assertVerified(world)
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp)).status, 'delivered')
  await assertVerified(world)
})

test('a report or tap that is processed while the erasure commits brings nothing back', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const otp = await world.sendOtp()
  const order = await world.askToConfirm()
  const customer = world.customer(order)
  for (const [{ to }, arrive] of [
    [otp, () => world.whatsapp.reports(otp, ['delivered'])],
    [order, () => customer.taps('Confirm')],
  ] as const) {
    const person = await findPerson(world.parts.db, { workspaceId: world.workspaceId, phone: to })
    const now = world.clock.now()
    let arriving: Promise<unknown> | undefined
    await transactionWithEvents(world.parts, async (tx) => {
      await eraseRows(tx, now, { person, pseudonym: newPseudonym(), startedAt: now })
      arriving = arrive()
      await waitForLock(world)
    })
    await arriving
  }
  await world.settled()
  assert.deepEqual(await tablesWith(world, { forms: formsOf(otp.to) }), ['pair_pace'], 'its turn comes later')
  const kept = await world.query(
    `select note ->> 'code' as code from provider_reports where kind = 'message' and body <> '' and confirmation_id is null
     and workspace_id = $1`,
    [world.workspaceId],
  )
  assert.deepEqual(kept, [], 'the tap belongs to the erased order')
})

test('a late tap changes nothing and brings nothing back, and a new text is new data', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.askToConfirm()
  const customer = world.customer(order)
  const [named] = await world.query<{ userId: string }>(
    'select customer_user_id as "userId" from confirmations where id = $1',
    [order.confirmationId],
  )
  assert.ok(named?.userId, 'the provider names the customer')
  await erase(world, order)
  await customer.taps('Confirm')
  assert.deepEqual(await tablesWith(world, { forms: [...formsOf(order.to), named.userId] }), [])
  const [tap] = await world.query(
    `select outcome, note ->> 'code' as code, body from provider_reports where workspace_id = $1 and kind = 'message'`,
    [world.workspaceId],
  )
  assert.deepEqual(tap, { outcome: 'ignored', code: 'cod.erased', body: '' })
  await customer.types('Is it coming?')
  const { status, failure } = await world.getConfirmation(order)
  assert.deepEqual([status, failure?.code], ['failed', 'RECIPIENT_ERASED'])
  assert.equal(customer.screen().length, 1)
  const links = await world.query('select 1 from provider_reports where confirmation_id = $1 and body <> $2', [
    order.confirmationId,
    '',
  ])
  assert.deepEqual(links, [])
  await assertVerified(world)
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), ['provider_reports'])
  await erase(world, order)
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
})

test('an erased customer gets no refusal check', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.confirmedOrder()
  await erase(world, order)
  const answer = await world.request('POST', refusalPath(order), { body: world.refusalBody() })
  assert.deepEqual([answer.status, answer.body['code']], [409, 'COD_CONFIRMATION_NOT_ELIGIBLE'])
})

test('a kept block holds nothing but the number', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  await world.submitOtp({ to })
  await block(world, to)
  const { erased } = await erase(world, { to }, { keepBlock: true })
  assert.deepEqual([erased.blocks, erased.blockReasons], [0, 1])
  assert.deepEqual(await tablesWith(world, { forms: formsOf(to) }), ['blocked_recipients'])
  const answer = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody({ to }) })
  assert.equal(answer.body['code'], 'RECIPIENT_BLOCKED')
  assert.equal((await erase(world, { to }, { keepBlock: true })).erased.blocks, 0)
})

test('another workspace keeps its data about the same number', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  await other.codSettings()
  const order = await other.createConfirmation()
  const otp = await other.submitOtp({ to: order.to })
  await world.submitOtp({ to: order.to })
  await block(other, order.to)
  const before = await exported(other, order.to)
  await erase(world, order)
  assert.deepEqual({ ...(await exported(other, order.to)), exportedAt: '' }, { ...before, exportedAt: '' })
  assert.equal((await other.getOtp(otp)).to, order.to)
})

test('an erasure waits for a message that is being sent', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const { messageId } = otp
  const until = later(world.clock.now(), 20 * SECOND_MS)
  await world.query(`update messages set lease = gen_random_uuid(), due_at = $2, attempted_at = now() where id = $1`, [
    messageId,
    until,
  ])
  const waiting = erase(world, otp)
  const first = await Promise.race([waiting, world.query('select pg_sleep(0.1)')])
  assert.deepEqual(Array.isArray(first), true, 'it waits')
  await world.query('update messages set lease = null, due_at = null where id = $1', [messageId])
  assert.equal((await waiting).erased.messages, 1)
})

test('an erasure leaves what came after its begin, and has a last step', async (t) => {
  const world = await startWorld(t)
  const erasure = beginErasure(world.parts)
  const otp = await world.submitOtp()
  const next = (from: Erasure) =>
    eraseNext(world.parts, requestOf(world, otp), { erasure: from, record: recordIn(world) })
  const { erased } = await next({ ...erasure, stage: 'rows' })
  assert.deepEqual([erased.messages, (await world.getOtp(otp)).to], [0, otp.to])
  await assert.rejects(next({ ...erasure, steps: MAX_STEPS }), { text: { code: 'recipients.too_many_steps' } })
})

test('an erasure includes what a node accepted whose clock is ahead of the database’s', async (t) => {
  const world = await startWorld(t, { cod: {} })
  world.clock.advance(-2 * MINUTE_MS) // ids are made with the machine's clock
  const otp = await world.sendOtp()
  const confirmation = await world.askToConfirm({ to: otp.to })
  const { erased } = await erase(world, otp)
  assert.deepEqual([erased.messages, erased.confirmations], [2, 1])
  const left = [(await world.getOtp(otp)).to, (await world.getConfirmation(confirmation)).to]
  assert.equal(left.includes(otp.to), false, String(left))
})

test('an erased person’s events are not counted among those that can be sent again', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, parts } = world
  const { endpointId } = await world.receiver()
  await pauseEndpoint(parts.db, parts.clock, { workspaceId, endpointId })
  const [erased, other] = [await world.sendOtp(), await world.sendOtp()]
  for (const otp of [erased, other]) await world.whatsapp.reports(otp, ['sent'])
  await erase(world, erased)
  await resumeEndpoint(parts.db, parts.clock, { workspaceId, endpointId })
  const missed = await countMissed(parts.db, { workspaceId, endpointId })
  assert.deepEqual([missed.failed, missed.held], [0, 1])
  assert.equal(await countResendable(parts, { workspaceId }), 1)
})

const inOrder = (rows: readonly unknown[][]) => rows.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))

/** A person in every table that can hold one, with finished and running conversations. */
async function fillWithPerson(world: World) {
  const { workspaceId, emulator } = world
  await world.codSettings()
  const receiver = await world.receiver()
  receiver.always({ body: TEXTS.response })
  const to = newPhone()
  const digits = to.slice(1)
  const customer = world.customer({ to })
  const parameters = { body: [TEXTS.name, TEXTS.header, '349 MAD'] }

  const answered = await world.askToConfirm({ to, parameters, reference: `order for ${to}` })
  await customer.taps('Change time')
  await customer.taps(0)
  await customer.types(TEXTS.note)
  await world.askAboutRefusal(answered, { parameters: { body: [TEXTS.name, '1'] } })
  await customer.taps('Yes')
  await customer.chooses('Other')
  await customer.types(TEXTS.refusalNote)
  await customer.types(TEXTS.text)
  const checked = await world.askToConfirm({ to, parameters })
  await customer.taps('Confirm')
  await world.askAboutRefusal(checked)
  const rescheduling = await world.askToConfirm({ to, parameters })
  await customer.taps('Change time')
  const asked = await world.createConfirmation({ to, parameters })
  const otp = await world.sendOtp({ to, reference: digits }, { headers: { 'idempotency-key': `login ${to}` } })
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const hooked = await sendThroughHook(world, await createHook(world, 'supabase'), { phone: to })
  await world.whatsapp.reports(hooked, ['delivered'])
  const [repeats] = await world.query<{ hash: string }>(
    `select substring(idempotency_key from '^hook_(.+)_[0-9]+$') as hash from messages where id = $1`,
    [hooked.messageId],
  )

  for (const code of [132012, 987654]) {
    emulator.script({
      match: { to, times: 1 },
      behaviour: { error: { code, title: TEXTS.header, echoParameters: true } },
    })
    await world.askToConfirm({ to, parameters })
  }

  receiver.always({ status: 500, body: TEXTS.response })
  const failing = await world.sendOtp({ to })
  await world.whatsapp.reports(failing, [{ status: 'failed', errors: [131026] }])
  emulator.script({ match: { to }, behaviour: { error: { code: 131000, details: `Not for ${digits}` } } })
  const waiting = await world.submitOtp({ to })
  const verification = await world.startVerification(
    { to, reference: digits },
    { headers: { 'idempotency-key': `verify ${to}` } },
  )
  await world.settled()
  await parkReport(world, digits)
  await block(world, to, TEXTS.reason)
  await world.query(
    `insert into audit_log (id, workspace_id, at, who, action, target, before, after)
     values (gen_random_uuid(), $1, now(), 'test', 'recipient.blocked', $2, null, jsonb_build_object('reason', 'test')),
            (gen_random_uuid(), $1, now(), 'test', 'recipients.imported', '2', null,
             jsonb_build_object('phones', array[$2], 'texts', $3::text))`,
    [workspaceId, to, `${digits},${digits},${to}${to}`],
  )
  const [row] = await world.query<{ userId: string }>(
    'select customer_user_id as "userId" from confirmations where id = $1',
    [answered.confirmationId],
  )
  assert.ok(row?.userId, 'the provider names the customer')
  assert.ok(repeats?.hash, 'a repeat of the code is found by a hash of number and code')
  const forms = [
    ...formsOf(to),
    row.userId,
    repeats.hash,
    ...Object.values(TEXTS).map((text) => text.split(' ').at(-1) ?? ''),
  ]
  return { to, forms, receiver, answered, checked, rescheduling, asked, failing, waiting, otp, verification }
}

const parkReport = (world: World, recipient: string) =>
  world.query(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, provider_message_id, received_at, outcome, note)
     values (gen_random_uuid(), $1, $2, 'status', $3, $4, now() - interval '1 hour', 'parked', '{"code":"messages.unknown_message"}')`,
    [
      world.workspaceId,
      world.account.accountId,
      JSON.stringify({ id: 'wamid.x', status: 'sent', timestamp: '1763640000', recipient_id: recipient }),
      'wamid.x',
    ],
  )

const block = (world: World, phone: string, reason = 'asked for it') =>
  blockRecipients(world.parts, {
    workspaceId: world.workspaceId,
    by: null,
    recipients: [{ phone, reason }],
  })
