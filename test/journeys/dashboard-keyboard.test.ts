import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, openPage } from '../browser.ts'
import { signedIn } from '../dashboard.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

after(closeBrowser)

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`document.activeElement === document.body ? 'nothing'
    : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`)

/** A window gives the keyboard back once it is gone from sight. */
const isFocused = (page: Page, name: string): Promise<true> =>
  until(`the keyboard to be at ${name}`, async () => (await focused(page)) === name || undefined)

const isInWindow = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`)

test('whoever has no mouse comes past the sections to the content, and through a list to what can be done with it', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  const pause = page.getByRole('button', { name: 'Pause' }).first()
  await pause.waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Skip to the content')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Connect a WhatsApp account')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Copy')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Pause')
})

test('a window takes the keyboard, keeps it whatever it shows next, and gives it back when Escape closes it', async (t) => {
  const world = await startWorld(t)
  await world.freshKey()
  const page = await openPage(t, world, { as: await signedIn(world, 'owner') })
  await page.goto(`/dashboard/w/${world.workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create a key' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.keyboard.type('Checkout')
  await page.keyboard.press('Enter')
  await dialog
    .getByText(/dck_[a-z2-7]{12}_/)
    .first()
    .waitFor()
  assert.ok(await isInWindow(page), 'what had the focus is gone, and the window has it')
  await page.keyboard.press('Tab')
  assert.ok(await isInWindow(page))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await isFocused(page, 'Create a key')
})

test('a button has the keyboard again when its work is done, also behind a window that told of it', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  await page.getByRole('button', { name: 'Sync now' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^Read just now/).waitFor()
  await isFocused(page, 'Sync now')
  await page.goto(`/dashboard/w/${world.workspaceId}/endpoints/${receiver.endpointId}`)
  await page.getByRole('button', { name: 'Send a test' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('The endpoint took it').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await isFocused(page, 'Send a test')
})
