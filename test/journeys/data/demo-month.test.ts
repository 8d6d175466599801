import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DAY_MS, later } from '../../../src/lib/clock.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { OUTAGE, planMonth } from '../../../src/sandbox/month/plan.ts'
import { requestEmptying, requestFill, sandboxLoop } from '../../../src/sandbox/work.ts'
import { requestDeletion } from '../../../src/workspaces/deletion.ts'
import { anotherAccount } from '../../world/accounts.ts'
import { startSandbox } from '../../world/sandbox.ts'
import { connectAccount } from '../../world/set-up.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import type { World } from '../../world/world.ts'

/** Tests make the last days of a month, in the same way as a whole one. */
const DAYS = 2

const startShop = (t: TestContext): Promise<World> => startSandbox(t, { statuses: 'automatic', magicNumbers: true })

const fill = (world: World, days = DAYS): Promise<void> =>
  world.parts.db.transaction((tx) => requestFill(tx, world.parts, { workspaceId: world.workspaceId, days }))

const empty = (world: World): Promise<void> =>
  world.parts.db.transaction((tx) => requestEmptying(tx, world.parts, world.workspaceId))

async function untilOver(world: World): Promise<void> {
  world.parts.wake('sandbox')
  await waitFor('the end of the work', async () => {
    const rows = await world.query('select from sandbox_work where workspace_id = $1', [world.workspaceId])
    return rows.length === 0
  })
}

type Sent = { key: string; at: Date }

/** The requests of the month, oldest first. */
const requestsOf = (world: World): Promise<Sent[]> =>
  world.query(
    `select idempotency_key as key, created_at as at from messages where workspace_id = $1 and idempotency_key is not null
     union all select idempotency_key, created_at from otp_verifications where workspace_id = $1
     union all select idempotency_key, created_at from confirmations where workspace_id = $1 order by at, key`,
    [world.workspaceId],
  )

/** What the plan requests between two times of the workspace. */
const plannedBetween = (from: Date, until: Date): string[] =>
  planMonth({ from, timeZone: 'Africa/Casablanca' })
    .filter(({ does, at }) => ['request_code', 'request_verification', 'order'].includes(does) && at < until)
    .map(({ key }) => `demo-month-${key}`)
    .toSorted()

test('a demo month is made by the machines: each planned request once, at its time, and everything verifies', async (t) => {
  const world = await startShop(t)
  const receiver = await world.receiver()
  await world.query('delete from cod_settings where workspace_id = $1', [world.workspaceId])
  await fill(world)
  const [work] = await world.query<{ from: Date }>('select from_at as from from sandbox_work where workspace_id = $1', [
    world.workspaceId,
  ])
  assert.ok(work)
  await untilOver(world)

  const requests = await requestsOf(world)
  const planned = plannedBetween(work.from, later(work.from, DAYS * DAY_MS))
  assert.deepEqual(requests.map(({ key }) => key).toSorted(), planned)
  assert.ok(planned.length > 20)
  for (const { at } of requests) assert.ok(at > later(work.from, -60_000) && at <= world.clock.now())
  const spanMs = Number(requests.at(-1)?.at) - Number(requests[0]?.at)
  assert.ok(spanMs > DAY_MS, 'the requests are spread over the days')

  const [clock] = await world.query<{ offset: string; back: string }>(
    'select clock_offset_ms as offset, clock_back_ms as back from workspaces where id = $1',
    [world.workspaceId],
  )
  assert.deepEqual([Number(clock?.offset), Number(clock?.back)], [0, DAYS * DAY_MS])
  const [answered] = await world.query<{ statuses: string[] }>(
    'select array_agg(distinct status order by status) as statuses from confirmations where workspace_id = $1',
    [world.workspaceId],
  )
  assert.ok(answered?.statuses.includes('confirmed'), String(answered?.statuses))
  assert.ok(receiver.received.length > 20, 'the events were delivered')
  await assertVerified(world)
})

test('a demo month is sent by one account, and another one on the emulator stays as it is', async (t) => {
  const world = await startShop(t)
  const { form, added } = anotherAccount(world)
  await connectAccount(world.parts, form)
  await fill(world, 1)
  await untilOver(world)
  const senders = await world.query<{ accounts: number }>(
    `select count(distinct s.account_id)::int as accounts from messages m join senders s on s.id = m.sender_id where m.workspace_id = $1`,
    [world.workspaceId],
  )
  assert.deepEqual(senders, [{ accounts: 1 }])
  assert.equal(world.emulator.getAccount(added.id).hurried, undefined)
})

