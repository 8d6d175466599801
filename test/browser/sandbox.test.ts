import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { freePort } from '../programs/program.ts'
import { startWorld } from '../world/world.ts'

test('a new sandbox gets its account and phone with one button, and its first pages do not mention Meta', async (t) => {
  const world = await startWorld(t)
  const port = await freePort()
  const settings = {
    DOORCODE_EMULATOR_PORT: new URL(world.emulator.url).port,
    DOORCODE_PUBLIC_URL: `http://127.0.0.1:${port}`,
  }
  const node = await world.node({ port, settings })
  const page = await openPage(t, { first: node }, { as: await signIn(world, 'owner') })
  await page.goto('/dashboard/new-workspace')
  await page.getByLabel('Name', { exact: true }).fill('Try it')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  const connect = page.getByRole('button', { name: 'Connect the WhatsApp emulator' })
  await page.getByRole('button', { name: 'Set up and begin' }).waitFor()
  const workspace = /\/dashboard\/w\/[0-9a-f-]+/.exec(page.url())?.[0] ?? assert.fail(page.url())
  for (const path of ['overview', 'senders', 'phone']) {
    await page.goto(`${workspace}/${path}`)
    await connect.waitFor()
    assert.doesNotMatch(await page.innerText('main'), /Meta|business\.facebook|WhatsApp Manager/, path)
  }
  await page.goto(`${workspace}/overview`)
  await connect.click()
  await page.getByText('The emulator is connected').waitFor()
  await connect.waitFor({ state: 'detached' })
  await page.getByText('done', { exact: true }).nth(1).waitFor() // the account, and its templates
  await page.goto(`${workspace}/phone`)
  await page.getByText('No messages yet').first().waitFor()
  assert.equal(await page.getByText('Demo Shop').count(), 0, 'the phone knows no other workspace’s business')
})
