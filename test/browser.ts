import { access } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContext, type BrowserServer, type Page, chromium } from 'playwright-core'
import { type SignedIn } from './dashboard.ts'

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

/** Ended by whoever started it, in its own time. */
const ENDING = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }

/** For a whole run: each file opens windows of its own in it, which share nothing. */
export async function startBrowser(): Promise<BrowserServer> {
  for (const executablePath of SYSTEM_CHROMIUMS) {
    if (await exists(executablePath)) return chromium.launchServer({ executablePath, args: QUIET, ...ENDING })
  }
  const { default: packaged } = await import('@sparticuz/chromium')
  // Not with its own arguments: all in one process it ends with the first context that is closed, and without web
  // security it keeps no session.
  return chromium.launchServer({ executablePath: await packaged.executablePath(), args: QUIET, ...ENDING })
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
  if (!TEST_BROWSER) throw new Error('pages need a browser: run them with "npm test" or "npm test -- <files>"')
  browser ??= chromium.connect(TEST_BROWSER)
  return browser
}

export type Looking = {
  /** Signed in as; without it, nobody. */
  as?: SignedIn
  language?: 'en' | 'ar'
  width?: number
  colours?: 'light' | 'dark'
}

/** A page of a browser of its own, before its first address. It must meet no fault in its scripts. */
export async function openPage(
  t: TestContext,
  world: { first: { url: string } },
  { as, language = 'en', width = 1280, colours = 'light' }: Looking = {},
): Promise<Page> {
  const context = await (await theBrowser()).newContext({
    baseURL: world.first.url,
    viewport: { width, height: 900 },
    locale: language === 'ar' ? 'ar-MA' : 'en-GB',
    colorScheme: colours,
    reducedMotion: 'reduce',
  })
  if (as) await context.addCookies(cookiesOf(as, world.first.url))
  const page = await context.newPage()
  const faults: Error[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  t.after(async () => {
    await context.close()
    if (faults[0]) throw faults[0]
  })
  return page
}

type Cookies = Parameters<BrowserContext['addCookies']>[0]

const cookiesOf = ({ cookie }: SignedIn, url: string): Cookies =>
  cookie.split('; ').map((each) => {
    const [name = '', ...value] = each.split('=')
    return { name, value: value.join('='), url }
  })

/** Leaves it. Call it once in each file that opens pages: `after(closeBrowser)`. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
}
