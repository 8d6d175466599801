import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findSeriousFaults } from './accessibility.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { newPhone, startWorld } from '../world/world.ts'

const run = promisify(execFile)

test('the request shown with a new key works, and the key appears once', async (t) => {
  const world = await startWorld(t)
  Object.assign(world.parts.config, { publicUrl: world.first.url })
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin })
  await page.goto(`/dashboard/w/${workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('checkout')
  await dialog.getByLabel('Expires').selectOption('90')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const to = newPhone()
  await dialog.getByLabel('Phone number that receives the code').fill(to)
  const apiKey = (await dialog.getByText(/^dck_/).first().textContent()) ?? ''
  const curl = (await dialog.getByText(/^curl /).textContent()) ?? ''
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  const { stdout } = await run('sh', ['-c', curl])
  const { messageId } = JSON.parse(stdout) as { messageId: string }
  assert.equal((await world.whatsapp.gets({ messageId })).to, to)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByText('checkout').waitFor()
  await dialog.waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(apiKey))
  assert.ok(!JSON.stringify(await admin.calls.keys.list.query({ workspaceId })).includes(apiKey.slice(-43)))
  await page.getByRole('button', { name: 'Actions for checkout' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await dialog.getByText('A use is recorded within a minute.').waitFor()
})

test('a new key’s link opens the reference, whose first request is accepted', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, senderId } = world
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(`/dashboard/w/${workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('checkout')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const opened = page.context().waitForEvent('page')
  await dialog.getByRole('link', { name: 'Try it in the API reference' }).click()
  const reference = await opened
  await reference
    .getByRole('button', { name: /Test Request.*\/otp\/messages/ })
    .first()
    .click()
  const answered = reference.waitForResponse('**/api/v1/otp/messages')
  await reference.getByRole('button', { name: 'Send post request to' }).click()
  const answer = await answered
  assert.equal(answer.status(), 202)
  const sent = answer.request().postDataJSON() as { senderId: string; template: { language: string } }
  assert.deepEqual([sent.senderId, sent.template.language], [senderId, 'en_US'])
  assert.ok(!reference.url().includes('dck_'), 'the key has left the address')
  await reference.close()
})
