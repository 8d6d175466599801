import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import type { Db } from '../../../src/lib/db/pool.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { SHIFTED_COLUMNS } from '../../../src/sandbox/move-clock.ts'
import { pingEndpoint } from '../../../src/webhooks/endpoints.ts'
import { setQuota } from '../../../src/workspaces/quota.ts'
import { jsonOfCommand, runCommandIn } from '../../world/command-line.ts'
import { type CreatedConfirmation, confirmationPath } from '../../world/cod.ts'
import { assertVerified } from '../../world/verified.ts'
import { startSandbox as startCodSandbox } from '../../world/sandbox.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { waitFor } from '../../world/wait-for.ts'
import { newPhone, startWorld, toMilliseconds, type World, type WorldOptions } from '../../world/world.ts'

const UNKNOWN = '019f0000-0000-7000-8000-000000000000'

test('reminder and deadline of one advance fire in order, each at its time', async (t) => {
  const world = await startSandbox(t, { confirmation: { reminderMinutes: 120, noResponseMinutes: 1440 } })
  const receiver = await world.receiver()
  const order = await confirm(world)
  const { advancedBy, fired, now } = await advanceByCommand(world, '1d1h')
  assert.equal(advancedBy, 25 * HOUR_MS)
  assert.deepEqual(fired, {
    reminders: 1,
    deadlines: 1,
    followUpExpiries: 0,
    messages: 1,
    events: 1,
    webhookAttempts: 1,
  })
  assert.ok(Math.abs(Date.parse(now) - Date.now() - 25 * HOUR_MS) < 10 * SECOND_MS)

  const [first, reminder] = await messagesOf(world, order)
  assert.equal(reminder?.purpose, 'reminder')
  assert.equal(world.customer(order).screen().length, 2)
  const [event] = receiver.events('cod.no_response')
  assert.ok(event && first && reminder)
  assert.equal(event.timestamp, event.data['occurredAt'])
  assertAfter(first.created_at, reminder.created_at, 2 * HOUR_MS)
  assertAfter(first.created_at, event.timestamp, 24 * HOUR_MS)
  assert.equal(await statusOf(world, order), 'no_response')
})

test('an advance short of a due time shortens the wait exactly', async (t) => {
  const world = await startSandbox(t, { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } })
  const order = await confirm(world)
  assert.deepEqual((await advance(world, '59m')).fired.deadlines, 0)
  assert.equal(await statusOf(world, order), 'awaiting_answer')
  assert.deepEqual((await advance(world, '1m')).fired.deadlines, 1)
  assert.equal(await statusOf(world, order), 'no_response')
})

test('a quarantined timer does not stop the clock and waits for its release', async (t) => {
  const world = await startSandbox(t, { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } })
  const order = await confirm(world)
  await world.query(
    `update confirmations set timer_quarantined_at = now(), timer_error = '{"code":"text","text":"x"}' where id = $1`,
    [order.confirmationId],
  )
  assert.equal((await advance(world, '2h')).advancedBy, 2 * HOUR_MS)
  assert.equal(await statusOf(world, order), 'awaiting_answer')
})

test('an unanswered follow-up expires after 23 hours with what was chosen', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const order = await confirm(world)
  await world.customer(order).taps(2)
  await world.customer(order).taps(0)
  const { fired } = await advance(world, '23h')
  assert.equal(fired.followUpExpiries, 1)
  const [event] = receiver.events('cod.reschedule_requested')
  assert.ok(event)
  const { date, timeRange } = event.data['reschedule'] as { date: string | null; timeRange: string | null }
  assert.ok(date)
  assert.equal(timeRange, null)
  assert.equal(await statusOf(world, order), 'rescheduled')
})

test('a verification expires at its time of the moved clock', async (t) => {
  const world = await startSandbox(t)
  const [checked, left] = [await world.startVerification(), await world.startVerification()]
  const code = await world.codeOn(checked)
  await advance(world, '599s')
  assert.equal((await world.check(checked, code)).body.status, 'approved')
  assert.equal((await world.getVerification(left)).status, 'pending')
  await advance(world, '1h')
  const { status, endedAt, expiresAt } = await world.getVerification(left)
  assert.equal(status, 'expired')
  assertAfter(new Date(String(expiresAt)), String(endedAt), 0)
  await assertVerified(world)
})

