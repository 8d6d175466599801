import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { PAGE_SIZE } from '../../src/lib/lists/list-pages.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { addConfirmations } from '../database/many-rows.ts'
import { newPhone, startWorld } from '../world/world.ts'

test('a confirmation is found, followed, and shown with its origin and escaped text', async (t) => {
  const world = await startWorld(t, { sandbox: true, cod: {} })
  const { workspaceId, senderId } = world
  await addConfirmations(world, { count: PAGE_SIZE })
  const admin = await signIn(world, 'admin')
  const order = await world.createConfirmation({ to: '+212612345678', reference: 'A-1001' })
  const strange = await world.createConfirmation({ reference: 'A-1\u202e002' })
  await admin.calls.phone.sendConfirmation.mutate({
    workspaceId,
    body: {
      to: newPhone(),
      senderId,
      template: { name: 'order_confirmation', language: 'en' },
      parameters: { body: ['Ana', 'A-7', '10 EUR'] },
      reference: 'A-7',
    },
  })
  await world.settled()
  await world.customer(strange).taps('Change time')
  await world.customer(strange).types('at\u2067 noon\nplease')
  const page = await openPage(t, world, { as: admin })
  const orderLink = (reference: string) => page.getByRole('link', { name: reference, exact: true })
  const backToList = () => page.getByRole('navigation').getByRole('link', { name: 'Confirmations' }).click()
  await page.goto(`/dashboard/w/${workspaceId}/confirmations`)
  await orderLink('A-7').waitFor()
  await page.getByLabel('Customer, reference or id').fill('00212 612 34 56 78')
  await orderLink('A-7').waitFor({ state: 'detached' })
  await orderLink('A-1001').click()
  await page.getByRole('heading', { level: 1, name: /Confirmation .*A-1001/ }).waitFor()
  await page.getByText('Answer deadline').waitFor()
  const [key] = await world.query<{ id: string; name: string }>(
    'select k.public_id as id, k.name from api_keys k join confirmations c on c.api_key_id = k.public_id where c.id = $1',
    [order.confirmationId],
  )
  await page.getByText(`${key?.name} dck_${key?.id}_…`).waitFor()
  await page.getByRole('status').filter({ hasText: 'Updates automatically' }).waitFor()
  await world.customer(order).taps('Confirm')
  await page.getByRole('main').getByText('Confirmed', { exact: true }).waitFor()
  const message = page.getByTestId('transcript').locator('[data-side="customer"]')
  assert.match((await message.textContent()) ?? '', /Confirm/)
  await page.getByText('No action is needed: the customer confirmed the order.').waitFor()
  await world.customer(order).taps('Cancel')
  await page.getByText('Do not ship this order: the customer cancelled it.').waitFor()
  await page.getByText('Confirmation question', { exact: true }).click()
  await page.getByText('Send attempt').first().waitFor()

  await backToList()
  await orderLink('A-7').click()
  await page.getByText('sent from the Phone page').waitFor()

  await backToList()
  await orderLink('A-1\\u202e002').click()
  await page.getByRole('heading', { level: 1, name: 'A-1\\u202e002' }).waitFor()
  const facts = page.getByRole('region', { name: 'The confirmation' })
  await facts.getByText('“at\\u2067 noon ⏎ please”').waitFor()
  assert.doesNotMatch((await facts.textContent()) ?? '', /\p{Bidi_Control}/u)

  await backToList()
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByRole('link', { name: 'الأقدم' }).click()
  await orderLink('r-1').waitFor()
  await page.getByRole('link', { name: 'الأحدث' }).click()
  await orderLink('A-1001').waitFor()
})

/** As a finger does: touches are events of the page, so that every browser can be tested. */
const swipe = (page: Page, dx: number): Promise<void> =>
  page.evaluate(`(() => {
    const target = document.querySelector('h1')
    const send = (type, x) => {
      const touch = new Touch({ identifier: 1, target, clientX: x, clientY: 200 })
      const touches = type === 'touchend' ? [] : [touch]
      target.dispatchEvent(new TouchEvent(type, { bubbles: true, touches, changedTouches: [touch] }))
    }
    send('touchstart', 200)
    send('touchend', 200 + ${dx})
  })()`)

test('on a phone, filters are behind one button, and arrows and swipes lead from one confirmation to the next', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const orders = ['A-1', 'A-2', 'A-3']
  for (const reference of orders) await world.askToConfirm({ reference })
  const page = await openPage(t, world, { as: await signIn(world, 'member'), width: 390 })
  const title = (reference: string) =>
    page.getByRole('heading', { level: 1, name: new RegExp(`^Confirmation .?${reference}`) }).waitFor()
  await page.goto(`/dashboard/w/${world.workspaceId}/confirmations`)
  await page.getByRole('link', { name: 'A-2' }).waitFor()
  const row = await page.evaluate<number>(`document.querySelector('tbody tr').getBoundingClientRect().height`)
  assert.ok(row < 72, `a row has two lines, but is ${row} px high`)
  await page.getByRole('button', { name: 'Filters' }).click()
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await dialog.getByLabel('Status').selectOption({ label: 'Failed' })
  await dialog.getByRole('button', { name: 'Show results' }).click()
  await page.getByText('No confirmations match these filters.').waitFor()
  await page.getByRole('button', { name: 'Filters · 1' }).click()
  await dialog.getByRole('button', { name: 'Clear filters' }).click()
  await dialog.getByRole('button', { name: 'Show results' }).click()

  await page.getByRole('link', { name: 'A-2' }).click()
  await title('A-2')
  await page.getByRole('link', { name: 'Newer confirmation' }).click()
  await title('A-3')
  await page.getByRole('button', { name: 'Newer confirmation', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'Older confirmation' }).waitFor()
  await swipe(page, -120)
  await title('A-2')
  await page.getByRole('link', { name: 'Older confirmation' }).waitFor()
  await swipe(page, 120)
  await title('A-3')
})

test('the arrows of a confirmation walk the filtered list that its reader came from, and lead back to it', async (t) => {
  const world = await startWorld(t, { cod: {} })
  for (const reference of ['AA-1', 'BB-1', 'AA-2', 'BB-2']) await world.askToConfirm({ reference })
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  const title = (reference: string) =>
    page.getByRole('heading', { level: 1, name: new RegExp(`^Confirmation .?${reference}`) }).waitFor()
  await page.goto(`/dashboard/w/${world.workspaceId}/confirmations?text=AA-`)
  await page.getByRole('link', { name: 'AA-2' }).click()
  await title('AA-2')
  await page.getByRole('button', { name: 'Newer confirmation', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'Older confirmation' }).click()
  await title('AA-1')
  await page.getByRole('button', { name: 'Older confirmation', disabled: true }).waitFor()
  await page.getByRole('link', { name: 'All confirmations' }).click()
  await page.getByRole('link', { name: 'AA-2' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'BB-2' }).count(), 0)
})
