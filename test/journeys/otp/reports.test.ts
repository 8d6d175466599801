import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spyOnDb } from '../../database/db-spy.ts'
import { lockRow } from '../../faults/lock-in-another-session.ts'
import { erase, formsOf, tablesWith } from '../../world/recipients.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'
import { postStatuses, postSigned } from '../../world/signed-webhooks.ts'

/** A status dated by the provider this many seconds after the message's creation. */
async function at(
  world: World,
  otp: { messageId: string },
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed',
  seconds: number,
) {
  const { createdAt } = await world.getOtp(otp)
  return { status, timestamp: Math.floor(Date.parse(String(createdAt)) / 1000) + seconds }
}

const isoAfter = (from: unknown, seconds: number): string =>
  new Date((Math.floor(Date.parse(String(from)) / 1000) + seconds) * 1000).toISOString()

test('a message is queued until an attempt begins, then sending until a report comes', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  assert.equal((await world.getOtp(otp)).status, 'queued')
  await world.node({ works: true })
  await world.whatsapp.gets(otp)
  await world.settled()
  const sending = await world.getOtp(otp)
  assert.deepEqual([sending.status, sending.sentAt, sending.failure], ['sending', null, null])
})

test('a late "sent" never hides that the message was read', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['read', 'sent', 'delivered'])
  assert.equal((await world.getOtp(otp)).status, 'read')
  assert.deepEqual(
    receiver.events().map(({ type, data }) => [type, data.status]),
    [['message.sent', 'read']],
  )
})

test('sentAt is the provider’s earliest time of a sent-type outcome, in any order', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [await at(world, otp, 'delivered', 30)])
  const { createdAt, sentAt } = await world.getOtp(otp)
  assert.equal(sentAt, isoAfter(createdAt, 30))
  await world.whatsapp.reports(otp, [await at(world, otp, 'sent', 20)])
  assert.equal((await world.getOtp(otp)).sentAt, isoAfter(createdAt, 20))
  await world.whatsapp.reports(otp, [await at(world, otp, 'read', 40)])
  const last = await world.getOtp(otp)
  assert.deepEqual([last.status, last.sentAt], ['read', isoAfter(createdAt, 20)])
})

test('no report dates a message before its creation, though it has whole seconds', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  for (const status of ['sent', 'failed'] as const) {
    const otp = await world.sendOtp()
    await world.whatsapp.reports(otp, [await at(world, otp, status, 0)])
  }
  const events = receiver.events().map(({ type, data }) => [type, data.sentAt, data.occurredAt, data.createdAt])
  const [one, other] = [events[0]?.[3], events[1]?.[3]]
  assert.deepEqual(events, [
    ['message.sent', one, one, one],
    ['message.failed', null, other, other],
  ])
})

test('a repeated report is stored once and has no second effect', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  const sent = await at(world, otp, 'sent', 1)
  await world.whatsapp.reports(otp, [{ ...sent, copies: 5 }, sent])
  assert.equal(receiver.received.length, 1)
  const reports = await world.query<{ repeats: number }>(
    `select repeats from provider_reports where workspace_id = $1 and kind = 'status'`,
    [world.workspaceId],
  )
  assert.deepEqual(reports, [{ repeats: 5 }])
})

test('a failure after "sent" takes effect: status, failure and one event of each kind', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp({ reference: 'r-9' })
  await world.whatsapp.reports(otp, ['sent', { status: 'failed', errors: [131026] }])
  const status = await world.getOtp(otp)
  assert.equal(status.status, 'failed')
  const failure = status.failure as { code: string; message: string }
  assert.equal(failure.code, 'RECIPIENT_UNREACHABLE')
  assert.ok(failure.message.length > 20)
  assert.deepEqual(receiver.types(), ['message.sent', 'message.failed'])
  assert.deepEqual(receiver.events('message.failed')[0]?.data.failure, failure)
  assert.equal(receiver.events('message.failed')[0]?.data.reference, 'r-9')
})

