import { access } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type BrowserServer,
  type Page,
  type Response,
  chromium,
} from 'playwright-core'
import { ensureInstalled } from '../../tools/install.ts'
import { atEnd } from '../runner/at-end.ts'
import { type SignedIn } from '../world/dashboard.ts'
import { TIMEOUT_MS } from '../world/wait-for.ts'

/** Where systems keep a Chromium. Without one, the binary of a package is unpacked. */
const SYSTEM_CHROMIUMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Nothing here goes to the network. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** A test's page lives for seconds, so optimizing its scripts would take longer than it saves. */
const UNOPTIMIZED = '--js-flags=--no-opt --no-maglev'

/** The process that started it ends it. */
const ENDING = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }

/**
 * One browser per run. Each file opens its own contexts, which share nothing. The bench measures what people use, with
 * `optimizes`.
 */
export async function startBrowser({ optimizes = false } = {}): Promise<BrowserServer> {
  const args = optimizes ? QUIET : [...QUIET, UNOPTIMIZED]
  for (const executablePath of SYSTEM_CHROMIUMS) {
    if (await exists(executablePath)) return chromium.launchServer({ executablePath, args, ...ENDING })
  }
  await ensureInstalled('browser')
  const { default: packaged } = await import('@sparticuz/chromium')
  // Not with its own arguments: all in one process it ends with the first context that is closed, and without web
  // security it keeps no session.
  return chromium.launchServer({ executablePath: await packaged.executablePath(), args, ...ENDING })
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

let browser: Promise<Browser> | undefined

/** The one that test/run.ts started. */
function theBrowser(): Promise<Browser> {
  const { TEST_BROWSER } = process.env
  if (!TEST_BROWSER) throw new Error('pages need a browser: run them with "npm test -- <files>"')
  browser ??= chromium.connect(TEST_BROWSER)
  return browser
}

const LOCALES = { en: 'en-GB', fr: 'fr-FR', ar: 'ar-MA' } as const

export type PageOptions = {
  /** Signed in as this person; by default not signed in. */
  as?: SignedIn
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
  world: { first: { url: string } },
  { as, language = 'en', width = 1280, colours = 'light', unused = false }: PageOptions = {},
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

/** Moves as a link does, without a page load: the router follows the history. */
export async function openWithin(page: Page, path: string): Promise<void> {
  const leave = "document.querySelector('h1')?.setAttribute('data-left', '')"
  await page.evaluate(`${leave}; history.pushState({}, '', ${JSON.stringify(path)})`)
  await isComplete(page)
}

export async function isComplete(page: Page): Promise<void> {
  await page.locator('h1:not([data-left])').first().waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
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
