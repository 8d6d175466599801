import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { backgroundLoops } from '../../src/background/table.ts'
import { DAY_MS } from '../../src/clock.ts'
import { examine } from '../../src/doctor/examine.ts'
import { firstIdAt } from '../../src/ids.ts'
import type { Parts } from '../../src/parts.ts'
import { createDatabaseClock } from '../../src/start/database-clock.ts'
import { askDeletion } from '../../src/workspaces/deletion.ts'
import { runCommand } from '../command-line.ts'
import { fileDatabase } from '../database.ts'
import { moveDatabaseClock } from '../moved-database-clock.ts'
import { INSTANCE_KEY } from '../node.ts'
import { waitFor } from '../wait-for.ts'
import { type World, startWorld } from '../world.ts'
import { openPooledDb } from '../connections.ts'

const SETTINGS = {
  DOORCODE_KEEP_CONTENT_DAYS: '90',
  DOORCODE_KEEP_RECORDS_DAYS: '400',
  DOORCODE_KEEP_AUDIT_DAYS: '730',
}
const MAX_TURNS = 500
/** The number of steps, and some. */
const IDLE_TURNS = 20

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
  const world = await startWorld(t, { clock, removes: false, settings: SETTINGS })
  /** As after a restart of PostgreSQL on another time: each node measures it again. */
  const restartDatabaseAt = async (byMs: number): Promise<void> => {
    await moveDatabaseClock(url, byMs)
    await real.measureAgain()
    await waitFor('the node to measure the clock', async () => {
      const nodes = await world.ask<{ ahead: number }>(
        `select (settings ->> 'clockAheadMs')::float8 as ahead from nodes where id = $1`,
        [world.parts.node.id],
      )
      return nodes.some(({ ahead }) => Math.abs(ahead + byMs) < 60_000)
    })
  }
  return { world, restartDatabaseAt }
}

/** What the program removes by age, with one guard as in a worker. */
function removalOf(parts: Parts) {
  const loops = backgroundLoops(parts).filter(({ name }) => ['retention', 'purge', 'housekeeping'].includes(name))
  return {
    async run(): Promise<void> {
      for (const loop of loops)
        for (let turn = 0, idle = 0; turn < MAX_TURNS && idle < IDLE_TURNS; turn += 1)
          idle = (await loop.turn()).more ? 0 : idle + 1
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
    found[table] = await world.ask(
      `select t::text from ${table} t where ${table === 'workspaces' ? 'id' : 'workspace_id'} = $1 order by 1`,
      [world.workspaceId],
    )
  return found
}

/** One of each kind of row, and a live workspace that waits for the end of its grace period. */
async function trade(world: World): Promise<void> {
  await world.codSettings()
  await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Confirm')
  await world.settled()
  await addAuditEntry(world, 1)
  await world.parts.db.transaction((tx) =>
    askDeletion(tx, world.parts.clock, { workspaceId: world.workspaceId, name: 'Test shop' }),
  )
}

const addAuditEntry = (world: World, daysAgo: number) =>
  world.ask(
    `insert into audit_log (id, workspace_id, at, who, action, target) values ($2, $1, now(), 'test', 'workspace.renamed', 'x')`,
    [world.workspaceId, firstIdAt(new Date(Date.now() - daysAgo * DAY_MS))],
  )

const auditEntries = async (world: World): Promise<number> =>
  (await world.ask(`select from audit_log where workspace_id = $1 and who = 'test'`, [world.workspaceId])).length

const findingsOf = async ({ parts }: World): Promise<string[]> =>
  (await examine(parts, { outside: false }))
    .filter(({ check, level }) => check === 'retention' && level !== 'ok')
    .map(({ code }) => code)

const isHeldBy = async ({ metrics }: Parts): Promise<number | undefined> =>
  (await metrics.removalHeld.get()).values[0]?.value

const run = (world: World, ...words: string[]) =>
  runCommand(words, { DATABASE_URL: world.databaseUrl, DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64') })

for (const days of [500, -500, 8])
  test(`a database clock that is moved by ${days} days removes nothing, and is reported everywhere`, async (t) => {
    const { world, restartDatabaseAt } = await startClocked(t)
    const removal = removalOf(world.parts)
    await removal.run()
    await trade(world)
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

test('after a long time off, an operator sees what would be removed, and confirms', async (t) => {
  const world = await startWorld(t, { removes: false, settings: SETTINGS })
  const removal = removalOf(world.parts)
  await removal.run()
  await addAuditEntry(world, 800)
  await addAuditEntry(world, 1)
  await world.ask(`update removal_guard set trusted_at = now() - interval '100 days'`)
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
  const world = await startWorld(t, { removes: false, settings: SETTINGS })
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
  const world = await startWorld(t, { removes: false, settings: SETTINGS })
  const removal = removalOf(world.parts)
  await removal.run()
  await world.ask('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    500 * DAY_MS,
  ])
  await removal.run()
  assert.equal(await isHeldBy(world.parts), 0)
  assert.deepEqual(await findingsOf(world), [])
})
