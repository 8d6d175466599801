import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BehaviourSeed } from '@doorcode/whatsapp-emulator'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { type ClaimedMessage, claimMessages } from '../../../src/messages/queue/claim.ts'
import { afterAttempt } from '../../../src/messages/queue/decide.ts'
import { type EndedAttempt, createFinisher } from '../../../src/messages/queue/finish.ts'
import { overdueLoop } from '../../../src/messages/queue/overdue.ts'
import { meaningOf } from '../../../src/providers/whatsapp/errors.ts'
import { connectAccount } from '../../world/set-up.ts'
import { pauseSender, resumeSender } from '../../../src/accounts/senders.ts'
import { syncAccount } from '../../../src/accounts/sync/sync.ts'
import { subscribers } from '../../../src/runtime/background/subscribers.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { createStoppedClock } from '../../faults/moved-clock.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type OtpFields, type SentOtp, type World, newPhone, startWorld } from '../../world/world.ts'
import { sendInto, failureOf, attemptsOf } from '../../world/submission.ts'

const otherSender = (world: World): string => world.account.senders[1]?.senderId ?? ''

test('a permanent error fails the message immediately, with one event and one attempt', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  for (const [code, failure] of [
    [131026, 'RECIPIENT_UNREACHABLE'],
    [132018, 'TEMPLATE_PARAMETERS_REJECTED'],
    [132000, 'TEMPLATE_PARAMETERS_REJECTED'],
    [131030, 'RECIPIENT_NOT_ALLOWED'],
    [132001, 'TEMPLATE_NOT_FOUND'],
  ] as const) {
    const otp = await sendInto(world, { error: code })
    await world.settled()
    assert.equal(await failureOf(world, otp), failure, String(code))
    assert.deepEqual(await attemptsOf(world, otp), [{ outcome: 'rejected', provider_code: code }])
    assert.equal(world.whatsapp.got(otp).length, 0)
    assert.equal(receiver.events('message.failed').filter(({ data }) => data.messageId === otp.messageId).length, 1)
  }
})

test('a fault of the provider is retried until it ends', async (t) => {
  const world = await startWorld(t)
  for (const behaviour of [{ error: 131016 }, { error: 2 }, { error: 131057 }] satisfies BehaviourSeed[]) {
    const otp = await sendInto(world, behaviour, behaviour, behaviour)
    await world.settled()
    assert.equal((await world.getOtp(otp)).status, 'queued', 'it waits for its next attempt')
    for (let step = 0; step < 4; step += 1) {
      await world.after('30s')
    }
    assert.equal((await world.getOtp(otp)).status, 'sending')
    assert.equal(world.whatsapp.got(otp).length, 1)
    assert.deepEqual(
      (await attemptsOf(world, otp)).map(({ outcome }) => outcome),
      ['retry', 'retry', 'retry', 'accepted'],
    )
  }
})

test('an outage of the whole window fails the message with the last error', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  world.emulator.script({ match: { to }, behaviour: { error: 131016 } })
  const otp = await world.sendOtp({ to })
  for (let minute = 0; minute < 9; minute += 1) {
    await world.settled()
    assert.equal((await world.getOtp(otp)).status, 'queued')
    world.advance('1m')
  }
  for (let minute = 0; minute < 3; minute += 1) {
    await world.settled()
    world.advance('1m')
  }
  await world.settled()
  assert.equal(await failureOf(world, otp), 'PROVIDER_UNAVAILABLE')
  assert.equal(world.whatsapp.got(otp).length, 0)
})

test('a doubtful error is retried only a few times', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  world.emulator.script({ match: { to }, behaviour: { error: 131000 } })
  const otp = await world.sendOtp({ to })
  for (let step = 0; step < 4; step += 1) {
    await world.settled()
    world.advance('1m')
  }
  assert.notEqual(await failureOf(world, otp), undefined)
  const attempts = await attemptsOf(world, otp)
  assert.ok(attempts.length >= 2 && attempts.length <= 3, `${attempts.length} attempts`)
})