test('"sent" and a later failure in one webhook apply in order of time', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  for (let round = 0; round < 8; round += 1) {
    const otp = await world.submitOtp()
    const { id } = await world.whatsapp.gets(otp)
    const now = Math.floor(world.clock.now().getTime() / 1000)
    const statuses = [
      { id, status: 'sent', timestamp: String(now + 1) },
      { id, status: 'failed', timestamp: String(now + 2), errors: [{ code: 131026 }] },
    ]
    assert.equal(await postStatuses(world, round % 2 ? statuses : statuses.toReversed()), 200)
    await world.settled()
    assert.equal((await world.getOtp(otp)).status, 'failed')
    const types = receiver.events().filter(({ data }) => data.messageId === otp.messageId)
    assert.deepEqual(types.map(({ type }) => type).sort(), ['message.failed', 'message.sent'])
  }
})

test('a failure of a delivered or read message is only in the timeline', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  for (const outcome of ['delivered', 'read', 'played'] as const) {
    const otp = await world.sendOtp()
    await world.whatsapp.reports(otp, [outcome, { status: 'failed', errors: [131026] }])
    const status = await world.getOtp(otp)
    assert.deepEqual([status.status, status.failure], [outcome, null])
    const stored = await world.query<{ outcome: string; note: string }>(
      `select outcome, note from provider_reports where message_id = $1 and body like '%failed%'`,
      [otp.messageId],
    )
    assert.equal(stored[0]?.outcome, 'ignored')
    assert.ok(stored[0]?.note)
  }
  assert.equal(receiver.events('message.failed').length, 0)
})

test('a sent-type outcome beyond or after the failure clears it', async (t) => {
  const world = await startWorld(t)
  for (const [status, seconds] of [
    ['sent', 20],
    ['delivered', 5],
    ['read', 5],
    ['played', 5],
  ] as const) {
    const receiver = await world.receiver()
    const otp = await world.sendOtp()
    await world.whatsapp.reports(otp, [{ ...(await at(world, otp, 'failed', 10)), errors: [131000] }])
    assert.equal((await world.getOtp(otp)).status, 'failed')
    await world.whatsapp.reports(otp, [await at(world, otp, status, seconds)])
    const corrected = await world.getOtp(otp)
    assert.deepEqual([corrected.status, corrected.failure], [status, null])
    assert.deepEqual(receiver.types(), ['message.failed', 'message.sent'])
  }
})

test('a correction dated before the failure has an event dated after it', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [
    { ...(await at(world, otp, 'failed', 3)), errors: [131000] },
    await at(world, otp, 'delivered', 1),
  ])
  const [failed, sent] = receiver.events()
  assert.deepEqual([failed?.type, sent?.type], ['message.failed', 'message.sent'])
  assert.ok(String(sent?.data.occurredAt) > String(failed?.data.occurredAt), 'occurredAt rises')
  assert.equal((await world.getOtp(otp)).sentAt, isoAfter(sent?.data.createdAt, 1))
})

test('a "sent" of any time corrects a failure after two unknown outcomes', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const to = newPhone()
  world.emulator.script({ match: { to, times: 2 }, behaviour: { connection: 'drop_after_accepting' } })
  const otp = await world.sendOtp({ to })
  for (const _ of [1, 2]) {
    await world.settled()
    world.advance('11s')
  }
  await world.settled()
  const failed = await world.getOtp(otp)
  assert.deepEqual(
    [failed.status, (failed.failure as { code: string } | null)?.code],
    ['failed', 'PROVIDER_UNAVAILABLE'],
  )
  await world.whatsapp.reports(otp, [await at(world, otp, 'sent', 1)])
  const corrected = await world.getOtp(otp)
  assert.deepEqual(
    [corrected.status, corrected.failure, corrected.sentAt],
    ['sent', null, isoAfter(corrected.createdAt, 1)],
  )
  const events = receiver.events()
  assert.deepEqual(
    events.map(({ type }) => type),
    ['message.failed', 'message.sent'],
  )
  assert.ok(String(events[1]?.data.occurredAt) > String(events[0]?.data.occurredAt), 'occurredAt rises')
})

