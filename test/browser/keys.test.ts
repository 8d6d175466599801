import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Request } from 'playwright-core'
import { findSeriousFaults } from './accessibility.ts'
import { openPage, sendTestRequest } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { newPhone, startWorld } from '../world/world.ts'

const run = promisify(execFile)

test('the request shown with a new key works, and the key appears once', async (t) => {
  const world = await startWorld(t)
  Object.assign(world.parts.config, { publicUrl: world.first.url })
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin, at: 'keys' })
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
  const { senderId } = world
  const page = await openPage(t, world, { as: await signIn(world, 'admin'), at: 'keys' })
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('checkout')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const asked: string[] = []
  const note = (request: Request) => asked.push(request.url())
  page.context().on('request', note)
  const opened = page.context().waitForEvent('page')
  await dialog.getByRole('link', { name: 'Try it in the API reference' }).click()
  const reference = await opened
  const answer = await sendTestRequest(reference)
  assert.equal(answer.status(), 202)
  const sent = answer.request().postDataJSON() as {
    senderId: string
    template: { language: string }
    reference: string
  }
  assert.deepEqual([sent.senderId, sent.template.language, sent.reference], [senderId, 'en_US', 'login-8812'])
  assert.ok(!reference.url().includes('dck_'), 'the key has left the address')
  assert.deepEqual(
    asked.filter((url) => /^[^#]*dck_/.test(url)),
    [],
    'no request has the key in its address',
  )
  page.context().off('request', note)
  await reference.close()
})

test('Back does not discard a new key that was not copied', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  const shown = page.getByRole('dialog').getByText(/^dck_/).first()
  const create = async () => {
    await dialog.getByLabel('Name').click()
    await page.keyboard.type('checkout')
    await page.keyboard.press('Enter')
    await shown.waitFor()
  }
  await page.goto(`/dashboard/w/${world.workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await create()
  await page.goBack()
  await page.getByRole('dialog', { name: 'Leave without copying?' }).getByRole('button', { name: 'Stay' }).click()
  await shown.waitFor()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await shown.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+K')
  await page.getByPlaceholder(/^Search pages/).waitFor()
  await page.keyboard.type('create')
  await page.locator('[data-selected]', { hasText: /key/ }).waitFor()
  await page.keyboard.press('Enter')
  await create()
  await page.goBack()
  await page.getByRole('dialog', { name: 'Leave without copying?' }).getByRole('button', { name: 'Leave' }).click()
  await shown.waitFor({ state: 'detached' })
})