test('a rate error of a sender stops its messages and no other sender’s', async (t) => {
  const world = await startWorld(t)
  const first = await sendInto(world, { error: 130429 })
  await world.settled()
  const held = await world.sendOtp()
  const other = await world.submitOtp({ senderId: otherSender(world) })
  assert.equal(world.whatsapp.got(held).length, 0)
  await world.after('10s')
  await world.after('10s')
  for (const otp of [first, held, other]) assert.equal(world.whatsapp.got(otp).length, 1)
})

/** How many of them reached WhatsApp. */
async function countSends(world: World, otps: readonly SentOtp[]): Promise<number> {
  const rows = await world.query('select 1 from message_attempts where message_id = any ($1)', [
    otps.map(({ messageId }) => messageId),
  ])
  return rows.length
}

test('a sender in maintenance sends one trial message at a time until one succeeds', async (t) => {
  const world = await startWorld(t, { clock: createStoppedClock() })
  const maintenance = world.emulator.script({
    match: { from: world.account.senders[0]?.phoneNumberId },
    behaviour: { error: 131057 },
  })
  const first = await world.submitOtp()
  const others = [await world.sendOtp(), await world.sendOtp(), await world.sendOtp()]
  await world.submitOtp({ senderId: otherSender(world) })
  assert.equal(await countSends(world, others), 0)
  const all = [first, ...others]
  for (const [trial, step] of ['2s', '3s', '6s'].entries()) {
    await world.after(step)
    assert.equal(await countSends(world, all), trial + 2, `after ${trial + 1} waits`)
  }
  maintenance.remove()
  await world.after('11s')
  for (const otp of all) await world.whatsapp.gets(otp)
  assert.equal(await countSends(world, all), 4 + 4, 'no further error')
})

test('an overloaded service stops the whole account', async (t) => {
  const world = await startWorld(t)
  const first = await sendInto(world, { error: 2 })
  await world.settled()
  const held = [await world.sendOtp(), await world.sendOtp({ senderId: otherSender(world) })]
  await world.settled()
  assert.equal(await countSends(world, held), 0)
  await world.after('2s')
  for (const otp of [first, ...held]) await world.whatsapp.gets(otp)
})

test('a fault with an unknown code delays only its own message', async (t) => {
  const world = await startWorld(t)
  const first = await sendInto(world, { error: { code: 999_999, httpStatus: 500 } })
  await world.settled()
  assert.equal((await world.getOtp(first)).status, 'queued')
  await world.whatsapp.gets(await world.sendOtp())
})

test('an inconclusive trial lets the next message try immediately', async (t) => {
  const world = await startWorld(t)
  await sendInto(world, { error: 131057 })
  await world.settled()
  const doubtful = await sendInto(world, { error: 131000 })
  const faulty = await sendInto(world, { error: { code: 999_999, httpStatus: 500 } })
  const unreachable = await sendInto(world, { error: 131026 })
  const good = await world.sendOtp()
  await world.after('2s')
  assert.equal(world.whatsapp.got(good).length, 1)
  assert.equal(await failureOf(world, unreachable), 'RECIPIENT_UNREACHABLE')
  for (const otp of [doubtful, faulty]) assert.notEqual(await countSends(world, [otp]), 0)
})

test('a trial that did not reach the provider is inconclusive too', async (t) => {
  const world = await startWorld(t)
  await sendInto(world, { error: 131057 })
  await world.settled()
  const reach = (url: string) =>
    world.query('update provider_accounts set graph_url = $2 where workspace_id = $1', [world.workspaceId, url])
  await reach('http://127.0.0.1:1')
  const others = [await world.sendOtp(), await world.sendOtp()]
  await world.after('2s')
  for (const otp of others) assert.notEqual(await countSends(world, [otp]), 0)
  await reach(world.credentials.graphUrl)
  await world.whatsapp.gets(await world.sendOtp())
})

test('after a trial with an unknown outcome the next one waits', async (t) => {
  const world = await startWorld(t)
  await sendInto(world, { error: 131057 })
  await world.settled()
  const lost = await sendInto(world, { connection: 'drop_before_accepting' })
  const next = await world.sendOtp()
  await world.after('2s')
  assert.equal(await countSends(world, [lost, next]), 1)
  await world.after('13s')
  await world.whatsapp.gets(next)
})

