import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { readCatalog } from '../../test/catalog.ts'
import {
  TEMPLATE_DATABASE,
  createDatabase,
  dropDatabase,
  serverUrl,
  urlOf,
  withConnection,
} from '../../test/postgres.ts'
import { StartupError } from '../startup-error.ts'
import { migrate } from './migrate.ts'
import { openDb } from './pool.ts'

const OLD_SCHEMA = new URL('../../test/fixtures/schema-before-0.1.0.sql', import.meta.url)

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

async function migrateAt(url: string): Promise<void> {
  const db = openDb({ url, poolSize: 1 })
  try {
    await migrate(db)
  } finally {
    await db.close()
  }
}

function ask(url: string, text: string): Promise<object[]> {
  return withConnection(url, async (connection) => (await connection.query<object>(text)).rows)
}