test('webhook retries due on the way are made; later ones are not', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 500 }, { status: 500 }, { status: 500 })
  await world.customer(await confirm(world)).taps(0)
  await receiver.waitFor(1)
  assert.equal((await advance(world, '20s')).fired.webhookAttempts, 1)
  assert.equal(receiver.received.length, 2)
  assert.equal((await advance(world, '1h')).fired.webhookAttempts, 2)
  assert.equal(receiver.received.length, 4)
  assert.equal(new Set(receiver.ids()).size, 1)
})

test('advancing over five days of failures disables an endpoint', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  for (let each = 0; each < 4; each += 1) {
    await world.customer(await confirm(world)).taps(0)
    await advance(world, '2d')
  }
  const [endpoint] = await world.query<{ status: string }>('select status from webhook_endpoints where id = $1', [
    receiver.endpointId,
  ])
  assert.equal(endpoint?.status, 'disabled')
})

test('the quota resets with the month of the workspace’s clock', async (t) => {
  const world = await startSandbox(t)
  await setQuota(world.parts.db, { workspaceId: world.workspaceId, kind: 'cod_confirmation', monthlyUnits: 1 })
  await confirm(world)
  const second = await world.request('POST', confirmationPath, { body: world.confirmationBody() })
  assert.equal(second.body['code'], 'COD_QUOTA_EXCEEDED')
  const before = new Date()
  await advance(world, '31d')
  const { confirmationId } = await confirm(world)
  const [row] = await world.query<{ created_at: Date; quota_unit: number }>(
    'select created_at, quota_unit from confirmations where id = $1',
    [confirmationId],
  )
  assert.equal(row?.quota_unit, 1)
  assertAfter(before, row.created_at, 31 * 24 * HOUR_MS)
})

test('an advance changes nothing of another workspace', async (t) => {
  const [mine, other] = [await startSandbox(t), await startSandbox(t)]
  const { confirmationId } = await confirm(other)
  const receiver = await other.receiver()
  const rows = () =>
    other.query(
      'select deadline_at, status, (select sum(clock_offset_ms) from workspaces where id = workspace_id) as ahead from confirmations where id = $1',
      [confirmationId],
    )
  const before = await rows()
  await confirm(mine)
  await advance(mine, '30d')
  assert.deepEqual(await rows(), before)
  assert.equal(receiver.received.length, 0)
})

/** Zones, and an advance over the night in which their clocks change: the day question after it. */
const CHANGES: readonly [zone: string, from: string, by: string, offered: string[]][] = [
  // Egypt's clocks go forward on the last Friday of April, and back on the last Thursday of October, both at midnight.
  ['Africa/Cairo', '2026-04-23T21:15:00Z', '24h', ['2026-04-26', '2026-04-27', '2026-04-28']],
  ['Africa/Cairo', '2026-04-22T21:30:00Z', '24h', ['2026-04-24', '2026-04-25', '2026-04-26']],
  ['Africa/Cairo', '2026-10-29T20:30:00Z', '1d', ['2026-10-31', '2026-11-01', '2026-11-02']],
  ['Africa/Cairo', '2026-10-28T21:30:00Z', '24h', ['2026-10-30', '2026-10-31', '2026-11-01']],
  // Morocco's go back for Ramadan, here from 15 February to 22 March.
  ['Africa/Casablanca', '2026-02-14T23:30:00Z', '24h', ['2026-02-16', '2026-02-17', '2026-02-18']],
  ['Africa/Casablanca', '2026-03-21T23:30:00Z', '24h', ['2026-03-24', '2026-03-25', '2026-03-26']],
]

for (const [timeZone, from, by, offered] of CHANGES) {
  test(`in ${timeZone} the days offered ${by} after ${from} follow its calendar`, async (t) => {
    const world = await startSandbox(t, { timeZone })
    const order = await confirm(world)
    await world.query('update workspaces set clock_offset_ms = $2 where id = $1', [
      world.workspaceId,
      Date.parse(from) - Date.now(),
    ])
    await advance(world, by)
    await world.customer(order).taps(2)
    const [question] = await world.query<{ offered: string[] }>(
      `select offered from messages where workspace_id = $1 and purpose = 'day_question'`,
      [world.workspaceId],
    )
    assert.deepEqual(question?.offered, offered)
  })
}

