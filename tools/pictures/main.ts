/**
 * `npm run pictures`: takes every page and the main dialogs of the dashboard, with the demo's data, at three widths, light
 * and dark, in three languages, and writes one page that shows them all. `npm run pictures -- readme` takes the README's again.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, type Page, chromium } from 'playwright-core'
import { translatorOf } from '../../locales/resources.ts'
import { LANGUAGES, type Language } from '../../locales/text.ts'
import { LOCALES, SETTLED, isComplete, startBrowser } from '../../test/browser/chromium.ts'
import { type Demo, cookiesOf, openDemo } from './demo.ts'
import { type Subject, findForgotten, listSubjects, namesOfPages, pageOf } from './pages.ts'
import { takeReadmePictures } from './readme.ts'
import { type Picture, sheetOf } from './sheet.ts'

const WIDTHS = ['1280', '768', '390'] as const
const COLOURS = ['light', 'dark'] as const
const HEIGHTS: Readonly<Record<string, number>> = { 1280: 800, 768: 1024, 390: 844 }
/** Where a long list is cut. */
const MAX_HEIGHT = 2_400
/** Two pages at a time: one renders while the other waits for its data. */
const TABS = 2
const PAGE_TIMEOUT_MS = 20_000

const USAGE = `npm run pictures -- [readme] [--pages overview,charts] [--widths ${WIDTHS.join()}] [--colours ${COLOURS.join()}] [--languages ${LANGUAGES.join()}] [--to pictures]`

const { values, positionals } = readArguments()

function readArguments() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: { pages: text, widths: text, colours: text, languages: text, to: { ...text, default: 'pictures' } },
    })
  } catch (error) {
    return exitWith(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}

function exitWith(message: string): never {
  console.error(message)
  process.exit(2)
}

/** The chosen ones of `all`; all of them without a choice. */
function chosen<Item extends string>(option: string | undefined, what: string, all: readonly Item[]): Item[] {
  const names = option?.split(',') ?? all
  const unknown = names.filter((name) => !all.some((each) => each === name))
  if (unknown.length > 0) exitWith(`There is no ${what} ${unknown.join(', ')}. Choose from: ${all.join(', ')}.`)
  return all.filter((each) => names.includes(each))
}

async function takeSheet(): Promise<void> {
  const began = performance.now()
  const languages = chosen(values.languages, 'language', LANGUAGES)
  const widths = chosen(values.widths, 'width', WIDTHS)
  const colours = chosen(values.colours, 'colour', COLOURS)
  const pages = chosen(values.pages, 'page', namesOfPages())
  await using opened = new AsyncDisposableStack()
  console.log('Starting the demo on free ports …')
  const demo = await openDemo(opened)
  const server = await startBrowser()
  opened.defer(() => server.close())
  const browser = await chromium.connect(server.wsEndpoint())
  const folder = path.resolve(values.to)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })

  const pictures: Picture[] = []
  const missing: string[] = []
  let subjects: Subject[] = []
  for (const language of languages) {
    subjects = await listSubjects(demo) // each language has a month that is being made
    const queue = subjects.filter((subject) => pages.includes(pageOf(subject)))
    const take = { browser, demo, language, widths, colours, folder, queue, pictures, missing }
    await Promise.all(Array.from({ length: TABS }, () => takeAll(take)))
    console.log(`${language}: ${pictures.length} pictures after ${seconds(began)} s`)
  }
  missing.push(
    ...(await findForgotten(subjects)).map((route) => `No picture shows ${route}: add it to tools/pictures/pages.ts.`),
  )
  const order = new Map(subjects.map(({ name }, index) => [name, index]))
  pictures.sort((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0))
  await writeFile(path.join(folder, 'index.html'), sheetOf(pictures, missing))
  console.log(`${pictures.length} pictures in ${seconds(began)} s: ${path.join(values.to, 'index.html')}`)
  if (missing.length === 0) return
  console.error(`Missing:\n${missing.map((each) => `- ${each}`).join('\n')}`)
  process.exitCode = 1
}

const seconds = (since: number): number => Math.round((performance.now() - since) / 1000)

type Take = {
  browser: Browser
  demo: Demo
  language: Language
  widths: readonly string[]
  colours: readonly ('light' | 'dark')[]
  folder: string
  /** Subjects that no tab has taken yet. */
  queue: Subject[]
  pictures: Picture[]
  missing: string[]
}

/** One tab, which takes subjects until there are none left. */
async function takeAll(take: Take): Promise<void> {
  const { browser, demo, language, queue, missing } = take
  const options = { locale: LOCALES[language], reducedMotion: 'reduce' } as const
  const signedOut = await browser.newContext(options)
  const signedIn = await browser.newContext(options)
  await signedIn.addCookies(cookiesOf(demo))
  const tabs = { in: await signedIn.newPage(), out: await signedOut.newPage() }
  for (const page of Object.values(tabs)) {
    page.setDefaultTimeout(PAGE_TIMEOUT_MS)
    page.on('pageerror', (fault) => missing.push(`${page.url()} in ${language} threw an error: ${fault.message}`))
  }
  for (let subject = queue.shift(); subject; subject = queue.shift()) {
    const { name } = subject
    await takeSubject(take, subject, subject.signedOut ? tabs.out : tabs.in).catch((error: unknown) => {
      missing.push(`${name} in ${language}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
    })
  }
  await Promise.all([signedIn.close(), signedOut.close()])
}

async function takeSubject(take: Take, subject: Subject, page: Page): Promise<void> {
  const { language, colours, folder, pictures } = take
  const { name, address, plain = false, open, width: only } = subject
  if (address === undefined) throw new Error('the demo has nothing like it.')
  const widths = take.widths.filter((width) => only === undefined || only === Number(width))
  const [first] = widths
  if (first === undefined) return
  await page.emulateMedia({ colorScheme: colours[0] ?? 'light' })
  await resize(page, first)
  // Also where only the fragment of the address differs.
  await page.goto('about:blank')
  await page.goto(address)
  await (plain ? page.waitForLoadState('load') : isComplete(page))
  await open?.(page, translatorOf(language).t)
  await page.evaluate('document.fonts.ready')
  for (const width of widths) {
    if (width !== first) await resize(page, width)
    for (const colour of colours) {
      await page.emulateMedia({ colorScheme: colour })
      await page.evaluate(SETTLED)
      const file = `${name.replaceAll(/[^\w-]+/g, '-')}.${width}.${colour}.${language}.png`
      const whole = open ? {} : { fullPage: true, clip: { x: 0, y: 0, width: Number(width), height: MAX_HEIGHT } }
      await page.screenshot({ path: path.join(folder, file), ...whole })
      pictures.push({ name, file, width, colour, language })
    }
  }
}

const resize = (page: Page, width: string): Promise<void> =>
  page.setViewportSize({ width: Number(width), height: HEIGHTS[width] ?? 800 })

if (positionals[0] === 'readme') await takeReadmePictures()
else await takeSheet()