/** Claimed messages whose outcome the test decides. */
async function claimedOf(world: World, howMany: number, fields: Partial<OtpFields> = {}): Promise<ClaimedMessage[]> {
  for (let sent = 0; sent < howMany; sent += 1) await world.sendOtp(fields)
  const { messages: claimed } = await claimMessages(world.parts, howMany)
  assert.equal(claimed.length, howMany)
  return claimed
}

test('concurrent errors open each breaker once, for the longest time', async (t) => {
  const world = await startWorld(t, { works: false })
  const opened: string[] = []
  const db = spyOnDb(world.parts.db, ({ statement, run }) => {
    if (/^open_\w+_breaker$/.test(statement.name)) opened.push(statement.name)
    return run()
  })
  const finish = createFinisher({ ...world.parts, db })
  const now = world.clock.now()
  const endedWith = (code: number, messages: readonly ClaimedMessage[]): EndedAttempt[] =>
    messages.map((message, index) => {
      const error = meaningOf(code, 400)
      const outcome = { outcome: 'rejected', httpStatus: 400, error: { ...error, code, detail: '' } } as const
      const context = { now, attempts: 1, breakerStep: message.breakerStep, random: index / messages.length }
      return { message, startedAt: now, endedAt: now, outcome, next: afterAttempt(outcome, context) }
    })
  const other = otherSender(world)
  const storm = [
    ...endedWith(131_056, await claimedOf(world, 3, { to: newPhone() })),
    ...endedWith(130_429, await claimedOf(world, 5)),
    ...endedWith(131_057, await claimedOf(world, 4, { senderId: other })),
    ...endedWith(80_007, await claimedOf(world, 5)),
  ]
  await Promise.all(storm.map(finish))
  assert.deepEqual(opened.sort(), [
    'open_account_breaker',
    'open_pair_breaker',
    'open_sender_breaker',
    'open_sender_breaker',
  ])
  const latest = storm
    .map(({ next }) => (next.next === 'retry' ? next.dueAt.getTime() : 0))
    .reduce((a, b) => Math.max(a, b))
  const paces = await world.query<{ breaker_open_until: Date; breaker_step: number; breaker_code: number }>(
    'select breaker_open_until, breaker_step, breaker_code from sender_pace where sender_id = any ($1)',
    [[world.senderId, other]],
  )
  const expected = { breaker_open_until: new Date(latest), breaker_step: 1, breaker_code: 80_007 }
  assert.deepEqual(paces, [expected, expected])
})

test('a message that must wait never becomes the trial message', async (t) => {
  const world = await startWorld(t, { works: false })
  const to = newPhone()
  for (let sent = 0; sent < 3; sent += 1) await world.sendOtp({ to })
  const next = await world.sendOtp()
  await world.query('update sender_pace set breaker_step = 1 where sender_id = $1', [world.senderId])
  await world.query('insert into pair_pace (sender_id, recipient, free_at) values ($1, $2, $3)', [
    world.senderId,
    to,
    new Date(world.clock.now().getTime() + HOUR_MS),
  ])
  const { messages: claimed } = await claimMessages(world.parts, 10)
  assert.deepEqual(
    claimed.map(({ id }) => id),
    [next.messageId],
  )
})

test('a sender limited for its quality sends nothing, and its codes expire', async (t) => {
  const world = await startWorld(t)
  const first = await sendInto(world, { error: 131048 })
  await world.settled()
  const other = await world.sendOtp()
  for (const step of ['1m', '5m', '3m']) await world.after(step)
  assert.equal(await countSends(world, [first, other]), 1)
  await world.after('2m')
  assert.equal(await failureOf(world, first), 'SENDER_RATE_LIMITED')
  assert.equal(await failureOf(world, other), 'SUBMISSION_EXPIRED')
  await world.after('10m')
  await world.whatsapp.gets(await world.sendOtp())
})