test('what the shop sends on the bad Tuesday fails because WhatsApp was unavailable', async (t) => {
  const world = await startShop(t)
  const deeds = planMonth({ from: later(world.clock.now(), -30 * DAY_MS), timeZone: 'Africa/Casablanca' })
  const phones = deeds.flatMap((deed) =>
    deed.does === 'request_code' && deed.phone.endsWith(OUTAGE) ? [deed.phone] : [],
  )
  const otp = await world.sendOtp({ to: String(phones[0]) })
  await waitFor('the failure', async () => (await world.getOtp(otp))['status'] === 'failed')
  const { failure } = (await world.getOtp(otp)) as { failure: { code: string } }
  assert.equal(failure.code, 'PROVIDER_UNAVAILABLE')
})

test('a month whose node loses it half-way is continued, and nothing is doubled', async (t) => {
  const world = await startShop(t)
  const second = await world.node()
  await fill(world)
  world.parts.wake('sandbox')
  // as after the death of a node: its lease has ended, and another node takes the work while the first may still be in a step
  for (let deaths = 1; deaths <= 3; deaths += 1) {
    await waitFor('requests', async () => (await requestsOf(world)).length > deaths * 4)
    await world.query('update sandbox_work set due_at = now(), lease = null where workspace_id = $1', [
      world.workspaceId,
    ])
    second.parts.wake('sandbox')
  }
  await untilOver(world)
  const requests = await requestsOf(world)
  const keys = requests.map(({ key }) => key)
  assert.equal(new Set(keys).size, keys.length)
  await assertVerified(world)
})

test('while a month is made its clock cannot be moved and no other is made; it can be emptied, and filled again', async (t) => {
  const world = await startShop(t)
  const { workspaceId, parts } = world
  await fill(world, 30)
  await assert.rejects(fill(world), /is being made/)
  await assert.rejects(advanceSandbox(parts, { workspaceId, byMs: DAY_MS }), /is being made/)
  parts.wake('sandbox')
  await waitFor('requests', async () => (await requestsOf(world)).length > 5)
  await empty(world)
  await untilOver(world)
  const [left] = await world.query(
    `select (select count(*)::int from messages where workspace_id = $1) as messages,
       (select count(*)::int from confirmations where workspace_id = $1) as confirmations,
       (select count(*)::int from events where workspace_id = $1) as events,
       (select count(*)::int from provider_reports where workspace_id = $1) as reports,
       (select count(*)::int from quota_usage where workspace_id = $1) as usage,
       (select count(*)::int from clock_moves where workspace_id = $1) as moves,
       (select count(*)::int from senders where workspace_id = $1) > 0 as senders,
       (select count(*)::int from cod_settings where workspace_id = $1) as settings,
       (select clock_offset_ms::int from workspaces where id = $1) as offset`,
    [workspaceId],
  )
  const none = { messages: 0, confirmations: 0, events: 0, reports: 0, usage: 0, moves: 0 }
  assert.deepEqual(left, { ...none, senders: true, settings: 1, offset: 0 })
  assert.deepEqual(world.emulator.conversations(), [], 'the phones have no chats')
  const { hurried } = world.emulator.getAccount(world.credentials.wabaId)
  assert.equal(hurried, false, 'statuses take their usual time again')

  await fill(world, 1)
  await untilOver(world)
  assert.ok((await requestsOf(world)).length > 5)
  await assert.rejects(fill(world), /without messages/)
})

test('the month of a deleted sandbox is not continued', async (t) => {
  const world = await startSandbox(t, { works: false })
  const { workspaceId, parts } = world
  const find = () => world.query('select * from sandbox_work where workspace_id = $1', [workspaceId])
  await fill(world)
  const work = await find()
  await parts.db.transaction((tx) => requestDeletion(tx, parts.clock, { workspaceId }))
  await sandboxLoop(parts).turn()
  assert.deepEqual(await find(), work)
})

test('a live workspace is neither filled nor emptied', async (t) => {
  const world = await startShop(t)
  await world.query('update workspaces set sandbox = false where id = $1', [world.workspaceId])
  await assert.rejects(fill(world), /is live/)
  await assert.rejects(empty(world), /is live/)
})
