import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeriousFaults } from '../../../test/accessibility.ts'
import { openPage } from '../../../test/browser.ts'
import { DEMO } from '../src/index.ts'
import { CUSTOMER, startWorld } from './world.ts'

const HOUR_MS = 3_600_000
const schedule = { sentMs: 0, deliveredMs: 0, readMs: 2 * HOUR_MS, jitter: 0 }
const chat = `/phone/#${new URLSearchParams({ phone: CUSTOMER, number: DEMO.standardNumberId }).toString()}`

test('the time machine jumps to due plans and by any span', async (t) => {
  const world = await startWorld(t, { now: Date.now, speed: 1, schedule })
  world.emulator.customer({ to: CUSTOMER }, [{ do: [{ tap: { button: 'Confirm' }, afterMs: HOUR_MS }] }])
  await world.sendOrder()
  const page = await openPage(t, { first: { url: world.emulator.url } })
  await page.goto(chat)
  const time = page.getByRole('region', { name: 'Time machine' })
  await time.getByText('real time').waitFor()
  await time.getByRole('button', { name: 'Jump to: Customer answers, customer-1' }).press('Enter')
  await page
    .getByRole('region', { name: `The phone of ${CUSTOMER}` })
    .getByText('Confirm')
    .nth(1)
    .waitFor()
  await time.getByText(/^On the way: .*1 customer answer/).waitFor()
  assert.match(await page.evaluate<string>('document.activeElement.textContent'), /Moved the clock by/)
  await time.getByText('24-hour service window ends').waitFor()

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
})

const LOOKS = [
  { language: 'en', width: 1280, colours: 'light', title: 'Time machine', elsewhere: 'Open the time machine' },
  { language: 'ar', width: 360, colours: 'dark', title: 'آلة الزمن', elsewhere: 'فتح آلة الزمن' },
] as const

for (const { title, elsewhere, ...look } of LOOKS) {
  test(`the emulator’s page is accessible and fits the screen: ${Object.values(look).join(', ')}`, async (t) => {
    const world = await startWorld(t, { now: Date.now, speed: 1, schedule })
    await world.emulator.inbound({ from: CUSTOMER, to: DEMO.standardNumberId, text: 'Hello' })
    await world.sendOrder()
    await world.emulator.moveClock({ by: '90m' })
    const page = await openPage(t, { first: { url: world.emulator.url } }, look)
    await page.goto(chat)
    const time = page.getByRole('region', { name: title })
    await time.getByRole('listitem').first().waitFor()
    await time.getByRole('button').last().press('Enter')
    await time.getByRole('status').locator('p').first().waitFor()
    assert.deepEqual(await findSeriousFaults(page), [])
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 0)
    assert.equal(await page.evaluate<string>('document.documentElement.dir'), look.language === 'ar' ? 'rtl' : 'ltr')
  })

  test(`an emulator with an external time machine links to it: ${look.language}`, async (t) => {
    const world = await startWorld(t, { timeMachineAt: () => 'http://127.0.0.1:3000/dashboard/w/1/phone' })
    const page = await openPage(t, { first: { url: world.emulator.url } }, look)
    await page.goto('/phone/')
    const time = page.getByRole('region', { name: title })
    const link = time.getByRole('link', { name: elsewhere })
    assert.equal(await link.getAttribute('href'), 'http://127.0.0.1:3000/dashboard/w/1/phone')
    assert.equal(await time.getByRole('button').count(), 0)
  })
}
