import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findSeriousFaults } from './accessibility.ts'
import { openPage, openWithin } from './browser.ts'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('unknown addresses keep the frame, and the palette finds pages and messages', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp({ reference: 'login-7' })
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await openUnknown(page, world.workspaceId)
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0, 'it rejects members')
  await findByKeyboard(page, otp)
})

test('where a script is gone after an upgrade, the page stays and asks for a reload', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'owner'), at: 'settings' })
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Half')
  await page.route(/assets\/(palette|key-list)-/, (route) => route.fulfill({ status: 404 }))
  await page.keyboard.press('Control+K')
  const asks = page.getByRole('alert').filter({ hasText: 'Reload the page.' })
  await asks.getByRole('button').click()
  await asks.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('?')
  await asks.waitFor()
  assert.equal(await name.inputValue(), 'Half')
})

/** Opens an unknown address, a page of the workspace, and a page outside workspaces, whose switcher leads back. */
async function openUnknown(page: Page, workspaceId: string): Promise<void> {
  await page.goto('/dashboard/nothing/here')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('combobox', { name: 'Workspace' }).waitFor()
  await openWithin(page, `/dashboard/w/${workspaceId}/nothing`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Messages' }).waitFor()
  await openWithin(page, '/dashboard/w/019f0000-0000-7000-8000-000000000000/messages')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('combobox', { name: 'Workspace' }).selectOption(workspaceId)
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
}

/** Without the mouse. */
async function findByKeyboard(page: Page, otp: { to: string }): Promise<void> {
  await page.keyboard.press('Control+K')
  const palette = page.getByRole('dialog')
  await palette.getByRole('button', { name: 'Messages' }).waitFor()
  await palette.locator('[data-selected]', { hasText: 'Overview' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
  await page.keyboard.type('login-7')
  await palette.getByText(phoneText(otp.to)).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /Message to/ }).waitFor()
  await page.keyboard.press('/')
  await palette.getByRole('button', { name: 'Messages' }).waitFor()
  await page.keyboard.type('no such thing')
  await palette.getByText('Search for a page, a workspace').waitFor()
  await page.getByPlaceholder(/^Search pages/).fill('charts')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor()
}
