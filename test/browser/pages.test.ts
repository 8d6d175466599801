import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SECTIONS } from '../../dashboard/ui/navigation/sections.ts'
import { findSeriousFaults } from './accessibility.ts'
import { openPage, openWithin } from './browser.ts'
import { SETTLED, isComplete } from './chromium.ts'
import { codAccount } from '../world/cod.ts'
import { type SignedIn, signIn } from '../world/dashboard.ts'
import { createHook } from '../world/hooks.ts'
import { type World, startWorld } from '../world/world.ts'

/**
 * What is wrong at one width. No page is wider than the screen. No list hides a column, except one that scrolls with
 * the keyboard. Every time is an instant, and a page with times names their zone once. No line begins or ends with the
 * dot between two parts, which is either text or stands in the padding before a part.
 */
const SEEN = `${SETTLED}.then(() => {
  const faults = []
  const overflow = document.documentElement.scrollWidth - innerWidth
  if (overflow > 0) faults.push('is ' + overflow + ' px wider than the screen')
  for (const table of document.querySelectorAll('table')) {
    const { scrollWidth, clientWidth } = table.parentElement
    if (!table.closest('[tabindex="0"]') && scrollWidth > clientWidth + 1) faults.push(table.ariaLabel + ' is too wide')
  }
  const isShown = (element) => element.getBoundingClientRect().width > 2
  const times = [...document.querySelectorAll('time')].filter(isShown)
  const zones = [...document.querySelectorAll('[data-zone]')].filter(isShown).map(({ textContent }) => textContent)
  faults.push(...times.filter(({ dateTime }) => Number.isNaN(Date.parse(dateTime))).map(({ outerHTML }) => outerHTML))
  if (times.length > 0 && !/^(Africa\\/Casablanca|UTC)$/.test(zones.join())) faults.push('zones: ' + zones.join())
  const isOnLine = (one, other) => one.width > 0 && one.top < other.bottom - 2 && one.bottom > other.top + 2
  const rectsOf = (node, from, to) => {
    const range = document.createRange()
    if (from === undefined) range.selectNodeContents(node)
    else (range.setStart(node, from), range.setEnd(node, to))
    return [...range.getClientRects()]
  }
  const isInline = (element) => /^(inline$|contents)/.test(getComputedStyle(element).display)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: text } = texts
    for (const { index } of text.data.matchAll(/(?<=^| )·(?= |$)/g)) {
      const [dot] = rectsOf(text, index, index + 1)
      if (!dot || dot.width === 0) continue
      let block = text.parentElement
      while (isInline(block)) block = block.parentElement
      const line = rectsOf(block).filter((rect) => isOnLine(rect, dot))
      const isBetween = line.some(({ left }) => left < dot.left - 1) && line.some(({ right }) => right > dot.right + 1)
      if (!isBetween) faults.push('a line begins or ends with a dot: ' + block.textContent)
    }
  }
  for (const part of document.querySelectorAll('td, [class*=separated] > *')) {
    const dot = getComputedStyle(part, '::before')
    if (dot.content !== '"·"') continue
    const [row, of] = [part.parentElement.getBoundingClientRect(), part.getBoundingClientRect()]
    const isCutOff = getComputedStyle(part).direction === 'rtl'
      ? of.right - parseFloat(dot.width) / 4 > row.right
      : of.left + parseFloat(dot.width) / 4 < row.left
    const before = [...part.parentElement.children].slice(0, [...part.parentElement.children].indexOf(part))
    const isAfterOne = before.some((other) => isOnLine(other.getBoundingClientRect(), of))
    if (of.width > 0 && !isCutOff && !isAfterOne) faults.push('a line begins with a dot: ' + part.textContent)
  }
  return { faults, times: times.length }
})`
type Seen = { faults: string[]; times: number }

