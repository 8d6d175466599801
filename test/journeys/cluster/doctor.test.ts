import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { pauseSender } from '../../../src/accounts/senders.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { examine } from '../../../src/operations/doctor/examine.ts'
import { CHECK_NAMES, type Finding } from '../../../src/operations/doctor/finding.ts'
import { MAX_NODE_SILENT_MS, checkNodes } from '../../../src/operations/doctor/nodes.ts'
import { firstIdAt } from '../../../src/lib/ids.ts'
import { type ListedNode, listFrozenNodes, listNodes } from '../../../src/runtime/jobs/node.ts'
import { createSeal, createSealingKey } from '../../../src/lib/seal.ts'
import { getWorkspace } from '../../../src/workspaces/workspaces.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { signIn } from '../../world/dashboard.ts'
import { OF_TEST_SERVER, type Parts, codesOf, problemsOf, startOnlyWorld, startSandbox } from '../../world/findings.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import { createHook } from '../../world/hooks.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

test('a healthy instance has only the findings of the test server', async (t) => {
  const world = await startSandbox(t)
  await world.submitOtp()
  const findings = await examine(world.parts, { outside: true })
  assert.deepEqual(
    findings.filter(({ level }) => level !== 'ok').map(({ code, parameters }) => [code, parameters['settings']]),
    [['not_durable', OF_TEST_SERVER]],
  )
  const fine = findings.filter(({ code }) => code === 'ok').map(({ check }) => check)
  assert.deepEqual(
    fine,
    CHECK_NAMES.filter((name) => name !== 'database'),
  )
})

test('examining three workspaces runs the same statements as examining one, and each gets its own findings', async (t) => {
  const world = await startOnlyWorld(t)
  const statements: string[] = []
  const db = spyOnDb(world.parts.db, ({ statement: { name }, run }) => {
    statements.push(name)
    return run()
  })
  const examineAll = async () => {
    statements.length = 0
    const findings = await examine({ ...world.parts, db }, { outside: false })
    return { paused: findings.filter(({ code }) => code === 'sender_paused'), statements: statements.toSorted() }
  }
  const { statements: ofOne } = await examineAll()
  const others = [await startWorld(t), await startWorld(t)]
  for (const { parts, senderId, workspaceId } of others)
    await pauseSender(parts.db, { workspaceId, senderId }, new Date())
  const { paused, statements: ofThree } = await examineAll()
  assert.deepEqual(ofThree, ofOne)
  const nameOf = async ({ workspaceId }: { workspaceId: string }) =>
    (await getWorkspace(world.parts.db, workspaceId)).name
  const named = new Set(paused.map(({ parameters }) => parameters['workspace']))
  assert.deepEqual(named, new Set(await Promise.all(others.map(nameOf))))
})

const OF_WORKSPACE = 'where workspace_id = $1'
/** The other tests of a process keep everything. */
const KEEP = { contentDays: 90, recordsDays: 400, auditDays: 730 }
const idOfDaysAgo = (days: number): string => firstIdAt(new Date(Date.now() - days * DAY_MS))
const auditEntryOf = (daysAgo: number): string =>
  `insert into audit_log (id, workspace_id, at, who, action, target) values ('${idOfDaysAgo(daysAgo)}', $1, now(), '', '', '')`
const postponedSince = (daysAgo: number): string =>
  `insert into retention_postponed select 'content of messages', '${idOfDaysAgo(daysAgo)}', now() where $1::uuid is not null`
const unfinishedErasureOf = (minutesAgo: number): string =>
  `insert into unfinished_erasures (id, workspace_id, begun_at, pseudonym, person, person_hash)
   values (gen_random_uuid(), $1, now() - interval '${minutesAgo} minutes', 'erased:1', '', '')`

/** An event that has waited for a paused endpoint for so many days. */
const heldSince = (daysAgo: number): string =>
  `with event as (
     insert into events (id, workspace_id, type, occurred_at, recorded_at, body)
     values ('${idOfDaysAgo(0)}', $1, 'message.sent', now(), now(), '{}') returning id),
   endpoint as (update webhook_endpoints set status = 'paused' ${OF_WORKSPACE} returning id)
   insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, created_at)
   select gen_random_uuid(), $1, event.id, endpoint.id, 'held', now() - interval '${daysAgo} days' from event, endpoint`
const NONE_HELD = `with delivery as (delete from webhook_deliveries ${OF_WORKSPACE}),
   endpoint as (update webhook_endpoints set status = 'enabled' ${OF_WORKSPACE})
   delete from events ${OF_WORKSPACE}`