test('a code whose window is short fails in time behind many older ones', async (t) => {
  const world = await startWorld(t, { otpQuota: 200 })
  await sendInto(world, { error: 131048 })
  await world.settled()
  await Promise.all(Array.from({ length: 101 }, () => world.sendOtp()))
  const short = await world.startVerification({ ttlSeconds: 60 })
  await world.after('61s')
  assert.equal(await failureOf(world, { messageId: short.verificationId }), 'SUBMISSION_EXPIRED')
})

test('a code whose window is short fails in time behind many others to its recipient', async (t) => {
  const world = await startWorld(t, { works: false, otpQuota: 200 })
  const to = newPhone()
  await Promise.all(Array.from({ length: 70 }, () => world.sendOtp({ to })))
  const short = await world.startVerification({ to, ttlSeconds: 60 })
  await world.node({ works: true })
  await world.settled()
  await world.after('61s')
  assert.equal(await failureOf(world, { messageId: short.verificationId }), 'SUBMISSION_EXPIRED')
})

test('the overdue codes of many senders fail in transactions of limited size', async (t) => {
  const world = await startWorld(t, { works: false })
  const { messageId } = await world.sendOtp()
  await world.query(
    `with copied as (
       insert into senders
       select copy.* from generate_series(1, 7) i, senders s
       cross join lateral jsonb_populate_record(s, jsonb_build_object('id', md5(s.id || '-' || i)::uuid, 'phone_number_id', i,
         'paused_at', now())) copy
       where s.id = $1 returning id
     ), paces as (
       insert into sender_pace (sender_id) select id from copied
     )
     insert into messages
     select copy.* from copied, generate_series(1, 100) i, messages m
     cross join lateral jsonb_populate_record(m, jsonb_build_object('id', md5(copied.id || '-' || i)::uuid, 'sender_id', copied.id,
       'due_at', now() - interval '1 minute', 'submit_by', now() - interval '1 minute')) copy
     where m.id = $2`,
    [world.senderId, messageId],
  )
  const countFailed = async (): Promise<number> =>
    (await world.query(`select 1 from messages where workspace_id = $1 and status = 'failed'`, [world.workspaceId]))
      .length
  const loop = overdueLoop({ ...world.parts, subscribers })
  assert.equal((await loop.turn()).more, true)
  assert.equal(await countFailed(), 500)
  await loop.turn()
  assert.equal(await countFailed(), 700)
})

test('a rate error of a pair stops only this recipient', async (t) => {
  const world = await startWorld(t)
  const first = await sendInto(world, { error: 131056 })
  await world.settled()
  const samePair = await world.sendOtp({ to: first.to })
  await world.submitOtp()
  assert.equal(world.whatsapp.got(samePair).length, 0)
  for (let step = 0; step < 6; step += 1) {
    await world.after('30s')
  }
  for (const otp of [first, samePair]) assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a rejected token stops the account, and a new token sends everything', async (t) => {
  const world = await startWorld(t)
  const otp = await sendInto(world, { error: 190 })
  await world.settled()
  assert.equal(await failureOf(world, otp), undefined)
  assert.equal(
    (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).body.code,
    'OTP_SENDER_UNAVAILABLE',
  )
  await connectAccount(world.parts, world.credentials)
  await world.settled()
  await world.after('20s')
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a message that waits behind a rejected token fails when its window closes', async (t) => {
  const world = await startWorld(t)
  const otp = await sendInto(world, ...Array.from({ length: 5 }, () => ({ error: 190 })))
  await world.settled()
  await world.after('11m')
  assert.equal(await failureOf(world, otp), 'PROVIDER_CREDENTIALS_INVALID')
})

test('a paused sender sends nothing until it is resumed', async (t) => {
  const world = await startWorld(t, { works: false })
  const of = { workspaceId: world.workspaceId, senderId: world.senderId }
  const otp = await world.sendOtp()
  await pauseSender(world.parts.db, of, world.clock.now())
  await world.node({ works: true })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 0)
  await resumeSender(world.parts.db, of)
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a message behind a pause fails with SUBMISSION_EXPIRED ten minutes after acceptance', async (t) => {
  const world = await startWorld(t, { works: false })
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await pauseSender(world.parts.db, { workspaceId: world.workspaceId, senderId: world.senderId }, world.clock.now())
  await world.node({ works: true })
  await world.after('9m')
  assert.equal((await world.getOtp(otp)).status, 'queued')
  await world.after('61s')
  assert.equal(await failureOf(world, otp), 'SUBMISSION_EXPIRED')
  assert.deepEqual(receiver.types(), ['message.failed'])
  await resumeSender(world.parts.db, { workspaceId: world.workspaceId, senderId: world.senderId })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 0, 'an expired code is not sent after all')
})

