import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { hold, openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { record } from '../database/events.ts'
import { type World, type WorldReceiver, startWorld } from '../world/world.ts'

test('an endpoint is added, changed, deleted, repaired, tested and resent on its pages', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin'), at: 'endpoints' })
  await addAndDelete(page)
  const receiver = await world.receiver()
  const answerAllowed = Promise.withResolvers<void>()
  receiver.answers(
    { status: 503, body: 'out of order', headers: { 'retry-after': '600' } },
    { status: 410, body: 'moved away', after: answerAllowed.promise },
  )
  await record(world, 1)
  await receiver.waitFor(1)
  await page.getByRole('link', { name: 'All endpoints' }).click()
  await page.getByRole('link', { name: receiver.url }).click()
  await repair(page, { world, receiver, answerAllowed })
  await sendTestEvent(page, receiver)
  await resendChosen(page, { world, receiver })
})

test('a pause of an endpoint is undone with the events that it held, and lists sort by a column', async (t) => {
  const world = await startWorld(t)
  const [receiver, other] = [await world.receiver(), await world.receiver()]
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  await admin.calls.endpoints.update.mutate({
    workspaceId,
    endpointId: other.endpointId,
    url: other.url,
    description: 'A shop',
    eventTypes: ['cod.confirmed'],
  })
  const page = await openPage(t, world, { as: admin, at: 'endpoints' })
  const firstRow = page.locator('tbody tr').first()
  await page.getByRole('button', { name: 'Webhook endpoint' }).click()
  await page
    .getByRole('columnheader', { name: 'Webhook endpoint' })
    .and(page.locator('[aria-sort=ascending]'))
    .waitFor()
  await firstRow.getByText('A shop').waitFor()
  await page.getByRole('button', { name: 'Webhook endpoint' }).click()
  await firstRow.getByText(receiver.url).waitFor()

  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Undo' }).hover() // the toast stays
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal(receiver.received.length, 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  await receiver.waitFor(1)
  const { status } = await admin.calls.endpoints.find.query({ workspaceId, endpointId: receiver.endpointId })
  assert.equal(status, 'enabled')
})

test('leaving an endpoint for another closes its dialogs and stops what it resends', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [alpha, beta] = [await world.receiver(), await world.receiver()]
  const admin = await signIn(world, 'admin')
  await admin.calls.endpoints.pause.mutate({ workspaceId, endpointId: beta.endpointId })
  await record(world, 1)
  await alpha.waitFor(1)
  const page = await openPage(t, world, { as: admin })
  const shows = ({ url }: WorldReceiver) =>
    page.getByRole('heading', { level: 1, name: url.replace('http://', '') }).waitFor()
  await page.goto(`/dashboard/w/${workspaceId}/endpoints/${alpha.endpointId}`)
  await page.getByRole('link', { name: 'All endpoints' }).click()
  await page.getByRole('link', { name: beta.url }).click()
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.evaluate('history.go(-2)')
  await shows(alpha)
  assert.equal(await dialog.count(), 0)

  await page.evaluate('history.go(2)')
  await shows(beta)
  const allowEnabling = await hold(page, '**/endpoints.enable?batch=1')
  await page.getByRole('button', { name: 'Resume and send 1 event' }).click()
  await page.getByRole('progressbar', { name: 'Resending' }).waitFor()
  await page.evaluate('history.go(-2)')
  await dialog.getByRole('button', { name: 'Leave and stop' }).click()
  await shows(alpha)
  const enabled = page.waitForResponse('**/endpoints.enable?batch=1')
  allowEnabling()
  await enabled
  await page.getByRole('button', { name: 'Send test event' }).click()
  await dialog.getByText(/^Delivered/).waitFor()
  await world.settled()
  assert.equal(beta.received.length, 0)
})

