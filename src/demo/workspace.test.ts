import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startWorld } from '../../test/world.ts'
import { askDeletion } from '../workspaces/deletion.ts'
import { findDemoWorkspace, createDemoWorkspace, ensureDemoEndpoint } from './workspace.ts'

test('the demo has one enabled endpoint after its port changed and changed back', async (t) => {
  const world = await startWorld(t, { works: false })
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'doorcode-demo-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const parts = { ...world.parts, config: { ...world.parts.config, dataDir } }
  const { workspaceId } = await createDemoWorkspace(parts)
  for (const port of [4101, 4201, 4101]) {
    const workspace = await findDemoWorkspace(parts)
    assert.ok(workspace)
    const { endpointId } = await ensureDemoEndpoint(parts, workspace, `http://127.0.0.1:${port}/webhooks`)
    const enabled = await world.ask<{ id: string }>(
      `select id from webhook_endpoints where workspace_id = $1 and status = 'enabled'`,
      [workspaceId],
    )
    assert.deepEqual(enabled, [{ id: endpointId }])
  }
})

test('a deleted demo workspace is not found again', async (t) => {
  const world = await startWorld(t, { works: false })
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'doorcode-demo-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const parts = { ...world.parts, config: { ...world.parts.config, dataDir } }
  const { workspaceId } = await createDemoWorkspace(parts)
  assert.equal((await findDemoWorkspace(parts))?.workspaceId, workspaceId)
  await parts.db.transaction((tx) => askDeletion(tx, parts.clock, { workspaceId }))
  assert.equal(await findDemoWorkspace(parts), undefined)
})
