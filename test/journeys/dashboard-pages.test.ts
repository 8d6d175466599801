import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SECTIONS } from '../../dashboard/ui/navigation/sections.ts'
import { findSeriousFaults } from '../accessibility.ts'
import { openPage } from '../browser.ts'
import { codAccount } from '../cod.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

/** Every time is an instant, and a page with times names their zone once. */
const TIMES = `(() => {
  const isShown = (element) => element.getBoundingClientRect().width > 2
  const times = [...document.querySelectorAll('time')].filter(isShown)
  const zones = [...document.querySelectorAll('[data-zone]')].filter(isShown).map(({ textContent }) => textContent)
  const faults = times.filter(({ dateTime }) => Number.isNaN(Date.parse(dateTime))).map(({ outerHTML }) => outerHTML)
  if (times.length > 0 && !/^(Africa\\/Casablanca|UTC)$/.test(zones.join())) faults.push('zones: ' + zones.join())
  return { count: times.length, faults }
})()`

/** Charts get their new width one frame after the page. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))`

const FITS = 'document.documentElement.scrollWidth <= innerWidth'
/** On a busy machine, charts are several frames late. */
const CHARTS_FOLLOW_MS = 3_000

/** Lists with a hidden column, except those that scroll with the keyboard. */
const CUT_LISTS = `[...document.querySelectorAll('table')]
  .filter((table) => !table.closest('[tabindex="0"]'))
  .filter(({ parentElement: { scrollWidth, clientWidth } }) => scrollWidth > clientWidth + 1)
  .map((table) => table.ariaLabel)`

/** A sandbox with content on every page. */
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

/** What is too wide is so on the narrowest screen first. Each page is seen at all widths, and in both languages at 360. */
const WIDTHS = [
  [360, 768],
  [360, 1280],
] as const
const COLOURS = ['light', 'dark'] as const

/** Shows the page in another language; reloads pages without the language menu. */
async function switchLanguage(page: Page): Promise<void> {
  const language = await page.evaluate<string>('document.documentElement.lang')
  const other = language === 'en' ? 'ar' : 'en'
  const menu = page.locator('[data-account]')
  if ((await menu.count()) > 0) {
    await menu.click()
    await page.locator(`[role=menuitem][lang=${other}]`).click()
    await page.locator('[role=menu]').waitFor({ state: 'detached' })
  } else {
    await page.evaluate(`localStorage.setItem('doorcode-language', '${other}')`)
    await page.reload()
  }
  await page.locator(`html:not([lang="${language}"])`).waitFor({ state: 'attached' })
  await isComplete(page)
}

async function isComplete(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}

test('pages are accessible, fit every screen, and name the zone of their times once', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const { paths } = await furnish(world)
  const page = await openPage(t, world, { as: await owner(world) })
  const faults: Record<string, string[]> = {}
  let times = 0
  for (const [index, path] of paths.entries()) {
    await page.emulateMedia({ colorScheme: COLOURS[index % COLOURS.length] ?? 'light' })
    await page.goto(path)
    await isComplete(page)
    const found: string[] = []
    for (const [turn, widths] of WIDTHS.entries()) {
      if (turn > 0) await switchLanguage(page)
      const language = await page.evaluate<string>('document.documentElement.lang')
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(SETTLED)
        await page.waitForFunction(FITS, undefined, { timeout: CHARTS_FOLLOW_MS }).catch(() => undefined)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (overflow > 0) found.push(`${language}: is ${overflow} px wider than a screen of ${width}`)
        const cut = await page.evaluate<string[]>(CUT_LISTS)
        found.push(...cut.map((list) => `${language} at ${width}: ${list} is wider than its index`))
        const { count, faults: wrong } = await page.evaluate<{ count: number; faults: string[] }>(TIMES)
        found.push(...wrong.map((fault) => `${language} at ${width}: ${fault}`))
        times += count
      }
      // The accessibility check is slow: each page is checked once, in one language, width and color scheme.
      if (turn === (index >> 1) % WIDTHS.length) found.push(...(await findSeriousFaults(page)))
    }
    if (found.length > 0) faults[path.replace(world.workspaceId, '…')] = found
  }
  assert.deepEqual(faults, {})
  assert.ok(times > 100, 'the walk finds the times')
})

