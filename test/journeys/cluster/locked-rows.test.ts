import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { IDLE_TRANSACTION_MS, MAX_LOCK_WAIT_MS } from '../../../src/lib/db/pool.ts'
import { LONE_LOCK_WAIT_MS } from '../../../src/runtime/jobs/batch-loop.ts'
import { JITTER } from '../../../src/runtime/jobs/loop.ts'
import { LOCKED_RETRY_MS, decideRetry } from '../../../src/runtime/jobs/retry.ts'
import { MAX_REPORTS, POLL_MS } from '../../../src/messages/reports/process.ts'
import { lockInAnotherSession, lockRow } from '../../faults/lock-in-another-session.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

/** Another workspace on the same node. */
async function startBoth(t: TestContext): Promise<{ locked: World; other: World }> {
  const locked = await startWorld(t, { mayLogErrors: true })
  const other = await startWorld(t, { mayLogErrors: true, works: false })
  other.setCallback(locked.first.url)
  return { locked, other }
}

const sent = async (world: World) => {
  const otp = await world.sendOtp()
  return { otp, message: await world.whatsapp.gets(otp) }
}

const many = <Item>(howMany: number, make: () => Promise<Item>): Promise<Item[]> =>
  Promise.all(Array.from({ length: howMany }, make))

/** Unanswered webhooks that the provider repeats at the same time. */
const WEBHOOKS_THAT_WAIT = 24

test('a locked account delays no webhook of another', async (t) => {
  const { locked, other } = await startBoth(t)
  const codes = await many(WEBHOOKS_THAT_WAIT, () => sent(locked))
  const others = await many(3, () => sent(other))
  const unlock = await lockRow(t, locked, 'provider_accounts', locked.account.accountId)
  const waiting = codes.map(({ message }) => locked.emulator.report(message, ['sent']))
  for (const { message } of others) {
    const posts = await other.emulator.report(message, ['sent'])
    assert.deepEqual(
      posts.map(({ state }) => state),
      ['answered'],
    )
  }
  await unlock()
  await Promise.all(waiting)
})

/** Enough that the others would time out this test if each waited for the lock. */
const REPORTS_THAT_WAIT = 30

test('a locked endpoint delays no report of another workspace', async (t) => {
  const { locked, other } = await startBoth(t)
  const receiver = await locked.receiver()
  const codes = await many(REPORTS_THAT_WAIT, () => sent(locked))
  const { otp, message } = await sent(other)
  await locked.settled()
  const unlock = await lockRow(t, locked, 'webhook_endpoints', receiver.endpointId)
  for (const code of codes) await locked.emulator.report(code.message, ['sent'])
  await other.emulator.report(message, ['sent'])
  await waitFor('the other report counts', async () => (await other.getOtp(otp)).status === 'sent')
  await unlock()
  locked.advance('31s')
  await locked.settled()
  assert.equal(receiver.events('message.sent').length, REPORTS_THAT_WAIT)
})

test('a locked endpoint delays no deadline of another workspace', async (t) => {
  const { locked, other } = await startBoth(t)
  const receiver = await locked.receiver()
  for (const world of [locked, other])
    await world.codSettings({ confirmation: { reminderMinutes: null, noResponseMinutes: 60 } })
  const orders = await many(REPORTS_THAT_WAIT, () => locked.createConfirmation())
  await locked.settled()
  const order = await other.createConfirmation()
  await waitFor(
    'the question to be sent',
    async () => (await other.getConfirmation(order)).status === 'awaiting_answer',
  )
  const unlock = await lockRow(t, locked, 'webhook_endpoints', receiver.endpointId)
  locked.advance('61m')
  await waitFor('the other deadline passes', async () => (await other.getConfirmation(order)).status === 'no_response')
  await unlock()
  locked.advance('31s')
  await locked.settled()
  assert.equal(receiver.events('cod.no_response').length, orders.length)
})

test('a locked failing endpoint delays no webhook of another', async (t) => {
  const { locked, other } = await startBoth(t)
  const [failing, healthy] = [await locked.receiver(), await other.receiver()]
  failing.always({ status: 500 })
  const codes = await many(4, () => sent(locked))
  const others = await many(4, () => sent(other))
  const unlock = await lockInAnotherSession(
    t,
    locked.parts.db,
    'select id from webhook_endpoints where id = $1 for no key update',
    failing.endpointId,
  )
  for (const [index, { message }] of others.entries()) {
    await locked.emulator.report(codes[index]?.message ?? message, ['sent'])
    await failing.waitFor(index + 1)
    await other.emulator.report(message, ['sent'])
  }
  await waitFor('the results of the others are stored', async () => {
    const ended = await other.query(
      `select 1 from webhook_deliveries where workspace_id = $1 and status = 'succeeded'`,
      [other.workspaceId],
    )
    return ended.length === others.length
  })
  assert.equal(healthy.received.length, others.length, 'none was sent twice')
  await unlock()
})

/** The requirement, for a customer's answer that needs a row of a frozen node. */
const ANSWER_WITHIN_MS = 10_000

test('an answer that needs a row of a frozen node is applied within 10 s', async (t) => {
  const longestMs =
    IDLE_TRANSACTION_MS +
    MAX_LOCK_WAIT_MS +
    MAX_REPORTS * LONE_LOCK_WAIT_MS +
    LOCKED_RETRY_MS +
    POLL_MS * (1 + JITTER / 2)
  assert.ok(longestMs <= ANSWER_WITHIN_MS, `${longestMs} ms`)

  const world = await startWorld(t, { mayLogErrors: true, cod: {} })
  const order = await world.askToConfirm()
  const unlock = await lockRow(t, world, 'confirmations', order.confirmationId)
  await world.customer(order).taps('Confirm')
  await waitFor('the answer to wait for the row', async () => {
    const waiting = `select 1 from provider_reports where workspace_id = $1 and note ->> 'code' = 'jobs.row_locked'`
    return (await world.query(waiting, [world.workspaceId])).length === 1
  })
  await unlock()
  world.clock.advance(LOCKED_RETRY_MS)
  await world.settled()
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('a row that stays locked for longer than by a frozen node is tried every 30 s', () => {
  const locked = Object.assign(new Error('lock timeout'), { code: '55P03' })
  const now = new Date(1_800_000_000_000)
  const waits = (lockedForMs: number | undefined): number => {
    const lockedSince = lockedForMs === undefined ? undefined : new Date(now.getTime() - lockedForMs)
    return (decideRetry(locked, { tries: 0, now, lockedSince }).retryAt?.getTime() ?? 0) - now.getTime()
  }
  assert.deepEqual([undefined, 8_000, 10_000, 60_000].map(waits), [2_000, 2_000, 30_000, 30_000])
})
