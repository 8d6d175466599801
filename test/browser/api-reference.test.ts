import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, sendTestRequest } from './browser.ts'
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
