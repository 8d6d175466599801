import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnfinishedErasures } from '../../../src/operations/doctor/work/erasures.ts'
import { listQuarantined } from '../../../src/operations/doctor/work/quarantine.ts'
import { advance } from '../../../src/cod/conversation/advance.ts'
import { answerOrder } from '../../../src/cod/conversation/answer-order.ts'
import { DAY_MS, HOUR_MS, later } from '../../../src/lib/clock.ts'
import { newPseudonym } from '../../../src/lib/phone/erased-recipient.ts'
import { statements } from '../../../src/lib/db/pool.ts'
import { transactionWithEvents } from '../../../src/events/record.ts'
import { newId } from '../../../src/lib/ids.ts'
import { eraseRows } from '../../../src/operations/lifecycle/recipients/erase-rows.ts'
import {
  type Erasure,
  NOTHING_ERASED,
  beginErasure,
  eraseNext,
} from '../../../src/operations/lifecycle/recipients/erase.ts'
import { findPerson } from '../../../src/operations/lifecycle/recipients/person.ts'
import { pauseEndpoint } from '../../../src/webhooks/endpoints.ts'
import { keepUnfinished, removeUnreadable } from '../../../src/operations/lifecycle/recipients/unfinished.ts'
import { refusalPath } from '../../world/cod.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import {
  erase,
  exported,
  formsOf,
  recordIn,
  requestOf,
  storeMessage,
  tablesWith,
  waitForLock,
} from '../../world/recipients.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const KILLED = 'killed'

/** Behaves as if the process were killed before its next transaction. */
function killedAfter({ parts }: World, transactions: number): World['parts'] {
  let left = transactions
  const transaction: typeof parts.db.transaction = (work) => {
    if (left === 0) throw new Error(KILLED)
    left -= 1
    return parts.db.transaction(work)
  }
  return { ...parts, db: { ...parts.db, transaction } }
}

test('a repeated erasure finishes one that was interrupted at any step', async (t) => {
  const world = await startWorld(t, { cod: {} })
  let wasKilled = true
  for (let transactions = 1; wasKilled; transactions += 1) {
    const person = await fillWithPerson(world)
    wasKilled = await erase(world, person, { parts: killedAfter(world, transactions) }).then(
      () => false,
      (error: Error) => error.message === KILLED || Promise.reject(error),
    )
    if (wasKilled) await erase(world, person)
    assert.deepEqual(await tablesWith(world, person), [], `killed after ${transactions} transactions`)
  }
  const entries = await world.query<{ after: object }>(
    `select after from audit_log where workspace_id = $1 and action = 'recipient.erased'`,
    [world.workspaceId],
  )
  assert.ok(entries.length > 5)
  for (const { after } of entries) assert.deepEqual(Object.keys(after), ['isBlocked', 'oneTimeCodes', 'confirmations'])
})

test('an interrupted erasure keeps the number only sealed until another one finishes it', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const person = await fillWithPerson(world)
  await assert.rejects(erase(world, person, { parts: killedAfter(world, 2) }), { message: KILLED })
  const tables = await tablesWith(world, person)
  assert.deepEqual([tables.includes('unfinished_erasures'), tables.includes('audit_log')], [false, false])
  const kept = await world.query('select pseudonym from unfinished_erasures where workspace_id = $1', [
    world.workspaceId,
  ])
  assert.equal(kept.length, 1)
  const document = JSON.stringify(await exported(world, person.to))
  assert.match(document, /Where is it\?/, 'an export still finds what only the user id leads to')
  await Promise.all([erase(world, person), erase(world, person)])
  assert.deepEqual(await tablesWith(world, person), [])
  const entries = await world.query(`select from audit_log where workspace_id = $1 and action = 'recipient.erased'`, [
    world.workspaceId,
  ])
  assert.equal(entries.length, 1, 'they are one erasure')
})

test('an interrupted erasure is found among any number that no key opens', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  await world.query(
    `insert into unfinished_erasures (id, workspace_id, begun_at, pseudonym, person, person_hash)
     select gen_random_uuid(), $1, $2::timestamptz - n * interval '1 hour', 'erased:' || n, 'sealed with a lost key', 'lost'
     from generate_series(1, 1000) n`,
    [world.workspaceId, world.clock.now()],
  )
  await assert.rejects(erase(world, otp, { parts: killedAfter(world, 2) }), { message: KILLED })
  assert.equal((await erase(world, otp)).finishesEarlier, true)
  const left = () => world.query('select from unfinished_erasures where workspace_id = $1', [world.workspaceId])
  await removeUnreadable(world.parts, later(world.clock.now(), 89 * DAY_MS - 1_000 * HOUR_MS))
  assert.equal((await left()).length, 1_000)
  await removeUnreadable(world.parts, later(world.clock.now(), 91 * DAY_MS))
  assert.deepEqual(await left(), [])
})

test('an erasure that only finishes an earlier one says so, with the pseudonym', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  await assert.rejects(erase(world, otp, { parts: killedAfter(world, 2) }), { message: KILLED })
  const { to } = await world.getOtp(otp)
  assert.deepEqual(await erase(world, otp), { pseudonym: to, finishesEarlier: true, erased: NOTHING_ERASED })
})

