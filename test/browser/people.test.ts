import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeriousFaults } from './accessibility.ts'
import { openPage } from './browser.ts'
import { PASSWORD, signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('an invited person creates an account, and as member sees no change buttons', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const owner = await signIn(world, 'owner')
  await owner.calls.keys.create.mutate({ workspaceId, name: 'checkout' })
  const page = await openPage(t, world, { as: owner, at: 'people' })
  await page.getByRole('button', { name: 'Invite someone' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email address').fill('Amine@shop.example')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText(/\/dashboard\/welcome#/).waitFor()
  await page.keyboard.press('Escape')
  assert.ok(await dialog.isVisible(), 'an uncopied link stays')
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('table', { name: 'Invitations' }).getByText('Pending').waitFor()
  const menu = page.getByRole('button', { name: 'Actions for amine@shop.example' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'New link' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const focused = page.locator(':focus[aria-label="Actions for amine@shop.example"]')
  await focused.waitFor()
  await menu.click()
  await page.getByRole('menuitem', { name: 'New link' }).click()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = (await dialog.getByText(/\/dashboard\/welcome#/).textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await focused.waitFor()

  await page.context().clearCookies()
  await page.goto(link)
  await page.getByText('is invited to the workspace “Test shop”').waitFor()
  await page.getByLabel('Your name').fill('Amine')
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/overview')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('checkout').waitFor()
  assert.equal(await page.getByRole('button', { name: /Create|Actions for/ }).count(), 0)
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByText('amine@shop.example').first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 1, 'only one’s own row')
  await page.getByRole('button', { name: 'Actions for Amine' }).click()
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Leave workspace'])
})
