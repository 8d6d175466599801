import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { readConfig } from '../../src/config.ts'
import { DAY_MS } from '../../src/clock.ts'
import { openDb } from '../../src/db/pool.ts'
import type { Instance } from '../../src/doctor/check.ts'
import { findPoolerFindings } from '../../src/doctor/database/pooler.ts'
import { examine } from '../../src/doctor/examine.ts'
import { CHECK_NAMES, type Finding } from '../../src/doctor/finding.ts'
import { firstIdAt } from '../../src/ids.ts'
import { createSeal, createSealingKey } from '../../src/seal.ts'
import { openSeal } from '../../src/start/instance-key.ts'
import { runCommand } from '../command-line.ts'
import { signIn } from '../dashboard.ts'
import { lockInAnotherSession } from '../lock-in-another-session.ts'
import { INSTANCE_KEY } from '../node.ts'
import { createDatabase, dropDatabase, serverUrl, urlOf, withConnection } from '../postgres.ts'
import { startTransactionPooler } from '../transaction-pooler.ts'
import { waitFor } from '../wait-for.ts'
import { type World, startWorld } from '../world.ts'

type Parts = Partial<Omit<Instance, 'schema'>>

/** The test server trades safety for speed. */
const OF_TEST_SERVER = 'fsync, full_page_writes, synchronous_commit'

const isOfTestServer = ({ parameters }: Finding): boolean => parameters['settings'] === OF_TEST_SERVER

/** Findings above ok, without those that the test server causes. */
async function problemsOf(parts: Parts, outside = false): Promise<Finding[]> {
  const findings = await examine(parts, { outside })
  return findings.filter((finding) => finding.level !== 'ok' && !isOfTestServer(finding))
}

const codesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ code }) => code))].sort()

/** The only workspace, without the stopped templates of the emulator's account. */
async function startOnlyWorld(t: TestContext, options: Parameters<typeof startWorld>[1] = {}): Promise<World> {
  const world = await startWorld(t, options)
  await world.ask(
    `update workspaces set deletion_asked_at = now(), deletion_due_at = now(), deleted_at = now(), purged_at = now()
     where id <> $1`,
    [world.workspaceId],
  )
  await world.ask(`delete from templates where workspace_id = $1 and status <> 'APPROVED'`, [world.workspaceId])
  return world
}

