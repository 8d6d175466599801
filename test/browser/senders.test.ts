import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type SlowEmulator, anotherAccount, startSlowEmulator } from '../world/accounts.ts'
import { hold, openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { type World, startWorld } from '../world/world.ts'

test('an admin syncs, connects, checks and deletes accounts on one page', async (t) => {
  const world = await startWorld(t, { sandbox: true })
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.route('**/dashboard/live/**', (route) => route.abort()) // progress does not depend on the stream
  const emulator = await startSlowEmulator(t, world)
  await syncs(page, world, emulator)
  await emulator.remove()
  await page.unroute('**/dashboard/live/**')
  await connects(page, world)
})

/** A failed sync reports its failure, keeps earlier data and can be repeated; a reload does not hide its progress. */
async function syncs(page: Page, world: World, emulator: SlowEmulator): Promise<void> {
  const known = world.account.templates.length
  const all = addTemplates(world)
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  const failing = emulator.hold('after=')
  await page.getByRole('button', { name: 'Sync now' }).click()
  await assertReadsTemplates(page)
  failing.fail()
  await page.getByText(`Previously synced data is unchanged: 2 numbers, ${known} templates.`).waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })

  const secondPage = emulator.hold('after=')
  await page.getByRole('button', { name: 'Sync now' }).click()
  await secondPage.arrived
  await page.reload()
  await page.getByRole('progressbar', SYNCING).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Sync now' }).isDisabled(), 'a running sync cannot be started again')
  secondPage.go()
  await page.getByText(`Synced: 2 numbers, ${all} templates`).waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
}

const SYNCING = { name: 'Syncing numbers and templates from WhatsApp' }

/** One of three steps is done, and the share of the second is unknown. */
async function assertReadsTemplates(page: Page): Promise<void> {
  await page.getByText('Step 2 of 3: reading the templates. So far: 2 numbers, 100 templates.').waitFor()
  const bar = page.getByRole('progressbar', SYNCING)
  assert.equal(await bar.getAttribute('aria-valuenow'), '1')
  assert.equal(await bar.getAttribute('aria-valuemax'), '3')
}

async function connects(page: Page, world: World): Promise<void> {
  const { form } = anotherAccount(world)
  await page.getByRole('button', { name: 'Connect a WhatsApp account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Enter the credentials of another account' }).click()
  const connect = dialog.getByRole('button', { name: 'Connect', exact: true })
  const window = page.viewportSize() ?? { width: 1280, height: 800 }
  const low = { ...window, height: 560 }
  await page.setViewportSize(low)
  await connect.click()
  await dialog.getByText('4 errors').waitFor()
  const { y = Infinity, height = 0 } = (await connect.boundingBox()) ?? {}
  assert.ok(y + height <= low.height, 'below four errors, the button is still in sight')
  await page.setViewportSize(window)
  await dialog.getByLabel('WhatsApp Business Account ID').fill(form.wabaId)
  await dialog.getByLabel('Access token').fill('EAAnobody')
  await dialog.getByLabel('App secret').fill(form.appSecret)
  await dialog.getByRole('button', { name: 'Generate' }).click()
  const verifyToken = await dialog.getByLabel('Verify token').inputValue()
  assert.equal(await dialog.getByLabel('Graph URL').inputValue(), form.graphUrl, 'the emulator is found')
  await connect.click()
  await dialog.getByText('WhatsApp rejects the access token').waitFor()
  await dialog.getByLabel('Access token').fill(form.accessToken)
  await connect.click()
  await dialog.getByText('Account connected').waitFor()
  await page.keyboard.press('Escape') // the verify token is shown once
  const callback = (await dialog.getByText(/^http.*\/whatsapp\/[0-9a-f-]{36}$/).textContent()) ?? ''
  const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': verifyToken })
  const handshake = await fetch(`${world.first.url}${new URL(callback).pathname}?${query.toString()}`)
  assert.equal(await handshake.text(), '42', 'the callback URL and the verify token that were shown work')
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /5550100190/ })
  await row.getByText('can send').waitFor()
  const senderId = (await row.getByText(/^[0-9a-f]{8}-/).textContent()) ?? ''
  await world.sendOtp({ senderId })
  await row.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await row.getByText('Paused', { exact: true }).waitFor()

  const account = page.locator('dl', { hasText: form.wabaId }).locator('..')
  world.emulator.changeAccount(form.wabaId, { subscribed: false })
  await account.getByRole('button', { name: 'Check webhooks' }).click()
  await account.getByRole('button', { name: 'Turn on webhooks' }).click()
  await account.getByText('Webhooks are on').waitFor()
  await account.getByRole('button', { name: 'Delete account' }).click()
  await dialog.getByLabel(`Type ${form.wabaId} to confirm`).fill(form.wabaId)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await page.getByText('Account deleted.').waitFor()
  await row.waitFor({ state: 'detached' })
}

/** More templates than one page of the list holds. */
function addTemplates(world: World): number {
  for (let n = 0; n < 120; n += 1) {
    const components = [{ type: 'BODY' as const, text: 'Hello.' }]
    const template = { name: `note_${n}`, language: 'en', category: 'UTILITY' as const, components }
    world.emulator.addTemplate(world.credentials.wabaId, template)
  }
  return world.emulator.getAccount(world.credentials.wabaId).templates.size
}

test('another node shows a sync’s progress, and never uncounted messages as zero', async (t) => {
  const world = await startWorld(t)
  await world.submitOtp()
  const all = addTemplates(world)
  const emulator = await startSlowEmulator(t, world)
  const other = await world.node({ works: false })
  const secondPage = emulator.hold('after=')
  const { workspaceId, account } = world
  const { calls } = await signIn(world, 'admin')
  const synced = calls.senders.sync.mutate({ workspaceId, accountId: account.accountId })
  await secondPage.arrived

  const page = await openPage(t, { first: other }, { as: await signIn(world, 'member') })
  const release = await hold(page, '**/dashboard/calls/*senders.traffic*')
  await page.goto(`/dashboard/w/${workspaceId}/senders`)
  const today = page.getByRole('row').filter({ hasText: world.senderId }).getByRole('cell').last()
  assert.equal(await today.textContent(), '…')
  release()
  await today.getByText('1 message', { exact: true }).waitFor()
  await assertReadsTemplates(page)
  secondPage.go()
  await synced
  await page.getByText(`Synced: 2 numbers, ${all} templates`).waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
})

test('a pause of a sender is undone by the toast that reports it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin, at: 'senders' })
  await page.getByRole('button', { name: 'Pause' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  await page.getByRole('button', { name: 'Resume' }).waitFor({ state: 'detached' })
  const log = await world.query<{ action: string }>(
    'select action from audit_log where workspace_id = $1 order by at, id',
    [workspaceId],
  )
  assert.deepEqual(
    log.map(({ action }) => action),
    ['sender.paused', 'sender.resumed'],
  )
})