test('without a running server the command does the work', async (t) => {
  const world = await startSandbox(t, {}, { works: false })
  const receiver = await world.receiver()
  const order = await confirm(world)
  const { fired } = await advanceByCommand(world, '2d')
  assert.deepEqual(fired, {
    reminders: 0,
    deadlines: 1,
    followUpExpiries: 0,
    messages: 1,
    events: 1,
    webhookAttempts: 1,
  })
  assert.deepEqual(receiver.types(), ['cod.no_response'])
  assert.equal(await statusOf(world, order), 'no_response')
})

test('with a running server the command leaves the work to it', async (t) => {
  const ran: string[] = []
  const wrapDb = (db: Db): Db =>
    spyOnDb(db, ({ statement, run }) => {
      ran.push(statement.name)
      return run()
    })
  const world = await startSandbox(t, {}, { wrapDb })
  const receiver = await world.receiver()
  await confirm(world)
  ran.length = 0
  const { fired } = await advanceByCommand(world, '1d')
  assert.equal(fired.deadlines, 1)
  assert.equal(receiver.events('cod.no_response').length, 1)
  assert.ok(ran.includes('finish_deliveries'), 'the server sent the webhook')
})

test('a paused sender’s message fails at its window’s end, without stopping the clock', async (t) => {
  const world = await startSandbox(t, {}, { works: false })
  const receiver = await world.receiver()
  const order = await confirm(world)
  await world.query('update senders set paused_at = now() where id = $1', [world.senderId])
  await advance(world, '23h')
  assert.equal(await statusOf(world, order), 'accepted')
  await advance(world, '1h')
  assert.equal(await statusOf(world, order), 'failed')
  const [event] = receiver.events('cod.failed')
  assert.ok(event)
  assert.equal((event.data['failure'] as { code: string }).code, 'SUBMISSION_EXPIRED')
  assertAfter(new Date(String(event.data['createdAt'])), event.timestamp, 24 * HOUR_MS)
})

test('the clock waits until no report can resolve a lost response, even a trial’s', async (t) => {
  const world = await startSandbox(t)
  const { parts, workspaceId } = world
  const to = newPhone()
  for (const behaviour of [{ error: 131057 }, { connection: 'drop_after_accepting' }] as const)
    world.emulator.script({ match: { to, times: 1 }, behaviour })
  const otp = await world.submitOtp({ to })
  const attempts = () =>
    world.query<{ outcome: string; started_at: Date; ended_at: Date }>(
      'select outcome, started_at, ended_at from message_attempts where message_id = $1 order by attempt',
      [otp.messageId],
    )
  const advanced = advanceSandbox(parts, { workspaceId, byMs: MINUTE_MS })
  await waitFor('the lost response', async () => (await attempts()).length === 2)
  await waitFor('the message to be sent again', async () => {
    world.advance('1s') // what the sandbox’s clock waits for is real time
    return (await attempts()).length === 3
  })
  const [, lost, again] = await attempts()
  assert.ok(lost && again)
  assert.deepEqual([lost.outcome, again.outcome], ['unknown', 'accepted'])
  const waitedMs = again.started_at.getTime() - lost.ended_at.getTime()
  assert.ok(waitedMs >= 10 * SECOND_MS, `${waitedMs} ms`)
  assert.equal((await advanced).advancedBy, MINUTE_MS)
  assert.equal(world.whatsapp.got(otp).length, 2)
})

test('a sandbox’s ping has the time of its clock', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  await advance(world, '10d')
  const before = new Date()
  const id = { workspaceId: world.workspaceId, endpointId: receiver.endpointId }
  await world.parts.db.transaction((tx) => pingEndpoint(tx, world.clock, id))
  world.parts.wake('deliver')
  await receiver.waitFor(1)
  assertAfter(before, receiver.events('ping')[0]?.timestamp ?? '', 10 * 24 * HOUR_MS)
})

test('two concurrent advances add up, and nothing happens twice', async (t) => {
  const world = await startSandbox(t, { confirmation: { reminderMinutes: 120, noResponseMinutes: 1440 } })
  const receiver = await world.receiver()
  await confirm(world)
  const [one, other] = await Promise.all([advance(world, '12h'), advance(world, '13h')])
  assert.deepEqual([one.advancedBy, other.advancedBy], [12 * HOUR_MS, 13 * HOUR_MS])
  const [row] = await world.query<{ ahead: string }>('select clock_offset_ms as ahead from workspaces where id = $1', [
    world.workspaceId,
  ])
  assert.equal(Number(row?.ahead), 25 * HOUR_MS)
  assert.equal(receiver.events('cod.no_response').length, 1)
})

