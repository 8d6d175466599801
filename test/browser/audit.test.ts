import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMAND_LINE, audit } from '../../src/admin/audit/audit.ts'
import { newId } from '../../src/lib/ids.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('an entry is a sentence with a link, and its row opens the details', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const { endpointId, url } = await world.receiver()
  await admin.calls.endpoints.update.mutate({ workspaceId, endpointId, eventTypes: ['message.sent'] })
  const page = await openPage(t, world, { as: admin, at: 'audit?resource=endpoint' })
  const row = page.getByRole('row').filter({ hasText: 'The admin changed the endpoint' })
  await row.getByText('message.sent').waitFor()
  const name = url.replace('http://', '')
  assert.match(
    (await row.getByRole('link', { name, exact: true }).getAttribute('href')) ?? '',
    new RegExp(`/endpoints/${endpointId}$`),
  )
  await row.getByRole('link', { name: /changed the endpoint/ }).click()
  const details = page.getByRole('dialog', { name: 'Audit log entry' })
  await details.getByRole('cell', { name: 'message.sent' }).waitFor()
  await details.getByText(endpointId).waitFor()
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Remove the filter Resource' }).click()
  await page.waitForURL((address) => !address.search.includes('resource'))
})

test('a link to an older entry opens it, and a link to a missing one says that it is not kept', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, parts } = world
  const admin = await signIn(world, 'admin')
  const { endpointId } = await world.receiver()
  await admin.calls.endpoints.update.mutate({ workspaceId, endpointId, eventTypes: ['message.sent'] })
  const [first] = (await admin.calls.auditLog.list.query({ workspaceId })).entries
  for (let more = 0; more < 50; more += 1) {
    const change = { workspaceId, action: 'workspace.renamed', target: workspaceId } as const
    await audit(parts.db, { actor: COMMAND_LINE, at: new Date() }, change)
  }
  const page = await openPage(t, world, { as: admin })
  const details = page.getByRole('dialog', { name: 'Audit log entry' })
  await page.goto(`/dashboard/w/${workspaceId}/audit?entry=${first?.id}`)
  await details.getByRole('cell', { name: 'message.sent' }).waitFor()
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'hidden' })
  await page.goto(`/dashboard/w/${workspaceId}/audit?entry=${newId()}`)
  await details.getByText('This entry does not exist, or is no longer kept.').waitFor()
})