/** A sandbox needs no public URL and no proxy. */
async function startSandbox(t: TestContext, options: Parameters<typeof startWorld>[1] = {}): Promise<World> {
  const world = await startOnlyWorld(t, options)
  await world.ask('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  return world
}

test('a healthy instance has only the findings of the test server', async (t) => {
  const world = await startSandbox(t)
  await world.sendOtp()
  await world.settled()
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

const OF_WORKSPACE = 'where workspace_id = $1'
/** The other tests of a process keep everything. */
const KEEP = { contentDays: 90, recordsDays: 400, auditDays: 730 }
const idOfDaysAgo = (days: number): string => firstIdAt(new Date(Date.now() - days * DAY_MS))
const auditEntryOf = (daysAgo: number): string =>
  `insert into audit_log (id, workspace_id, at, who, action, target) values ('${idOfDaysAgo(daysAgo)}', $1, now(), '', '', '')`
const postponedSince = (daysAgo: number): string =>
  `insert into retention_postponed select 'content of messages', '${idOfDaysAgo(daysAgo)}', now() where $1::uuid is not null`
const unfinishedErasureOf = (minutesAgo: number): string =>
  `insert into unfinished_erasures (workspace_id, recipient, begun_at, pseudonym, user_ids)
   values ($1, '+212600000000', now() - interval '${minutesAgo} minutes', 'erased:1', '{}')`

/** Statements that break one thing of the workspace $1, and the codes that name it. */
const FAULTS: readonly [sql: string, codes: readonly string[], undo: string][] = [
  [
    `update provider_accounts set status = 'credentials_invalid' ${OF_WORKSPACE}`,
    ['account_refused'],
    `update provider_accounts set status = 'connected' ${OF_WORKSPACE}`,
  ],
  [
    `update provider_accounts set status = 'credentials_unreadable' ${OF_WORKSPACE}`,
    ['account_unreadable'],
    `update provider_accounts set status = 'connected' ${OF_WORKSPACE}`,
  ],
  [
    `update provider_accounts set status_detail = '{"code": "text", "text": "down"}' ${OF_WORKSPACE}`,
    ['account_sync_failed'],
    `update provider_accounts set status_detail = null ${OF_WORKSPACE}`,
  ],
  [
    `update senders set status = 'RESTRICTED' ${OF_WORKSPACE}`,
    ['sender_unusable'],
    `update senders set status = 'CONNECTED' ${OF_WORKSPACE}`,
  ],
  [
    `update senders set quality = 'RED' ${OF_WORKSPACE}`,
    ['sender_quality'],
    `update senders set quality = 'GREEN' ${OF_WORKSPACE}`,
  ],
  [
    `update templates set status = 'PAUSED' ${OF_WORKSPACE} and name = 'login_code'`,
    ['template_stopped'],
    `update templates set status = 'APPROVED' ${OF_WORKSPACE} and name = 'login_code'`,
  ],
  [
    `update webhook_endpoints set status = 'disabled' ${OF_WORKSPACE}`,
    ['endpoint_disabled'],
    `update webhook_endpoints set status = 'enabled' ${OF_WORKSPACE}`,
  ],
  [
    `update webhook_endpoints set failing_since = now() - interval '1 hour' ${OF_WORKSPACE}`,
    ['endpoint_failing'],
    `update webhook_endpoints set failing_since = null ${OF_WORKSPACE}`,
  ],
  [
    `update webhook_endpoints set failing_since = now(), secret = set_byte(secret, 20, get_byte(secret, 20) # 255) ${OF_WORKSPACE}`,
    ['endpoint_secret_unreadable'],
    `update webhook_endpoints set failing_since = null, secret = set_byte(secret, 20, get_byte(secret, 20) # 255) ${OF_WORKSPACE}`,
  ],
  [
    `update messages set due_at = now() - interval '1 hour' ${OF_WORKSPACE}`,
    ['work_stuck'],
    `update messages set due_at = now() + interval '1 hour' ${OF_WORKSPACE}`,
  ],
  [
    // past its window, and postponed because it could not be failed
    `update messages set due_at = now() + interval '30 seconds', submit_by = now() - interval '1 hour', finish_error = '{}' ${OF_WORKSPACE}`,
    ['work_stuck'],
    `update messages set due_at = now() + interval '1 hour', submit_by = now() + interval '1 hour', finish_error = null ${OF_WORKSPACE}`,
  ],
  [
    `update messages set due_at = null, code = null, quarantined_at = now(), finish_error = '{}' ${OF_WORKSPACE}`,
    ['quarantined'],
    `update messages set due_at = now() + interval '1 hour', quarantined_at = null, finish_error = null ${OF_WORKSPACE}`,
  ],
  [
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome, due_at)
     select gen_random_uuid(), $1, id, 'unknown', '', now(), 'waiting', now() - interval '1 hour' from provider_accounts ${OF_WORKSPACE}`,
    ['work_stuck'],
    `delete from provider_reports ${OF_WORKSPACE}`,
  ],
  [
    `update provider_accounts set sync_due_at = now() - interval '1 day' ${OF_WORKSPACE}`,
    ['work_stuck'],
    `update provider_accounts set sync_due_at = now() + interval '1 day' ${OF_WORKSPACE}`,
  ],
  [
    `update webhook_endpoints set release_at = now() - interval '5 minutes' ${OF_WORKSPACE}`,
    ['work_late'],
    `update webhook_endpoints set release_at = null ${OF_WORKSPACE}`,
  ],
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
    `insert into migrations (number, name, contracts) select 999998, $1::text, true`,
    ['database_contracted', 'skipped'],
    'delete from migrations where name = $1::text',
  ],
]

test('each fault in the database is found, with no other finding', async (t) => {
  const world = await startSandbox(t, { works: false })
  await world.receiver()
  await world.sendOtp()
  await world.ask(`update messages set due_at = now() + interval '1 hour' ${OF_WORKSPACE}`, [world.workspaceId])
  const parts = { ...world.parts, config: { ...world.parts.config, keep: KEEP } }
  for (const [sql, codes, undo] of FAULTS) {
    await world.ask(sql, [world.workspaceId])
    const found = await problemsOf(parts)
    await world.ask(undo, [world.workspaceId])
    assert.deepEqual(codesOf(found.filter(({ code }) => code !== 'no_worker')), codes, sql)
  }
  assert.deepEqual(codesOf(await problemsOf(parts)), ['no_worker'])
})

test('reports that wait for a locked table are late from when they came, although each retry moves them ahead', async (t) => {
  const world = await startSandbox(t, { mayLogErrors: true })
  await world.receiver()
  const otp = await world.sendOtp()
  await world.settled()
  const release = await lockInAnotherSession(t, world.parts.db, 'lock table webhook_deliveries in share mode')
  try {
    await world.whatsapp.reports(otp, ['read'])
    const untilPostponed = (): Promise<boolean> =>
      waitFor('the report to be postponed', async () => {
        const postponed = await world.ask(
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
  for (let sent = 0; sent < 5; sent += 1) await world.sendOtp()
  await world.settled()
  assert.ok(!codesOf(await problemsOf(world.parts)).includes('reports_missing'), 'they may still come')
  world.clock.advance(11 * 60_000)
  const found = (await problemsOf(world.parts)).filter(({ check }) => ['settings', 'clock', 'reports'].includes(check))
  assert.deepEqual(codesOf(found), ['clock_differs', 'private_webhooks', 'public_url_missing', 'reports_missing'])
})

test('what WhatsApp answers about each account is found, without its token', async (t) => {
  const world = await startSandbox(t)
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
  await world.ask('update provider_accounts set access_token = $2 where id = $1', [accountId, wrong])
  const refused = await outside()
  assert.deepEqual(codesOf(refused), ['token_refused'])
  assert.doesNotMatch(JSON.stringify(refused), /EAAnobody/)
  await world.ask('update provider_accounts set graph_url = $2 where id = $1', [accountId, 'http://127.0.0.1:1'])
  assert.deepEqual(codesOf(await outside()), ['provider_unreachable'])
})

test('a check that fails or lacks something does not stop the others', async (t) => {
  const world = await startSandbox(t, { works: false }) // a worker would miss the table too
  await world.ask('alter table leases rename to gone')
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
    await world.ask('alter table gone rename to leases')
  }
})

/** A separate database, empty or migrated. */
async function ownDatabase(t: TestContext, template?: string): Promise<{ name: string; url: string }> {
  const name = `doctor_${randomUUID().replaceAll('-', '')}`
  await createDatabase(serverUrl(), name, template)
  t.after(() => dropDatabase(serverUrl(), name))
  return { name, url: urlOf(serverUrl(), name) }
}

test('settings of a database that Doorcode cannot work with are found', async (t) => {
  const { name, url } = await ownDatabase(t)
  const { rows } = await withConnection(url, (connection) =>
    connection.query<{ hasTimeout: boolean }>(
      `select exists (select from pg_settings where name = 'transaction_timeout') as "hasTimeout"`,
    ),
  )
  const settings = {
    "default_transaction_isolation = 'serializable'": 'isolation',
    'default_transaction_read_only = on': 'database_read_only',
    ...(rows[0]?.hasTimeout && { "transaction_timeout = '5s'": 'transaction_timeout' }), // since PostgreSQL 17
  }
  for (const [setting, code] of Object.entries(settings)) {
    await withConnection(serverUrl(), (connection) => connection.query(`alter database ${name} set ${setting}`))
    await using stack = new AsyncDisposableStack()
    const db = stack.adopt(openDb({ url, poolSize: 2 }), (each) => each.close())
    const found = (await problemsOf({ db })).filter(({ check }) => check === 'database')
    assert.deepEqual(codesOf(found), [code])
    await withConnection(serverUrl(), (connection) => connection.query(`alter database ${name} reset all`))
  }
})

test('a pooler in transaction mode is found', async (t) => {
  const { url } = await ownDatabase(t)
  await using stack = new AsyncDisposableStack()
  const open = (to: string) => stack.adopt(openDb({ url: to, poolSize: 1 }), (each) => each.close())
  assert.deepEqual(await findPoolerFindings(open(url)), [])
  const pooler = stack.use(await startTransactionPooler(url))
  const found = await findPoolerFindings(open(pooler.url))
  assert.deepEqual(
    found.map(({ code }) => code),
    ['pooler_shares_sessions'],
  )
})

const environmentOf = (url: string, key: Buffer = INSTANCE_KEY) => ({
  DATABASE_URL: url,
  DOORCODE_SECRET_KEY: key.toString('base64'),
})

type Printed = { findings: Finding[] }

test('the command prints each finding with its fix, fails with failures and shows no secret', async (t) => {
  const world = await startSandbox(t, { works: false })
  const environment = environmentOf(world.databaseUrl)
  await openSeal(readConfig(environment), world.parts.db) // as the first start does
  const json = await runCommand(['doctor', '--json'], environment)
  assert.deepEqual([json.code, json.stderr], [1, ''])
  const { findings } = JSON.parse(json.stdout) as Printed
  const byCode = new Map(findings.map((finding) => [finding.code, finding]))
  assert.deepEqual(byCode.get('no_worker'), { check: 'nodes', level: 'failure', code: 'no_worker', parameters: {} })
  assert.ok(findings.some(({ check, code }) => check === 'provider' && code === 'ok'))
  const text = await runCommand(['doctor'], environment)
  assert.equal(text.code, 1)
  assert.match(
    text.stdout,
    /^Failures\n\n {2}Nodes: No running node has the role worker: .*\n {4}Start a node with worker/,
  )
  const wrongKey = await runCommand(['doctor', '--json'], environmentOf(world.databaseUrl, Buffer.alloc(32, 9)))
  assert.ok(codesOf((JSON.parse(wrongKey.stdout) as Printed).findings).includes('key_wrong'))
  const secrets = [DEMO.accessToken, DEMO.appSecret, environment.DOORCODE_SECRET_KEY]
  for (const secret of secrets)
    for (const { stdout } of [json, text, wrongKey]) assert.ok(!stdout.includes(secret), 'a secret was printed')
})

test('the command examines a database without tables and creates none', async (t) => {
  const { url } = await ownDatabase(t)
  const { code, stdout } = await runCommand(['doctor', '--json'], environmentOf(url))
  assert.ok(codesOf((JSON.parse(stdout) as Printed).findings).includes('not_migrated'))
  assert.equal(code, 1, 'the server of the tests is not durable')
  const tables = await withConnection(url, (connection) =>
    connection.query(`select from pg_class where relnamespace = 'public'::regnamespace`),
  )
  assert.equal(tables.rowCount, 0)
})

test('the command says what is wrong when nothing can be opened', async () => {
  const cases = [
    [{ DOORCODE_PORT: 'abc', DOORCODE_ROLE: 'api' }, 'setting_invalid', 2],
    [environmentOf('postgres://doorcode:hunter2@127.0.0.1:1/doorcode'), 'database_unreachable', 1],
  ] as const
  for (const [environment, expected, count] of cases) {
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], environment)
    assert.deepEqual([code, stderr], [1, ''])
    const { findings } = JSON.parse(stdout) as Printed
    assert.equal(findings.filter((finding) => finding.code === expected).length, count)
    assert.ok(
      findings.every((finding) => [expected, 'skipped'].includes(finding.code)) || expected !== 'setting_invalid',
    )
    assert.deepEqual(new Set(findings.map(({ check }) => check)), new Set(CHECK_NAMES))
    assert.doesNotMatch(stdout, /hunter2/)
  }
})

test('the command examines an embedded database without a server, and creates none', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-doctor-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const environment = { DOORCODE_DATA_DIR: folder }
  const examined = async (): Promise<string[]> => {
    const { stdout } = await runCommand(['doctor', '--json'], environment)
    const { findings } = JSON.parse(stdout) as Printed
    return codesOf(findings.filter(({ level }) => level !== 'ok'))
  }
  assert.deepEqual(await examined(), ['database_missing', 'skipped'])
  assert.deepEqual(await readdir(folder), [])
  assert.equal((await runCommand(['workspace', 'create', '--name', 'Shop', '--sandbox'], environment)).code, 0)
  assert.deepEqual(await examined(), ['nothing_runs'])
  await rm(path.join(folder, 'instance-key'))
  assert.deepEqual(await examined(), ['key_wrong', 'nothing_runs', 'skipped'])
  assert.ok(!(await readdir(folder)).includes('instance-key'))
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
