import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createSetupLink } from '../../src/admin/auth/links.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startReceiver } from '../world/receiver.ts'
import { waitFor } from '../world/wait-for.ts'
import { newPhone, startWorld } from '../world/world.ts'

/** More stops than any page has. */
const MAX_TABS = 120

/** Also matches while the dialog closes and has no role for screen readers. */
const DIALOG = '[role=dialog]'

/** The accessible name of what has the focus, as far as these pages name things. */
const FOCUSED = `(() => {
  const element = document.activeElement
  const named = element.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent)
  const label = named ?? [...(element.labels ?? [])].map(({ textContent }) => textContent)
  const name = element.getAttribute('aria-label') ?? (label.join(' ') || element.textContent)
  return name.replaceAll('*', '').replace(/\\s+/g, ' ').trim()
})()`

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    const focused = await page.evaluate<string>(FOCUSED)
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    seen.push(focused.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not reach ${name}: ${seen.join(' | ')}`)
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

async function type(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

/** The first row of a list may replace the button that opened the dialog: the focus stays in the content. */
async function closeSecret(page: Page): Promise<void> {
  await press(page, 'I have copied it')
  await page.locator(DIALOG).waitFor({ state: 'detached' })
  let focused = ''
  await waitFor(
    () => `the focus in the content, but it is at ${focused}`,
    async () => {
      focused = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)')
      return page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)
    },
  )
}

/** Opens a page with the command palette. */
async function goTo(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.locator(`${DIALOG} input:focus`).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: title, exact: true }).waitFor()
  await page.keyboard.type(title)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator(DIALOG).waitFor({ state: 'detached' })
}

test('only the keyboard is needed from the setup link to an answered order', async (t) => {
  const world = await startWorld(t, { sandbox: true, cod: {} })
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  await world.query('delete from operators')
  const page = await openPage(t, world)
  const dialog = page.getByRole('dialog')

  const [, token] = (await createSetupLink(world.parts))?.split('#') ?? []
  await page.goto('/dashboard/welcome')
  await page.getByRole('link', { name: 'Go to sign-in' }).waitFor()
  await page.goto(`/dashboard/welcome#${token}`) // as if pasted in two parts: only the fragment changes
  await page.getByLabel('Your name').waitFor()
  await type(page, 'Your name', 'Nadia')
  await type(page, 'Email address', 'nadia@shop.example')
  await type(page, 'Password', 'three camels drink slowly')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/(overview|quickstart)$/) // of the first workspace of this database, which may be a sandbox
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.ok(!page.url().includes(String(token)))
  await page.goto(`/dashboard/w/${world.workspaceId}/overview`) // other tests have workspaces in this database
  await page.getByRole('heading', { level: 1 }).waitFor()

  await goTo(page, 'API keys')
  await press(page, 'Create key')
  await dialog.waitFor()
  await type(page, 'Name', 'Checkout')
  await page.keyboard.press('Enter')
  const key = await dialog
    .getByText(/^dck_[a-z2-7]{12}_/)
    .first()
    .textContent()
  await closeSecret(page)

  await goTo(page, 'Webhook endpoints')
  await press(page, 'Add an endpoint')
  await dialog.waitFor()
  await type(page, /^URL/, receiver.url)
  await page.keyboard.press('Enter')
  await dialog.getByText(/^whsec_/).waitFor()
  await closeSecret(page)

  receiver.always({ status: 503, headers: { 'retry-after': '600' } })
  const body = world.otpBody({ reference: 'first' })
  const sent = await world.request('POST', '/api/v1/otp/messages', { body, key: String(key) })
  assert.equal(sent.status, 202)
  await world.whatsapp.reports({ messageId: String(sent.body['messageId']) }, ['sent', 'delivered'])
  await goTo(page, 'Messages')
  await press(page, body.to)
  await page.getByRole('heading', { level: 1, name: /^Message to/ }).waitFor()

  await goTo(page, 'Webhook endpoints')
  await press(page, receiver.url)
  await page.getByText('This endpoint is failing').waitFor()
  receiver.always({ status: 204 })
  const failed = receiver.received.length
  await press(page, /^Retry \d+ events? now$/)
  await receiver.waitFor(2 * failed)
  await world.settled()

  const confirmation = await world.askToConfirm({ to: newPhone() })
  await goTo(page, 'Phone')
  const phone = page.getByRole('region', { name: `The phone of ${confirmation.to}` })
  await phone.getByRole('button', { name: 'Confirm' }).waitFor()
  await press(page, 'Confirm')
  await waitFor('the order to be confirmed', async () => {
    const { status } = await world.getConfirmation(confirmation)
    return status === 'confirmed'
  })
  await world.query('delete from operators')
})

test('only the keyboard is needed to create an auth hook, to find a guide and to come from a problem to its messages', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  const dialog = page.getByRole('dialog')
  await page.goto(`/dashboard/w/${world.workspaceId}/overview`)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await goTo(page, 'Auth hooks')
  await press(page, 'Create auth hook')
  await dialog.waitFor()
  await type(page, 'Name', 'Shop')
  await tabTo(page, 'login_code (ar)')
  await page.keyboard.press('Space')
  await press(page, 'Create auth hook')
  await dialog
    .getByText(/^v1,whsec_/)
    .first()
    .waitFor()
  await closeSecret(page)
  await page.getByRole('button', { name: 'Actions for Shop' }).waitFor()

  await page.goto('/docs/guides')
  await type(page, 'Search the guides', 'verify a webhook in PHP')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
  await press(page, /^.{0,60}(signature|PHP).{0,60}$/i) // not the whole page
  await page.waitForURL('**/docs/guides/**')

  await page.goto('/problems/TEMPLATE_PAUSED')
  await press(page, 'Messages with this code')
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  assert.match(page.url(), /failureCode=TEMPLATE_PAUSED/)
})