test('live and unknown workspaces and invalid durations are rejected', async (t) => {
  const world = await startWorld(t)
  for (const [workspace, by, error] of [
    [world.workspaceId, '1h', /is live\. Only a sandbox has a clock/],
    [UNKNOWN, '1h', /No workspace has the id/],
    ['7', '1h', /--workspace must be a UUID/],
    [UNKNOWN, '', /--by must be a duration such as 23h/],
    [UNKNOWN, '0h', /--by must be a duration/],
    [UNKNOWN, '-1h', /--by/],
    [UNKNOWN, '5 h', /--by must be a duration/],
    [UNKNOWN, '1h1d', /--by must be a duration/],
    [UNKNOWN, '1.5h', /--by must be a duration/],
    [UNKNOWN, '91d', /--by must be at most 90 days/],
    [UNKNOWN, '999999999d999999999h', /--by must be at most 90 days/],
  ] as const) {
    const { code, stdout, stderr } = await run(world, '--workspace', workspace, `--by=${by}`)
    assert.deepEqual([code, stdout], [1, ''], by)
    assert.match(stderr, error)
  }
  const offsets = await world.query('select clock_offset_ms::int as ahead from workspaces where id = $1', [
    world.workspaceId,
  ])
  assert.deepEqual(offsets, [{ ahead: 0 }])
})

test('a clock ten years ahead is not advanced further', async (t) => {
  const world = await startSandbox(t)
  const { parts, workspaceId } = world
  await world.query('update workspaces set clock_offset_ms = $2 where id = $1', [workspaceId, 3_650 * 24 * 3_600_000])
  await assert.rejects(advanceSandbox(parts, { workspaceId, byMs: 1 }), /at most ten years ahead/)
})