test('of 200 codes a sender sends 80 each second, without a rate error', async (t) => {
  const world = await startWorld(t, { limits: true, clock: createStoppedClock() })
  const otps = await Promise.all(Array.from({ length: 200 }, () => world.sendOtp()))
  for (const sent of [80, 160, 200]) {
    await waitFor(`${sent} codes on their phones`, () => world.emulator.messages().length === sent)
    assert.deepEqual((await claimMessages(world.parts, otps.length)).messages, [], 'no more may go within this second')
    world.advance('1020ms') // a second and one of our slots
  }
  for (const otp of otps) assert.equal(world.whatsapp.got(otp).length, 1)
  const rejected = await world.query(
    `select 1 from message_attempts where workspace_id = $1 and outcome <> 'accepted'`,
    [world.workspaceId],
  )
  assert.deepEqual(rejected, [])
})

test('codes to one recipient go in a burst of 45, then every six seconds', async (t) => {
  const world = await startWorld(t, { limits: true, clock: createStoppedClock() })
  const to = newPhone()
  await Promise.all(Array.from({ length: 60 }, () => world.sendOtp({ to })))
  await world.after('2s') // above the sender's own 80 a second
  const burst = world.emulator.messages({ to }).length
  assert.ok(burst === 45 || burst === 46, `${burst} in the burst`)
  await world.after('6s')
  await world.after('6s')
  assert.equal(world.emulator.messages({ to }).length, burst + 2)
  const rejected = await world.query(
    `select 1 from message_attempts where workspace_id = $1 and outcome <> 'accepted'`,
    [world.workspaceId],
  )
  assert.deepEqual(rejected, [])
})

test('a code goes before all waiting messages of lower priority', async (t) => {
  const world = await startWorld(t, { works: false })
  const waiting = await Promise.all(Array.from({ length: 100 }, () => world.sendOtp()))
  await world.query('update messages set priority = 1 where workspace_id = $1', [world.workspaceId])
  const code = await world.sendOtp()
  await world.node({ works: true })
  for (const otp of waiting) await world.whatsapp.gets(otp)
  const order = world.emulator.messages().map((message) => message.callbackData ?? '')
  const index = order.findIndex((data) => data.endsWith(code.messageId))
  assert.ok(index < 80, `it went at index ${index}, not with the first 80, which is what a number may send in a second`)
})

test('with little capacity one sender’s codes go before other senders’ messages', async (t) => {
  const world = await startWorld(t, { works: false })
  const crowd = await Promise.all(Array.from({ length: 30 }, () => world.sendOtp()))
  await world.query('update messages set priority = 1 where workspace_id = $1', [world.workspaceId])
  const other = otherSender(world)
  const codes = await Promise.all(Array.from({ length: 8 }, () => world.sendOtp({ senderId: other })))
  const claimed: string[] = []
  for (let turn = 0; turn < codes.length; turn += 1)
    claimed.push(...(await claimMessages(world.parts, 1)).messages.map(({ id }) => id))
  assert.deepEqual(claimed.sort(), codes.map(({ messageId }) => messageId).sort())
  const [next] = (await claimMessages(world.parts, 1)).messages
  assert.ok(
    crowd.some(({ messageId }) => messageId === next?.id),
    'then it is the turn of the others',
  )
})

test('what the provider changes is known after a sync', async (t) => {
  const world = await startWorld(t)
  world.emulator.addTemplate(world.credentials.wabaId, {
    name: 'new_one',
    language: 'en_US',
    category: 'AUTHENTICATION',
    components: [{ type: 'BODY' }],
  })
  const body = world.otpBody({ template: { name: 'new_one', language: 'en_US' } })
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body })).status, 404)
  await syncAccount(world.parts, world.account.accountId)
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body })).status, 202)
})
