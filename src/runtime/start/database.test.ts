import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { startFlakyProxy } from '../../../test/faults/flaky-proxy.ts'
import { fileDatabase } from '../../../test/database/database.ts'
import { certificate } from '../../../test/world/certificate.ts'
import { INSTANCE_KEY } from '../../../test/world/node.ts'
import { createDatabase, dropDatabase, serverUrl, urlOf, withConnection } from '../../../test/database/postgres.ts'
import { listen } from '../../../test/world/listen.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { Connection } from '../../lib/db/connection.ts'
import { MIGRATION_LOCK, tryMigrationLock } from '../../lib/db/migrate.ts'
import { readServer } from '../../operations/doctor/database/server.ts'
import { StartupError } from '../../lib/errors.ts'
import { readConfig } from '../../lib/config.ts'
import { assertHasTables, openDatabase } from './database.ts'
import { openParts } from './open.ts'

const open = (databaseUrl: string) =>
  openDatabase({
    config: { databaseUrl, dataDir: '/nonexistent', databasePool: 2 },
    log: pino({ level: 'silent' }),
    timeoutMs: 0,
  })

const rejected = (url: string, message: RegExp): Promise<void> =>
  assert.rejects(open(url), (error) => {
    assert.ok(error instanceof StartupError, String(error))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /hidden/)
    return true
  })

test('an unreachable database is reported without its password', async () => {
  await rejected(
    'postgres://app:hidden@127.0.0.1:1/doorcode',
    /The database at 127\.0\.0\.1:1\/doorcode could not be reached/,
  )
})

test('a host that does not exist is reported', async () => {
  await rejected(
    'postgres://app:hidden@no-such-host.invalid:5432/doorcode',
    /no-such-host\.invalid.* could not be reached/,
  )
})

test('a certificate of an unknown authority is reported with the parameter that names its file', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S') // the request for TLS is granted
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {})
    })
  })
  await rejected(
    `postgres://app:hidden@${await listen(t, server)}/doorcode?sslmode=verify-full`,
    /\(self-signed certificate.* sslrootcert=.* to DATABASE_URL/,
  )
})

test('a wrong password is reported immediately', async () => {
  const url = (await fileDatabase()).replace(/\/\/[^@/]+@/, '//app:hidden@') // the tests' own role needs none
  await rejected(url, /The database rejected the connection: password authentication failed/)
})

test('a database that does not exist is reported immediately', async () => {
  const url = (await fileDatabase()).replace(/\/test_\w+/, '/no_such_database')
  await rejected(url, /rejected the connection: database "no_such_database" does not exist/)
})

test('a start says that another process migrates, and ends on a signal', { timeout: 30_000 }, async () => {
  const databaseUrl = await fileDatabase()
  await withConnection(databaseUrl, async (other) => {
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const lines: string[] = []
    const stopping = new AbortController()
    const opening = openDatabase({
      config: { databaseUrl, dataDir: '/nonexistent', databasePool: 2 },
      log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
      timeoutMs: 20_000,
      signal: stopping.signal,
    })
    opening.catch(() => {}) // awaited below
    await waitFor('a line', () => lines.some((line) => line.includes('waiting for another process')))
    stopping.abort()
    await assert.rejects(opening, /A signal ended the wait for the database/)
  })
})

test('a command waits for another process that migrates only for its own time', async () => {
  const databaseUrl = await fileDatabase()
  await withConnection(databaseUrl, async (other) => {
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const config = { databaseUrl, dataDir: '/nonexistent', databasePool: 2 }
    const opening = openDatabase({ config, log: pino({ level: 'silent' }), timeoutMs: 50 })
    await assert.rejects(opening, /^StartupError: Another process is migrating the database\. Run the command again/)
  })
})

test('a later release’s schema is rejected only after a contracting migration', async (t) => {
  const url = await fileDatabase()
  const apply = (number: number, contracts: boolean) =>
    withConnection(url, (sql) =>
      sql.query('insert into migrations (number, name, contracts) values ($1, $2, $3)', [number, 'later', contracts]),
    )
  t.after(() => withConnection(url, (sql) => sql.query('delete from migrations where number >= 999998')))
  await apply(999_998, false)
  const opened = await open(url)
  await opened.close()
  await apply(999_999, true)
  await rejected(
    url,
    /migration 999999, but this release only knows migrations up to \d+, and migration 999999 may have removed what this release uses\. Start the release/,
  )
})

test('a database without tables is not migrated where it must exist', async (t) => {
  const name = `empty_${process.pid}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  const url = urlOf(serverUrl(), name)
  const config = { databaseUrl: url, dataDir: '/nonexistent', databasePool: 2 }
  const opening = openDatabase({ config, log: pino({ level: 'silent' }), timeoutMs: 0, check: assertHasTables })
  await assert.rejects(opening, /has no tables of Doorcode.*restore was interrupted, run it again/)
  const tables = await withConnection(url, (sql) => sql.query(`select from pg_tables where schemaname = 'public'`))
  assert.equal(tables.rowCount, 0)
})

test('a user who may not create tables is reported with a fix', async () => {
  const name = `bare_${process.pid}`
  await createDatabase(serverUrl(), name)
  const owner = urlOf(serverUrl(), name)
  await withConnection(owner, (sql) => sql.query(`create role ${name} login password 'hidden'`))
  await rejected(owner.replace(/\/\/[^@]+@/, `//${name}:hidden@`), /may not create tables\. Make it the owner/)
  await dropDatabase(serverUrl(), name)
  await withConnection(serverUrl(), (sql) => sql.query(`drop role ${name}`))
})

