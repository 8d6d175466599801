import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeriousFaults } from '../accessibility.ts'
import { openPage } from '../browser.ts'
import { signIn } from '../dashboard.ts'
import { startWorld } from '../world.ts'

test('the command palette finds a page and a message with the keyboard only', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ reference: 'login-7' })
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(`/dashboard/w/${world.workspaceId}/overview`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0, 'it refuses members')
  await page.keyboard.press('Control+K')
  const palette = page.getByRole('dialog')
  await palette.getByRole('button', { name: 'Messages' }).waitFor()
  await palette.locator('[data-selected]', { hasText: 'Overview' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
  await page.keyboard.type('login-7')
  await palette.getByText(otp.to).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /Message to/ }).waitFor()
  await page.keyboard.press('/')
  await palette.getByRole('button', { name: 'Messages' }).waitFor()
  await page.keyboard.type('no such thing')
  await palette.getByText('Search for a page, a workspace').waitFor()
  await page.getByPlaceholder(/^Search pages/).fill('charts')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor()
})

test('an unknown page keeps the frame, and an unknown workspace keeps the switcher', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(`/dashboard/w/${world.workspaceId}/nothing`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Messages' }).waitFor()
  await page.goto('/dashboard/nothing/here')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('combobox', { name: 'Workspace' }).waitFor()
  await page.goto('/dashboard/w/019f0000-0000-7000-8000-000000000000/messages')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('combobox', { name: 'Workspace' }).selectOption(world.workspaceId)
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
})
