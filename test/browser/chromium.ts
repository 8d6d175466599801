import { access, mkdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { type BrowserServer, type Page, chromium } from 'playwright-core'
import { ensureInstalled } from '../../tools/install.ts'

/** The languages of the pages, as browsers ask for them. */
export const LOCALES = { en: 'en-GB', fr: 'fr-FR', ar: 'ar-MA' } as const

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
  // Not with its own arguments: all in one process it ends with the first context that is closed, and without web
  // security it keeps no session.
  return chromium.launchServer({ executablePath: await unpacked(), args, ...ENDING })
}

/**
 * The package unpacks its binary and fonts into the folder for temporary files, and takes what is there. Each user needs a folder
 * of their own: they cannot start another user's.
 */
async function unpacked(): Promise<string> {
  await ensureInstalled('browser')
  const { TMPDIR } = process.env
  const folder = path.join(tmpdir(), `doorcode-chromium-${userInfo().uid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  process.env.TMPDIR = folder
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    return await packaged.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

export async function isComplete(page: Page): Promise<void> {
  await page.locator('h1:not([data-left])').first().waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

/** Charts get their new width one frame after the page; on a busy machine they are several frames late. */
export const SETTLED = `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  await frame()
  await frame()
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  const end = performance.now() + 3000
  while (document.documentElement.scrollWidth > innerWidth && performance.now() < end) await frame()
})()`
