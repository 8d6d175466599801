import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeriousFaults } from './accessibility.ts'
import { hold, openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { newPhone, startWorld } from '../world/world.ts'

test('an import shows faulty lines, progress and failures, and warns before leaving', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const list = () => admin.calls.blocked.list.query({ workspaceId: world.workspaceId, order: 'phone' })
  const page = await openPage(t, world, { as: admin, at: 'keys' })
  await page.getByRole('link', { name: 'Blocked recipients' }).click()
  await page.getByRole('button', { name: 'Import a list' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a list' })
  const [first, second] = [newPhone(), newPhone()]
  const lines = ['phone,reason', `${first},abusive`, '212612345678', 'nobody', `${second};"asked, twice"`]
  await dialog.getByLabel('Lines').fill(lines.join('\n'))
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByText('2 lines are ready to import.').waitFor()
  assert.deepEqual(await dialog.getByRole('row').allInnerTexts(), [
    'Line\tPhone\tError',
    '3\t212612345678\tmust start with + and the country code. Did you mean this number? +212612345678',
    '4\tnobody\tnot a phone number',
  ])
  assert.deepEqual((await list()).rows, [])
  await dialog.getByRole('button', { name: 'Block 2 recipients' }).click()
  await dialog.getByText('2 lines were not imported').waitFor()
  assert.equal(await dialog.getByLabel('Lines').inputValue(), '212612345678\nnobody')
  const { rows } = await list()
  assert.deepEqual(
    new Set(rows.map(({ phone, reason, blockedBy }) => `${phone} ${reason} ${blockedBy}`)),
    new Set([`${first} abusive ${admin.email}`, `${second} asked, twice ${admin.email}`]),
  )
  const rejected = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody({ to: first }) })
  assert.equal(rejected.body.code, 'RECIPIENT_BLOCKED')

  const secondBatch = Promise.withResolvers<void>()
  let batches = 0
  await page.route('**/blocked.import?batch=1', async (route) => {
    batches += 1
    if (batches === 1) return route.continue()
    await secondBatch.promise
    return route.abort()
  })
  const phones = Array.from({ length: 1_000 }, (_, n) => `+2126120${10_000 + n}`)
  await dialog.getByLabel('Lines').fill(phones.join('\n'))
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByRole('button', { name: 'Block 1,000 recipients' }).click()
  await dialog.getByText('500 of 1,000').waitFor()
  const bar = dialog.getByRole('progressbar', { name: 'Blocking numbers' })
  assert.equal(await bar.getAttribute('aria-valuenow'), '50')
  assert.equal(await dialog.getByRole('status').textContent(), 'Blocking numbers 50%')
  await page.keyboard.press('Escape')
  await bar.waitFor()
  await page.evaluate('history.back()')
  await page.getByRole('dialog', { name: 'Leave during the import?' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  await page.getByRole('button', { name: 'Stay' }).click()
  secondBatch.resolve()
  await dialog.getByText('Stopped. 500 recipients are blocked.').waitFor()
  assert.equal((await list()).total, 502)
  await page.unroute('**/blocked.import?batch=1')
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByRole('button', { name: 'Block 500 recipients' }).click()
  await dialog.getByText('500 recipients blocked.', { exact: true }).waitFor()
  assert.equal((await list()).total, 1_002)
})

test('a number as people dial it is offered with its country code, and both blocking and unblocking are undone', async (t) => {
  const world = await startWorld(t)
  await world.codSettings() // in Casablanca
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const reasons = async () =>
    (await admin.calls.blocked.list.query({ workspaceId })).rows.map(({ phone, reason }) => [phone, reason])
  const page = await openPage(t, world, { as: admin, at: 'blocked' })
  await page.getByRole('button', { name: 'Block a number' }).click()
  const dialog = page.getByRole('dialog', { name: 'Block a number' })
  await dialog.getByLabel('Phone').fill('0661234567')
  await dialog.getByLabel('Reason').fill('abusive')
  await dialog.getByRole('button', { name: 'Block number' }).click()
  await dialog.getByRole('button', { name: '+212661234567' }).click()
  await dialog.getByRole('button', { name: 'Block number' }).click()
  await page.getByText('+212661234567 is blocked.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  assert.deepEqual(await reasons(), [])

  await admin.calls.blocked.add.mutate({ workspaceId, phone: '+212661234567', reason: 'abusive' })
  await page.reload()
  await page.getByRole('button', { name: 'Unblock +212661234567' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unblock number' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  assert.deepEqual(await reasons(), [['+212661234567', 'abusive']], 'with its reason')
})

test('a list never looks empty while the rows after a search still load', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  await admin.calls.blocked.add.mutate({ workspaceId, phone: '+212661234567' })
  await world.sendOtp({ reference: 'login-7' })
  const page = await openPage(t, world, { as: admin, at: 'blocked' })
  const search = page.getByRole('searchbox')
  await search.click()
  await page.keyboard.type('999')
  await page.getByText('No blocked number contains this.').waitFor()
  await page.getByLabel('Sort').selectOption('phone')
  const releaseBlocked = await hold(page, '**/blocked.list*')
  const blockedAsked = page.waitForRequest(
    (sent) => sent.url().includes('blocked.list') && !sent.postData()?.includes('"999"'), // an id may contain 999
  )
  await search.fill('')
  await blockedAsked
  assert.ok(await search.isVisible())
  releaseBlocked()
  await page.getByRole('button', { name: 'Unblock +212661234567' }).waitFor()

  await page.goto(`/dashboard/w/${workspaceId}/messages?text=nothing`)
  await page.getByText('No messages match these filters.').waitFor()
  const releaseMessages = await hold(page, '**/messages.list*')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('main').locator('[aria-busy=true]').waitFor()
  assert.equal(await page.getByText('No messages yet.').count(), 0)
  releaseMessages()
  await page.getByText('login-7').waitFor()
})
