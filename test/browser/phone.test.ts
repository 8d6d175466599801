import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { hold, openPage } from './browser.ts'
import type { CreatedConfirmation } from '../world/cod.ts'
import { signIn } from '../world/dashboard.ts'
import { numberOf, startSandbox } from '../world/sandbox.ts'
import { wrongCode } from '../world/verifications.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, type WorldReceiver, newPhone } from '../world/world.ts'

async function openPhone(page: Page, world: World, phone: string): Promise<void> {
  const search = new URLSearchParams({ phone, number: numberOf(world) })
  await page.goto(`/dashboard/w/${world.workspaceId}/phone?${search.toString()}`)
}

const frameOf = (page: Page, phone: string) => page.getByRole('region', { name: `The phone of ${phone}` })

test('a member plays customers with mouse and keyboard, and the business hears them', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'phone' })
  await page.getByText('No messages yet').first().waitFor()
  const otp = await world.sendOtp()
  await frameOf(page, otp.to).getByText(otp.code).waitFor() // the page opens the newest chat
  await frameOf(page, otp.to).getByText('Read', { exact: true }).waitFor()
  await waitFor('the business to know that it was read', async () => (await world.getOtp(otp))['status'] === 'read')

  await opensNewCustomer(page)
  const confirmation = await reschedules(page, world, receiver)
  await page.setViewportSize({ width: 360, height: 900 })
  await refuses(page, world, confirmation)
  await page.setViewportSize({ width: 1280, height: 900 })
  await quotes(page, world)
  await staysOpen(page, world, confirmation)
})

test('a verification from the phone to the approval: its code is on the phone, and its page shows the end', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  const started = await world.startVerification()
  await openPhone(page, world, started.to)
  const bubble = frameOf(page, started.to)
    .getByText(/^\D*\d{6}\D*$/)
    .first() // a number of a phone has more digits
  await bubble.waitFor()
  const [code = ''] = /\d{6}/.exec((await bubble.textContent()) ?? '') ?? []
  await page.goto(`/dashboard/w/${world.workspaceId}/messages/${started.verificationId}`)
  await page.getByText('Pending', { exact: true }).waitFor()
  assert.equal((await world.check(started, wrongCode(code))).body.status, 'pending')
  await page.getByText('1 of 5', { exact: true }).waitFor() // the page follows without a reload
  assert.equal((await world.check(started, code)).body.status, 'approved')
  await page.getByText('Approved', { exact: true }).waitFor()
  await page.getByText('the right code was checked: the verification is approved').waitFor()
  assert.ok(!(await page.content()).includes(code), 'no page but the phone shows the code')
  await receiver.waitFor(1)
  await waitFor('the backend to hear it', () => receiver.events().some(({ type }) => type === 'otp.verified'))
})

test('what is typed or quoted while a reply is sent stays, and so does a reply that fails', async (t) => {
  const world = await startSandbox(t)
  const to = newPhone()
  const [first, second] = [await world.submitOtp({ to }), await world.submitOtp({ to })]
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await openPhone(page, world, to)
  const phone = frameOf(page, to)
  const composer = phone.getByLabel('Message as the customer')
  const quoting = phone.locator('form').getByText('Replying to')
  const quote = async ({ code }: { code: string }) => {
    const message = phone.getByRole('listitem').filter({ hasText: code }).first()
    await message.getByRole('button', { name: 'Reply', exact: true }).click()
    await phone.locator('form').getByText(code).waitFor()
  }
  const type = async (text: string, end: (route: Route) => Promise<void>) => {
    const release = await hold(page, '**/phone.act*', end)
    await composer.fill(text)
    await composer.press('Enter')
    await quoting.waitFor({ state: 'detached' })
    return release
  }
  await quote(first)
  const sendOne = await type('One', (route) => route.continue())
  await quote(second)
  sendOne()
  await phone.getByRole('listitem').filter({ hasText: 'One' }).getByRole('blockquote').waitFor()
  await page.unroute('**/phone.act*')
  await quoting.waitFor()

  const failTwo = await type('Two', (route) => route.abort())
  await composer.fill('Three')
  failTwo()
  await phone.getByRole('alert').waitFor()
  assert.equal(await composer.inputValue(), 'Two\nThree')
  await phone.locator('form').getByText(second.code).waitFor()
})

