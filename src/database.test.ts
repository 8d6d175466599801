import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { fileDatabase } from '../test/database.ts'
import { withConnection } from '../test/postgres.ts'
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
