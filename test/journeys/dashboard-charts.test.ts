import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dailyFiguresLoop } from '../../src/charts/daily.ts'
import { closeBrowser } from '../browser.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

const chartsOf = ({ workspaceId }: World, { calls }: SignedIn, more: object = {}) =>
  calls.charts.all.query({ workspaceId, range: { last: 7 }, ...more })

/** Every day that is over is counted, as the background work does it. */
async function countDays({ parts }: World): Promise<void> {
  const loop = dailyFiguresLoop(parts)
  for (let turns = 0; turns < 200; turns += 1) if (!(await loop.turn()).more) return
  throw new Error('the days are not counted after 200 turns')
}

test('the charts tell what became of codes, step by step, and why some failed', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  const read = await world.sendOtp()
  await world.whatsapp.reports(read, ['sent', 'delivered', 'read'])
  const delivered = await world.sendOtp({ template: { name: 'login_code', language: 'fr' } })
  await world.whatsapp.reports(delivered, ['sent', 'delivered'])
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const all = await chartsOf(world, member)
  const { accepted, sent, failed: failures, open, took } = all.funnel
  assert.deepEqual([accepted, sent, all.funnel.delivered, all.funnel.read, failures, open], [3, 2, 2, 1, 1, 0])
  assert.deepEqual([took.sent?.of, took.delivered?.of, took.read?.of], [2, 2, 1])
  assert.deepEqual(all.failures, [{ code: 'RECIPIENT_UNREACHABLE', count: 1 }])
  assert.deepEqual(all.messages.at(-1), { day: all.today, otp: 3, cod: 0 })
  assert.equal((await chartsOf(world, member, { language: 'fr' })).funnel.accepted, 1)
  assert.equal((await chartsOf(world, member, { template: 'login_code' })).funnel.accepted, 3)
  assert.equal((await chartsOf(world, member, { senderId: world.account.accountId })).funnel.accepted, 0)
})

test('the charts tell what customers answered, how soon, whether after the reminder, and why they refused', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  await world.codSettings()
  const [first, second, third] = [
    await world.createConfirmation(),
    await world.createConfirmation(),
    await world.createConfirmation(),
  ]
  await world.settled()
  await world.customer(first).taps('Confirm')
  world.advance('121m')
  await world.settled()
  await world.customer(second).taps('Cancel')
  await world.startRefusalCheck(first)
  await world.settled()
  await world.customer(first).taps('Yes')
  await world.customer(first).chooses('Too late')
  assert.ok(third)
  const all = await chartsOf(world, member)
  const { asked, confirmed, cancelled, open } = all.orders
  assert.deepEqual({ asked, confirmed, cancelled, open }, { asked: 3, confirmed: 1, cancelled: 1, open: 1 })
  assert.deepEqual(all.reminder, { answered: 2, reminded: 2, answeredAfter: 1, answeredBefore: 1 })
  const soon = all.answerTimes
    .filter(({ count }) => count > 0)
    .map(({ uptoMs, count }) => [(uptoMs ?? 0) / 60_000, count])
  assert.deepEqual(soon, [
    [5, 1],
    [240, 1],
  ])
  assert.deepEqual([all.refusals.asked, all.refusals.refused], [1, 1])
  assert.deepEqual(all.reasons, [{ reason: 'Too late', count: 1 }])
})

test('a day that is over is kept as it was counted, and the charts of it are the same as before', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const { today, funnel } = await chartsOf(world, member)
  world.advance('24h')
  await countDays(world)
  const rows = await world.ask<{ day: string; groups: unknown[]; due: boolean }>(
    `select day::text, groups, due_at > now() as due from daily_figures where workspace_id = $1 order by day`,
    [world.workspaceId],
  )
  const kept = rows.find(({ day }) => day === today)
  assert.equal(kept?.groups.length, 1)
  assert.equal(kept?.due, true, 'it is counted again later')
  await world.ask('update messages set template_name = $2 where workspace_id = $1', [world.workspaceId, 'another'])
  const later = await chartsOf(world, member)
  assert.equal(later.messages.at(-2)?.day, today)
  assert.deepEqual(later.funnel, funnel)
  assert.equal((await chartsOf(world, member, { template: 'login_code' })).funnel.accepted, 1)
  assert.equal(later.uncounted, 0)
})

test('with another delivery zone the days are others, and are counted anew', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  await world.sendOtp()
  world.advance('48h')
  await countDays(world)
  for (const timeZone of ['Pacific/Kiritimati', 'Asia/Kathmandu', 'America/Los_Angeles']) {
    await world.codSettings({ timeZone })
    const before = await chartsOf(world, member)
    assert.equal(before.timeZone, timeZone)
    await countDays(world)
    const { messages, uncounted } = await chartsOf(world, member)
    assert.equal(uncounted, 0)
    const real = new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date())
    assert.deepEqual(
      messages.filter(({ otp }) => otp > 0),
      [{ day: real, otp: 1, cod: 0 }],
    )
  }
})

test('days that nobody has counted yet are told, and never shown as empty ones', async (t) => {
  const world = await startWorld(t, { works: false })
  const member = await signedIn(world, 'member')
  await world.ask(`update workspaces set created_at = created_at - interval '30 days' where id = $1`, [
    world.workspaceId,
  ])
  const all = await chartsOf(world, member, { range: { last: 30 } })
  assert.equal(all.messages.length, 30)
  assert.equal(all.uncounted, 27)
  await countDays(world)
  assert.equal((await chartsOf(world, member, { range: { last: 30 } })).uncounted, 0)
})

test('a range that is too long, goes backwards or names no day is refused', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  const ranges = [
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2026-01-01', to: '2026-12-31' },
    { from: 'x', to: 'y' },
    { last: 0 },
    { last: 93 },
  ]
  for (const range of ranges) await assert.rejects(chartsOf(world, member, { range }), /Something in the form/)
})

test('nothing of another workspace is in the charts', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const member = await signedIn(mine, 'member')
  await theirs.sendOtp()
  assert.equal((await chartsOf(mine, member)).funnel.accepted, 0)
  await assert.rejects(chartsOf(theirs, member), /There is no such workspace/)
})
