import assert from 'node:assert/strict'
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
import { migrate } from './migrate.ts'
import { type LockingOptions, withTableLocks } from './migration-locks.ts'
import { type Db, type DbOptions, openDb } from './pool.ts'

test('a database with migrations of another version is left unchanged', async (t) => {
  const url = await newDatabase(t)
  await ask(url, `update migrations set name = '000003_create_api_keys.sql' where number = 3`)
  const before = await readCatalog(url)
  await assert.rejects(
    withDb({ url }, (db) => migrate(db)),
    (error) => error instanceof StartupError && /000003_create_api_keys\.sql.* Use a new database/.test(error.message),
  )
  assert.deepEqual(await readCatalog(url), before)
})

test('a migration that waits for a lock delays no statement of a running node until it fails', async (t) => {
  const url = await newDatabase(t)
  let waited: string | undefined
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('select from messages')
    const onLocked: LockingOptions['onLocked'] = (migration, sessions) => (waited = `${migration} ${sessions}`)
    const migrating = addColumn(url, { onLocked })
    await withDb({ url }, async (node) => {
      while (waited === undefined) await node.rows({ name: 'read_messages', text: 'select id from messages' })
    })
    await session.query('rollback')
    await migrating
  })
  assert.match(waited ?? '', /^add_column\.sql \d+ \(.*idle in transaction, for \d+ s\)$/)
  await ask(url, 'select lane from messages')
})

test('a migration that waits for a vacuum delays no statement', async (t) => {
  const url = await newDatabase(t)
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('lock table messages in share update exclusive mode') // as a vacuum does
    const migrating = addColumn(url)
    await waitFor('the migration to wait', async () => (await session.query(WAITING)).rows.length > 0)
    await withDb({ url, lockTimeoutMs: 1 }, (node) =>
      node.rows({ name: 'write_messages', text: 'update messages set id = id' }),
    )
    await session.query('rollback')
    await migrating
  })
})

test('a migration that cannot lock its tables changes nothing and names the sessions', async (t) => {
  const url = await newDatabase(t)
  const before = await readCatalog(url)
  await withConnection(url, async (session) => {
    await session.query('begin')
    await session.query('select from messages')
    const [{ pid } = {}] = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows
    await assert.rejects(addColumn(url, { lockForMs: 0 }), (error) => {
      assert.ok(error instanceof StartupError)
      assert.match(error.message, /add_column\.sql could not lock the tables that it changes .* nothing was changed/)
      assert.match(error.message, new RegExp(`have locked them: ${pid} \\(.* Wait until they end, or end them`))
      return true
    })
  })
  assert.deepEqual(await readCatalog(url), before)
})

const WAITING = `select from pg_locks where relation = 'messages'::regclass and not granted`

let databases = 0

async function newDatabase(t: TestContext): Promise<string> {
  const name = `migrated_${process.pid}_${++databases}`
  await createDatabase(serverUrl(), name, TEMPLATE_DATABASE)
  t.after(() => dropDatabase(serverUrl(), name))
  return urlOf(serverUrl(), name)
}

/** Does what `migrate` does with each migration. */
function addColumn(url: string, options: LockingOptions = {}): Promise<void> {
  const text = 'create table lanes (id uuid); alter table messages add column lane uuid;'
  return withDb({ url }, async (db) => {
    const connection = await db.connect()
    const work = async (): Promise<void> => void (await connection.query(text))
    try {
      await withTableLocks(connection, { name: 'add_column.sql', text }, work, options)
    } finally {
      await connection.close()
    }
  })
}

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
