import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countDays as countIn } from '../../../src/charts/count.ts'
import { dailyFiguresLoop } from '../../../src/charts/daily.ts'
import { countsByPrefix, sumOf } from '../../../src/charts/figures.ts'
import { RESEND_INTERVAL_MS } from '../../../src/otp/verifications/limits.ts'
import { pauseEndpoint } from '../../../src/webhooks/endpoints.ts'
import { createWorkspace } from '../../../src/workspaces/workspaces.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const chartsOf = ({ workspaceId }: World, { calls }: SignedIn, more: object = {}) =>
  calls.charts.all.query({ workspaceId, range: { last: 7 }, ...more })

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

/** Counts every finished day like the background loop, but only in this test's workspace. */
async function countDays(world: World, db = world.parts.db): Promise<void> {
  await world.query('update workspaces set sandbox = true where not sandbox and id <> $1', [world.workspaceId])
  await world.query('delete from daily_figures where workspace_id <> $1', [world.workspaceId])
  const loop = dailyFiguresLoop({ ...world.parts, db })
  for (let turns = 0; turns < 200; turns += 1) if (!(await loop.turn()).more) return
  throw new Error('the days are not counted after 200 turns')
}

test('the charts show the funnel of codes and the reasons of failures', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
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

test('the charts show the conversion of verifications by template, country and hour', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const moroccan = await world.startVerification()
  await world.check(moroccan, await world.codeOn(moroccan))
  await world.whatsapp.reports({ messageId: moroccan.verificationId }, ['sent', 'delivered'])
  const french = { name: 'login_code', language: 'fr' }
  const spanish = await world.startVerification({ to: '+34612345678', template: french })
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const resent = await world.resend(spanish)
  await world.whatsapp.reports({ messageId: String(resent.body.messageId) }, ['delivered'])
  await world.startVerification({ to: '+34612345679', template: french })
  await world.submitOtp()
  const { verifications } = await chartsOf(world, member)
  const { byHour, ...rest } = verifications
  assert.deepEqual(rest, {
    started: 3,
    delivered: 2,
    approved: 1,
    byTemplate: [
      { template: 'login_code', language: 'fr', started: 2, delivered: 1, approved: 0 },
      { template: 'login_code', language: 'en_US', started: 1, delivered: 1, approved: 1 },
    ],
    byCountry: [
      { country: 'ES', started: 2, delivered: 1, approved: 0 },
      { country: 'MA', started: 1, delivered: 1, approved: 1 },
    ],
  })
  assert.equal(byHour.length, 24)
  const timeZone = (await chartsOf(world, member)).timeZone
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(world.clock.now()),
  )
  const near = byHour.filter(({ started }) => started > 0).map((each) => each.hour)
  assert.ok(
    near.every((each) => each === hour || each === (hour + 23) % 24),
    `${near.join()} at ${hour}`,
  )
  assert.equal((await chartsOf(world, member, { language: 'fr' })).verifications.started, 2)
})

test('verifications count by the hour that clocks show, also on days on which clocks change', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, parts } = world
  const hours = [0, 12, 23]
  const started = await Promise.all(hours.map(() => world.startVerification()))
  const timeZone = 'Europe/Paris'
  let change = Temporal.Now.zonedDateTimeISO(timeZone)
  for (let changes = 0; changes < 2; changes += 1) {
    change = change.getTimeZoneTransition('next') ?? assert.fail('Paris changes its clocks')
    const day = change.toPlainDate()
    for (const [index, { verificationId }] of started.entries()) {
      const at = day.toZonedDateTime({ timeZone, plainTime: { hour: hours[index] ?? 0, minute: 30 } })
      await world.query('update messages set created_at = $2 where id = $1', [
        verificationId,
        at.toInstant().toString(),
      ])
    }
    const clock = { sandbox: true, offsetMs: change.epochMilliseconds - Date.now() }
    const counts = sumOf(await countIn(parts.db, { workspaceId, days: [day.toString()], timeZone, clock }))
    const counted = countsByPrefix(counts, 'verification.hour.').map(([name]) => name)
    assert.deepEqual(counted.toSorted(), ['0.started', '12.started', '23.started'], day.toString())
  }
})

