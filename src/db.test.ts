import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDatabaseUnavailable, openDb } from './db.ts'

test('a database whose name does not resolve counts as one that cannot be reached', async (t) => {
  const db = openDb({ url: 'postgres://user:word@database.invalid:5432/doorcode', poolSize: 2 })
  t.after(() => db.close())
  await assert.rejects(db.rows({ name: 'any', text: 'select 1' }), isDatabaseUnavailable)
})
