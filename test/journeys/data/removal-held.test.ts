import assert from 'node:assert/strict'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { housekeepingLoop } from '../../../src/runtime/background/housekeeping.ts'
import { mayNameRecipient } from '../../../src/admin/audit/actions.ts'
import { purgeLoop } from '../../../src/operations/lifecycle/purge.ts'
import { findUncountedSince } from '../../../src/charts/daily.ts'
import { DAY_MS, MINUTE_MS, later } from '../../../src/lib/clock.ts'
import { examine } from '../../../src/operations/doctor/examine.ts'
import { firstIdAt } from '../../../src/lib/ids.ts'
import { type ListedNode, listNodes } from '../../../src/runtime/jobs/node.ts'
import type { Parts } from '../../../src/runtime/parts.ts'
import { createRemovalGuard } from '../../../src/operations/lifecycle/retention/guard.ts'
import { retentionLoop } from '../../../src/operations/lifecycle/retention/loop.ts'
import { type RemovalPreview, previewRemoval } from '../../../src/operations/lifecycle/retention/due.ts'
import { createDatabaseClock } from '../../../src/runtime/start/database-clock.ts'
import { requestDeletion } from '../../../src/workspaces/deletion.ts'
import { runCommandIn } from '../../world/command-line.ts'
import { signIn } from '../../world/dashboard.ts'
import { fileDatabase } from '../../database/database.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import { moveDatabaseClock } from '../../world/moved-database-clock.ts'
import { INSTANCE_KEY } from '../../world/node.ts'
import { freePort, runProgram } from '../../programs/program.ts'
import { trade } from '../../world/trade.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'
import { openPooledDb } from '../../faults/connections.ts'

const SETTINGS = {
  DOORCODE_KEEP_CONTENT_DAYS: '90',
  DOORCODE_KEEP_RECORDS_DAYS: '400',
  DOORCODE_KEEP_AUDIT_DAYS: '730',
}
const MAX_TURNS = 500

/** A world whose only clock is the real one of its database, which the test moves. Its removal runs when the test says so. */
async function startClocked(t: TestContext) {
  const url = await fileDatabase()
  await moveDatabaseClock(url, 0)
  const db = await openPooledDb(url, () => {})
  const real = await createDatabaseClock(db)
  t.after(async () => {
    real.stop()
    await moveDatabaseClock(url, 0)
    await db.close()
  })
  const clock = { now: () => real.now(), advance: () => assert.fail('the database has the clock') }
  const world = await startWorld(t, { clock, settings: SETTINGS })
  /** As after a restart of PostgreSQL on another time: each node measures it again. */
  const restartDatabaseAt = async (byMs: number): Promise<void> => {
    await moveDatabaseClock(url, byMs)
    await real.measureAgain()
    await waitFor('the node to measure the clock', async () => {
      const nodes = await world.query<{ ahead: number }>(
        `select (settings ->> 'clockAheadMs')::float8 as ahead from nodes where id = $1`,
        [world.parts.node.id],
      )
      return nodes.some(({ ahead }) => Math.abs(ahead + byMs) < 60_000)
    })
  }
  return { world, restartDatabaseAt }
}

/** Its removal runs when the test says so, from the first row on. */
async function startShop(t: TestContext): Promise<World> {
  const world = await startWorld(t, { settings: SETTINGS })
  await world.query('update retention set position = null, kept_since = null')
  await world.query(`delete from audit_log where who = 'test'`)
  await world.query('update provider_accounts set synced_at = now() where synced_at > now()') // by a clock that another test moved
  return world
}

/** What the program removes by age, with one guard as in a worker. */
function removalOf(parts: Parts, options?: Parameters<typeof createRemovalGuard>[1]) {
  const guard = createRemovalGuard(parts, options)
  const loops = [
    housekeepingLoop({ ...parts, guard }),
    purgeLoop({ ...parts, guard, mayNameRecipient }),
    retentionLoop({ ...parts, guard, findUncountedSince }),
  ]
  return {
    async run(): Promise<void> {
      for (const loop of loops) {
        let turns = 1
        while ((await loop.turn()).more) assert.ok((turns += 1) <= MAX_TURNS, `${loop.name} still has work`)
      }
    },
  }
}

const TABLES = [
  'messages',
  'message_attempts',
  'provider_reports',
  'confirmations',
  'events',
  'audit_log',
  'workspaces',
]

/** All rows with their content. */
async function rowsOf(world: World): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const table of TABLES)
    found[table] = await world.query(
      `select t::text from ${table} t where ${table === 'workspaces' ? 'id' : 'workspace_id'} = $1 order by 1`,
      [world.workspaceId],
    )
  return found
}

/** One of each kind of row, and a live workspace that waits for the end of its grace period. */
async function fill(world: World): Promise<void> {
  await trade(world)
  await addAuditEntry(world, 1)
  await world.parts.db.transaction((tx) =>
    requestDeletion(tx, world.parts.clock, { workspaceId: world.workspaceId, name: 'Test shop' }),
  )
}