test('the funnel counts the codes that were not delivered in time, also if they were later', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const late = await world.sendOtp({ deliverWithinSeconds: 10 })
  await world.sendOtp({ deliverWithinSeconds: 10, template: { name: 'login_code', language: 'fr' } })
  await world.whatsapp.reports(await world.sendOtp({ deliverWithinSeconds: 10 }), ['delivered'])
  await world.after('10s')
  await world.whatsapp.reports(late, ['delivered'])
  const { funnel } = await chartsOf(world, member)
  assert.deepEqual([funnel.undelivered, funnel.delivered, funnel.open], [2, 2, 1])
  assert.equal((await chartsOf(world, member, { language: 'fr' })).funnel.undelivered, 1)
})

test('the overview’s call has the figures of today and of the last days', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const { workspaceId } = world
  await world.sendOtp()
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const { latest, week } = await member.calls.charts.overview.query({ workspaceId })
  assert.deepEqual(week, await chartsOf(world, member))
  const { funnel, confirmations, today } = await chartsOf(world, member, { range: { last: 1 } })
  assert.deepEqual(latest, { day: today, funnel, confirmations })
})

test('yesterday counts until the same time, and an empty today shows the latest day', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const member = await signIn(world, 'member')
  const overview = () => member.calls.charts.overview.query({ workspaceId })
  assert.equal((await overview()).yesterday, null, 'the workspace began today')
  await world.submitOtp()
  await world.query(`update workspaces set created_at = created_at - interval '9 days', sandbox = true where id = $1`, [
    workspaceId,
  ])
  const sentEarlier = (ago: string) =>
    world.query('update messages set created_at = now() - $2::interval where workspace_id = $1', [workspaceId, ago])
  await sentEarlier('23 hours')
  assert.equal((await overview()).yesterday?.funnel.accepted, 0)
  await sentEarlier('24 hours 1 second')
  const { latest, yesterday, week } = await overview()
  assert.deepEqual([yesterday?.funnel.accepted, yesterday?.confirmations.requested], [1, 0])
  assert.deepEqual([latest.day, latest.funnel.accepted], [week.messages.at(-2)?.day, 1])
})

test('the charts compare with as many days before, until the same time', async (t) => {
  const world = await startWorld(t, { works: false })
  const member = await signIn(world, 'member')
  const before = async (more?: object) => (await chartsOf(world, member, more)).before
  assert.equal(await before(), null, 'the workspace began today')
  await world.query(`update workspaces set created_at = created_at - interval '30 days' where id = $1`, [
    world.workspaceId,
  ])
  await world.sendOtp()
  world.advance('167h')
  await countDays(world)
  assert.equal((await before())?.messages, 0, 'an hour later than now')
  world.advance('2h')
  await countDays(world)
  const { today } = await chartsOf(world, member)
  const { from, to, messages } = (await before()) ?? {}
  assert.deepEqual([from, to, messages], [dayBefore(today, 13), dayBefore(today, 7), 1])
  assert.equal((await before({ language: 'nn' }))?.messages, 0)
  const whole = await before({ range: { from: dayBefore(today, 6), to: dayBefore(today, 1) } })
  assert.deepEqual([whole?.to, whole?.until, whole?.messages], [dayBefore(today, 7), null, 1])
  assert.equal(await before({ range: { last: 60 } }), null, 'it would begin before the workspace')
})

test('the charts keep the chosen days, whenever the workspace began', async (t) => {
  const world = await startWorld(t)
  const { today, from, to, messages } = await chartsOf(world, await signIn(world, 'member'))
  assert.deepEqual([from, to, messages.length], [messages[0]?.day, today, 7])
})

