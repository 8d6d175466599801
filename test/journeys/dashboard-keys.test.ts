import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeBrowser, openPage } from '../browser.ts'
import { signedIn } from '../dashboard.ts'
import { startWorld } from '../world.ts'

after(closeBrowser)

test('a key that was made on the page sends a code, and is shown in full only once', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/keys`)
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('checkout')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const apiKey = (await dialog.getByText(/^dck_/).first().textContent()) ?? ''
  const answer = await fetch(`${world.first.url}/api/v1/otp/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(world.otpBody()),
  })
  assert.equal(answer.status, 202)
  await page.reload()
  await page.getByText('checkout').waitFor()
  assert.ok(!(await page.content()).includes(apiKey))
})
