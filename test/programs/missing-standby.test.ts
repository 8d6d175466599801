import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, after, before, test } from 'node:test'
import fastify from 'fastify'
import { pino } from 'pino'
import { readConfig } from '../../src/lib/config.ts'
import { DatabaseUnavailable } from '../../src/lib/db/connection.ts'
import { openDb, statements } from '../../src/lib/db/pool.ts'
import { findHeldEvents } from '../../src/events/held.ts'
import { HOUR_MS } from '../../src/lib/clock.ts'
import { checkHeldEvents, findLockedTables } from '../../src/operations/doctor/database/transactions.ts'
import type { Finding } from '../../src/operations/doctor/finding.ts'
import { serveProbes } from '../../src/lib/http/probes.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/runtime/start/embedded-postgres/server.ts'
import { openParts } from '../../src/runtime/start/open.ts'
import { StartupError } from '../../src/lib/errors.ts'
import { runCommand } from '../world/command-line.ts'
import { createDatabase, urlOf, withConnection } from '../database/postgres.ts'
import { INSTANCE_KEY } from '../database/seal.ts'
import { waitFor } from '../world/wait-for.ts'

let folder: string
let server: EmbeddedPostgres

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'doorcode-test-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must be able to enter it
  server = await startEmbeddedPostgres({ dataDir: folder })
})

after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A cluster with only its primary left: commits wait for a standby that never connects. */
const loseStandby = (): Promise<void> => setStandbys(`alter system set synchronous_standby_names = 'nobody'`)
const bringBackStandby = (): Promise<void> => setStandbys('alter system reset synchronous_standby_names')

/** Resolves when a new session sees the change: the server reloads its settings a moment later. */
async function setStandbys(command: string): Promise<void> {
  await withConnection(server.superuserUrl, (sql) => sql.query(command))
  await withConnection(server.superuserUrl, (sql) => sql.query('select pg_reload_conf()'))
  const wanted = command.includes('nobody') ? 'nobody' : ''
  await waitFor('the setting', () =>
    withConnection(server.superuserUrl, async (sql) => {
      const { rows } = await sql.query<{ names: string }>(
        `select current_setting('synchronous_standby_names') as names`,
      )
      return rows[0]?.names === wanted
    }),
  )
}

/** After the call no standby confirms commits. */
async function newDatabase(t: TestContext, name: string): Promise<Record<string, string>> {
  await createDatabase(server.superuserUrl, name)
  await loseStandby()
  t.after(bringBackStandby)
  return { DATABASE_URL: urlOf(server.url, name), DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64') }
}

test('a start without its standby says what is missing, and continues with it', async (t) => {
  const config = readConfig(await newDatabase(t, 'starting'))
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const starting = openParts(config, log, { timeoutMs: 20_000 })
  starting.catch(() => {}) // awaited below
  await waitFor('the start to wait', () =>
    lines.some((line) => /waiting for the database/.test(line) && /synchronous standby/.test(line)),
  )
  await bringBackStandby()
  await (await starting).close()
})

test('a start that gives up names the fix, and leaves no commit behind', async (t) => {
  const environment = await newDatabase(t, 'giving_up')
  const opening = openParts(readConfig(environment), pino({ level: 'silent' }), { timeoutMs: 0 })
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof StartupError, String(error))
    assert.match(error.message, /waits for a synchronous standby.*Start a standby that synchronous_standby_names/)
    return true
  })
  await withConnection(server.superuserUrl, async (sql) => {
    const { rows } = await sql.query(`select query from pg_stat_activity where wait_event = 'SyncRep'`)
    assert.deepEqual(rows, [])
  })
})

test('a node without its standby is not ready until its last commit is confirmed', async (t) => {
  const { DATABASE_URL: url = '' } = await newDatabase(t, 'serving')
  const db = openDb({ url, poolSize: 2, responseTimeoutMs: 1_000 })
  const app = fastify()
  serveProbes(app, db, {})
  t.after(async () => {
    await app.close()
    await db.close()
  })
  const readiness = async (): Promise<[number, unknown]> => {
    const answer = await app.inject('/readyz')
    return [answer.statusCode, answer.json()]
  }
  assert.deepEqual(await readiness(), [200, { status: 'ready' }])
  const change = statements.get('emit_nothing')
  assert.ok(change)
  await assert.rejects(db.rows(change), DatabaseUnavailable)
  await waitFor('the node to be unready', async () => (await readiness())[0] === 503)
  assert.deepEqual(await readiness(), [503, { status: 'database waits for a standby' }])
  await bringBackStandby()
  await waitFor('the node to be ready', async () => (await readiness())[0] === 200)
})

test('without the standby, doctor names it and commands still read', async (t) => {
  const environment = await newDatabase(t, 'reading')
  await bringBackStandby()
  assert.equal((await runCommand(['workspace', 'create', '--name', 'Shop'], environment)).code, 0)
  await loseStandby()
  const listed = await runCommand(['workspace', 'list'], environment)
  assert.deepEqual([listed.code, listed.stderr], [0, ''])
  const { stdout } = await runCommand(['doctor', '--json'], environment)
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  assert.ok(findings.some(({ code }) => code === 'standby_missing'))
})

test('doctor never advises ending a session whose commit waits for the standby', async (t) => {
  const environment = await newDatabase(t, 'waiting')
  await bringBackStandby()
  assert.equal((await runCommand(['workspace', 'create', '--name', 'Shop'], environment)).code, 0)
  await loseStandby()
  const url = environment['DATABASE_URL'] ?? ''
  const db = openDb({ url, poolSize: 2 })
  t.after(() => db.close())
  await withConnection(url, async (session) => {
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid')
    const committed = session.query('update workspaces set name = name')
    const held = await waitFor('the commit to hold events', async () => {
      const found = await findHeldEvents(db, new Date())
      return found.transaction?.pid === rows[0]?.pid && found.transaction?.waitsForStandby && found
    })
    assert.deepEqual(checkHeldEvents({ ...held, heldMs: HOUR_MS }), [])
    assert.deepEqual(await findLockedTables(db, { minMs: 0, lookAgainMs: 0 }), [])
    await bringBackStandby()
    await committed
  })
})
