import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findSeriousFaults } from '../accessibility.ts'
import { openPage } from '../browser.ts'
import { signIn } from '../dashboard.ts'
import { waitFor } from '../wait-for.ts'
import { startWorld } from '../world.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.activeElement === document.body ? 'nothing'
    : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`)

/** A dialog returns the focus after its closing animation. */
const isFocused = (page: Page, name: string): Promise<true> =>
  waitFor(`the keyboard to be at ${name}`, async () => (await focused(page)) === name || undefined)

const isInWindow = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`)

test('with the keyboard a user skips the navigation and reaches list actions', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  const pause = page.getByRole('button', { name: 'Pause' }).first()
  await pause.waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Skip to content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Export CSV')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Connect a WhatsApp account')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Copy')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Pause')
})

test('the sidebar collapses to named icons with the keyboard, and stays so', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  const width = (): Promise<number> => page.evaluate('document.querySelector("nav").getBoundingClientRect().width')
  await page.getByRole('button', { name: 'Collapse sidebar', expanded: true }).focus()
  await page.keyboard.press('Enter')
  await isFocused(page, 'Expand sidebar')
  await page.reload()
  await page.getByRole('button', { name: 'Expand sidebar', expanded: false }).waitFor()
  assert.ok((await width()) < 60)
  await page.getByRole('link', { name: 'Messages' }).focus()
  await page.getByRole('tooltip', { name: 'Messages' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('navigation').getByText('Messages').waitFor()
})

test('a dialog with a new key has the focus, and closes only once it was copied', async (t) => {
  const world = await startWorld(t)
  await world.freshKey()
  const page = await openPage(t, world, { as: await signIn(world, 'owner') })
  await page.goto(`/dashboard/w/${world.workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create key' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.type('Checkout')
  await page.keyboard.press('Enter')
  await dialog
    .getByText(/dck_[a-z2-7]{12}_/)
    .first()
    .waitFor()
  await isFocused(page, 'Copy')
  await page.keyboard.press('Escape')
  await page.locator('.mantine-Modal-overlay').click({ position: { x: 5, y: 5 } })
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0)
  assert.ok(await dialog.isVisible(), 'an uncopied key stays')
  await page.keyboard.press('Tab')
  assert.ok(await isInWindow(page))
  await dialog.getByRole('button', { name: 'I have copied it' }).focus()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await isFocused(page, 'Create key')
})

test('a button gets the focus back after its work, also behind a dialog', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  await page.getByRole('button', { name: 'Sync now' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^Synced/).waitFor()
  await isFocused(page, 'Sync now')
  await page.goto(`/dashboard/w/${world.workspaceId}/endpoints/${receiver.endpointId}`)
  await page.getByRole('button', { name: 'Send test event' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Delivered:').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await isFocused(page, 'Send test event')
})