/** Starts on the list and ends on the page of the deleted endpoint. */
async function addAndDelete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add an endpoint' }).click()
  const dialog = page.getByRole('dialog')
  const url = dialog.getByRole('textbox', { name: 'URL' })
  await url.fill('shop.example/hooks')
  await dialog.getByRole('radio', { name: 'Only these types' }).check()
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
  await dialog.getByText('Choose at least one event type.').waitFor()
  await dialog.getByRole('checkbox', { name: 'cod.confirmed' }).check()
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
  await dialog.getByText('The URL is incomplete.').waitFor()
  await page.locator('[data-path="url"]:focus').waitFor()
  await url.fill('http://127.0.0.1:9/hooks')
  await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
  await dialog.getByText(/^whsec_/).waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByText(/^whsec_/).waitFor() // it was not copied yet
  await dialog.getByRole('tab', { name: 'PHP' }).click()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('link', { name: 'http://127.0.0.1:9/hooks' }).click()
  await page.getByRole('heading', { level: 1, name: '127.0.0.1:9/hooks' }).waitFor()
  await page.getByRole('button', { name: 'Actions for 127.0.0.1:9/hooks' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Orders of the shop')
  await dialog.getByRole('radio', { name: 'All events' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Orders of the shop' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Orders of the shop' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByLabel('Type 127.0.0.1:9 to confirm').fill('127.0.0.1:9')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This endpoint was deleted').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Actions for' }).count(), 0)
  await page.getByText('No events yet.').waitFor() // its log stays
}

type Shown = { world: World; receiver: WorldReceiver }

/** Retries what waits, sees the endpoint disabled by the answer 410, and enables it. */
async function repair(
  page: Page,
  { world, receiver, answerAllowed }: Shown & { answerAllowed: PromiseWithResolvers<void> },
): Promise<void> {
  await page.getByText('This endpoint is failing').waitFor()
  await page.getByText('HTTP 503').first().waitFor()
  await page.getByRole('button', { name: 'Retry 1 event now' }).click()
  await page.getByText('1 event is being retried').waitFor()
  answerAllowed.resolve()
  await world.settled()
  await page.getByText('This endpoint is disabled').waitFor() // the page updates without a reload
  await page.getByText(/[Ii]t responded with 410/).waitFor()
  await page.getByText('moved away').waitFor()
  const otps = [await world.sendOtp(), await world.sendOtp()]
  for (const otp of otps) await world.whatsapp.reports(otp, ['sent'])
  await page.getByRole('button', { name: 'Enable and send 3 events' }).click()
  await page.getByText('3 events queued').waitFor()
  await world.settled()
  const reportedIds = receiver.events('message.sent').map(({ data }) => data['messageId'])
  assert.ok(otps.every(({ messageId }) => reportedIds.includes(messageId)))
  assert.equal(new Set(receiver.ids()).size, 3)
  await page.getByText('This endpoint is disabled').waitFor({ state: 'detached' })
}

/** Shows the request and the answer in a dialog, and then from the log. */
async function sendTestEvent(page: Page, receiver: WorldReceiver): Promise<void> {
  receiver.answers({ status: 202, body: 'thanks' })
  await page.getByRole('button', { name: 'Send test event' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/Delivered: 202/).waitFor()
  await dialog.getByText('thanks').waitFor()
  assert.ok((await dialog.textContent())?.includes(receiver.received.at(-1)?.id ?? 'nothing'))
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'ping' }).click()
  await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor()
  assert.match(page.url(), /delivery=/)
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => !url.search.includes('delivery='))
  await page.waitForFunction(`document.activeElement?.textContent === 'ping'`)
}

/** Counts the chosen deliveries first, then resends them with progress, on a narrow screen. */
async function resendChosen(page: Page, { world, receiver }: Shown): Promise<void> {
  await record(world, 2, 'message.failed')
  await world.settled()
  const sentBefore = receiver.events('message.sent').length
  await page.getByRole('button', { name: 'Add the filter Status' }).click()
  await page.getByRole('menuitem', { name: 'Succeeded' }).click()
  await page.waitForURL(/status=succeeded/)
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByRole('button', { name: 'Resend events' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Event type').selectOption('message.sent')
  await dialog.getByRole('button', { name: 'Count', exact: true }).click()
  const allowResend = await hold(page, '**/endpoints.resendChosen?batch=1')
  await dialog.getByRole('button', { name: 'Resend 3 events' }).click()
  const bar = dialog.getByRole('progressbar', { name: 'Resending' })
  assert.equal(await bar.getAttribute('aria-valuetext'), '0 of 3 queued')
  assert.equal(await dialog.getByRole('status').textContent(), 'Resending 0%')
  allowResend()
  await dialog.getByText('3 events queued').waitFor()
  await world.settled()
  assert.equal(receiver.events('message.sent').length, sentBefore + 3)
  assert.equal(receiver.events('message.failed').length, 2)
}
