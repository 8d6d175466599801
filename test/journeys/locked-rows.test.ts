import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../wait-for.ts'
import { type World, startWorld } from '../world.ts'

/** Another workspace on the same node. */
async function startBoth(t: TestContext): Promise<{ locked: World; other: World }> {
  const locked = await startWorld(t, { mayLogErrors: true })
  const other = await startWorld(t, { mayLogErrors: true, works: false })
  other.setCallback(locked.first.url)
  return { locked, other }
}

/** Like a psql session left open inside a transaction. Returns a function that ends it. */
async function lockedElsewhere(t: TestContext, world: World, text: string, id: string): Promise<() => Promise<void>> {
  const session = await world.parts.db.connect()
  t.after(() => session.end())
  await session.query('set idle_in_transaction_session_timeout = 0')
  await session.query('begin')
  await session.query(text, [id])
  return async () => void (await session.query('rollback'))
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
  const unlock = await lockedElsewhere(
    t,
    locked,
    'select id from provider_accounts where id = $1 for update',
    locked.account.accountId,
  )
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
  const unlock = await lockedElsewhere(
    t,
    locked,
    'select id from webhook_endpoints where id = $1 for update',
    receiver.endpointId,
  )
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
  const unlock = await lockedElsewhere(
    t,
    locked,
    'select id from webhook_endpoints where id = $1 for update',
    receiver.endpointId,
  )
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
  const unlock = await lockedElsewhere(
    t,
    locked,
    'select id from webhook_endpoints where id = $1 for no key update',
    failing.endpointId,
  )
  for (const [index, { message }] of others.entries()) {
    await locked.emulator.report(codes[index]?.message ?? message, ['sent'])
    await failing.waitFor(index + 1)
    await other.emulator.report(message, ['sent'])
  }
  await waitFor('the results of the others are stored', async () => {
    const ended = await other.ask(`select 1 from webhook_deliveries where workspace_id = $1 and status = 'succeeded'`, [
      other.workspaceId,
    ])
    return ended.length === others.length
  })
  assert.equal(healthy.received.length, others.length, 'none was sent twice')
  await unlock()
})
