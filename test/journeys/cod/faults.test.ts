import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { failingDb } from '../../database/db-spy.ts'
import { confirmationPath, refusalPath } from '../../world/cod.ts'
import { startWorld } from '../../world/world.ts'

const STATEMENTS = /^(look_up_confirmation_requests|look_up_refusal_check_requests|find_confirmations)$/

for (const [what, fault, status, code] of [
  ['a fault of ours', new TypeError('inner secret'), 500, 'INTERNAL_ERROR'],
  ['a database that cannot be reached', new DatabaseUnavailable(new Error('inner secret')), 503, 'SERVICE_UNAVAILABLE'],
] as const) {
  test(`${what} reveals nothing internal to the client, and takes no unit`, async (t) => {
    let faulty = true
    const world = await startWorld(t, {
      works: false,
      mayLogErrors: true,
      wrapDb: failingDb((name) => faulty && STATEMENTS.test(name) && fault),
    })
    await world.codSettings()
    const missing = { confirmationId: '00000000-0000-4000-8000-000000000000' }
    for (const answer of [
      await world.request('POST', confirmationPath, { body: world.confirmationBody() }),
      await world.request('POST', refusalPath(missing), { body: world.refusalBody() }),
      await world.request('GET', `${confirmationPath}/${missing.confirmationId}`),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [status, code])
      assert.ok(!/inner|secret|TypeError/.test(answer.text))
    }
    faulty = false
    await world.createConfirmation()
    const used = await world.query('select kind, used from quota_usage where workspace_id = $1', [world.workspaceId])
    assert.deepEqual(used, [{ kind: 'cod_confirmation', used: 1 }])
  })
}
