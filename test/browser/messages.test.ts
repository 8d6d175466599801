import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE_SIZE } from '../../src/lib/lists/list-pages.ts'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { addMessages } from '../database/many-rows.ts'
import { startWorld } from '../world/world.ts'

test('a message is found by filters in the URL and by paging', async (t) => {
  const world = await startWorld(t)
  const failed = await world.sendOtp({ reference: 'login-1' })
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  await addMessages(world, PAGE_SIZE - 1)
  await world.submitOtp({ reference: 'login-2' })
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  const list = `/dashboard/w/${world.workspaceId}/messages`
  await page.goto(`${list}?status=failed&text=login-2&from=2026-02-31`) // a link can hold anything
  await page.getByText('No messages match these filters.').waitFor()
  assert.equal(await page.getByLabel('Recipient, reference or id').inputValue(), 'login-2')
  await page.getByRole('button', { name: 'Clear filters' }).click()

  await page.getByText('login-2').waitFor()
  await page.getByText('1–50 of 51').waitFor()
  assert.equal(await page.getByText('login-1').count(), 0)
  assert.equal(await page.getByRole('columnheader', { name: 'Sender' }).count(), 0, 'there is one sender')
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByRole('link', { name: failed.to }).waitFor()
  await page.getByText('51–51 of 51').waitFor()
  await page.getByRole('link', { name: 'Newest' }).click()
  await page.getByText('login-2').waitFor()

  await page.getByRole('button', { name: 'Add the filter Status' }).click()
  await page.getByRole('menuitem', { name: 'Failed' }).click()
  await page.getByText('login-2').waitFor({ state: 'detached' })
  await page.getByLabel('Recipient, reference or id').fill('login-2')
  await page.getByText('No messages match these filters.').waitFor()
  const { pathname, searchParams } = new URL(page.url())
  assert.deepEqual([pathname, Object.fromEntries(searchParams)], [list, { status: 'failed', text: 'login-2' }])
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.getByText('لا توجد رسالة تطابق').waitFor()
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'English' }).click()

  await page.getByLabel('Recipient, reference or id').fill('')
  await page.getByRole('link', { name: failed.to }).click()
  await page.getByText('Your backend or its developers: Check the number with the recipient').waitFor()
  const code = page.getByRole('link', { name: 'RECIPIENT_UNREACHABLE' })
  assert.match((await code.getAttribute('href')) ?? '', /^\/problems\/RECIPIENT_UNREACHABLE\?lang=en&workspace=/)
  await page.getByTestId('content').getByText('•••••').waitFor()
  await page.getByText('Request', { exact: true }).waitFor()
  assert.equal(await page.getByText('accepted for').count(), 0, 'the facts say it')
  await page.evaluate('navigator.clipboard.writeText = (text) => Promise.resolve(void (globalThis.copied = text))')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  assert.match(await page.evaluate<string>('copied'), /otp\/messages[^]*"code": "<code>"/)
})

test('no request has the number that a search is for in its address, which proxies log', async (t) => {
  const world = await startWorld(t)
  const { to } = await world.sendOtp()
  const digits = to.slice(1)
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'messages' })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.getByLabel('Recipient, reference or id').fill(digits)
  await page.waitForURL(/text=/)
  await page.keyboard.press('Control+K')
  await page.getByPlaceholder(/^Search pages/).fill(digits)
  await page.getByRole('dialog').getByText(phoneText(to)).waitFor()
  const searches = requests.filter((url) => url.includes('messages.list') || url.includes('search.'))
  assert.ok(searches.length >= 2, String(requests))
  assert.deepEqual(
    requests.filter((url) => url.includes(digits)),
    [],
  )
})

test('the search keeps its focus and what is typed after its first results', async (t) => {
  const world = await startWorld(t)
  await world.submitOtp({ reference: 'login-jk' })
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'messages' })
  const search = page.getByLabel('Recipient, reference or id')
  await search.click()
  await page.keyboard.type('log')
  await page.waitForURL(/text=log$/)
  await page.getByText('login-jk').waitFor()
  await page.keyboard.type('in-jk')
  await page.waitForURL(/text=login-jk$/)
  assert.equal(await search.inputValue(), 'login-jk')
  await page.keyboard.type('?')
  await page.getByText('No messages match these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('login-jk').waitFor()
  assert.equal(await search.inputValue(), '')
})

test('a page that cannot load its data has the title of its section, and loads them when asked again', async (t) => {
  const world = await startWorld(t)
  const { messageId } = await world.sendOtp()
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  let isReachable = false
  await page.route(/messages\.get/, (route) => (isReachable ? route.continue() : route.abort()))
  await page.goto(`/dashboard/w/${world.workspaceId}/messages/${messageId}`)
  const titleOf = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
  await titleOf('Messages').waitFor()
  await page.getByText('Doorcode is not responding.').waitFor()
  assert.equal(await page.title(), 'Messages · Doorcode')
  isReachable = true
  await page.getByRole('button', { name: 'Try again' }).click()
  await titleOf(/^Message to/).waitFor()
})

test('the filters take one row on a tablet, and the row of a failed message is as high as others', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [132000] }])
  await world.askToConfirm()
  const page = await openPage(t, world, { as: await signIn(world, 'member'), width: 768, at: 'messages' })
  await page.getByRole('link', { name: 'TEMPLATE_PARAMETERS_REJECTED' }).waitFor()
  const heightsOf = (selector: string) =>
    page.evaluate<number[]>(
      `[...document.querySelectorAll('${selector}')].map((each) => Math.round(each.getBoundingClientRect().height))`,
    )
  const [filters = 0] = await heightsOf('main [role=search]')
  assert.ok(filters < 48, `the filters are ${filters} px high`)
  await page.setViewportSize({ width: 680, height: 900 }) // still a table, which has no room for the whole code
  assert.deepEqual(await heightsOf('tbody tr'), [40, 40])
})