/** The pages of a sandbox with content on each. */
async function furnish(world: World): Promise<Record<string, string>> {
  await world.query('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  await world.codSettings()
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const { confirmationId } = await world.createConfirmation()
  const { verificationId } = await world.startVerification()
  await world.settled()
  const of = `/dashboard/w/${world.workspaceId}`
  return {
    'new workspace': '/dashboard/new-workspace',
    ...Object.fromEntries(
      SECTIONS.map(({ to }) => [to.replace('/w/$workspaceId/', ''), to.replace('/w/$workspaceId', of)]),
    ),
    message: `${of}/messages/${otp.messageId}`,
    confirmation: `${of}/confirmations/${confirmationId}`,
    endpoint: `${of}/endpoints/${receiver.endpointId}`,
    verification: `${of}/messages/${verificationId}`,
    'new template': `${of}/templates/new`,
    template: `${of}/templates/${world.account.accountId}/order_confirmation/ar`,
    account: `${of}/account`,
  }
}

/** Creates what the dialogs of rows need. */
async function furnishDialogs(world: World, as: SignedIn): Promise<void> {
  const { workspaceId } = world
  await signIn(world, 'member')
  await signIn(world, 'owner')
  await as.calls.blocked.add.mutate({ workspaceId, phone: '+212612345678' })
  await createHook(world, 'generic')
  await as.calls.people.invite.mutate({ workspaceId, email: 'new@shop.example', role: 'member' })
}

/** Each page is checked at these widths, and at 360 in both languages: wide content overflows the narrowest first. */
const WIDTHS = { en: [360, 1280], ar: [360, 768] } as const
type Language = keyof typeof WIDTHS

/** Buttons and rows that open a dialog or a drawer, by their text, on the page of a workspace that has them; in a menu after its name. */
const DIALOGS: Record<string, readonly string[]> = {
  phone: ['New customer'],
  senders: ['Connect a WhatsApp account', 'Replace credentials', 'Pause'],
  blocked: ['Block a number', 'Import a list', 'Unblock'],
  keys: ['Create key', 'test: Rotate', 'test: Revoke'],
  hooks: ['Create auth hook', 'generic: Change', 'generic: Rotate secret', 'generic: Delete'],
  endpoints: ['Add an endpoint'],
  endpoint: [
    'Send test event',
    'Resend events',
    'message.sent',
    ...['Edit', 'Rotate secret', 'Pause', 'Delete'].map((act) => `: ${act}`),
  ],
  template: ['Delete template'],
  settings: ['Change'],
  // A phone has the filters behind one button; of two pages in a row, the walk leaves one on a phone.
  messages: ['Date|Filters'],
  confirmations: ['Date|Filters'],
  people: ['Invite someone', 'The member: Change role', 'The member: Remove', 'new@shop.example: Revoke'],
  account: ['Turn on two-factor authentication', 'Sign out everywhere'],
}

test('pages and dialogs are accessible, fit screens and name their time zone', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const paths = await furnish(world)
  const as = await signIn(world, 'operator')
  await furnishDialogs(world, as)
  const page = await openPage(t, world, { as })
  await page.goto(paths['overview'] ?? '')
  await isComplete(page)
  const faults: Record<string, string[]> = {}
  const dialogs = { ...DIALOGS }
  let times = 0
  let width: number = 1280
  for (const language of ['en', 'ar'] as const) {
    if (language === 'ar') await chooseArabic(page)
    for (const [index, [name, path]] of Object.entries(paths).entries()) {
      // Each page is checked for accessibility once, in one language, width and color scheme: it is slow.
      await page.emulateMedia({ colorScheme: index % 4 < 2 ? 'light' : 'dark' })
      await openWithin(page, path)
      const found: string[] = []
      for (const next of widthsFrom(width, language)) {
        width = next
        await page.setViewportSize({ width, height: 900 })
        const seen = await page.evaluate<Seen>(SEEN)
        found.push(...seen.faults.map((fault) => `at ${width}: ${fault}`))
        times += seen.times
      }
      if ((index % 2 === 0) === (language === 'en')) found.push(...(await findSeriousFaults(page)))
      if (language === 'en') {
        // On a narrow screen the open chat hides the list, with its button.
        if (name === 'phone' && width < 768) await page.getByRole('button', { name: 'Back to phones' }).click()
        found.push(...(await dialogFaults(page, dialogs[name] ?? [])))
        delete dialogs[name]
      }
      if (found.length > 0) faults[`${name} in ${language}`] = found
    }
  }
  assert.deepEqual(faults, {})
  assert.deepEqual(dialogs, {}, 'the walk opens all dialogs')
  assert.ok(times > 100, 'the walk finds the times')
})

/** The walk changes the width only once on each page. */
const widthsFrom = (width: number, language: Language): readonly number[] =>
  width === 360 ? WIDTHS[language] : WIDTHS[language].toReversed()

/** The page is rendered again from right to left. */
async function chooseArabic(page: Page): Promise<void> {
  await page.locator('[data-account]').click()
  await page.locator('[role=menuitem][lang=ar]').click()
  await page.locator('html[lang=ar]').waitFor({ state: 'attached' })
}

const OPEN = ':is([role=dialog], dialog[open])'

/** Opens each and closes it with Escape. */
async function dialogFaults(page: Page, openers: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const text of openers) {
    const [name, item] = text.split(': ') // of the menu of a row
    const opener = page.locator('main :is(button, a)').filter({ hasText: new RegExp(`^(?:${text})$`) })
    const menu = page.getByRole('button', { name: `Actions for ${name}` })
    await (item === undefined ? opener.first() : menu).click()
    if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
    await page.locator(OPEN).waitFor()
    await page.evaluate(SETTLED)
    found.push(...(await findSeriousFaults(page, OPEN)).map((fault) => `${text}: ${fault}`))
    await page.keyboard.press('Escape')
    await page.locator(OPEN).waitFor({ state: 'detached' })
  }
  return found
}

test('public pages are accessible and fit a phone’s screen', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { colours: 'dark', width: 360 })
  await page.goto('/dashboard/')
  await page.waitForURL('**/sign-in')
  await isComplete(page)
  for (const language of ['en', 'ar'] as const) {
    for (const path of ['welcome', 'nothing/here', 'welcome#no-such-token', 'sign-in']) {
      await openWithin(page, `/dashboard/${path}`)
      assert.deepEqual(await findSeriousFaults(page), [], `${path} in ${language}`)
      assert.deepEqual((await page.evaluate<Seen>(SEEN)).faults, [], `${path} in ${language}`)
    }
    if (language === 'ar') break
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('combobox', { name: 'Language' }).selectOption('ar')
    await page.locator('html[lang=ar]').waitFor({ state: 'attached' })
  }
})

test('a workspace’s page answers a non-member like a missing one', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const paths = await furnish(world)
  const page = await openPage(t, world, { as: await signIn(world, 'stranger') })
  const missing = page.getByRole('heading', { name: 'Page not found' })
  await page.goto(paths['overview'] ?? '')
  await missing.waitFor()
  // All of a workspace's pages have one parent. dashboard-calls.test.ts makes each call as a stranger.
  for (const name of ['message', 'new template']) {
    await openWithin(page, '/dashboard/new-workspace')
    await openWithin(page, paths[name] ?? '')
    await missing.waitFor()
  }
})
