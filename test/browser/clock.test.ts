import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { advanceSandbox } from '../../src/sandbox/advance.ts'
import { openPage, openWithin } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

const AHEAD_MS = 27 * HOUR_MS

/** The newest time on the page: by the workspace's clock, what has just happened was just now. */
async function newestTime(page: Page): Promise<number> {
  await page.locator('main time').first().waitFor()
  const times = await page.evaluate<string[]>(`[...document.querySelectorAll('time')].map(({ dateTime }) => dateTime)`)
  return Math.max(...times.map(Date.parse))
}

/** Each hover over a time shows the exact time and the real time. */
async function checkExactTime(page: Page): Promise<void> {
  const exact = page.getByRole('tooltip', { name: /UTC.*Real time/ })
  for (const _ of ['first', 'again']) {
    await page.locator('main time').first().hover()
    await exact.waitFor()
    await page.locator('h1').hover()
    await exact.waitFor({ state: 'detached' })
  }
}

test('every page of a sandbox shows the sandbox’s clock, and an open page follows it', async (t) => {
  const world = await startWorld(t, { sandbox: true })
  const { workspaceId } = world
  const receiver = await world.receiver()
  const as = await signIn(world, 'owner')
  const page = await openPage(t, world, { as })
  const of = `/dashboard/w/${workspaceId}`
  await world.query('update workspaces set clock_offset_ms = $2 where id = $1', [workspaceId, -AHEAD_MS])
  await page.goto(`${of}/blocked`)
  await page.getByRole('link', { name: /Sandbox · clock 1d\s3h behind/ }).waitFor() // while a demo month is made
  await world.query('update workspaces set clock_offset_ms = 0 where id = $1', [workspaceId])
  await page.reload()
  await page.getByText('Sandbox', { exact: true }).waitFor()
  await advanceSandbox(world.parts, { workspaceId, byMs: AHEAD_MS })
  await page.getByRole('link', { name: /Sandbox · clock 1d\s3h ahead/ }).waitFor()

  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  await receiver.waitFor(1)
  await as.calls.keys.create.mutate({ workspaceId, name: 'fresh', expiresInDays: null })
  const paths = ['messages', `messages/${otp.messageId}`, `endpoints/${receiver.endpointId}`, 'keys', 'audit']
  for (const path of paths) {
    await openWithin(page, `${of}/${path}`)
    const lateMs = Date.now() + AHEAD_MS - (await newestTime(page))
    assert.ok(Math.abs(lateMs) < 5 * MINUTE_MS, `${path} is ${lateMs} ms behind`)
  }
  await openWithin(page, `${of}/messages`)
  await checkExactTime(page)
  await page.locator('main time').first().click()
  await page.waitForURL(`**/messages/${otp.messageId}`) // the time is part of its row
  await openWithin(page, `${of}/people`)
  const aheadMs = (await newestTime(page)) - Date.now()
  assert.ok(aheadMs < 5 * MINUTE_MS, `people sign in by the real clock: ${aheadMs} ms ahead`)
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByText(/^\+1d\s3h$/).waitFor() // not by its colour alone
  await page.getByRole('link', { name: /clock 1d/ }).click()
  await page.getByRole('tab', { name: 'Time machine', selected: true }).waitFor()
})
