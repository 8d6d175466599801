import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syncAccount, syncLoop } from '../../../src/accounts/sync/sync.ts'
import { DAY_MS, MINUTE_MS, later } from '../../../src/lib/clock.ts'
import { createInstants } from '../../../src/messages/reports/receive.ts'
import { claimRun, endRun } from '../../../src/operations/doctor/alerts/store.ts'
import { createRemovalGuard } from '../../../src/operations/lifecycle/retention/guard.ts'
import { housekeepingLoop } from '../../../src/runtime/background/housekeeping.ts'
import { release } from '../../../src/webhooks/delivery/release.ts'
import { pingEndpoint } from '../../../src/webhooks/endpoints.ts'
import { type World, startWorld } from '../../world/world.ts'

const AHEAD_MS = 2 * DAY_MS

/** A world in which this was done while the database's clock was days ahead. */
async function doneAhead(world: World, work: () => Promise<unknown>): Promise<void> {
  world.clock.advance(AHEAD_MS)
  await work()
  world.clock.advance(-AHEAD_MS)
  await housekeepingLoop({ ...world.parts, guard: createRemovalGuard(world.parts) }).turn()
}

test('an account that was synced while the clock was ahead is synced again when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  const { accountId } = world.account
  await doneAhead(world, () => syncAccount(world.parts, accountId))
  await assertSyncedBy(world, () => syncAllDue(world))
})

test('an account whose sync is due soon, but whose last one was ahead, is synced again', async (t) => {
  const world = await startWorld(t, { works: false })
  const { accountId } = world.account
  await doneAhead(world, () =>
    world.query(`update provider_accounts set synced_at = $2 where id = $1`, [accountId, world.clock.now()]),
  )
  await assertSyncedBy(world, () => syncAccount(world.parts, accountId))
})

/** A turn syncs a few of those that are due, and other tests' accounts may be due too. */
async function syncAllDue({ parts }: World): Promise<void> {
  const loop = syncLoop(parts)
  for (let hasMore = true; hasMore; ) ({ more: hasMore } = await loop.turn())
}

async function assertSyncedBy(world: World, work: () => Promise<unknown>): Promise<void> {
  const now = world.clock.now()
  await work()
  const [account] = await world.query<{ at: Date }>('select synced_at as at from provider_accounts where id = $1', [
    world.account.accountId,
  ])
  assert.ok(account && account.at >= now && account.at <= world.clock.now(), String(account?.at))
}

test('a removed account is never made due', async (t) => {
  const world = await startWorld(t, { works: false })
  const { accountId } = world.account
  await world.query(`update provider_accounts set status = 'removed', sync_due_at = 'infinity' where id = $1`, [
    accountId,
  ])
  await doneAhead(world, async () => {})
  const [row] = await world.query<{ due: string }>(
    'select sync_due_at::text as due from provider_accounts where id = $1',
    [accountId],
  )
  assert.deepEqual(row, { due: 'infinity' })
})

test('messages that arrive after the clock is set back have no later time of arrival', () => {
  let now = new Date('2026-11-29T12:00:00Z')
  const next = createInstants({ now: () => now })
  const first = [next(), next()]
  assert.equal(Number(first[1]) - Number(first[0]), 1)
  now = new Date('2026-11-28T12:00:00Z')
  assert.deepEqual(next(), now)
})

test('a number whose breaker was opened while the clock was ahead sends when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  const open = 'update sender_pace set breaker_open_until = $2, breaker_step = 1 where sender_id = $1'
  await doneAhead(world, () => world.query(open, [world.senderId, world.clock.now()]))
  await world.node()
  await world.node({ works: true })
  const otp = await world.submitOtp()
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a message that waited while the clock was ahead is sent when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  let otp = { messageId: '' }
  await doneAhead(world, async () => (otp = await world.sendOtp()))
  await world.node({ works: true })
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a webhook that waited while the clock was ahead is sent when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId, received } = await world.receiver()
  const id = { workspaceId: world.workspaceId, endpointId }
  await doneAhead(world, () => pingEndpoint(world.parts.db, world.clock, id))
  await world.node({ works: true })
  await world.settled()
  assert.equal(received.length, 1)
})

test('a release of webhooks that was planned while the clock was ahead goes on when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId } = await world.receiver()
  const plan = 'update webhook_endpoints set release_at = $2 where id = $1'
  await doneAhead(world, () => world.query(plan, [endpointId, world.clock.now()]))
  await release(world.parts.db, world.clock.now())
  const ended = 'select from webhook_endpoints where id = $1 and release_at is null'
  assert.equal((await world.query(ended, [endpointId])).length, 1)
})

test('a report that waited while the clock was ahead is applied when it is corrected', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  const wait = `update provider_reports set outcome = 'waiting', due_at = $2 where workspace_id = $1`
  await doneAhead(world, () => world.query(wait, [world.workspaceId, later(world.clock.now(), MINUTE_MS)]))
  await world.settled()
  const waiting = `select from provider_reports where workspace_id = $1 and outcome = 'waiting'`
  assert.deepEqual(await world.query(waiting, [world.workspaceId]), [])
})

test('an examination that was planned while the clock was ahead is made when it is corrected', async (t) => {
  const world = await startWorld(t, { works: false })
  const { db, clock } = world.parts
  await db.rows({ name: 'forget_runs', text: 'delete from doctor_runs' })
  await doneAhead(world, async () => {
    await claimRun(db, clock.now())
    world.clock.advance(DAY_MS)
    const run = (await claimRun(db, clock.now())) ?? assert.fail('no examination was due')
    await endRun(db, run, { findings: [], now: clock.now(), sends: false })
    world.clock.advance(-DAY_MS)
  })
  const run = await claimRun(db, clock.now())
  assert.equal(run?.outside, true)
})