const addAuditEntry = (world: World, daysAgo: number, target = 'x') =>
  world.query(
    `insert into audit_log (id, workspace_id, at, who, action, target) values ($2, $1, now(), 'test', 'workspace.renamed', $3)`,
    [world.workspaceId, firstIdAt(new Date(Date.now() - daysAgo * DAY_MS)), target],
  )

const auditEntries = async (world: World): Promise<number> =>
  (await world.query(`select from audit_log where workspace_id = $1 and who = 'test'`, [world.workspaceId])).length

const findingsOf = async ({ parts }: World): Promise<string[]> =>
  (await examine(parts, { outside: false }))
    .filter(({ check, level }) => check === 'retention' && level !== 'ok')
    .map(({ code }) => code)

const isHeldBy = async ({ metrics }: Parts): Promise<number | undefined> =>
  (await metrics.removalHeld.get()).values[0]?.value

const run = (world: World, ...words: string[]) => runCommandIn(world, words)

for (const days of [500, -500, 8])
  test(`a database clock that is moved by ${days} days removes nothing, and is reported everywhere`, async (t) => {
    const { world, restartDatabaseAt } = await startClocked(t)
    const removal = removalOf(world.parts)
    await removal.run()
    await fill(world)
    const before = await rowsOf(world)
    await restartDatabaseAt(days * DAY_MS)
    await removal.run()
    assert.deepEqual(await rowsOf(world), before)
    assert.equal(await isHeldBy(world.parts), 1)
    assert.deepEqual(await findingsOf(world), ['removal_held_clocks'])
    assert.match(world.first.logLines.join(''), /no old data is removed/)
    const { code, stdout } = await run(world, 'retention', 'confirm', '--yes')
    assert.equal(code, 1, 'a wrong clock cannot be confirmed')
    assert.match(stdout, /correct the clock/)

    await restartDatabaseAt(0)
    await removal.run()
    assert.deepEqual(await rowsOf(world), before)
    const isBack = days < 0
    assert.deepEqual(
      await findingsOf(world),
      isBack ? ['removal_held_back'] : [],
      'only rows of a clock behind stay doubtful',
    )
    assert.equal(await isHeldBy(world.parts), isBack ? 1 : 0)
  })

/** The clock of a node that measured it on another server: one that is replaced, for example. */
const inDays = (parts: Parts, days: number): Parts => ({
  ...parts,
  clock: { now: () => later(parts.clock.now(), days * DAY_MS) },
})

test('a worker that measured a wrong database time removes nothing too early', async (t) => {
  const world = await startShop(t)
  await addAuditEntry(world, 729)
  await removalOf(inDays(world.parts, 2.5)).run()
  assert.equal(await auditEntries(world), 1)
})

const IMPORT_MOVED_CLOCK = `--import=${path.resolve(import.meta.dirname, '../../world/moved-machine-clock.ts')}`

/** Another worker, on a machine of its own whose clock is this much ahead. */
async function startWorkerAhead(t: TestContext, world: World, days: number) {
  const { child, ended } = runProgram(t, ['serve'], {
    ...SETTINGS,
    DATABASE_URL: world.databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_ROLES: 'worker',
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
    NODE_OPTIONS: IMPORT_MOVED_CLOCK,
    MACHINE_AHEAD_MS: String(days * DAY_MS),
  })
  await waitFor('the other worker', async () => {
    const isAhead = ({ isAlive, settings }: ListedNode) =>
      isAlive && Math.abs(settings.clockAheadMs - days * DAY_MS) < MINUTE_MS
    return (await listNodes(world.parts.db)).some(isAhead)
  })
  return {
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await ended
    },
  }
}

for (const days of [500, -500])
  test(`one worker whose machine is ${days} days ahead stops removal until it is gone`, async (t) => {
    const world = await startShop(t)
    const worker = await startWorkerAhead(t, world, days)
    await addAuditEntry(world, 729)
    await addAuditEntry(world, 731)
    const right = removalOf(world.parts)
    await right.run()
    assert.equal(await auditEntries(world), 2)
    const { calls } = await signIn(world, 'operator')
    const { findings } = await calls.system.examine.query({ workspaceId: world.workspaceId, outside: false })
    assert.ok(
      findings.some(({ code }) => code === 'removal_held_clocks'),
      'the page System shows it',
    )
    await worker.stop()
    await right.run()
    assert.equal(await auditEntries(world), days > 0 ? 1 : 2)
    assert.deepEqual(await findingsOf(world), days > 0 ? [] : ['removal_held_back'])
  })

