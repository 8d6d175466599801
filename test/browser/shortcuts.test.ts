import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { signIn } from '../world/dashboard.ts'
import { startSandbox } from '../world/sandbox.ts'
import { newPhone } from '../world/world.ts'
import { findSeriousFaults } from './accessibility.ts'
import { openPage, openWithin } from './browser.ts'

test('j and k move through a list with the conversation beside it, and single keys can be turned off', async (t) => {
  const world = await startSandbox(t)
  const [first, second] = [await world.askToConfirm(), await world.askToConfirm()]
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'confirmations' })
  await page.getByText(first.to).waitFor()
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await page.keyboard.press('j')
  await preview.getByText(second.to).waitFor()
  await preview.getByText('please confirm').waitFor()
  await page.keyboard.press('j')
  await preview.getByText(first.to).waitFor()
  await page.keyboard.press('j') // the last row stays
  await page.keyboard.press('k')
  await preview.getByText(second.to).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
  await page.keyboard.press('Escape')
  await preview.waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/confirmations/${first.confirmationId}`)

  await openWithin(page, `/dashboard/w/${world.workspaceId}/messages`)
  await page.getByText(first.to).first().waitFor()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Next or previous row').waitFor()
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  await list.getByRole('switch', { name: 'Use single-key shortcuts' }).press('Space')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('?')
  await list.waitFor()
  assert.equal(await preview.count(), 0)
  await list.getByRole('switch', { name: 'Use single-key shortcuts' }).press('Space')
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await preview.getByText('please confirm').waitFor()
})

/** Types into the palette, and chooses the first match. */
async function runs(page: Page, query: string, action: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+K')
  // an action may open a dialog of its own
  const palette = page.getByRole('dialog').filter({ has: page.getByPlaceholder(/^Search pages/) })
  await palette.getByRole('textbox').fill(query)
  await palette.locator('[data-selected]', { hasText: action }).waitFor()
  await page.keyboard.press('Enter')
  await palette.waitFor({ state: 'detached' })
}

test('the palette blocks a number, which z undoes, sends a test code, moves the clock and creates a key', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const otp = await world.sendOtp({ reference: 'login-9' })
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin, at: `messages/${otp.messageId}` })
  await page.getByRole('heading', { level: 1, name: /Message to/ }).waitFor()
  const isBlocked = async (phone: string) =>
    (await admin.calls.blocked.list.query({ workspaceId, text: phone })).rows.length === 1
  const phone = newPhone()
  const inArabic = phone.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit)))
  await runs(page, `\u202a${inArabic}\u202c`, `Block ${phone}`)
  await page.getByText(`${phone} is blocked.`).waitFor()
  assert.ok(await isBlocked(phone))
  await page.keyboard.press('z')
  await page.getByText('Undone.').waitFor()
  assert.ok(!(await isBlocked(phone)))

  await runs(page, 'Move the clock 1 day', 'Move the clock 1 day ahead')
  await page.getByText('The clock was moved.').waitFor()
  const { offsetMs } = await admin.calls.phone.state.query({ workspaceId })
  assert.equal(offsetMs, 86_400_000)
  await page.route('**/phone.advance*', (route) => {
    const [input] = Object.values(route.request().postDataJSON() as Record<string, object>)
    return route.continue({ postData: JSON.stringify({ 0: { ...input, maxMs: 1 } }) })
  })
  await runs(page, 'Move the clock 1 hour', 'Move the clock 1 hour ahead')
  await page.getByText(/^The clock stopped early .* 1 hour remaining\.$/).waitFor()
  await runs(page, 'test code', 'Send a test code')
  await page.waitForURL('**/phone?**')
  await page
    .getByRole('region', { name: /The phone of/ })
    .getByText(/\b\d{6}\b/)
    .first()
    .waitFor()
  await runs(page, 'Create an API', 'Create an API key')
  await page.getByRole('dialog', { name: 'Create key' }).getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').locator('[data-action]', { hasText: otp.to }).first().click() // recently opened
  await page.waitForURL(`**/messages/${otp.messageId}`)
})

test('on plain HTTP every copy button copies, and where copying is blocked the text is shown', async (t) => {
  const world = await startSandbox(t)
  const otp = await world.sendOtp()
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: `messages/${otp.messageId}` })
  await page.getByRole('heading', { level: 1, name: /Message to/ }).waitFor()
  const copied = Promise.withResolvers<string>()
  await page.exposeFunction('noteCopied', copied.resolve)
  await page.evaluate(ON_PLAIN_HTTP)
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  assert.equal(await copied.promise, otp.to)
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
  assert.equal(await page.locator('textarea').count(), 0)

  await page.evaluate('document.execCommand = () => false')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText(/The browser blocked copying. Copy this text: curl .*otp\/messages/s).waitFor()
  await runs(page, 'Copy', 'Copy the id')
  await page.getByText(`The browser blocked copying. Copy this text: ${otp.messageId}`).waitFor()
  await openWithin(page, `/dashboard/w/${world.workspaceId}/phone`)
  await page.getByRole('button', { name: 'Copy code' }).click()
  await page.getByText(`The browser blocked copying. The code is ${otp.code}.`).waitFor()
})

/** Without the clipboard, as on a page with an address of plain HTTP. Notes what is copied. */
const ON_PLAIN_HTTP = `
  Object.defineProperty(navigator, 'clipboard', { value: undefined })
  document.addEventListener('copy', () => noteCopied(getSelection().toString() || document.activeElement.value))`

test('the palette offers to retry webhooks only while an endpoint fails', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'admin'), at: 'endpoints' })
  await page.getByRole('link', { name: receiver.url }).waitFor()
  await page.keyboard.press('Control+K')
  const palette = page.getByRole('dialog')
  await palette.getByRole('button', { name: 'Create an API key' }).waitFor()
  assert.equal(await palette.getByRole('button', { name: /^Retry/ }).count(), 0)
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })

  receiver.always({ status: 503, headers: { 'retry-after': '600' } })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  await page.getByText('Failing', { exact: true }).waitFor()
  receiver.always({ status: 204 })
  await runs(page, 'Retry', 'Retry waiting webhooks now')
  await page.getByText('1 webhook is being retried.').waitFor()
  await receiver.waitFor(2)
})

test('the palette offers a member no action that would be rejected', async (t) => {
  const world = await startSandbox(t)
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'overview' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+K')
  const palette = page.getByRole('dialog')
  await palette.getByRole('button', { name: 'Messages' }).waitFor()
  for (const name of [/Block a/, /Retry/, /Move the clock/, /test code/, /Create/])
    assert.equal(await palette.getByRole('button', { name }).count(), 0, String(name))
})
