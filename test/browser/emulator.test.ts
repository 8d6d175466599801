import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { CUSTOMER, startWorld } from '../../packages/whatsapp-emulator/test/world.ts'
import { findSeriousFaults } from './accessibility.ts'
import { openPage } from './browser.ts'

const HOUR_MS = 3_600_000
const schedule = { sentMs: 0, deliveredMs: 0, readMs: 2 * HOUR_MS, jitter: 0 }
const chat = `/phone/#${new URLSearchParams({ phone: CUSTOMER, number: DEMO.standardNumberId }).toString()}`

test('the emulator’s page shows messages, accepts taps and moves its clock', async (t) => {
  const world = await startWorld(t, { now: Date.now, speed: 1, schedule })
  world.emulator.script({
    match: { to: CUSTOMER },
    steps: [{ do: [{ tap: { button: 'Confirm' }, afterMs: HOUR_MS }] }],
  })
  const page = await openPage(t, { first: { url: world.emulator.url } })
  await page.goto('/')
  await page.getByText('Send your first message').waitFor()
  await page.evaluate(
    `Object.defineProperty(navigator, 'clipboard', { value: undefined }); document.execCommand = () => false`,
  )
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('status').getByText('Something went wrong.').waitFor()
  await world.sendOrder()
  await page.getByRole('button', { name: CUSTOMER }).click()
  const phone = page.getByRole('region', { name: `The phone of ${CUSTOMER}` })

  const time = page.getByRole('region', { name: 'Time machine' })
  await time.getByText('real time').waitFor()
  await time.getByRole('button', { name: 'Jump to: Customer answers, script-1' }).press('Enter')
  await phone.getByText('Confirm').nth(1).waitFor()
  await time.getByText(/^On the way: .*1 customer answer/).waitFor()
  assert.match(await page.evaluate<string>('document.activeElement.textContent'), /Moved the clock by/)
  await time.getByText('24-hour service window ends').waitFor()
  await assertLooks(page, 'ltr')

  await time.getByLabel('Other duration').fill('3')
  await time.getByLabel('Unit').selectOption('days')
  await time.getByRole('button', { name: 'Move' }).press('Enter')
  await time.getByText('Moved the clock by 3 days').waitFor()
  await time.getByText('1 service window ended').waitFor()
  await time.getByText('Nothing is due in this chat.').waitFor()
  assert.match((await time.textContent()) ?? '', /3 days.* ahead of real time/)
  await time.getByLabel('Other duration').fill('91')
  await time.getByRole('button', { name: 'Move' }).press('Enter')
  await page.locator('input[type=number]:invalid').waitFor()

  await world.sendOrder()
  const answered = Promise.withResolvers<string>()
  world.emulator.onInbound(({ did, text }) => answered.resolve(`${did} ${text}`))
  await phone.getByRole('button', { name: 'Cancel' }).nth(1).click()
  assert.equal(await answered.promise, 'tapped Cancel')
  await phone.getByLabel('Message as the customer').fill('After six')
  await page.keyboard.press('Enter')
  await phone.getByText('After six').waitFor()
  await phone.getByRole('button', { name: 'Customer actions' }).click()
  await phone.getByRole('button', { name: 'Turn off phone' }).click()
  await phone.getByText('The phone is off. Messages stay at one tick').waitFor()
})

const ARABIC = { language: 'ar', width: 360, colours: 'dark' } as const

test('the emulator’s page is accessible and fits a narrow screen in Arabic', async (t) => {
  const world = await startWorld(t, { now: Date.now, speed: 1, schedule })
  await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
  await world.sendOrder()
  await world.emulator.moveClock({ by: '90m' })
  const page = await openPage(t, { first: { url: world.emulator.url } }, ARABIC)
  await page.goto(chat)
  const time = page.getByRole('region', { name: 'الساعة' })
  await time.getByRole('listitem').first().waitFor()
  await time.getByRole('button').last().press('Enter')
  await time.getByRole('status').locator('p').first().waitFor()
  await assertLooks(page, 'rtl')
})

test('an emulator with an external time machine links to it in each language', async (t) => {
  const address = 'http://127.0.0.1:3000/dashboard/w/1/phone'
  const world = await startWorld(t, { timeMachineAt: () => address })
  const page = await openPage(t, { first: { url: world.emulator.url } }, ARABIC)
  await page.goto('/phone/')
  for (const [title, elsewhere] of [
    ['الساعة', 'فتح الساعة'],
    ['Time machine', 'Open the time machine'],
  ] as const) {
    const time = page.getByRole('region', { name: title })
    assert.equal(await time.getByRole('link', { name: elsewhere }).getAttribute('href'), address)
    assert.equal(await time.getByRole('button').count(), 0)
    await page.locator('header').getByRole('combobox').selectOption('en')
  }
})

async function assertLooks(page: Page, direction: 'ltr' | 'rtl'): Promise<void> {
  assert.deepEqual(await findSeriousFaults(page), [])
  assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 0)
  assert.equal(await page.evaluate<string>('document.documentElement.dir'), direction)
}