/** Escape closes its dialog and returns the focus, each time; a number is one that the API accepts. */
async function opensNewCustomer(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'New customer' })
  const dialog = page.getByRole('dialog', { name: 'New customer' })
  for (let times = 0; times < 2; times += 1) {
    await opener.click()
    await dialog.waitFor()
    assert.ok(await isFocused(dialog.getByRole('textbox')), 'the reader can type immediately')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    assert.ok(await isFocused(opener), 'the focus is back')
  }
  await opener.click()
  await dialog.getByRole('textbox').fill('+212661234')
  await dialog.getByRole('button', { name: 'Open the phone' }).click()
  await dialog.getByText('Phone number must have 9 digits after +212, not 6.').waitFor()
  await dialog.getByRole('textbox').fill('+212661234567')
  await dialog.getByRole('button', { name: 'Open the phone' }).click()
  await frameOf(page, '+212661234567').waitFor()
}

/** The page shows the webhook. */
async function reschedules(page: Page, world: World, receiver: WorldReceiver): Promise<CreatedConfirmation> {
  const confirmation = await world.createConfirmation()
  const phone = frameOf(page, confirmation.to)
  await page.getByRole('button', { name: confirmation.to }).click()
  await phone.getByRole('button', { name: 'Change time' }).click()
  await phone.getByText('Which day?').waitFor()
  const days = phone.getByRole('listitem').filter({ hasText: 'Which day?' }).getByRole('button')
  await days.first().click()
  await phone.getByText('At what time?').waitFor()
  await phone.getByRole('button', { name: '12:00-18:00' }).click()
  const webhooks = page.getByRole('region', { name: 'Sent webhooks' })
  await webhooks.getByRole('button', { name: /cod\.reschedule_requested.*HTTP 204/ }).click()
  await webhooks.getByText('"timeRange": "12:00-18:00"').waitFor()
  assert.equal(receiver.events('cod.reschedule_requested').length, 1)
  assert.ok(await phone.getByRole('button', { name: 'Change time' }).isDisabled(), 'what was tapped is grey')
  return confirmation
}

/** Refuses with a reason from the list, on a narrow screen. */
async function refuses(page: Page, world: World, confirmation: CreatedConfirmation): Promise<void> {
  await world.settled()
  await world.startRefusalCheck(confirmation)
  const phone = frameOf(page, confirmation.to)
  await phone.getByRole('button', { name: 'Yes' }).click()
  await phone.getByRole('button', { name: 'Reasons' }).click()
  const sheet = page.getByRole('dialog', { name: 'Reasons' })
  await sheet.getByRole('radio', { name: 'Damaged' }).check()
  await sheet.getByRole('button', { name: 'Send' }).click()
  await phone.getByText('Damaged').waitFor()
  await waitFor(
    'the reason',
    async () => (await world.getConfirmation(confirmation)).refusalCheck?.reason === 'Damaged',
  )
  await page.getByRole('button', { name: 'Back to phones' }).click()
  await page.getByRole('button', { name: confirmation.to }).waitFor()
}

/** Quotes an earlier message by mouse and by keyboard; the business sees which one. */
async function quotes(page: Page, world: World): Promise<void> {
  const to = newPhone()
  const [first, second] = [await world.submitOtp({ to }), await world.submitOtp({ to })]
  await page.getByRole('button', { name: to }).click()
  const phone = frameOf(page, to)
  const messageOf = ({ code }: { code: string }) => phone.getByRole('listitem').filter({ hasText: code }).first()
  const composer = phone.getByLabel('Message as the customer')

  await messageOf(first).hover()
  await messageOf(first).getByRole('button', { name: 'Reply', exact: true }).click()
  await phone.getByText('Replying to').waitFor()
  await composer.fill('With the mouse')
  await phone.getByRole('button', { name: 'Send', exact: true }).click()
  const byMouse = phone.getByRole('listitem').filter({ hasText: 'With the mouse' })
  await byMouse.getByRole('blockquote').filter({ hasText: first.code }).waitFor()

  const reply = messageOf(second).getByRole('button', { name: 'Reply', exact: true })
  for (let steps = 0; steps < 20 && !(await isFocused(reply)); steps += 1) await page.keyboard.press('Shift+Tab')
  assert.ok(await isFocused(reply), 'the keyboard comes to it')
  await page.keyboard.press('Enter')
  assert.ok(await isFocused(composer), 'the reader can go on typing after quoting')
  await page.keyboard.press('Escape')
  await phone.getByText('Replying to').waitFor({ state: 'detached' })
  await reply.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('With the keyboard')
  await page.keyboard.press('Enter')
  const byKeyboard = phone.getByRole('listitem').filter({ hasText: 'With the keyboard' })
  await byKeyboard.getByRole('blockquote').filter({ hasText: second.code }).waitFor()

  await world.settled()
  const quoted = await world.query<{ messageId: string; text: string }>(
    `select m.id as "messageId", r.body::jsonb -> 'message' -> 'text' ->> 'body' as text
     from provider_reports r join messages m
       on m.workspace_id = r.workspace_id and m.provider_message_id = r.body::jsonb -> 'message' -> 'context' ->> 'id'
     where r.workspace_id = $1 and m.id = any ($2) order by text`,
    [world.workspaceId, [first.messageId, second.messageId]],
  )
  assert.deepEqual(quoted, [
    { messageId: second.messageId, text: 'With the keyboard' },
    { messageId: first.messageId, text: 'With the mouse' },
  ])
}