test('a start that cannot open its connections says how many and which limit to raise', async (t) => {
  const name = `limited_${process.pid}`
  const owner = (text: string) => withConnection(serverUrl(), (sql) => sql.query(text))
  await createDatabase(serverUrl(), name)
  await owner(`create role ${name} login password 'hidden' connection limit 6`)
  await owner(`alter database ${name} owner to ${name}`)
  t.after(async () => {
    await dropDatabase(serverUrl(), name)
    await owner(`drop role ${name}`)
  })
  const config = readConfig({
    DATABASE_URL: urlOf(serverUrl(), name).replace(/\/\/[^@]+@/, `//${name}:hidden@`),
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
  })
  const start = () => openParts(config, pino({ level: 'silent' }), { timeoutMs: 0 })
  await assert.rejects(start(), (error) => {
    assert.ok(error instanceof StartupError, String(error))
    const found = 'may use 17 database connections, but only 6 could be opened (too many connections for role'
    assert.ok(error.message.includes(found), error.message)
    assert.match(error.message, /Raise max_connections of PostgreSQL, or the connection limit of its user/)
    return true
  })
  await owner(`alter role ${name} connection limit 17`)
  const { parts, close } = await start()
  const { maxConnections } = await readServer(parts.db) // for doctor
  await close()
  assert.equal(maxConnections, 17)
})

test('a read-only database is rejected before anything is served', async () => {
  const name = `read_only_${process.pid}`
  await createDatabase(serverUrl(), name)
  await withConnection(serverUrl(), (sql) => sql.query(`alter database ${name} set default_transaction_read_only = on`))
  await rejected(urlOf(serverUrl(), name), /The database is read-only\. Turn off default_transaction_read_only/)
  await dropDatabase(serverUrl(), name)
})

test('a start waits for another one whatever lock_timeout the database has', async (t) => {
  const name = `hasty_${process.pid}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  const url = urlOf(serverUrl(), name)
  await withConnection(serverUrl(), (sql) => sql.query(`alter database ${name} set lock_timeout = '1ms'`))
  const other = await connectTo(url)
  const isWaiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = '${name}')`
  assert.equal(await tryMigrationLock(other), true)
  const opening = open(url)
  const waits = waitFor('the start to wait', async () => (await other.query(isWaiting)).rowCount === 1)
  await Promise.race([opening, waits])
  await other.close()
  const { db, close } = await opening
  const settings = await db.rows({ name: 'lock_timeout', text: `select current_setting('lock_timeout') as value` })
  await close()
  assert.deepEqual(settings, [{ value: '1s' }])
})

test('a search_path without a schema is reported with a fix', async () => {
  const name = `pathless_${process.pid}`
  await createDatabase(serverUrl(), name)
  await withConnection(serverUrl(), (sql) => sql.query(`alter database ${name} set search_path = ''`))
  await rejected(urlOf(serverUrl(), name), /No schema in the search_path/)
  await dropDatabase(serverUrl(), name)
})

test('times are read correctly whatever DateStyle the database has', async (t) => {
  const rows = await readWith(t, `datestyle = 'SQL, DMY'`, `select timestamptz '2026-03-04T05:06:07Z' as time`)
  for (const row of rows) assert.deepEqual(row, { time: new Date('2026-03-04T05:06:07Z') })
})

test('statements are read committed whatever isolation level the database has', async (t) => {
  const rows = await readWith(
    t,
    `default_transaction_isolation = 'serializable'`,
    `select current_setting('transaction_isolation') as level`,
  )
  for (const row of rows) assert.deepEqual(row, { level: 'read committed' })
})

test('a backslash in a statement is taken literally whatever the database has set', async (t) => {
  const rows = await readWith(t, 'standard_conforming_strings = off', String.raw`select '\1' as text`)
  for (const row of rows) assert.deepEqual(row, { text: String.raw`\1` })
})

/** The row that a statement returns from the pool and from a single connection, in a database with this setting. */
async function readWith(t: TestContext, setting: string, text: string): Promise<unknown[]> {
  const name = `set_${process.pid}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  await withConnection(serverUrl(), (sql) => sql.query(`alter database ${name} set ${setting}`))
  const { db, close } = await open(urlOf(serverUrl(), name))
  const single = await db.connect()
  const rows = [(await db.rows<object>({ name: 'read', text }))[0], (await single.query(text)).rows[0]]
  await Promise.all([single.close(), close()])
  return rows
}

async function connectTo(url: string): Promise<Connection> {
  const connection = new Connection({ connectionString: url })
  await connection.connect()
  return connection
}

test('a database with an encoding other than UTF-8 is rejected', async () => {
  const name = `latin_${process.pid}`
  await withConnection(serverUrl(), (sql) =>
    sql.query(
      `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' locale_provider libc`,
    ),
  )
  await rejected(urlOf(serverUrl(), name), /stores text as SQL_ASCII/)
  await dropDatabase(serverUrl(), name)
})

for (const { step, words } of [
  { step: 'migrating', words: 'advisory_lock' },
  { step: 'reading the instance key', words: 'key_check' },
  { step: 'asking the time', words: 'clock_timestamp()' },
])
  test(`a start survives losing the database during ${step}`, async (t) => {
    const proxy = await startFlakyProxy(await fileDatabase())
    t.after(() => proxy.close())
    const config = readConfig({ DATABASE_URL: proxy.url, DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64') })
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    proxy.cutAt(words)
    const starting = openParts(config, log, { timeoutMs: 20_000 })
    starting.catch(() => {}) // awaited below
    await waitFor('the start to wait', () => lines.some((line) => line.includes('waiting for the database')))
    proxy.restore()
    const { parts, close } = await starting
    t.after(close)
    assert.ok(parts.clock.now() instanceof Date)
  })