test('a "sent" from before the failure only sets sentAt', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [
    { ...(await at(world, otp, 'failed', 10)), errors: [131026] },
    await at(world, otp, 'sent', 5),
  ])
  const status = await world.getOtp(otp)
  assert.deepEqual([status.status, status.sentAt], ['failed', isoAfter(status.createdAt, 5)])
})

test('a message that fails, is corrected and fails again has each event once', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [
    { ...(await at(world, otp, 'failed', 10)), errors: [131000] },
    await at(world, otp, 'sent', 20),
    { ...(await at(world, otp, 'failed', 30)), errors: [131026] },
  ])
  const status = await world.getOtp(otp)
  assert.equal(status.status, 'failed')
  assert.equal((status.failure as { code: string }).code, 'RECIPIENT_UNREACHABLE')
  assert.deepEqual(
    receiver
      .events()
      .map(({ type }) => type)
      .sort(),
    ['message.failed', 'message.sent'],
  )
})

test('a report before the provider’s answer is matched by our id', async (t) => {
  const world = await startWorld(t, { statuses: 'automatic' })
  world.emulator.script({ match: {}, behaviour: { statusesBeforeResponse: true } })
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.gets(otp)
  await waitFor('all statuses', async () => (await world.getOtp(otp)).status === 'read')
  await world.settled()
  assert.equal(receiver.received.length, 1)
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a report without our id is parked until the provider’s answer is stored', async (t) => {
  const world = await startWorld(t, { statuses: 'automatic' })
  world.emulator.script({ match: {}, behaviour: { statusesBeforeResponse: true, omit: ['biz_opaque_callback_data'] } })
  const otp = await world.submitOtp()
  await world.after('2s') // a report parked while the response was being stored is retried after a second
  assert.equal((await world.getOtp(otp)).status, 'read')
})

test('reports with missing or unknown members count like any other', async (t) => {
  const world = await startWorld(t, { statuses: 'automatic' })
  world.emulator.script({
    match: {},
    behaviour: {
      omit: ['recipient_id', 'recipient_user_id', 'pricing', 'wa_id', 'user_id'],
      extraFields: true,
      statusContacts: true,
    },
  })
  const otp = await world.submitOtp()
  assert.equal((await world.getOtp(otp)).status, 'read')
})

test('unknown items of a webhook are answered 200, stored and stop no others', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const message = await world.whatsapp.gets(otp)
  const statuses = [
    { id: message.id, status: 'teleported', timestamp: '1763640000' },
    { id: message.id, status: 'sent' },
    { status: 'sent', timestamp: 'soon' },
    null,
    'sent',
    { id: { $gt: '' }, status: ['sent'], timestamp: -1 },
    { id: 'x'.repeat(10_000), status: 'sent', timestamp: '1763640000' },
    { id: message.id, status: 'delivered', timestamp: String(Math.floor(world.clock.now().getTime() / 1000)) },
  ]
  const bodies = [
    {
      object: 'whatsapp_business_account',
      entry: [{ id: world.account.accountId, changes: [{ field: 'messages', value: { statuses } }] }],
    },
    { object: 'page', entry: [] },
    {
      object: 'whatsapp_business_account',
      entry: [{ changes: [{ field: 'holograms', value: { a: 'b\u0000c' } }, null] }, 7],
    },
    {},
    [],
    'x',
    null,
    { object: 'whatsapp_business_account', entry: { 0: 'x' } },
  ]
  for (const body of bodies) {
    assert.equal(await postSigned(world, JSON.stringify(body)), 200, JSON.stringify(body).slice(0, 80))
  }
  for (const text of ['', '{', 'not json', '[[[[']) assert.equal(await postSigned(world, text), 200, text)
  await world.settled()
  assert.equal((await world.getOtp(otp)).status, 'delivered')
})

test('an unknown status of an erased message does not bring the number back', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const { id, callbackData } = await world.whatsapp.gets(otp)
  await erase(world, otp)
  const recipient_id = otp.to.slice(1)
  assert.equal(
    await postStatuses(world, [{ id, status: 'warned', recipient_id, biz_opaque_callback_data: callbackData }]),
    200,
  )
  await world.settled()
  assert.deepEqual(await tablesWith(world, { forms: formsOf(otp.to) }), [])
})