test('every stored time moves with the clock or is listed as fixed', async (t) => {
  const world = await startWorld(t)
  const columns = await world.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type like 'timestamp%' and is_generated = 'NEVER'`,
  )
  const moving = new Set(SHIFTED_COLUMNS.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)))
  const unknown = columns
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !moving.has(name) && !(name in STAYING))
  assert.deepEqual(unknown, [])
})

const SHOWN = 'in the workspace’s time already'
const HAPPENED = 'happened in real time; clock_moves records what the clock showed'
const REAL = 'real time, whatever the workspace’s clock shows'

const STAYING: Readonly<Record<string, string>> = {
  'access_links.created_at': REAL,
  'access_links.expires_at': REAL,
  'access_links.used_at': REAL,
  'api_keys.created_at': REAL,
  'api_keys.expires_at': REAL,
  'api_keys.expiry_changed_at': REAL,
  'api_keys.last_used_at': REAL,
  'api_keys.revoked_at': REAL,
  'audit_log.at': REAL,
  'auth_hooks.created_at': REAL,
  'auth_hooks.deleted_at': REAL,
  'auth_hooks.previous_secret_until': REAL,
  'blocked_recipients.created_at': REAL,
  'clock_moves.moved_at': REAL,
  'cod_answers.answered_at': SHOWN,
  'cod_settings.updated_at': REAL,
  'confirmations.answered_at': SHOWN,
  'confirmations.asked_at': HAPPENED,
  'confirmations.created_at': SHOWN,
  'confirmations.failed_at': SHOWN,
  'confirmations.last_event_at': SHOWN,
  'confirmations.timer_quarantined_at': HAPPENED,
  'daily_figures.counted_at': REAL,
  'daily_figures.due_at': REAL,
  'doctor_findings.alert_at': REAL,
  'doctor_findings.alert_due_at': REAL,
  'doctor_findings.since': REAL,
  'doctor_runs.due_at': REAL,
  'doctor_runs.examined_at': REAL,
  'doctor_runs.outside_due_at': REAL,
  'events.occurred_at': SHOWN,
  'events.recorded_at': HAPPENED,
  'leases.begun_at': REAL,
  'leases.taken_at': REAL,
  'members.created_at': REAL,
  'message_attempts.ended_at': HAPPENED,
  'message_attempts.started_at': HAPPENED,
  'messages.accepted_at': HAPPENED,
  'messages.attempted_at': HAPPENED,
  'messages.created_at': SHOWN,
  'messages.failed_at': SHOWN,
  'messages.failed_event_at': SHOWN,
  'messages.quarantined_at': HAPPENED,
  'messages.sent_at': SHOWN,
  'messages.sent_event_at': SHOWN,
  'messages.undelivered_event_at': SHOWN,
  'migrations.applied_at': REAL,
  'nodes.seen_at': REAL,
  'nodes.started_at': REAL,
  'otp_checks.begins_at': SHOWN,
  'otp_verifications.created_at': SHOWN,
  'otp_verifications.ended_at': SHOWN,
  'otp_verifications.expires_at': SHOWN,
  'provider_accounts.created_at': REAL,
  'provider_accounts.previous_app_secret_until': REAL,
  'provider_accounts.sync_due_at': REAL,
  'provider_accounts.sync_noted_at': REAL,
  'provider_accounts.sync_started_at': REAL,
  'provider_accounts.synced_at': REAL,
  'provider_reports.occurred_at': HAPPENED,
  'provider_reports.received_at': HAPPENED,
  'refusal_checks.answered_at': SHOWN,
  'refusal_checks.asked_at': HAPPENED,
  'refusal_checks.created_at': SHOWN,
  'refusal_checks.failed_at': SHOWN,
  'refusal_checks.timer_quarantined_at': HAPPENED,
  'removal_guard.set_back_to': REAL,
  'removal_guard.trusted_at': REAL,
  'retention.kept_since': REAL,
  'retention_postponed.due_at': REAL,
  'sandbox_work.done_until': SHOWN,
  'sandbox_work.due_at': REAL,
  'sandbox_work.from_at': SHOWN,
  'sandbox_work.requested_at': REAL,
  'senders.gone_at': REAL,
  'senders.paused_at': REAL,
  'template_changes.at': REAL,
  'traces.created_at': REAL,
  'unfinished_erasures.begun_at': REAL,
  'used_sign_in_codes.used_at': REAL,
  'webhook_attempts.started_at': HAPPENED,
  'webhook_deliveries.created_at': HAPPENED,
  'webhook_deliveries.ended_at': HAPPENED,
  'webhook_endpoints.created_at': REAL,
  'webhook_endpoints.deleted_at': HAPPENED,
  'webhook_endpoints.status_at': HAPPENED,
  'webhook_endpoints.event_types_changed_at': HAPPENED,
  'webhook_endpoints.url_changed_at': HAPPENED,
  'workspaces.created_at': REAL,
  'workspaces.deleted_at': REAL,
  'workspaces.deletion_due_at': REAL,
  'workspaces.deletion_requested_at': REAL,
  'workspaces.purged_at': REAL,
}

/** Without a reminder, unless the settings say otherwise. */
const startSandbox = (t: TestContext, cod: object = {}, options: WorldOptions = {}): Promise<World> =>
  startCodSandbox(t, {
    ...options,
    cod: { deliveryDays: { skipWeekdays: [] }, confirmation: { reminderMinutes: null }, ...cod },
  })

/** Creates a confirmation. If the world has a worker, its template is sent. */
async function confirm(world: World): Promise<CreatedConfirmation> {
  const order = await world.createConfirmation()
  if (world.parts.config.roles.has('worker')) await world.settled()
  return order
}

const statusOf = async (world: World, order: CreatedConfirmation): Promise<string> =>
  (await world.getConfirmation(order)).status

const messagesOf = (world: World, { confirmationId }: CreatedConfirmation) =>
  world.query<{ purpose: string; created_at: Date }>(
    'select purpose, created_at from messages where confirmation_id = $1 order by created_at',
    [confirmationId],
  )

/** Real time goes on while the clock moves. */
const GRACE_MS = MINUTE_MS

function assertAfter(from: Date, at: Date | string, ms: number): void {
  const late = new Date(at).getTime() - from.getTime() - ms
  assert.ok(late >= 0 && late < GRACE_MS, `${late} ms late`)
}

type AdvanceResult = Awaited<ReturnType<typeof advanceSandbox>>

const advance = ({ parts, workspaceId }: World, by: string): Promise<AdvanceResult> =>
  advanceSandbox(parts, { workspaceId, byMs: toMilliseconds(by) })

/** The command opens its own connections, which cost more than the advance. */
const advanceByCommand = async (world: World, by: string): Promise<AdvanceResult> =>
  (await jsonOfCommand(world, 'sandbox', 'advance', '--workspace', world.workspaceId, '--by', by)) as AdvanceResult

const run = (world: World, ...args: string[]) => runCommandIn(world, ['sandbox', 'advance', ...args])
