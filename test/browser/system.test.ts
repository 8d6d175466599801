import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('the System page shows operators each problem with its fix, and the nodes', async (t) => {
  const world = await startWorld(t, { works: false })
  const wabaId = String(randomInt(1e14, 2e14)) // of no other workspace of this instance
  await world.query(
    `update provider_accounts set status = 'credentials_invalid', waba_id = $2 where workspace_id = $1`,
    [world.workspaceId, wabaId],
  )
  await world.query(`update templates set status = 'PAUSED' where workspace_id = $1 and name = 'delivery_refusal'`, [
    world.workspaceId,
  ])
  const page = await openPage(t, world, { as: await signIn(world, 'operator'), at: 'system' })
  const problem = page.getByRole('listitem').filter({ hasText: wabaId })
  await problem.getByText(/^Connect the account again/).waitFor()
  const node = page.getByRole('row').filter({ hasText: world.parts.node.id })
  assert.match(await node.innerText(), /api, dashboard/)
  await page.locator(`main a[href*="/w/${world.workspaceId}/templates/"]`).click()
  await page.getByRole('heading', { level: 1, name: 'delivery_refusal' }).waitFor()
})

test('a list says since when its rows are kept', async (t) => {
  const world = await startWorld(t, { works: false })
  const keptSince = new Date(Date.now() + 1_000) // of a workspace that existed before
  await world.query(
    `insert into retention (step, class, position, kept_since) values ('records of messages', 'records', $1, $2)
     on conflict (step) do update set position = excluded.position, kept_since = excluded.kept_since`,
    [world.workspaceId, keptSince],
  )
  t.after(() => world.query('update retention set position = null, kept_since = null'))
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  for (const list of ['messages', 'confirmations']) {
    await page.goto(`/dashboard/w/${world.workspaceId}/${list}`)
    await page.getByText(/^Kept since .*\. Earlier entries were removed\.$/).waitFor()
  }
})