test('an erasure that is interrupted before it reads the audit log is found by doctor until another one finishes it', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  let erasure = beginErasure(world.parts)
  while (erasure.stage !== 'audit_log')
    erasure = (await eraseNext(world.parts, requestOf(world, otp), { erasure, record: recordIn(world) })).erasure
  const { workspaceId } = world
  const found = async (): Promise<unknown[]> =>
    (await findUnfinishedErasures(world.parts.db, later(world.clock.now(), 2 * HOUR_MS)))
      .filter((each) => 'workspaceId' in each && each.workspaceId === workspaceId)
      .map(({ code }) => code)
  assert.deepEqual(await found(), ['erasure_unfinished'])
  const { pseudonym, finishesEarlier } = await erase(world, otp)
  assert.deepEqual([pseudonym, finishesEarlier], [erasure.pseudonym, true])
  assert.deepEqual(await found(), [])
})

test('an erasure that ends leaves a later one and one that knew more user ids', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const person = await fillWithPerson(world)
  let first = beginErasure(world.parts)
  const eraseUntil = async (stages: readonly Erasure['stage'][]) => {
    while (!stages.includes(first.stage)) {
      const progress = { erasure: first, record: recordIn(world) }
      first = (await eraseNext(world.parts, requestOf(world, person), progress)).erasure
    }
  }
  await eraseUntil(['reports'])
  await world.submitOtp({ to: person.to })
  await assert.rejects(erase(world, person, { parts: killedAfter(world, 1) }), { message: KILLED })
  const { parts, workspaceId } = world
  const another = { workspaceId, phones: [person.to], userIds: ['MA.another'] }
  const begun = { pseudonym: newPseudonym(), startedAt: later(first.startedAt, -1) }
  await parts.db.transaction((tx) => keepUnfinished(tx, parts.seal, another, begun))
  await eraseUntil(['done'])
  const left = await world.query('select from unfinished_erasures where workspace_id = $1', [world.workspaceId])
  assert.equal(left.length, 2)
  assert.equal((await erase(world, person)).finishesEarlier, true)
  assert.deepEqual(await tablesWith(world, person), [])
})

test('of two concurrent erasures only one ends a conversation', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.askToConfirm({ to: newPhone() })
  const receiver = await world.receiver()
  const unlock = await lockInAnotherSession(
    t,
    world.parts.db,
    'select from confirmations where id = $1 for update',
    order.confirmationId,
  )
  const erasing = [erase(world, order), erase(world, order)]
  await waitForLock(world, 2)
  await unlock()
  const erased = await Promise.all(erasing)
  await world.settled()
  assert.equal(
    erased.reduce((sum, { erased: { confirmations } }) => sum + confirmations, 0),
    1,
  )
  assert.deepEqual(
    receiver.received.map(({ event: { type } }) => type),
    ['cod.failed'],
  )
})

test('a refusal check accepted during an erasure does not keep the number', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const [other, order] = [await world.confirmedOrder(), await world.confirmedOrder()]
  await world.startRefusalCheck(other)
  const unlock = await lockInAnotherSession(
    t,
    world.parts.db,
    `select from quota_usage where workspace_id = $1 and kind = 'cod_refusal' for update`,
    world.workspaceId,
  )
  const answer = world.request('POST', refusalPath(order), { body: world.refusalBody() })
  await waitForLock(world)
  await erase(world, order)
  await unlock()
  const { status, body } = await answer
  assert.deepEqual([status, body['code']], [409, 'COD_CONFIRMATION_NOT_ELIGIBLE'])
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
})

test('a refusal check waits for the erasure that holds its confirmation', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.confirmedOrder()
  const person = await findPerson(world.parts.db, { workspaceId: world.workspaceId, phone: order.to })
  const now = world.clock.now()
  let asking: ReturnType<World['request']> | undefined
  await transactionWithEvents(world.parts, async (tx) => {
    await eraseRows(tx, now, { person, pseudonym: newPseudonym(), startedAt: now })
    asking = world.request('POST', refusalPath(order), { body: world.refusalBody() })
    await waitForLock(world)
  })
  assert.equal((await asking)?.body['code'], 'COD_CONFIRMATION_NOT_ELIGIBLE')
  await erase(world, order)
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
})

test('a code that is approved while an erasure runs leaves no event with the number', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const [first, second] = [await world.startVerification(), await world.startVerification()]
  await world.settled()
  await world.check(first, await world.codeOn(first))
  const code = await world.codeOn(second)
  const unlock = await lockInAnotherSession(
    t,
    world.parts.db,
    'select from otp_checks where workspace_id = $1 for update',
    world.workspaceId,
  )
  const checking = world.check(second, code)
  await waitForLock(world)
  const erasing = erase(world, second)
  await waitForLock(world, 2)
  await unlock()
  assert.equal((await checking).body['status'], 'approved')
  await erasing
  await world.settled()
  assert.deepEqual(await tablesWith(world, { forms: formsOf(second.to) }), [])
  assert.ok(receiver.received.every(({ event: { type } }) => type !== 'otp.verification_failed'))
  await assertVerified(world)
})