test('the charts show customers’ answers, their delay and their reasons', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const member = await signIn(world, 'member')
  const [first, second, third] = [
    await world.createConfirmation(),
    await world.createConfirmation(),
    await world.createConfirmation(),
  ]
  await world.settled()
  await world.customer(first).taps('Confirm')
  await world.after('121m')
  await world.customer(second).taps('Cancel')
  await world.askAboutRefusal(first)
  await world.customer(first).taps('Yes')
  await world.customer(first).chooses('Too late')
  assert.ok(third)
  const all = await chartsOf(world, member)
  const { requested, confirmed, cancelled, open } = all.confirmations
  assert.deepEqual({ requested, confirmed, cancelled, open }, { requested: 3, confirmed: 1, cancelled: 1, open: 1 })
  assert.deepEqual(all.reminder, { reminded: 2, answered: 1 })
  const soon = all.answerTimes
    .filter(({ count }) => count > 0)
    .map(({ uptoMs, count }) => [(uptoMs ?? 0) / 60_000, count])
  assert.deepEqual(soon, [
    [5, 1],
    [240, 1],
  ])
  assert.deepEqual([all.refusals.requested, all.refusals.refused], [1, 1])
  assert.deepEqual(all.reasons, [{ reason: 'Too late', count: 1 }])
})

test('a finished day is stored as counted, and its charts stay the same', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const { today, funnel } = await chartsOf(world, member)
  world.advance('24h')
  await countDays(world)
  const rows = await world.query<{ day: string; groups: unknown[]; due: boolean }>(
    `select day::text, groups, due_at > now() as due from daily_figures where workspace_id = $1 order by day`,
    [world.workspaceId],
  )
  const kept = rows.find(({ day }) => day === today)
  assert.equal(kept?.groups.length, 1)
  assert.equal(kept?.due, true, 'it is counted again later')
  await world.query('update messages set template_name = $2 where workspace_id = $1', [world.workspaceId, 'another'])
  const later = await chartsOf(world, member)
  assert.equal(later.messages.at(-2)?.day, today)
  assert.deepEqual(later.funnel, funnel)
  assert.equal((await chartsOf(world, member, { template: 'login_code' })).funnel.accepted, 1)
  assert.equal(later.uncounted, 0)
})

test('a day is counted an hour at a time, and delays no client that reads events', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  await world.sendOtp()
  await world.after('24h')
  const readEvents = async () => (await world.request('GET', '/api/v1/events')).body['events'] as object[]
  const spans: number[] = []
  const db = spyOnDb(world.parts.db, async ({ statement, values, run }) => {
    if (statement.name !== 'count_days') return run()
    const [begin, end] = values[1] as [Date, Date]
    spans.push(end.getTime() - begin.getTime())
    if (spans.length === 1) {
      await world.whatsapp.reports(await world.sendOtp(), ['sent'])
      await waitFor('the event', async () => (await readEvents()).length === 1)
    }
    return run()
  })
  await countDays(world, db)
  assert.deepEqual(new Set(spans), new Set([HOUR_MS]))
  assert.equal((await chartsOf(world, member)).messages.at(-2)?.otp, 1)
  await assertVerified(world)
})

test('a slow count of a day does not replace the one that another node made meanwhile', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const otp = await world.sendOtp()
  await world.after('24h')
  let isCountedElsewhere = false
  const db = spyOnDb(world.parts.db, async ({ statement, run }) => {
    if (statement.name !== 'keep_daily_figures' || isCountedElsewhere) return run()
    isCountedElsewhere = true
    await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
    world.advance('15m')
    await countDays(world)
    return run()
  })
  await countDays(world, db)
  assert.equal((await chartsOf(world, member)).funnel.read, 1)
})

test('a new delivery time zone changes the days and counts them again', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
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

test('a change of the delivery time zone keeps the figures of days that are too old to be counted again', async (t) => {
  const world = await startWorld(t)
  // Charts begin with the day of the creation, which is the next one on Kiritimati from 10:00 on.
  await world.query(`update workspaces set created_at = date_trunc('day', created_at) where id = $1`, [
    world.workspaceId,
  ])
  await world.sendOtp()
  const day = new Date().toISOString().slice(0, 10)
  for (const ahead of ['24h', '2304h']) {
    world.advance(ahead)
    await countDays(world)
  }
  const member = await signIn(world, 'member')
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
    await world.codSettings({ timeZone })
    await countDays(world)
    const { messages } = await chartsOf(world, member, { range: { from: day, to: day } })
    assert.deepEqual(messages, [{ day, otp: 1, cod: 0 }], timeZone)
    await assertVerified(world)
  }
})

