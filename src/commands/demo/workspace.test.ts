import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createDatabase, dropDatabase, serverUrl, urlOf } from '../../../test/database/postgres.ts'
import { startWorld } from '../../../test/world/world.ts'
import { systemClock } from '../../lib/clock.ts'
import { migrate } from '../../lib/db/migrate.ts'
import { openDb } from '../../lib/db/pool.ts'
import { requestDeletion } from '../../workspaces/deletion.ts'
import { createWorkspace } from '../../workspaces/workspaces.ts'
import { assertDemoDatabase, createDemoWorkspace, ensureDemoEndpoint, findDemoWorkspace } from './workspace.ts'
import { temporaryFolder } from '../../../test/world/temporary-folder.ts'

test('the demo has one enabled endpoint after its port changed and changed back', async (t) => {
  const world = await startWorld(t, { works: false })
  const dataDir = await temporaryFolder(t)
  const parts = { ...world.parts, config: { ...world.parts.config, dataDir } }
  const { workspaceId } = await createDemoWorkspace(parts)
  for (const port of [4101, 4201, 4101]) {
    const workspace = await findDemoWorkspace(parts)
    assert.ok(workspace)
    const { endpointId } = await ensureDemoEndpoint(parts, workspace, `http://127.0.0.1:${port}/webhooks`)
    const enabled = await world.query<{ id: string }>(
      `select id from webhook_endpoints where workspace_id = $1 and status = 'enabled'`,
      [workspaceId],
    )
    assert.deepEqual(enabled, [{ id: endpointId }])
  }
})

test('a deleted demo workspace is not found again', async (t) => {
  const world = await startWorld(t, { works: false })
  const dataDir = await temporaryFolder(t)
  const parts = { ...world.parts, config: { ...world.parts.config, dataDir } }
  const { workspaceId } = await createDemoWorkspace(parts)
  assert.equal((await findDemoWorkspace(parts))?.workspaceId, workspaceId)
  await parts.db.transaction((tx) => requestDeletion(tx, parts.clock, { workspaceId }))
  assert.equal(await findDemoWorkspace(parts), undefined)
})

test('a demo needs a database with only sandboxes, or with its own workspace', async (t) => {
  const name = `demo_database_${process.pid}`
  await createDatabase(serverUrl(), name)
  const db = openDb({ url: urlOf(serverUrl(), name), poolSize: 1 })
  const dataDir = await temporaryFolder(t)
  t.after(async () => {
    await db.close()
    await dropDatabase(serverUrl(), name)
  })
  const check = (): Promise<void> => assertDemoDatabase(db, { dataDir, databaseUrl: undefined, program: 'doorcode' })
  await check() // no tables yet
  await migrate(db)
  await check()
  const parts = { config: { dataDir }, db, clock: systemClock }
  await createDemoWorkspace(parts)
  await rm(path.join(dataDir, 'demo.json'))
  await check() // the file was lost
  await createDemoWorkspace(parts)
  await createWorkspace(parts.db, parts.clock, { name: 'Shop', sandbox: false })
  await check() // the demo's own shop
  await rm(path.join(dataDir, 'demo.json'))
  await assert.rejects(check(), (error: Error) => {
    assert.match(error.message, /a workspace "Demo", .* demo\.json in .* is missing or does not name it/)
    assert.ok(error.message.includes(`copy demo.json and emulator.db from its data folder to ${dataDir}.`))
    assert.match(error.message, /To run Doorcode with all its workspaces, use "doorcode serve"/)
    return true
  })
  await db.rows({ name: 'forget_demo', text: `update workspaces set name = 'Tests' where sandbox` })
  await assert.rejects(check(), /not sandboxes \("Shop"\)\. To run .* "doorcode serve"/)
})
