import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SECTIONS } from '../../dashboard/ui/sections.ts'
import { seriousFaults } from '../accessibility.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { codAccount } from '../cod.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

/** Times that do not show their zone in themselves, in the head of their column, or in the caption over them. */
const TIMES_WITHOUT_ZONE = `(() => {
  const zone = new RegExp('Africa/Casablanca|UTC')
  const shows = (element) => {
    const { width, height } = element?.getBoundingClientRect() ?? { width: 0, height: 0 }
    return width > 2 && height > 2 && zone.test(element.textContent)
  }
  const headOf = (cell) => {
    const head = cell?.closest('table').querySelector('thead')
    return shows(head) ? head.querySelectorAll('th')[cell.cellIndex] : undefined
  }
  const captionOf = (time) => document.getElementById(time.closest('[data-zone-named-by]')?.dataset.zoneNamedBy)
  const times = [...document.querySelectorAll('time')].filter((time) => time.getBoundingClientRect().width > 0)
  const bare = times.filter((time) => {
    const told = zone.test(time.textContent) && !Number.isNaN(Date.parse(time.dateTime))
    return !told || ![time.querySelector('[data-zone]'), headOf(time.closest('td')), captionOf(time)].some(shows)
  })
  return { count: times.length, bare: bare.map((time) => time.outerHTML) }
})()`

/** Charts take their new width in the frame after the page did. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))`

const FITS = 'document.documentElement.scrollWidth <= innerWidth'
/** On a busy machine charts are several frames behind. */
const CHARTS_FOLLOW_MS = 3_000

/** Lists of which a column is out of sight, apart from those in a place that the keyboard scrolls. */
const CUT_LISTS = `[...document.querySelectorAll('table')]
  .filter((table) => !table.closest('[tabindex="0"]'))
  .filter(({ parentElement: { scrollWidth, clientWidth } }) => scrollWidth > clientWidth + 1)
  .map((table) => table.ariaLabel)`

/** A sandbox in which every page has something to show. */
async function furnish(world: World): Promise<{ paths: string[] }> {
  await world.ask('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  await world.codSettings()
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const { confirmationId } = await world.createConfirmation()
  await world.settled()
  const of = `/dashboard/w/${world.workspaceId}`
  const sections = SECTIONS.map(({ to }) => to.replace('/w/$workspaceId', of))
  return {
    paths: [
      ...sections,
      `${of}/messages/${otp.messageId}`,
      `${of}/confirmations/${confirmationId}`,
      `${of}/endpoints/${receiver.endpointId}`,
      `${of}/templates/new`,
      `${of}/templates/${world.account.accountId}/order_confirmation/ar`,
      `${of}/account`,
      '/dashboard/new-workspace',
    ],
  }
}

/** Twenty pages at three widths, on a machine that has other work as well. Each step of the browser has its own limit. */
const WALK_TIMEOUT_MS = 180_000
const WIDTHS = [360, 768, 1280] as const
const COLOURS = ['light', 'dark'] as const

for (const [pass, language] of (['en', 'ar'] as const).entries()) {
  test(`no page has a serious fault of accessibility, is wider than any screen, cuts a list, or shows a time without its zone: ${language}`, {
    timeout: WALK_TIMEOUT_MS,
  }, async (t) => {
    const world = await startWorld(t, { account: codAccount() })
    const { paths } = await furnish(world)
    const page = await openPage(t, world, { as: await owner(world), language })
    const faults: Record<string, string[]> = {}
    let times = 0
    for (const [place, path] of paths.entries()) {
      await page.emulateMedia({ colorScheme: COLOURS[(place + pass) % COLOURS.length] ?? 'light' })
      await page.goto(path)
      await page.locator('h1').first().waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      // Accessibility takes long: each page is read at one of the widths, and at the next one in the other language.
      const read = WIDTHS[(place + pass) % WIDTHS.length]
      const found: string[] = []
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(SETTLED)
        await page.waitForFunction(FITS, undefined, { timeout: CHARTS_FOLLOW_MS }).catch(() => undefined)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (overflow > 0) found.push(`is ${overflow} px wider than a screen of ${width}`)
        const cut = await page.evaluate<string[]>(CUT_LISTS)
        found.push(...cut.map((list) => `at ${width}: ${list} is wider than its place`))
        const { count, bare } = await page.evaluate<{ count: number; bare: string[] }>(TIMES_WITHOUT_ZONE)
        found.push(...bare.map((time) => `at ${width}: no zone at ${time}`))
        times += count
        if (width === read) found.push(...(await seriousFaults(page)))
      }
      if (found.length > 0) faults[path.replace(world.workspaceId, '…')] = found
    }
    assert.deepEqual(faults, {})
    assert.ok(times > 100, 'the walk finds the times')
  })
}

test('no page that is open to anybody has a serious fault of accessibility, or is wider than a phone', async (t) => {
  const world = await startWorld(t)
  for (const [language, colours] of [['en', 'dark'] as const, ['ar', 'light'] as const]) {
    const page = await openPage(t, world, { language, colours, width: 360 })
    for (const path of ['sign-in', 'welcome', 'welcome#no-such-token', 'nothing/here']) {
      await page.goto('about:blank') // a fragment alone would load nothing
      await page.goto(`/dashboard/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      assert.deepEqual(await seriousFaults(page), [], path)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `${path} is ${overflow} px wider than a screen of 360`)
    }
  }
})

test('no page of a workspace shows anything of it to a stranger, and each answers like a missing one', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const { paths } = await furnish(world)
  const page = await openPage(t, world, { as: await signedIn(world, 'stranger') })
  for (const path of paths.filter((each) => each.includes(world.workspaceId))) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  }
})

const owner = (world: World): Promise<SignedIn> => signedIn(world, 'owner')
