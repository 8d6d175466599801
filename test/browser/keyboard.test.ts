import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findSeriousFaults } from './accessibility.ts'
import { openPage, openWithin } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { waitFor } from '../world/wait-for.ts'
import { startWorld } from '../world/world.ts'

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.activeElement === document.body ? 'nothing'
    : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`)

/** A dialog returns the focus after its closing animation. */
const isFocused = (page: Page, name: string): Promise<true> =>
  waitFor(`the keyboard to be at ${name}`, async () => (await focused(page)) === name || undefined)

const isInWindow = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`)

test('the keyboard reaches lists, the sidebar and dialogs, and keeps its place', async (t) => {
  const world = await startWorld(t)
  await world.freshKey()
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'owner') })
  const of = `/dashboard/w/${world.workspaceId}`
  await page.goto(`${of}/senders`)
  await skipNavigation(page)
  await pressSync(page)
  await collapseSidebar(page)
  await openWithin(page, `${of}/keys`)
  await createKey(page)
  await openWithin(page, `${of}/endpoints/${receiver.endpointId}`)
  await sendTestEvent(page)
  await openMenuOfPhone(page)
})

/** Without the sidebar's links, the first stops are the actions of the list. */
async function skipNavigation(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause' }).first().waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Skip to content')
  await page.keyboard.press('Enter')
  for (const name of ['Export CSV', 'Connect a WhatsApp account', 'Copy', 'Pause']) {
    await page.keyboard.press('Tab')
    assert.equal(await focused(page), name)
  }
}

/** A button gets the focus back after its work. */
async function pressSync(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sync now' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^Synced/).waitFor()
  await isFocused(page, 'Sync now')
}

/** The sidebar collapses to named icons, and stays so in a later visit. */
async function collapseSidebar(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Collapse sidebar', expanded: true }).focus()
  await page.keyboard.press('Enter')
  await isFocused(page, 'Expand sidebar')
  await page.reload()
  await page.getByRole('button', { name: 'Expand sidebar', expanded: false }).waitFor()
  const width = await page.evaluate<number>('document.querySelector("nav").getBoundingClientRect().width')
  assert.ok(width < 60)
  await page.getByRole('link', { name: 'Messages' }).focus()
  await page.getByRole('tooltip', { name: 'Messages' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
}

/** The dialog with a new key has the focus, and closes only once the key was copied. */
async function createKey(page: Page): Promise<void> {
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
}

/** A button behind a dialog gets the focus back, too. */
async function sendTestEvent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send test event' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Delivered:').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await isFocused(page, 'Send test event')
}

/** A collapsed sidebar has its whole width on a phone, whose bar has the main sections. */
async function openMenuOfPhone(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByRole('navigation', { name: 'Main sections' }).getByRole('link', { name: 'Messages' }).waitFor()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('navigation', { name: 'Menu' }).getByText('Messages').waitFor()
}