type Fault = readonly [sql: string, codes: readonly string[], undo: string]

/** Columns of a table in the workspace that are changed, and changed back. */
const changed = (table: string, to: string, back: string, code: string, and = ''): Fault => [
  `update ${table} set ${to} ${OF_WORKSPACE} ${and}`,
  [code],
  `update ${table} set ${back} ${OF_WORKSPACE} ${and}`,
]

/** A second time it restores the secret. */
const CORRUPT_SECRET = 'secret = set_byte(secret, 20, get_byte(secret, 20) # 255)'

/** Statements that break one thing of the workspace $1, and the codes that name it. */
const FAULTS: readonly Fault[] = [
  changed('provider_accounts', `status = 'credentials_invalid'`, `status = 'connected'`, 'account_rejected'),
  changed('provider_accounts', `status = 'credentials_unreadable'`, `status = 'connected'`, 'account_unreadable'),
  changed(
    'provider_accounts',
    `status_detail = '{"code": "text", "text": "down"}'`,
    `status_detail = null`,
    'account_sync_failed',
  ),
  changed('senders', `status = 'RESTRICTED'`, `status = 'CONNECTED'`, 'sender_unusable'),
  changed('senders', `quality = 'RED'`, `quality = 'GREEN'`, 'sender_quality'),
  changed('templates', `status = 'PAUSED'`, `status = 'APPROVED'`, 'template_stopped', `and name = 'login_code'`),
  changed('templates', `status = 'DISABLED'`, `status = 'APPROVED'`, 'template_disabled', `and name = 'login_code'`),
  changed('webhook_endpoints', `status = 'disabled'`, `status = 'enabled'`, 'endpoint_disabled'),
  changed('webhook_endpoints', `failing_since = now() - interval '1 hour'`, `failing_since = null`, 'endpoint_failing'),
  changed(
    'webhook_endpoints',
    `failing_since = now(), ${CORRUPT_SECRET}`,
    `failing_since = null, ${CORRUPT_SECRET}`,
    'endpoint_secret_unreadable',
  ),
  changed('auth_hooks', CORRUPT_SECRET, CORRUPT_SECRET, 'hook_secret_unreadable'),
  changed('messages', `due_at = now() - interval '1 hour'`, `due_at = now() + interval '1 hour'`, 'work_stuck'),
  // past its window, and postponed because it could not be failed
  changed(
    'messages',
    `due_at = now() + interval '30 seconds', submit_by = now() - interval '1 hour', finish_error = '{}'`,
    `due_at = now() + interval '1 hour', submit_by = now() + interval '1 hour', finish_error = null`,
    'work_stuck',
  ),
  changed(
    'messages',
    `due_at = null, code = null, quarantined_at = now(), finish_error = '{}'`,
    `due_at = now() + interval '1 hour', quarantined_at = null, finish_error = null`,
    'quarantined',
  ),
  [
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome, due_at)
     select gen_random_uuid(), $1, id, 'unknown', '', now(), 'waiting', now() - interval '1 hour' from provider_accounts ${OF_WORKSPACE}`,
    ['work_stuck'],
    `delete from provider_reports ${OF_WORKSPACE}`,
  ],
  changed(
    'provider_accounts',
    `sync_due_at = now() - interval '1 day'`,
    `sync_due_at = now() + interval '1 day'`,
    'work_stuck',
  ),
  changed('webhook_endpoints', `release_at = now() - interval '5 minutes'`, `release_at = null`, 'work_late'),
  [
    `insert into daily_figures (workspace_id, day, time_zone, groups, due_at)
     values ($1, '2026-01-01', 'UTC', '[]', now() - interval '3 days')`,
    ['work_stuck'],
    `delete from daily_figures ${OF_WORKSPACE}`,
  ],
  [
    `insert into leases (id, node_id, kind, item_ids, taken_at)
     values ('${idOfDaysAgo(1 / 24)}', $1, 'deliveries', array[$1::uuid], now())`,
    ['leases_stuck'],
    'delete from leases where node_id = $1',
  ],
  [
    // of the first day that `npm start` simulates
    `insert into leases (id, node_id, kind, item_ids, taken_at) values ($1, $1, 'deliveries', array[$1::uuid], now() - interval '1 day')`,
    [],
    'delete from leases where id = $1',
  ],
  [auditEntryOf(731.1), ['retention_behind'], `delete from audit_log ${OF_WORKSPACE}`],
  [auditEntryOf(730.5), [], `delete from audit_log ${OF_WORKSPACE}`],
  [postponedSince(90 + 31), ['retention_in_use'], 'delete from retention_postponed where $1::uuid is not null'],
  [postponedSince(90 + 29), [], 'delete from retention_postponed where $1::uuid is not null'],
  [unfinishedErasureOf(61), ['erasure_unfinished'], `delete from unfinished_erasures ${OF_WORKSPACE}`],
  [unfinishedErasureOf(59), [], `delete from unfinished_erasures ${OF_WORKSPACE}`],
  changed('quotas', `monthly_units = 1`, `monthly_units = 10000`, 'quota_used_up', `and kind = 'otp'`),
  [
    `with gone as (
       update templates set name = 'another' ${OF_WORKSPACE} and name = 'login_code' returning account_id, language)
     insert into template_changes (id, workspace_id, account_id, name, language, at, field, before)
     select '${idOfDaysAgo(1)}', $1, account_id, 'login_code', language, now(), 'status', 'APPROVED' from gone where language = 'en_US'`,
    ['template_deleted'],
    `with back as (update templates set name = 'login_code' ${OF_WORKSPACE} and name = 'another')
     delete from template_changes ${OF_WORKSPACE} and id = '${idOfDaysAgo(1)}'`,
  ],
  [heldSince(84), ['held_events_expire'], NONE_HELD],
  [heldSince(82), [], NONE_HELD],
  [
    `insert into nodes (id, roles, settings, version, started_at, seen_at)
     values ($1, array['worker'], '{}', '0.1.0', now(), now() - interval '1 hour')`,
    ['node_silent'],
    'delete from nodes where id = $1',
  ],
  [
    `insert into migrations (number, name) select 999998, $1::text`,
    ['database_newer'],
    'delete from migrations where name = $1::text',
  ],
  [
    `update migrations set name = '000003_other.sql' where number = 3 and $1::uuid is not null`,
    ['database_unreachable', 'skipped'],
    `update migrations set name = '000003_create_accounts_senders_and_templates.sql' where number = 3 and $1::uuid is not null`,
  ],
  [
    `insert into migrations (number, name, contracts) select 999998, $1::text, true`,
    ['database_contracted', 'skipped'],
    'delete from migrations where name = $1::text',
  ],
]

test('each fault in the database is found, with no other finding', async (t) => {
  const world = await startOnlyWorld(t, { works: false })
  await world.receiver()
  await createHook(world, 'supabase')
  await world.sendOtp()
  await world.query(`update messages set due_at = now() + interval '1 hour' ${OF_WORKSPACE}`, [world.workspaceId])
  const parts = { ...world.parts, config: { ...world.parts.config, keep: KEEP } }
  for (const [sql, codes, undo] of FAULTS) {
    await world.query(sql, [world.workspaceId])
    const found = await problemsOf(parts)
    await world.query(undo, [world.workspaceId])
    assert.deepEqual(codesOf(found.filter(({ code }) => !EXPECTED.includes(code))), codes, sql)
  }
  assert.deepEqual(codesOf(await problemsOf(parts)), EXPECTED)
})

/** The test starts no worker, and its settings are not for a live workspace. */
const EXPECTED = ['no_worker', 'private_webhooks', 'public_url_missing']

test('the setup of a sandbox is no finding, however broken', async (t) => {
  const world = await startSandbox(t, { works: false })
  await world.receiver()
  await createHook(world, 'supabase')
  const { workspaceId } = world
  for (const broken of [`senders set status = 'RESTRICTED'`, `webhook_endpoints set status = 'disabled'`])
    await world.query(`update ${broken} ${OF_WORKSPACE}`, [workspaceId])
  await world.query(`update auth_hooks set ${CORRUPT_SECRET} ${OF_WORKSPACE}`, [workspaceId])
  const ofSetup = async (): Promise<string[]> =>
    codesOf((await problemsOf(world.parts)).filter(({ check }) => check === 'setup'))
  assert.deepEqual(await ofSetup(), [])
  await world.query('update workspaces set sandbox = false where id = $1', [workspaceId])
  assert.deepEqual(await ofSetup(), ['endpoint_disabled', 'hook_secret_unreadable', 'sender_unusable'])
})

test('reports that wait for a locked table are late from when they came, although each retry moves them ahead', async (t) => {
  const world = await startSandbox(t, { mayLogErrors: true })
  await world.receiver()
  const otp = await world.submitOtp()
  const release = await lockInAnotherSession(t, world.parts.db, 'lock table webhook_deliveries in share mode')
  try {
    await world.whatsapp.reports(otp, ['read'])
    const untilPostponed = (): Promise<boolean> =>
      waitFor('the report to be postponed', async () => {
        const postponed = await world.query(
          `select from provider_reports
           where workspace_id = $1 and outcome = 'waiting' and note ->> 'code' = 'jobs.row_locked' and due_at > $2`,
          [world.workspaceId, world.clock.now()],
        )
        return postponed.length > 0
      })
    await untilPostponed()
    world.clock.advance(11 * 60_000)
    await untilPostponed()
    const stuck = (await problemsOf(world.parts)).filter(({ code }) => code === 'work_stuck')
    assert.deepEqual(
      stuck.map(({ parameters }) => parameters['work']),
      [{ code: 'doctor.work_reports' }],
    )
  } finally {
    await release()
  }
})

test('messages of a live workspace without any report are found', async (t) => {
  const world = await startOnlyWorld(t)
  for (let sent = 0; sent < 5; sent += 1) await world.submitOtp()
  assert.ok(!codesOf(await problemsOf(world.parts)).includes('reports_missing'), 'they may still come')
  world.clock.advance(11 * 60_000)
  const found = (await problemsOf(world.parts)).filter(({ check }) => ['settings', 'clock', 'reports'].includes(check))
  assert.deepEqual(codesOf(found), ['clock_differs', 'private_webhooks', 'public_url_missing', 'reports_missing'])
})

test('webhooks that stop arriving are found after minutes, although earlier messages of the day were reported', async (t) => {
  const world = await startOnlyWorld(t)
  const isFound = async (): Promise<boolean> => codesOf(await problemsOf(world.parts)).includes('reports_missing')
  await world.whatsapp.reports(await world.sendOtp(), ['sent'])
  for (let sent = 0; sent < 5; sent += 1) await world.submitOtp()
  world.clock.advance(11 * 60_000)
  assert.ok(await isFound())
  await world.whatsapp.reports(await world.sendOtp(), ['sent'])
  world.clock.advance(60_000)
  assert.ok(!(await isFound()), 'they arrive again, although the reports of the outage may still come')
})

test('what WhatsApp answers about each account of a live workspace is found, without its token', async (t) => {
  const world = await startOnlyWorld(t)
  const outside = async (parts: Parts = world.parts): Promise<Finding[]> =>
    (await problemsOf(parts, true)).filter(({ check }) => check === 'provider')
  assert.deepEqual(await outside(), [])
  world.emulator.changeAccount(world.credentials.wabaId, { subscribed: false })
  assert.deepEqual(codesOf(await outside()), ['not_subscribed'])
  const otherKey = createSealingKey(Buffer.alloc(32, 9))
  const other = createSeal([otherKey], { key: otherKey, signInSecret: '' })
  assert.deepEqual(codesOf(await outside({ ...world.parts, seal: other })), ['account_unreadable'])
  const { seal } = world.parts
  const { accountId } = world.account
  const wrong = seal.close('EAAnobody', `account:${accountId}:access_token`)
  await world.query('update provider_accounts set access_token = $2 where id = $1', [accountId, wrong])
  const rejected = await outside()
  assert.deepEqual(codesOf(rejected), ['token_rejected'])
  assert.doesNotMatch(JSON.stringify(rejected), /EAAnobody/)
  await world.query('update provider_accounts set graph_url = $2 where id = $1', [accountId, 'http://127.0.0.1:1'])
  assert.deepEqual(codesOf(await outside()), ['provider_unreachable'])
  await world.query('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  assert.deepEqual(codesOf(await outside()), [], 'a sandbox must not alert an operator')
})

test('a check that meets a locked table says so, and does not ask to report an error', async (t) => {
  const world = await startSandbox(t, { works: false, mayLogErrors: true })
  const release = await lockInAnotherSession(t, world.parts.db, 'lock table webhook_deliveries')
  const work = (await examine(world.parts, { outside: false })).filter(({ check }) => check === 'work')
  await release()
  assert.deepEqual(
    work.map(({ code, parameters }) => [code, parameters]),
    [['skipped', { missing: { code: 'doctor.missing_lock' } }]],
  )
})

test('a check that fails or lacks something does not stop the others', async (t) => {
  const world = await startSandbox(t, { works: false }) // a worker would miss the table too
  await world.query('alter table leases rename to gone')
  try {
    const { seal: _seal, ...withoutKey } = world.parts
    const found = await examine(withoutKey, { outside: true })
    const failed = found.filter(({ code }) => code === 'check_failed')
    assert.deepEqual(
      failed.map(({ check, parameters }) => [check, parameters['error']]),
      [['leases', 'error 42P01']],
    )
    const skipped = found.filter(({ code }) => code === 'skipped').map(({ check }) => check)
    assert.deepEqual(skipped, ['key', 'provider'])
    assert.deepEqual(new Set(found.map(({ check }) => check)), new Set(CHECK_NAMES), 'each check reports something')
  } finally {
    await world.query('alter table gone rename to leases')
  }
})

test('an operator without a second factor is found in an instance with live workspaces', async (t) => {
  const world = await startOnlyWorld(t)
  const { calls } = await signIn(world, 'operator')
  assert.ok(calls)
  assert.ok(codesOf(await problemsOf(world.parts)).includes('operators_without_second_factor'))
  await world.query('update auth."user" set "twoFactorEnabled" = true where "id" in (select user_id from operators)')
  assert.ok(!codesOf(await problemsOf(world.parts)).includes('operators_without_second_factor'))
})

test('a rotation that was prepared or begun, and not finished, is found', async (t) => {
  const world = await startSandbox(t)
  const [before, after] = [1, 2].map((byte) => createSealingKey(Buffer.alloc(32, byte)))
  assert.ok(before && after)
  const find = async (key: typeof before): Promise<string[]> => {
    const seal = createSeal([after, before], { key, signInSecret: '' })
    return codesOf((await problemsOf({ ...world.parts, seal })).filter(({ check }) => check === 'key'))
  }
  assert.deepEqual(await find(before), ['key_not_in_use'])
  assert.deepEqual(await find(after), [])
  await world.query('update instance set old_keys = $1', [[before.fingerprint]])
  try {
    assert.deepEqual(await find(after), ['rotation_unfinished'])
  } finally {
    await world.query(`update instance set old_keys = '{}'`)
  }
})

test('a process that is frozen with an open connection is found, also after another node has taken over', async (t) => {
  const world = await startSandbox(t)
  const { parts } = world
  const sessionsOf = (nodeId: string) =>
    world.query(`select from pg_stat_activity where application_name = 'doorcode node ' || $1`, [nodeId])
  assert.equal((await sessionsOf(parts.node.id)).length, 1, 'a node names its connection')
  assert.deepEqual(await listFrozenNodes(parts.db, MAX_NODE_SILENT_MS), [])
  const nodeId = randomUUID()
  const frozen = await parts.db.connect()
  t.after(() => frozen.end())
  await frozen.query(`set application_name = 'doorcode node ${nodeId}'`)
  const [taken] = (await listFrozenNodes(parts.db, -1)).filter((each) => each.nodeId === nodeId)
  assert.ok(taken && taken.silentMs < MAX_NODE_SILENT_MS, 'its row is gone, and it has been silent for a moment')
  const longAgo = checkNodes(await listNodes(parts.db), [{ ...taken, silentMs: 2 * MAX_NODE_SILENT_MS }])
  assert.deepEqual(
    longAgo.map(({ code }) => code),
    ['node_frozen'],
  )
  await world.query(
    `insert into nodes (id, roles, settings, version, started_at, seen_at)
     values ($1, array['api'], '{}', '0.1.0', now(), now() - interval '1 hour')`,
    [nodeId],
  )
  const found = await listFrozenNodes(parts.db, MAX_NODE_SILENT_MS)
  assert.deepEqual(
    checkNodes([{ ...(await listNodes(parts.db))[0], nodeId, isAlive: false } as ListedNode], found).map(
      ({ code }) => code,
    ),
    ['nothing_runs', 'node_frozen'],
    'and not as a dead node',
  )
})

test('only operators get the report, and WhatsApp is called once a minute at most', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  for (const role of ['member', 'owner'] as const) {
    const { calls } = await signIn(world, role)
    await assert.rejects(() => calls.system.examine.query({ workspaceId, outside: true }), /There is no such workspace/)
  }
  const { calls } = await signIn(world, 'operator')
  const inside = await calls.system.examine.query({ workspaceId, outside: false })
  assert.equal(inside.outsideAt, null)
  assert.ok(!inside.findings.some(({ check }) => check === 'provider'))
  assert.equal(inside.nodes.length, 1)
  const whole = await calls.system.examine.query({ workspaceId, outside: true })
  assert.deepEqual(
    whole.findings.filter(({ check }) => check === 'provider').map(({ code }) => code),
    ['ok'],
  )
  world.emulator.changeAccount(world.credentials.wabaId, { subscribed: false })
  const again = await calls.system.examine.query({ workspaceId, outside: true })
  assert.equal(again.outsideAt, whole.outsideAt)
  assert.deepEqual(
    again.findings.filter(({ check }) => check === 'provider').map(({ code }) => code),
    ['ok'],
  )
})
