import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { fileDatabase } from '../test/database.ts'
import { createDatabase, dropDatabase, serverUrl, urlOf, withConnection } from '../test/postgres.ts'
import { CannotStart } from './cannot-start.ts'
import { openDatabase } from './database.ts'

const open = (databaseUrl: string) =>
  openDatabase({
    config: { databaseUrl, dataDir: '/nonexistent', databasePool: 2 },
    log: pino({ level: 'silent' }),
    patienceMs: 0,
  })

const refused = (url: string, told: RegExp): Promise<void> =>
  assert.rejects(open(url), (error) => {
    assert.ok(error instanceof CannotStart, String(error))
    assert.match(error.message, told)
    assert.doesNotMatch(error.message, /hidden/)
    return true
  })

test('a database that does not answer is named without its password', async () => {
  await refused(
    'postgres://app:hidden@127.0.0.1:1/doorcode',
    /the database at 127\.0\.0\.1:1\/doorcode could not be reached/,
  )
})

test('a host that does not exist is told', async () => {
  await refused(
    'postgres://app:hidden@no-such-host.invalid:5432/doorcode',
    /no-such-host\.invalid.* could not be reached/,
  )
})

test('a wrong password is told at once and not waited for', async () => {
  const url = (await fileDatabase()).replace(/:[^:@/]+@/, ':hidden@')
  await refused(url, /the database refused the connection: password authentication failed/)
})

test('a database that does not exist is told at once', async () => {
  const url = (await fileDatabase()).replace(/\/test_\d+/, '/no_such_database')
  await refused(url, /refused the connection: database "no_such_database" does not exist/)
})

test('a schema of a later release is refused', async () => {
  const url = await fileDatabase()
  await withConnection(url, (sql) => sql.query(`insert into migrations (number, name) values (999999, 'later')`))
  await refused(url, /migration 999999 and this release knows \d+: start a release at least as new/)
  await withConnection(url, (sql) => sql.query('delete from migrations where number = 999999'))
})

test('a user who may not create tables is told what is missing', async () => {
  const name = `bare_${process.pid}`
  await createDatabase(serverUrl(), name)
  const owner = urlOf(serverUrl(), name)
  await withConnection(owner, (sql) => sql.query(`create role ${name} login password 'hidden'`))
  await refused(owner.replace(/\/\/[^@]+@/, `//${name}:hidden@`), /may not create tables: make it the owner/)
  await dropDatabase(serverUrl(), name)
  await withConnection(serverUrl(), (sql) => sql.query(`drop role ${name}`))
})

test('a database in another encoding than UTF-8 is refused', async () => {
  const name = `latin_${process.pid}`
  await withConnection(serverUrl(), (sql) =>
    sql.query(
      `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' locale_provider libc`,
    ),
  )
  await refused(urlOf(serverUrl(), name), /stores text as SQL_ASCII/)
  await dropDatabase(serverUrl(), name)
})