test('uncounted days are reported, and never shown as empty', async (t) => {
  const world = await startWorld(t, { works: false })
  const member = await signIn(world, 'member')
  await world.query(`update workspaces set created_at = created_at - interval '30 days' where id = $1`, [
    world.workspaceId,
  ])
  const all = await chartsOf(world, member, { range: { last: 30 } })
  assert.equal(all.messages.length, 30)
  assert.equal(all.uncounted, 27)
  await countDays(world)
  assert.equal((await chartsOf(world, member, { range: { last: 30 } })).uncounted, 0)
})

test('an invalid, too long or backward range is rejected', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const ranges = [
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2026-01-01', to: '2026-12-31' },
    { from: 'x', to: 'y' },
    { last: 0 },
    { last: 93 },
  ]
  for (const range of ranges) await assert.rejects(chartsOf(world, member, { range }), /Some fields are not valid/)
})

test('the charts contain nothing of another workspace', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const member = await signIn(mine, 'member')
  await theirs.sendOtp()
  assert.equal((await chartsOf(mine, member)).funnel.accepted, 0)
  await assert.rejects(chartsOf(theirs, member), /There is no such workspace/)
})

test('one user’s slow charts delay no other user', async (t) => {
  const world = await startWorld(t, { works: false })
  const [member, owner] = [await signIn(world, 'member'), await signIn(world, 'owner')]
  const blocker = await world.parts.db.connect()
  const queries = []
  try {
    await blocker.query('begin')
    await blocker.query('lock table daily_figures')
    for (let n = 0; n < 20; n += 1) queries.push(chartsOf(world, member))
    await waitFor('charts to wait', async () => {
      const [waiting] = await world.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where not granted and relation = 'daily_figures'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      )
      return (waiting?.n ?? 0) >= 2
    })
    assert.deepEqual((await owner.calls.auditLog.list.query({ workspaceId: world.workspaceId })).entries, [])
  } finally {
    await blocker.end()
  }
  assert.equal((await Promise.all(queries)).length, 20)
})

test('problems are shown until they are fixed, only for their workspace', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const { workspaceId } = world
  const { calls } = await signIn(world, 'member')
  const problems = async () =>
    (await calls.workspaces.attention.query({ workspaceId })).map(({ about, level }) => `${level} ${about}`)
  assert.deepEqual(await problems(), [], 'the paused template could be used for nothing')
  await world.sendOtp()
  await world.settled() // once sent it holds no code, without which it can be quarantined below
  const receiver = await world.receiver()
  await pauseEndpoint(world.parts.db, world.parts.clock, { workspaceId, endpointId: receiver.endpointId })
  await world.query('update senders set paused_at = now() where workspace_id = $1', [workspaceId])
  await world.query(`update webhook_endpoints set status = 'disabled' where workspace_id = $1`, [workspaceId])
  await world.query(`update api_keys set expires_at = now() + interval '1 day' where workspace_id = $1`, [workspaceId])
  await world.query(`update templates set status = 'PAUSED' where workspace_id = $1 and name = 'delivery_refusal'`, [
    workspaceId,
  ])
  assert.deepEqual(
    [...new Set(await problems())],
    ['failure quota', 'failure endpoint', 'warning sender', 'warning template', 'warning key'],
  )
  await world.query(`update provider_accounts set status = 'credentials_invalid' where workspace_id = $1`, [
    workspaceId,
  ])
  assert.equal((await problems())[0], 'failure account')
  await world.query(
    `update messages set due_at = null, quarantined_at = now(), finish_error = '{"code":"text","text":"x"}' where workspace_id = $1`,
    [workspaceId],
  )
  assert.equal((await problems())[1], 'failure quarantine')
  const operator = await signIn(world, 'operator')
  const other = await createWorkspace(world.parts.db, world.parts.clock, { name: 'other', sandbox: false })
  assert.deepEqual(await operator.calls.workspaces.attention.query({ workspaceId: other.workspaceId }), [])
})
