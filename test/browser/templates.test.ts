import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('a confirmation template is not left unsubmitted unasked, is approved live, and asks a customer', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  world.emulator.planReview(DEMO.accountId, { afterMs: 500 })
  await page.goto(`/dashboard/w/${world.workspaceId}/templates`)
  await page.getByRole('link', { name: 'Create template' }).click()
  await page.getByRole('heading', { level: 1, name: 'Create template' }).waitFor()
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('')
  await page.getByLabel('Third button').fill('')
  await page.getByRole('button', { name: 'Submit for review' }).click()
  const summary = page.getByRole('alert', { name: '2 errors' })
  await page.locator(':focus').getByRole('alert', { name: '2 errors' }).waitFor()
  await summary.getByRole('button', { name: 'Name', exact: true }).waitFor()
  await summary.getByRole('button', { name: 'Button 3', exact: true }).click()
  await page.keyboard.type('Later')
  await summary.waitFor({ state: 'hidden' }) // the field itself shows the last error
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.keyboard.type('Order check') // the only error's field has the focus
  assert.equal(await name.inputValue(), 'order_check')
  await page
    .getByLabel('Text', { exact: true })
    .fill('Hello {{customer}}, do you still want the order {{order}} today?')
  await page.getByTestId('preview').getByText('Hello Sara, do you still want the order A-1001 today?').waitFor()
  await page.getByRole('link', { name: 'Blocked recipients' }).click()
  await page.getByRole('dialog', { name: 'Leave without submitting?' }).getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByRole('heading', { level: 1, name: 'order_check' }).waitFor()
  await page.getByRole('region', { name: 'Usable for' }).getByText('Confirmations').waitFor()
  const created = await world.createConfirmation({
    template: { name: 'order_check', language: 'en' },
    parameters: { body: { customer: 'Ana', order: 'B-7' } },
  })
  await world.settled()
  const message = world.emulator.messages({ to: created.to })[0]
  assert.equal(message?.text, 'Hello Ana, do you still want the order B-7 today?')
})

test('a template that can be used for nothing shows one reason and how to create another', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin'), at: 'templates?use=none' })
  await page.getByRole('link', { name: 'order_delayed' }).click()
  const why = page.getByRole('region', { name: 'Not usable' })
  await why.getByText('The template has no quick reply').waitFor()
  await why.getByRole('link', { name: 'Create a template for confirmations' }).waitFor()
  assert.equal(await page.getByText('WhatsApp paused this template').count(), 0, 'the pause is not why')
})
