import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { readCatalog } from '../../../test/world/catalog.ts'
import {
  TEMPLATE_DATABASE,
  createDatabase,
  dropDatabase,
  serverUrl,
  urlOf,
  withConnection,
} from '../../../test/database/postgres.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { StartupError } from '../errors.ts'
import { listMigrations, migrate } from './migrate.ts'
import type { LockingOptions } from './migration-locks.ts'
import { type Db, type DbOptions, openDb } from './pool.ts'

const OLD_SCHEMA = new URL('../../../test/fixtures/schema-before-0.1.0.sql', import.meta.url)

test('a database from before 0.1.0 gets the current schema', async (t) => {
  const url = await oldDatabase(t)
  await migrateAt(url)
  const fresh = await newDatabase(t, TEMPLATE_DATABASE) // other tests change the process's own
  assert.deepEqual(await readCatalog(url), await readCatalog(fresh))
  const applied = 'select number, name from migrations order by number'
  assert.deepEqual(await ask(url, applied), await ask(fresh, applied))
})

test('texts stored before 0.1.0 become coded texts', async (t) => {
  const url = await oldDatabase(t)
  await migrateAt(url)
  const text = (words: string) => ({ code: 'text', text: words })
  for (const [column, words] of Object.entries({
    'provider_accounts.status_detail': 'WhatsApp refused the access token.',
    'messages.finish_error': 'The code does not open.',
    'message_attempts.detail': 'Service temporarily unavailable',
    'provider_reports.note': 'the message is already known to be read',
    'confirmations.timer_error': 'The timer threw.',
    'refusal_checks.timer_error': 'The timer threw.',
    'webhook_endpoints.status_reason': 'It answered 410',
    'webhook_attempts.error': 'It answered 410',
  })) {
    const [table] = column.split('.')
    assert.deepEqual(await ask(url, `select ${column} as stored from ${table}`), [{ stored: text(words) }], column)
  }
})

test('a database in the middle of the migrations before 0.1.0 is refused', async (t) => {
  const url = await oldDatabase(t)
  await ask(url, 'delete from migrations where number > 20')
  await assert.rejects(migrateAt(url), (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /at migration 20 of 24 from before 0\.1\.0\. Start the last version before 0\.1\.0/)
    return true
  })
})

test('a migration that waits for a lock delays no statement of a running node until it fails', async (t) => {
  const url = await oldDatabase(t)
  let waited: string | undefined
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('select from messages')
    const onLocked: LockingOptions['onLocked'] = (migration, sessions) => (waited = `${migration} ${sessions}`)
    const migrating = migrateAt(url, { onLocked })
    await withDb({ url }, async (node) => {
      while (waited === undefined) await node.rows({ name: 'read_messages', text: 'select id from messages' })
    })
    await session.query('rollback')
    await migrating
  })
  assert.match(waited ?? '', /^upgrades\/before-0\.1\.0\.sql \d+ \(.*idle in transaction, for \d+ s\)$/)
  assert.equal((await ask(url, 'select from migrations')).length, (await listMigrations()).length)
})

test('a migration that waits for a vacuum delays no statement', async (t) => {
  const url = await oldDatabase(t)
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('lock table messages in share update exclusive mode') // as a vacuum does
    const migrating = migrateAt(url)
    await waitFor('the migration to wait', async () => (await session.query(WAITING)).rows.length > 0)
    await withDb({ url, lockTimeoutMs: 1 }, (node) =>
      node.rows({ name: 'write_messages', text: 'update messages set id = id' }),
    )
    await session.query('rollback')
    await migrating
  })
})

test('a migration that cannot lock its tables changes nothing and names the sessions', async (t) => {
  const url = await oldDatabase(t)
  const before = await readCatalog(url)
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('select from messages')
    const [{ pid } = {}] = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
    await assert.rejects(migrateAt(url, { lockForMs: 0 }), (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(
        error.message,
        /before-0\.1\.0\.sql could not lock the tables that it changes .* nothing was changed/,
      )
      assert.match(error.message, new RegExp(`have locked them: ${pid} \\(.* Wait until they end, or end them`))
      return true
    })
  })
  assert.deepEqual(await readCatalog(url), before)
})

const WAITING = `select from pg_locks where relation = 'messages'::regclass and not granted`

let databases = 0

async function newDatabase(t: TestContext, template?: string): Promise<string> {
  const name = `old_${process.pid}_${++databases}`
  await createDatabase(serverUrl(), name, template)
  t.after(() => dropDatabase(serverUrl(), name))
  return urlOf(serverUrl(), name)
}

async function oldDatabase(t: TestContext): Promise<string> {
  const url = await newDatabase(t)
  await ask(url, await readFile(OLD_SCHEMA, 'utf8'))
  return url
}

const migrateAt = (url: string, locking: LockingOptions = {}): Promise<number> =>
  withDb({ url }, (db) => migrate(db, locking))

async function withDb<Result>(
  options: Omit<DbOptions, 'poolSize'>,
  work: (db: Db) => Promise<Result>,
): Promise<Result> {
  const db = openDb({ poolSize: 1, ...options })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

function ask(url: string, text: string): Promise<object[]> {
  return withConnection(url, async (connection) => (await connection.query<object>(text)).rows)
}