test('an answer that arrives after the erasure is stored without its text', async (t) => {
  const world = await startWorld(t)
  const { parts, workspaceId } = world
  const receiver = await world.receiver()
  const otp = await world.submitOtp()
  const { promise: isErased, resolve } = Promise.withResolvers<void>()
  receiver.answers({ status: 500, body: `No customer has ${otp.to}`, after: isErased })
  const reporting = world.whatsapp.reports(otp, ['sent'])
  await receiver.waitFor(1)
  await pauseEndpoint(parts.db, parts.clock, { workspaceId, endpointId: receiver.endpointId })
  await erase(world, otp)
  resolve()
  await reporting
  const statuses = () =>
    world.query<{ status: number | null }>(
      'select http_status as status from webhook_attempts where workspace_id = $1 order by attempt',
      [workspaceId],
    )
  await waitFor('the attempt', async () => (await statuses()).some(({ status }) => status === 500))
  assert.deepEqual(await tablesWith(world, { forms: formsOf(otp.to) }), [])
  await assertVerified(world)
})

test('a question asked while an erasure waits for its conversation is erased', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.askToConfirm()
  const { workspaceId, clock } = world
  const { confirmationId } = order
  const at = clock.now()
  const event = {
    type: 'tapped',
    at,
    order: answerOrder({ id: newId(), occurred_at: at, received_at: at }),
    answer: 'change_time',
  } as const
  let erasing: Promise<unknown> | undefined
  await transactionWithEvents(world.parts, async (tx) => {
    await advance(tx, at, [{ workspaceId, confirmationId, check: 'confirmation', event }])
    erasing = erase(world, order)
    await waitForLock(world)
  })
  await erasing
  await world.settled()
  assert.equal(world.customer(order).screen().length, 1, 'the question is not sent')
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
})

test('an erasure ends a quarantined message, timer and report of the recipient', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { workspaceId } = world
  const receiver = await world.receiver()
  const order = await world.askToConfirm({ to: newPhone() })
  world.emulator.script({ match: { to: order.to }, behaviour: { error: { code: 131000, details: 'Try later' } } })
  const otp = await world.submitOtp({ to: order.to })
  const fault = '{"code":"text","text":"Error 23514"}'
  await world.query(
    `update messages set due_at = null, lease = null, code = null, finish_error = $2, quarantined_at = now() where id = $1`,
    [otp.messageId, fault],
  )
  await world.query(`update confirmations set timer_error = $2, timer_quarantined_at = now() where id = $1`, [
    order.confirmationId,
    fault,
  ])
  await storeMessage(world, { from: order.to.slice(1), id: 'wamid.text', type: 'text' }, { outcome: 'quarantined' })
  await erase(world, order)
  assert.deepEqual(await listQuarantined(world.parts.db, workspaceId), [])
  await world.settled()
  assert.deepEqual(
    new Set(receiver.received.map(({ event: { type, data } }) => [type, (data['failure'] as Failure)?.code].join(' '))),
    new Set(['cod.failed RECIPIENT_ERASED', 'message.failed RECIPIENT_ERASED']),
  )
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
  await assertVerified(world)
})

type Failure = { code: string } | null

/** An order, a code, a text that only the user id connects to them, and one that only another text connects to the number. */
async function fillWithPerson(world: World) {
  const order = await world.createConfirmation({ to: newPhone() })
  const otp = await world.sendOtp({ to: order.to })
  await world.whatsapp.reports(otp, ['sent'])
  const [row] = await world.query<{ userId: string }>(
    'select customer_user_id as "userId" from confirmations where id = $1',
    [order.confirmationId],
  )
  assert.ok(row?.userId, 'the provider names the customer')
  await storeMessage(world, {
    from_user_id: row.userId,
    id: 'wamid.text',
    type: 'text',
    text: { body: 'Where is it?' },
  })
  const another = `${row.userId}.another`
  await storeMessage(world, { from_user_id: another, type: 'text', text: { body: `Only ${another}` } })
  await storeMessage(world, { from: order.to.slice(1), from_user_id: another, type: 'text', text: { body: 'Both' } })
  return { to: order.to, forms: [...formsOf(order.to), row.userId] }
}

test('a report of an erased order is emptied although the message that it names is not erased', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const [order, { messageId }] = [await world.confirmedOrder(), await world.sendOtp()]
  await erase(world, order)
  const [report] = await world.query<{ id: string }>(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome)
     values (gen_random_uuid(), $1, $2, 'message', $3, now(), 'ignored') returning id`,
    [world.workspaceId, world.account.accountId, JSON.stringify({ from: order.to })],
  )
  const end = {
    outcome: 'ignored',
    note: null,
    due_at: null,
    message_id: messageId,
    confirmation_id: order.confirmationId,
  }
  const endReports = statements.get('end_provider_reports') ?? assert.fail('no statement')
  await world.parts.db.rows(endReports, [JSON.stringify({ [String(report?.id)]: end })])
  assert.deepEqual(await tablesWith(world, { forms: formsOf(order.to) }), [])
})
