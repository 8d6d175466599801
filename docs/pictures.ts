/**
 * `npm run pictures`: takes the README's pictures of the dashboard. Starts the demo in a new folder, creates its first
 * owner, sends a code and a confirmation, and opens the pages as a person would.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Page, chromium } from 'playwright-core'
import { startBrowser } from '../test/browser/browser.ts'
import { freePort } from '../test/programs/program.ts'
import { waitFor } from '../test/world/wait-for.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const PICTURES = path.join(import.meta.dirname, 'pictures')
const SCREEN = { width: 1280, height: 800 }
const OWNER = { name: 'Nadia', email: 'nadia@shop.example', password: 'correct horse battery' }
/** A delivered code and a confirmation whose customer chooses another time, of the demo's customers. */
const CODE_TO = '+34600111222'
const ORDER_TO = '+34600110703'
/** Live pages keep a connection open, so the network never rests. */
const SETTLED_MS = 4_000

await using opened = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-pictures-'))
opened.defer(() => rm(folder, { recursive: true, force: true }))
const { text, stop } = await startDemo(folder)
opened.defer(stop)
const browser = await startBrowser()
opened.defer(() => browser.close())
const chrome = await chromium.connect(browser.wsEndpoint())
const context = await chrome.newContext({ locale: 'en-GB', viewport: SCREEN, reducedMotion: 'reduce', colorScheme: 'light' })
const page = await context.newPage()

const workspace = await signUp(page, read(text, /Dashboard\s+(\S+)/))
const messageId = await send(text, '/otp/messages', CODE_TO)
await send(text, '/cod-confirmations', ORDER_TO)

await picture(page, 'overview', `${workspace}/overview`)
await picture(page, 'message', `${workspace}/messages/${messageId}`)
await picture(page, 'phone', `${workspace}/phone`, ORDER_TO)

async function startDemo(dataDir: string): Promise<{ text: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['bin/doorcode.js', 'start'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DOORCODE_DATA_DIR: dataDir,
      DOORCODE_PORT: String(await freePort()),
      DOORCODE_EMULATOR_PORT: String(await freePort()),
      DOORCODE_METRICS_PORT: '0',
    },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return
    child.kill('SIGINT')
    await once(child, 'exit')
  }
  await waitFor(
    () => `the demo to start; it wrote: ${text}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the demo ended: ${text}`)
      return text.includes('Press Ctrl-C to stop')
    },
  )
  return { text, stop }
}

function read(text: string, pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`the demo printed nothing like ${pattern}`)
  return found
}

/** Creates the first owner; returns the address of the workspace. */
async function signUp(page: Page, link: string): Promise<string> {
  await page.goto(link)
  await page.getByLabel('Your name').fill(OWNER.name)
  await page.getByLabel('Email').fill(OWNER.email)
  await page.locator('input[type=password]').fill(OWNER.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(/\/w\/[^/]+/)
  return read(page.url(), /^(.*\/w\/[^/]+)/)
}

/** Runs the printed request to this route and recipient; returns the id that it answers. */
async function send(text: string, route: string, to: string): Promise<string> {
  const request = text.split('curl -s ').find((each) => each.includes(route) && each.includes(to)) ?? ''
  const answer = await fetch(read(request, /^(\S+)/), {
    method: 'POST',
    headers: { authorization: read(request, /Authorization: ([^']+)/), 'content-type': 'application/json' },
    body: read(request, /-d '([^']+)'/),
  })
  const body = (await answer.json()) as { messageId?: string; confirmationId?: string }
  const id = body.messageId ?? body.confirmationId
  if (id === undefined) throw new Error(`${route} answered ${JSON.stringify(body)}`)
  return id
}

/** After a while, in which the page loads and the customers answer. `open`: what to click first. */
async function picture(page: Page, name: string, address: string, open?: string): Promise<void> {
  await page.goto(address)
  if (open !== undefined) await page.getByText(open).first().click()
  await page.waitForTimeout(SETTLED_MS)
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) })
  console.log(`docs/pictures/${name}.png`)
}
