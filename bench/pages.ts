import { type Page, chromium } from 'playwright-core'
import { SECTIONS as NAVIGATION } from '../dashboard/ui/navigation/sections.ts'
import { startBrowser } from '../test/browser/chromium.ts'
import { PASSWORD, fetchSessionCookie } from '../test/world/dashboard.ts'
import { fillWorkspace } from '../test/database/many-rows.ts'
import { withConnection } from '../test/database/postgres.ts'
import { type Figure, atMost, count, ms, percentile } from './figures.ts'
import { addOwner, addQuietEndpoint } from './lists.ts'
import type { BenchPart } from './part.ts'
import { startServer } from './server-process.ts'
import { openShops } from './shop.ts'

const PART = 'pages'
const MANY_ROWS = 1_000_000
const FEW_ROWS = 1_000
/** The p95 of 20 or fewer is the slowest of them. */
const ROUNDS = 24
/** Chromium compiles a script on each of its first two loads and uses its code cache from the third. */
const WARM_UP_ROUNDS = 2
const MAX_FEW_MS = 150
const MAX_MANY_MS = 300
const MAX_PAINT_MS = 1_000
const MAX_SHIFT = 0.02
const SCREEN = { width: 1280, height: 900 }

/** In the navigation, in turn. */
const SECTIONS = [
  'overview',
  'messages',
  'confirmations',
  'charts',
  'senders',
  'templates',
  'keys',
  'endpoints',
  'audit',
]
/** Lists whose first row opens a page. */
const DETAILS = ['messages', 'confirmations', 'endpoints']

/** What a person waits for on the pages, by the browser's own clock: after a click, and at the first visit. */
export const pages: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_pages'), (database) => database.drop())
  const shops = await openShops({ databaseUrl: database.url, graphUrl: provider.url, shops: 2, keysEach: 3 })
  const email = await addOwner(database.url)
  const rowsOf = [FEW_ROWS, short ? MANY_ROWS / 4 : MANY_ROWS]
  for (const [index, { workspaceId, senderId, accountId }] of shops.entries()) {
    const endpointId = await addQuietEndpoint(database.url, workspaceId)
    await fillWorkspace(database.url, { workspaceId, senderId, accountId, endpointId }, rowsOf[index] ?? FEW_ROWS)
  }
  await withConnection(database.url, (connection) => connection.query('checkpoint')) // part of the fill
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: false, servesDashboard: true, profile }),
    (server) => server.stop(),
  )
  const url = `http://127.0.0.1:${server.port}`
  const cookie = await fetchSessionCookie(url, { email, password: PASSWORD })
  const browser = opened.adopt(await startBrowser({ optimizes: true }), (browser) => browser.close())
  const chrome = await chromium.connect(browser.wsEndpoint())
  const newPage = async (): Promise<Page> => {
    const context = await chrome.newContext({ viewport: SCREEN, locale: 'en-GB' })
    const [name = '', value = ''] = cookie.split(/=(.*)/s)
    await context.addCookies([{ name, value: value.split(';')[0] ?? '', url }])
    return context.newPage()
  }
  const figures: Figure[] = []
  for (const [index, { workspaceId }] of shops.entries()) {
    const rows = count(rowsOf[index] ?? FEW_ROWS)
    const at = `${url}/dashboard/w/${workspaceId}`
    const max = index === 0 ? MAX_FEW_MS : MAX_MANY_MS
    const times = await timesOfClicks(await newPage(), at, short ? ROUNDS / 4 : ROUNDS)
    for (const [what, each] of times) {
      const p95 = percentile(each, 0.95)
      say(`${rows} messages, ${what}: p95 ${ms(p95)}`)
      figures.push({
        part: PART,
        what: `${rows} messages: from click to content of ${what}: p50, p95`,
        figure: `${ms(percentile(each, 0.5))}, ${ms(p95)}`,
        goal: atMost(p95, max, ' ms'),
      })
    }
    const { paintMs, shift } = await firstVisit(newPage, at)
    figures.push(
      {
        part: PART,
        what: `${rows} messages: largest contentful paint without cache, slowest page`,
        figure: ms(paintMs),
        goal: atMost(paintMs, MAX_PAINT_MS, ' ms'),
      },
      {
        part: PART,
        what: `${rows} messages: layout shift, worst page`,
        figure: shift.toFixed(3),
        goal: atMost(shift, MAX_SHIFT),
      },
    )
  }
  return figures
}

/**
 * Each round begins with a page that keeps no answer, so each click waits for its own. The paint figure covers visitors without
 * a cache.
 */
async function timesOfClicks(page: Page, at: string, rounds: number): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>()
  const add = (what: string, each: number): void => void times.set(what, [...(times.get(what) ?? []), each])
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const isMeasured = round >= WARM_UP_ROUNDS
    await page.goto(`${at}/account`)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
    for (const section of SECTIONS) {
      const took = await click(page, `nav a[href$="/${section}"]`)
      if (isMeasured) add(section, took)
      if (!DETAILS.includes(section)) continue
      const opened = await click(page, `main a[href*="/${section}/"]`)
      if (isMeasured) add(`a row of ${section}`, opened)
    }
  }
  return times
}

/**
 * From the click until the page has another title and no skeleton, in milliseconds of the browser's clock. A person looks
 * at a page before the next click: what the last one still does, such as the charts of the overview, is not measured.
 */
const click = (page: Page, link: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => setTimeout(resolve, ${PAUSE_MS})).then(() => new Promise((resolve, reject) => {
    const title = () => document.querySelector('h1')?.textContent
    const before = title()
    const from = performance.now()
    const look = () => {
      const waited = performance.now() - from
      if (title() && title() !== before && !document.querySelector('${LOADING}')) resolve(waited)
      else if (waited > ${MAX_WAIT_MS}) reject(new Error('no content after a click on ${link}: ' + title()))
      else requestAnimationFrame(look)
    }
    document.querySelector('${link}').click()
    requestAnimationFrame(look)
  }))`)

const LOADING = 'main [aria-busy=true], main .mantine-Skeleton-root, main .mantine-Loader-root'

const PAUSE_MS = 400
const MAX_WAIT_MS = 10_000
const SETTLED_MS = 1_500

/** Opens each page of the navigation in a new browser. Returns the slowest largest paint and the largest sum of layout shifts. */
async function firstVisit(newPage: () => Promise<Page>, at: string): Promise<{ paintMs: number; shift: number }> {
  const worst = { paintMs: 0, shift: 0 }
  for (const { to } of NAVIGATION) {
    const section = to.replace('/w/$workspaceId/', '')
    const page = await newPage()
    await page.goto(`${at}/${section}`)
    await page.waitForTimeout(SETTLED_MS)
    const { paintMs, shift } = await page.evaluate<typeof worst>(`new Promise((resolve) => {
      const worst = { paintMs: 0, shift: 0 }
      const watch = (type, add) =>
        new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true })
      watch('largest-contentful-paint', ({ startTime }) => (worst.paintMs = Math.max(worst.paintMs, startTime)))
      watch('layout-shift', ({ value }) => (worst.shift += value))
      setTimeout(() => resolve(worst), 100)
    })`)
    worst.paintMs = Math.max(worst.paintMs, paintMs)
    worst.shift = Math.max(worst.shift, shift)
    await page.context().close()
  }
  return worst
}
