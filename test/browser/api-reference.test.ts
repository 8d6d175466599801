import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LANGUAGES } from '../../locales/text.ts'
import { findSeriousFaults } from './accessibility.ts'
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

const PUBLIC_PAGES = [
  '/',
  '/problems',
  '/problems/RATE_LIMITED',
  '/problems/TEMPLATE_PAUSED',
  '/docs/guides',
  '/docs/guides?q=webhook',
  '/docs/guides/webhooks',
]

test('the pages of errors and guides have no serious fault in any language, nor in light and dark, and fit a phone', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world)
  await page.setViewportSize({ width: 390, height: 800 })
  for (const [place, language] of LANGUAGES.entries())
    for (const [index, path] of PUBLIC_PAGES.entries()) {
      // In light or dark in turn, because each check is slow.
      await page.emulateMedia({ colorScheme: (place + index) % 2 === 0 ? 'light' : 'dark' })
      await page.goto(`${path}?lang=${language}`)
      assert.deepEqual(await findSeriousFaults(page), [], `${path} ${language}`)
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, `${path} ${language}`)
    }
})
