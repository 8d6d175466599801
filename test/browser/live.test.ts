import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hold, openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('changes during and after a stream’s start are shown without a reload', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  const allowStart = await hold(page, '**/dashboard/live/*')
  await page.goto(`/dashboard/w/${world.workspaceId}/messages/${otp.messageId}`)
  const shown = (status: string) => page.getByRole('main').getByText(status, { exact: true }).first()
  await shown('Sent').waitFor()
  assert.equal((await shown('Delivered').count()) + (await shown('Read').count()), 0)
  await world.whatsapp.reports(otp, ['delivered'])
  allowStart()
  await shown('Delivered').waitFor()
  await page.getByRole('status').filter({ hasText: 'Updates automatically' }).waitFor()
  await world.whatsapp.reports(otp, ['read'])
  await shown('Read').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('link', { name: otp.to }).waitFor()
  const { to } = await world.sendOtp()
  await page.getByRole('link', { name: to }).waitFor()
})