test('an unknown status beside a known one leaves its message due, with its code', async (t) => {
  const world = await startWorld(t)
  const sent = await world.submitOtp()
  const { id, callbackData } = await world.whatsapp.gets(sent)
  await world.query(
    `update sender_pace set breaker_open_until = now() + interval '1 day', breaker_step = 1 where sender_id = $1`,
    [world.senderId],
  )
  const waiting = await world.sendOtp()
  const names = callbackData?.replace(sent.messageId, waiting.messageId)
  const statuses = [
    { id: 'wamid.warned', status: 'warned', biz_opaque_callback_data: names },
    { id, status: 'delivered', timestamp: String(Math.floor(world.clock.now().getTime() / 1000)) },
  ]
  assert.equal(await postStatuses(world, statuses), 200)
  assert.equal((await world.getOtp(sent)).status, 'delivered')
  const rows = await world.query(
    'select status, due_at is not null as is_due, code is not null as has_code from messages where id = $1',
    [waiting.messageId],
  )
  assert.deepEqual(rows, [{ status: 'queued', is_due: true, has_code: true }])
})

test('a status of an unknown message keeps the id that it names', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const { callbackData } = await world.whatsapp.gets(otp)
  const unknown = '01939e5c-0000-7000-8000-000000000000'
  const status = { id: 'wamid.unknown', status: 'sent', timestamp: '1763640000' }
  const names = callbackData?.replace(otp.messageId, unknown)
  assert.equal(await postStatuses(world, [{ ...status, biz_opaque_callback_data: names }]), 200)
  const rows = await world.query('select outcome, message_id from provider_reports where message_id = $1', [unknown])
  assert.deepEqual(rows, [{ outcome: 'parked', message_id: unknown }])
})

test('a status whose message is locked is stored and answered, and applied when the message is free', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const unlock = await lockRow(t, world.first, 'messages', otp.messageId)
  const reported = world.whatsapp.reports(otp, ['sent'])
  await waitFor('the status to be stored', async () => {
    const rows = await world.query('select 1 from provider_reports where message_id = $1', [otp.messageId])
    return rows.length === 1
  })
  assert.equal((await world.getOtp(otp)).status, 'sending')
  await unlock()
  world.advance('3s')
  await reported
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

test('a status that arrives twice at the same time is applied once', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const otp = await world.submitOtp()
  const status = await at(world, otp, 'sent', 5)
  await Promise.all(Array.from({ length: 8 }, () => world.whatsapp.reports(otp, [status])))
  const rows = await world.query('select outcome, repeats, input_number from provider_reports where message_id = $1', [
    otp.messageId,
  ])
  assert.deepEqual(rows, [{ outcome: 'applied', repeats: 7, input_number: 1 }])
  assert.equal(receiver.received.length, 1)
})

test('a status that is stored elsewhere while it is applied sends one webhook', async (t) => {
  let repeat: (() => Promise<number>) | undefined
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        const rows = await run()
        if (statement.name === 'lock_messages_of_statuses' && repeat) {
          const post = repeat
          repeat = undefined
          assert.equal(await post(), 200)
        }
        return rows
      }),
  })
  const receiver = await world.receiver()
  await world.whatsapp.reports(await world.sendOtp(), ['sent']) // now deliveries are claimed when they are recorded
  const otp = await world.submitOtp()
  const { id, callbackData } = await world.whatsapp.gets(otp)
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  const post = () => postStatuses(world, [{ id, status: 'sent', timestamp, biz_opaque_callback_data: callbackData }])
  repeat = post
  assert.equal(await post(), 200)
  await world.settled()
  assert.equal(repeat, undefined)
  const rows = await world.query('select outcome, repeats from provider_reports where message_id = $1', [otp.messageId])
  assert.deepEqual(rows, [{ outcome: 'applied', repeats: 1 }])
  assert.equal(receiver.received.filter(({ event }) => event.data['messageId'] === otp.messageId).length, 1)
})