test('the first worker after an upgrade trusts only a time that is close to the newest row', async (t) => {
  const world = await startShop(t)
  await world.sendOtp()
  await addAuditEntry(world, 731)
  const upgradeIn = async (days: number) => {
    await world.query('delete from removal_guard')
    const removal = removalOf(world.parts, { timeOf: (databaseNow) => later(databaseNow, days * DAY_MS) })
    await removal.run()
    await addAuditEntry(world, -days, 'by the same clock') // which must not seem to confirm the time
    await removal.run()
    await world.query(`delete from audit_log where workspace_id = $1 and target = 'by the same clock'`, [
      world.workspaceId,
    ])
    return { held: await isHeldBy(world.parts), entries: await auditEntries(world) }
  }
  for (const days of [500, -500]) assert.deepEqual(await upgradeIn(days), { held: 1, entries: 1 }, `in ${days} days`)
  assert.deepEqual(await upgradeIn(0), { held: 0, entries: 0 }, 'a normal upgrade needs no confirmation')
})

test('a preview reads a limited number of rows of a table, and says if there are more', async (t) => {
  const world = await startShop(t)
  for (const daysAgo of [740, 739, 738]) await addAuditEntry(world, daysAgo)
  const now = world.clock.now()
  const keep = { contentDays: 0, recordsDays: 0, auditDays: 730 }
  const preview = (maxRead: number) =>
    previewRemoval(world.parts.db, { now, keep, maxRead, findUncountedSince: () => Promise.resolve(undefined) })
  const tablesOf = ({ classes }: RemovalPreview) => classes.flatMap(({ tables }) => tables)
  assert.deepEqual(tablesOf(await preview(2)), [{ table: 'audit_log', rows: 2, more: true }])
  assert.deepEqual(tablesOf(await preview(10)), [{ table: 'audit_log', rows: 3, more: false }])
})

test('the removal of old data can be confirmed while the database cannot count what it would remove', async (t) => {
  const world = await startShop(t)
  await removalOf(world.parts).run()
  await world.query(`update removal_guard set trusted_at = now() - interval '100 days'`)
  await lockInAnotherSession(t, world.parts.db, 'lock table template_changes in access exclusive mode')
  const { code, stdout, stderr } = await run(world, 'retention', 'confirm', '--yes')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /template_changes +unknown/)
  assert.match(stdout, /audit_log +\d+/)
})

test('after a long time off, an operator sees what would be removed, and confirms', async (t) => {
  const world = await startShop(t)
  const removal = removalOf(world.parts)
  await removal.run()
  await addAuditEntry(world, 800)
  await addAuditEntry(world, 1)
  await world.query(`update removal_guard set trusted_at = now() - interval '100 days'`)
  await removal.run()
  assert.equal(await auditEntries(world), 2)
  assert.deepEqual(await findingsOf(world), ['removal_held_jump'])

  const preview = await run(world, 'retention', 'preview')
  assert.match(preview.stdout, /No old data is removed: .* 100 d after/)
  assert.match(preview.stdout, /audit \(DOORCODE_KEEP_AUDIT_DAYS=730\).*audit_log +1\n/)
  const unconfirmed = await run(world, 'retention', 'confirm')
  assert.equal(unconfirmed.code, 1)
  assert.match(unconfirmed.stdout, /add --yes/)
  await removal.run()
  assert.equal(await auditEntries(world), 2)

  const confirmed = await run(world, 'retention', 'confirm', '--yes')
  assert.equal(confirmed.code, 0, confirmed.stderr)
  await removal.run()
  assert.equal(await auditEntries(world), 1)
  assert.deepEqual(await findingsOf(world), [])
  assert.equal((await run(world, 'retention', 'confirm')).code, 0, 'nothing waits any more')
})

test('shorter settings remove nothing more until they are confirmed and no worker has the longer ones', async (t) => {
  const world = await startShop(t)
  await removalOf(world.parts).run()
  await addAuditEntry(world, 600)
  const { parts, ...other } = await world.node({ settings: { ...SETTINGS, DOORCODE_KEEP_AUDIT_DAYS: '500' } })
  const removal = removalOf(parts)
  await removal.run()
  assert.equal(await auditEntries(world), 1)
  assert.deepEqual(await findingsOf(world), ['removal_setting_shorter'])
  assert.match(other.logLines.join(''), /shorter settings wait/)
  await run(world, 'retention', 'confirm', '--yes')
  await removal.run()
  assert.equal(await auditEntries(world), 1, 'the first worker still has the longer setting')

  await world.first.stop()
  await removal.run()
  assert.equal(await auditEntries(world), 1)
  const confirmed = await run(world, 'retention', 'confirm', '--yes', '--json')
  assert.equal(confirmed.code, 0, confirmed.stdout)
  await removal.run()
  assert.equal(await auditEntries(world), 0)
})

test('a sandbox clock that is moved ahead never holds removal', async (t) => {
  const world = await startShop(t)
  const removal = removalOf(world.parts)
  await removal.run()
  await world.query('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    500 * DAY_MS,
  ])
  await removal.run()
  assert.equal(await isHeldBy(world.parts), 0)
  assert.deepEqual(await findingsOf(world), [])
})
