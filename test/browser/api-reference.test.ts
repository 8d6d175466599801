import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { tryFragment } from '../../src/api/docs/try.ts'
import { openPage } from './browser.ts'
import { startWorld } from '../world/world.ts'

test('the reference shows and calls the API and loads from no other host', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world)
  const [hosts, rejected] = [new Set<string>(), [] as string[]]
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http')) hosts.add(origin)
  })
  page.on('console', (line) => {
    if (line.type() === 'error' && line.text().includes('Content Security Policy')) rejected.push(line.text())
  })
  await page.goto('/docs')
  for (const part of ['idempotency-key', 'TemplateReference', 'OTP_QUOTA_EXCEEDED']) {
    await page.getByText(part).first().waitFor()
  }
  await page
    .getByPlaceholder('Token')
    .first()
    .fill(await world.freshKey())
  const { code } = (await (await sendTestRequest(page)).json()) as { code: string }
  assert.equal(code, 'OTP_SENDER_NOT_FOUND')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  await page.getByText('cod.refusal_denied').first().waitFor()
  assert.deepEqual([...hosts], [world.first.url])
  assert.deepEqual(rejected, [])
})

test('a link to the reference fills in the key and an example that is accepted', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world)
  const key = (await world.freshKey()).replace('Bearer ', '')
  const example = { senderId: world.senderId, template: { name: 'login_code', language: 'en_US' } }
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`/docs${tryFragment(example, key)}`)
  const answer = await sendTestRequest(page)
  assert.equal(answer.status(), 202)
  assert.equal(((await answer.json()) as { reference: string }).reference, 'login-8812')
  assert.ok(!page.url().includes(key), 'the key has left the address')
  assert.deepEqual(
    asked.filter((url) => url.includes(key)),
    asked.slice(0, 1).filter((url) => url.includes('#')),
    'no request has the key in its address',
  )
})

/** Sends the request to the API that the reference shows, with the values that it holds. */
async function sendTestRequest(page: Page): Promise<Response> {
  await page
    .getByRole('button', { name: /Test Request.*\/otp\/messages/ })
    .first()
    .click()
  const answered = page.waitForResponse('**/api/v1/otp/messages')
  await page.getByRole('button', { name: 'Send post request to' }).click()
  return answered
}
