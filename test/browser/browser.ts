import type { TestContext } from 'node:test'
import { type Browser, type BrowserContext, type Page, type Response, type Route, chromium } from 'playwright-core'
import { atEnd } from '../runner/at-end.ts'
import { type SignedIn } from '../world/dashboard.ts'
import { TIMEOUT_MS } from '../world/wait-for.ts'
import { LOCALES, isComplete } from './chromium.ts'

let browser: Promise<Browser> | undefined

/** The one that test/run.ts started. */
function theBrowser(): Promise<Browser> {
  const { TEST_BROWSER } = process.env
  if (!TEST_BROWSER) throw new Error('pages need a browser: run them with "npm test -- <files>"')
  browser ??= chromium.connect(TEST_BROWSER)
  return browser
}

export type PageOptions = {
  /** Signed in as this person; by default not signed in. */
  as?: SignedIn
  /** The page of the workspace that it shows, such as `keys`; by default none. */
  at?: string
  language?: Language
  width?: number
  colours?: 'light' | 'dark'
  /** A page that no test has used: nothing is cached in it. */
  unused?: boolean
}

type Language = keyof typeof LOCALES

/** What tests listen for. */
const EVENTS = ['pageerror', 'request', 'requestfinished', 'response']

/** Pages for reuse: a new one is a new browser process and takes half a second. */
const idle: Record<Language, Page[]> = { en: [], fr: [], ar: [] }

/** A clean page. Errors in its scripts fail the test. */
export async function openPage(
  t: TestContext,
  world: { first: { url: string }; workspaceId?: string },
  { as, at, language = 'en', width = 1280, colours = 'light', unused = false }: PageOptions = {},
): Promise<Page> {
  const kept = unused ? undefined : idle[language].pop()
  const page = kept ?? (await newPage(language))
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: colours })
  if (as) await page.context().addCookies(cookiesOf(as, world.first.url))
  const own = { goto: page.goto.bind(page) }
  page.goto = (address, options) => own.goto(new URL(address, world.first.url).href, options)
  const faults: Error[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  t.after(async () => {
    if (!t.passed) t.diagnostic(await shownOn(page))
    page.goto = own.goto
    for (const event of EVENTS) page.removeAllListeners(event)
    const reusable = !unused && !faults[0] && t.passed && (await isCleared(page))
    if (reusable) idle[language].push(page)
    else await page.context().close()
    if (faults[0]) throw faults[0]
  })
  if (at !== undefined) await page.goto(`/dashboard/w/${world.workspaceId}/${at}`)
  return page
}

async function newPage(language: Language): Promise<Page> {
  const context = await (await theBrowser()).newContext({
    locale: LOCALES[language],
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  return context.newPage()
}

/** What a failed test left on the screen: a failed wait for a text does not say what was there instead. */
const shownOn = async (page: Page): Promise<string> =>
  `${page.url()} shows: ${await page.innerText('body', { timeout: SHOWN_TIMEOUT_MS }).catch(String)}`

const SHOWN_TIMEOUT_MS = 2_000

/** False where a page could not be cleared: a test may end while its page is still on its way to another. */
async function isCleared(page: Page): Promise<boolean> {
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    if (page.url().startsWith('http')) await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.goto('about:blank')
    await page.context().clearCookies()
    return true
  } catch {
    return false
  }
}

type Cookies = Parameters<BrowserContext['addCookies']>[0]

const cookiesOf = ({ cookie }: SignedIn, url: string): Cookies =>
  cookie.split('; ').map((each) => {
    const [name = '', ...value] = each.split('=')
    return { name, value: value.join('='), url }
  })

atEnd(async () => {
  const left = browser
  browser = undefined
  for (const pages of Object.values(idle)) pages.length = 0
  await (await left)?.close()
})

/** Holds each request to this address until the returned function is called; then it goes on, or ends like this. */
export async function hold(
  page: Page,
  url: string,
  end = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await promise
    return end(route)
  })
  return resolve
}

/** Moves as a link does, without a page load: the router follows the history. */
export async function openWithin(page: Page, path: string): Promise<void> {
  const leave = "document.querySelector('h1')?.setAttribute('data-left', '')"
  await page.evaluate(`${leave}; history.pushState({}, '', ${JSON.stringify(path)})`)
  await isComplete(page)
}

/** Sends the request that the reference of the API shows, with the values that it holds. */
export async function sendTestRequest(page: Page): Promise<Response> {
  await page
    .getByRole('button', { name: /Test Request.*\/otp\/messages/ })
    .first()
    .click()
  const answered = page.waitForResponse('**/api/v1/otp/messages')
  await page.getByRole('button', { name: 'Send post request to' }).click()
  return answered
}
