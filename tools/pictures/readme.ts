import path from 'node:path'
import { type Page, chromium } from 'playwright-core'
import { startBrowser } from '../../test/browser/chromium.ts'
import { type ReceivedSpan, startCollector } from '../../test/world/collector.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { cookiesOf, find, openDemo } from './demo.ts'
import { latestTrace, pageOfTrace } from './trace.ts'

const PICTURES = path.resolve(import.meta.dirname, '../../docs/pictures')
const SCREEN = { width: 1280, height: 800 }
/** A delivered code and a confirmation whose customer chooses another time, of the demo's customers. */
const CODE_TO = '+34600111222'
const ORDER_TO = '+34600110703'
/** Live pages keep a connection open, so the network never rests. */
const SETTLED_MS = 4_000

/** Takes the pictures of `docs/pictures`: sends a code and a confirmation, and opens the pages as a person would. */
export async function takeReadmePictures(): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const collector = opened.adopt(await startCollector(), (each) => each.stop())
  const demo = await openDemo(opened, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const { text, pages } = demo
  const browser = await startBrowser()
  opened.defer(() => browser.close())
  const chrome = await chromium.connect(browser.wsEndpoint())
  const context = await chrome.newContext({
    locale: 'en-GB',
    viewport: SCREEN,
    reducedMotion: 'reduce',
    colorScheme: 'light',
  })
  await context.addCookies(cookiesOf(demo))
  const page = await context.newPage()

  const messageId = await send(text, '/otp/messages', CODE_TO)
  await send(text, '/cod-confirmations', ORDER_TO)

  await picture(page, 'overview', `${pages}/overview`)
  await picture(page, 'message', `${pages}/messages/${messageId}`)
  await picture(page, 'phone', `${pages}/phone`, ORDER_TO)
  await pictureOfTrace(page, collector.spans)
}

/** Of the order, when the webhook about its customer's choice is delivered. */
async function pictureOfTrace(page: Page, spans: readonly ReceivedSpan[]): Promise<void> {
  const trace = () => latestTrace(spans, 'POST /api/v1/cod-confirmations')
  await waitFor('the trace of the order', async () => trace().some(({ name }) => name === 'delivery'))
  await page.setContent(pageOfTrace(trace()))
  await page.locator('body').screenshot({ path: path.join(PICTURES, 'trace.png') })
  console.log('docs/pictures/trace.png')
}

/** Runs the printed request to this route and recipient; returns the id that it answers. */
async function send(text: string, route: string, to: string): Promise<string> {
  const request = text.split('curl -s ').find((each) => each.includes(route) && each.includes(to)) ?? ''
  const answer = await fetch(find(request, /^(\S+)/)[1] ?? '', {
    method: 'POST',
    headers: { authorization: find(request, /Authorization: ([^']+)/)[1] ?? '', 'content-type': 'application/json' },
    body: find(request, /-d '([^']+)'/)[1] ?? '',
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
