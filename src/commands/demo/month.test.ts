import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spyOnDb } from '../../../test/database/db-spy.ts'
import { startWorld } from '../../../test/world/world.ts'
import { DatabaseUnavailable } from '../../lib/db/connection.ts'
import { waitForMonth } from './month.ts'

test('a database that does not answer for a moment does not end the wait for the demo month', async (t) => {
  const world = await startWorld(t, { works: false })
  let looks = 0
  const db = spyOnDb(world.parts.db, ({ run }) => {
    looks += 1
    return looks <= 2 ? Promise.reject(new DatabaseUnavailable(new Error('timeout'))) : run()
  })
  await waitForMonth({ ...world.parts, db }, world.workspaceId, new AbortController().signal)
  assert.equal(looks, 3)
})
