import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('an empty workspace shows its next steps, then figures from one call', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  const requests: string[] = []
  page.on('request', (request) => requests.push(...(request.url().match(/charts\.\w+/g) ?? [])))
  await page.goto(`/dashboard/w/${workspaceId}/overview`)
  const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem')
  await steps.first().waitFor()
  const areDone = (await steps.allInnerTexts()).map((text) => /\bdone\b/.test(text))
  assert.deepEqual(areDone, [true, true, false, false, false])
  const otp = await world.sendOtp()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  const codes = page.getByRole('region', { name: 'One-time codes' })
  await codes.getByText(/^1$/).first().waitFor()
  assert.equal(await codes.getByText('% delivered').count(), 0, 'a code on its way has no rate')
  await world.whatsapp.reports(otp, ['delivered'])
  await page.reload()
  await codes.getByText('100% delivered').waitFor()
  assert.deepEqual([...new Set(requests)], ['charts.overview'])
  await page.getByRole('link', { name: 'All charts' }).click()
  await page.getByRole('heading', { name: 'Charts', exact: true }).waitFor() // the overview has this figure too
  const messages = page.getByRole('region', { name: 'Messages by day' }).first()
  await messages.getByText('Show as table').click()
  assert.match((await messages.getByRole('row').last().innerText()).replaceAll('\t', ' '), / 1 0$/)
  const file = (await messages.getByRole('link', { name: 'Export CSV' }).getAttribute('href')) ?? ''
  assert.match(file, /\/messages-by-day\?from=[\d-]+&to=[\d-]+&locale=en$/)
  const named = await messages.locator('.recharts-xAxis-tick-labels text').allTextContents()
  assert.ok(named.length > 5, `the axis names ${named.join()}`)
  await page.getByText('7 days', { exact: true }).click()
  await page.waitForURL(/days=7/)
})