/** Buttons and rows that open a dialog or a drawer, by their text, on the page of a workspace that has them. */
const DIALOGS = {
  phone: ['New customer'],
  senders: ['Connect a WhatsApp account', 'Replace credentials', 'Pause'],
  blocked: ['Block a number', 'Import a list', 'Unblock'],
  keys: ['Create key', 'test: Rotate', 'test: Revoke'],
  endpoints: ['Add an endpoint'],
  endpoint: ['Send test event', 'Edit', 'Rotate secret', 'Pause', 'Delete', 'Resend events', 'message.sent'],
  template: ['Delete template'],
  settings: ['Change'],
  messages: ['Date'],
  people: ['Invite someone', 'The member: Change role', 'The member: Remove', 'new@shop.example: Revoke'],
  account: ['Turn on two-factor authentication', 'Sign out everywhere'],
} as const

const OPEN = ':is([role=dialog], dialog[open])'

test('dialogs and drawers are accessible and close by Escape', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const { paths } = await furnish(world)
  const { workspaceId } = world
  const as = await owner(world)
  await as.calls.blocked.add.mutate({ workspaceId, phone: '+212612345678' })
  await as.calls.people.invite.mutate({ workspaceId, email: 'new@shop.example', role: 'member' })
  await signIn(world, 'member')
  await signIn(world, 'owner')
  const page = await openPage(t, world, { as })
  const pages = {
    ...Object.fromEntries(paths.map((path) => [path.split('/').at(-1), path])),
    endpoint: paths.find((path) => path.includes('/endpoints/')),
    template: paths.find((path) => path.endsWith('/ar')),
  }
  const faults: Record<string, string[]> = {}
  for (const [index, [name, openers]] of Object.entries(DIALOGS).entries()) {
    await page.emulateMedia({ colorScheme: COLOURS[index % COLOURS.length] ?? 'light' })
    await page.goto(pages[name as keyof typeof pages] ?? '')
    await isComplete(page)
    for (const text of openers) {
      const [name, item] = text.split(': ') // of the menu of a row
      const opener = page.locator('main :is(button, a)').filter({ hasText: new RegExp(`^${text}$`) })
      const menu = page.getByRole('button', { name: `Actions for ${name}` })
      await (item === undefined ? opener.first() : menu).click()
      if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
      await page.locator(OPEN).waitFor()
      await page.evaluate(SETTLED)
      const found = await findSeriousFaults(page, OPEN)
      if (found.length > 0) faults[`${name}: ${text}`] = found
      await page.keyboard.press('Escape')
      await page.locator(OPEN).waitFor({ state: 'detached' })
    }
  }
  assert.deepEqual(faults, {})
})

test('public pages are accessible and fit a phone’s screen', async (t) => {
  const world = await startWorld(t)
  for (const [language, colours] of [['en', 'dark'] as const, ['ar', 'light'] as const]) {
    const page = await openPage(t, world, { language, colours, width: 360 })
    for (const path of ['sign-in', 'welcome', 'welcome#no-such-token', 'nothing/here']) {
      await page.goto('about:blank') // a new fragment would not reload the page
      await page.goto(`/dashboard/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      assert.deepEqual(await findSeriousFaults(page), [], path)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `${path} is ${overflow} px wider than a screen of 360`)
    }
  }
})

test('a workspace’s page answers a non-member like a missing one', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const { paths } = await furnish(world)
  const page = await openPage(t, world, { as: await signIn(world, 'stranger') })
  // All of a workspace's pages have one parent. dashboard-calls.test.ts makes each call as a stranger.
  for (const path of paths.filter((each) => /overview$|messages\/|templates\/new$/.test(each))) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  }
})

const owner = (world: World): Promise<SignedIn> => signIn(world, 'owner')
