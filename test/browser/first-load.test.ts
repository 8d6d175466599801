import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'
import { openPage } from './browser.ts'
import { type SignedIn, signIn } from '../world/dashboard.ts'
import { type World, startWorld } from '../world/world.ts'

const MAX_FIRST_LOAD_BYTES = 300_000

test('the first load is at most 300 kB of gzipped scripts without charts, before and after the first message', async (t) => {
  const world = await startWorld(t)
  const owner = await signIn(world, 'owner')
  await checkFirstLoad(t, { world, owner, shows: 'First steps' })
  await world.sendOtp()
  await checkFirstLoad(t, { world, owner, shows: 'Today' })
})

type Opening = { world: World; owner: SignedIn; shows: string }

async function checkFirstLoad(t: TestContext, { world, owner, shows }: Opening): Promise<void> {
  const page = await openPage(t, world, { as: owner, unused: true })
  const scripts = await scriptsLoaded(page, async () => {
    await page.goto('/dashboard/')
    await page.getByRole('heading', { name: shows }).waitFor()
  })
  const own = [...scripts].filter(([, text]) => !text.includes('recharts'))
  const sizes = own.map(([url, text]) => ({ url, bytes: gzipSync(text).length }))
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
  t.diagnostic(`${bytes} bytes of zipped scripts in ${sizes.length} files with ${shows}`)
  assert.ok(sizes.length > 0, 'the page loads scripts')
  assert.ok(bytes <= MAX_FIRST_LOAD_BYTES, `${bytes} bytes: ${JSON.stringify(sizes)}`)
}

test('the first load preloads the one font that it shows', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { unused: true })
  const fonts: string[] = []
  page.on('request', (request) => request.resourceType() === 'font' && fonts.push(request.url()))
  await page.goto('/dashboard/sign-in')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate('document.fonts.ready.then(() => {})')
  const preloaded = await page.evaluate<string[]>(
    `[...document.querySelectorAll('link[rel=preload]')].map(({ href }) => href)`,
  )
  assert.deepEqual([fonts.length, fonts], [1, preloaded])
})

async function scriptsLoaded(page: Page, act: () => Promise<void>): Promise<Map<string, string>> {
  const bodies: Promise<readonly [string, string]>[] = []
  const add = (response: Response): void => {
    const url = response.url()
    if (new URL(url).pathname.endsWith('.js')) bodies.push(response.text().then((text) => [url, text] as const))
  }
  page.on('response', add)
  await act()
  page.off('response', add) // what still loads may not arrive before the page closes
  return new Map(await Promise.all(bodies))
}