/** A chat that was opened on a narrow screen stays when the screen is wide and another phone gets a message. */
async function staysOpen(page: Page, world: World, { to }: CreatedConfirmation): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  await page.setViewportSize({ width: 360, height: 900 })
  await page.evaluate(`history.pushState({}, '', '/dashboard/w/${world.workspaceId}/phone')`)
  await page.getByRole('button', { name: 'Back to phones' }).click() // it opens with the newest chat
  await page.getByRole('button', { name: to }).click()
  const composer = frameOf(page, to).getByLabel('Message as the customer')
  await composer.waitFor()
  await page.setViewportSize({ width: 1280, height: 900 })
  const other = await world.sendOtp()
  await page.getByRole('button', { name: other.to }).waitFor()
  await composer.fill('Still here')
  await page.keyboard.press('Enter')
  await frameOf(page, to).getByText('Still here').waitFor()
}

test('an admin sends each kind of message and jumps to the reminder', async (t) => {
  const world = await startSandbox(t)
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin })
  const to = newPhone()
  await openPhone(page, world, to)
  const phone = frameOf(page, to)
  const send = page.getByRole('region', { name: 'Send a message' })
  const button = send.getByRole('button', { name: 'Send to' })

  await send.getByText('Confirmation', { exact: true }).click()
  await button.waitFor()
  const { y = 0, height = 0 } = (await button.boundingBox()) ?? {}
  assert.ok(y + height <= 900, `the button is ${y + height} px below the top of a screen of 900`)
  assert.equal(await page.evaluate<number>('scrollY'), 0)
  assert.deepEqual(
    [await send.getByLabel('Customer').inputValue(), await send.getByLabel('Total').inputValue()],
    ['Ana', '25 EUR'],
    'what the template’s samples show',
  )
  await send.getByRole('textbox', { name: 'Order' }).fill('A-77')
  await button.click()
  await phone.getByText(/order A-77/).waitFor()
  await send.getByText('Refusal check', { exact: true }).click()
  await send.getByRole('combobox', { name: 'Order' }).waitFor()
  assert.equal(await send.getByLabel('Customer').inputValue(), 'Ana')

  await send.getByText('Code', { exact: true }).click()
  await send.getByRole('textbox', { name: 'Code' }).fill('no code')
  await button.click()
  await send.getByText('Code must be 1 to 15 ASCII letters or digits.').waitFor()
  await send.getByRole('textbox', { name: 'Code' }).fill('730214')
  await button.click()
  await phone.getByText('730214').waitFor()
  const [entry] = await world.query<{ who: string; after: object }>(
    `select who, after from audit_log where workspace_id = $1 and action = 'otp.sent'`,
    [workspaceId],
  )
  assert.equal(entry?.who, admin.email)
  assert.ok(!JSON.stringify(entry).includes('730214'))

  await world.settled()
  await page.getByRole('tab', { name: 'Time machine' }).click()
  const clock = page.getByRole('region', { name: 'Time machine' })
  await clock.getByRole('button', { name: 'Jump to: Confirmation reminder, order A-77' }).click()
  await clock.getByText(/On the way: 1 reminder, 1 message/).waitFor()
  await clock.getByText(/ahead of real time/).waitFor()
  await waitFor('the reminder on the phone', async () => (await phone.getByText(/order A-77/).count()) >= 2)
  await clock.getByText('Confirmation deadline: no response').waitFor()
})

const isFocused = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(':focus')).count()) === 1
