import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CodedText } from '../../locales/text.ts'
import { openPage, openWithin } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

/** Names that Arabic texts write in Latin letters. */
const NAMES = /\b(Doorcode|Webhook|API|CSV|UTC|Graph)\b/g

/** Literal input, times, text in another language, and the customer's words. */
const FOREIGN =
  'style, code, pre, kbd, bdi, time, .as-typed, [lang]:not([lang="ar"]), [data-side="customer"] p, blockquote'

const OWN_TEXT = `(() => {
  const texts = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest('${FOREIGN}')) texts.push(node.data)
  return texts.join('\\n')
})()`

const QUOTED = /«[^»]*»/g
const ISOLATED = /[\u2066-\u2068]([^\u2066-\u2069]*)\u2069/g
/** Three English words in a row: not an id, a code, a number or a name. */
const PROSE = /\b[a-z]+ [a-z]+ [a-z]+\b/

/** The page's own text has no Latin letters, and its isolated parts are not English sentences. */
async function assertArabic(page: Page, where: string): Promise<void> {
  await page.locator('main').getByRole('heading').first().waitFor()
  const text = (await page.evaluate<string>(OWN_TEXT)).replaceAll(QUOTED, '')
  for (const [, isolated = ''] of text.matchAll(ISOLATED)) assert.doesNotMatch(isolated, PROSE, where)
  const own = text.replaceAll(ISOLATED, '').replaceAll(NAMES, '')
  const latin = own.split('\n').filter((line) => /[a-z]/i.test(line))
  assert.deepEqual(latin, [], where)
}

test('conversations are shown only in Arabic, in texts that follow the chosen language', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signIn(world, 'member'), language: 'ar' })
  await page.goto(pathOf(world, 'blocked'))
  await seeConfirmation(page, world)
  receiver.always({ status: 500 })
  await seeMessages(page, world)
  await chooseLanguages(page)
})

const pathOf = (world: World, place: string): string => `/dashboard/w/${world.workspaceId}/${place}`

/** Opens another page: the page that changes then shows all changes together. */
const lookAway = (page: Page, world: World): Promise<void> => openWithin(page, pathOf(world, 'blocked'))

/** Shows three states, the last with everything customers can do that matches nothing. */
async function seeConfirmation(page: Page, world: World): Promise<void> {
  const order = await world.askToConfirm()
  const look = async (where: string, status: string): Promise<void> => {
    await openWithin(page, pathOf(world, `confirmations/${order.confirmationId}`))
    await page.locator('main').getByText(status, { exact: true }).first().waitFor()
    await assertArabic(page, where)
    await lookAway(page, world)
  }
  await look('awaiting', 'بانتظار الجواب')
  const customer = world.customer(order)
  await customer.taps('Change time')
  await customer.taps(0)
  await look('rescheduling', 'إعادة الجدولة جارية')
  await customer.taps(1)
  await customer.types('When will it come?')
  const template = customer.screen()[0]
  await customer.taps('Confirm', { on: template })
  await customer.taps('Confirm', { on: template })
  for (const payload of [
    'dc1:c:019f0000-0000-7000-8000-000000000000:1',
    `dc0:c:${order.confirmationId}:1`,
    'buy now',
  ]) {
    const button = { type: 'button', button: { payload, text: 'Cancel' }, context: { id: template?.id } }
    await customer.sends({ raw: button })
  }
  await customer.sends({ raw: { type: 'image', image: { id: '1' } } })
  await world.askAboutRefusal(order)
  await customer.taps('Yes')
  await customer.chooses('Other')
  await customer.types('It was open')
  await look('refused', 'أكّد الرفض')
  const notes = await world.query<{ note: CodedText }>(
    'select distinct note from provider_reports where workspace_id = $1 and note is not null',
    [world.workspaceId],
  )
  assert.ok(notes.length > 4, 'this test has customers do what fits nothing')
  for (const { note } of notes) assert.notEqual(note.code, 'text', JSON.stringify(note))
}

/** Shows a message that waits for another attempt, the same one read after a failure, and one that failed. */
async function seeMessages(page: Page, world: World): Promise<void> {
  const to = newPhone()
  for (const behaviour of [{ error: 131016 }, { error: 131056 }])
    world.emulator.script({ match: { to, times: 1 }, behaviour })
  const retried = await world.submitOtp({ to })
  await openWithin(page, pathOf(world, `messages/${retried.messageId}`))
  await assertArabic(page, 'message')
  await lookAway(page, world)
  await world.after('30s')
  await world.after('5m')
  await world.whatsapp.reports(retried, ['read', 'sent', { status: 'failed', errors: [131026] }])
  await openWithin(page, pathOf(world, `messages/${retried.messageId}`))
  await page.getByText('مقبول', { exact: true }).waitFor()
  await page.getByText('قُرئت', { exact: true }).first().waitFor()
  await assertArabic(page, 'read message')
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  await lookAway(page, world)
  await openWithin(page, pathOf(world, `messages/${failed.messageId}`))
  await page.getByText('تعذّر تسليم الرسالة').first().waitFor()
  await page.getByText('تحقق من الرقم مع المستلم').first().waitFor()
  await assertArabic(page, 'failed message')
}

/** The server's texts of the failed message change with the page's language, which stays in later visits. */
async function chooseLanguages(page: Page): Promise<void> {
  const arabic = page.getByText('تحقق من الرقم مع').first()
  const english = page.getByText('Check the number with the recipient').first()
  await choose(page, 'English')
  await english.waitFor()
  await arabic.waitFor({ state: 'detached' })
  await choose(page, 'العربية')
  await arabic.waitFor()
  await english.waitFor({ state: 'detached' })
  await assertArabic(page, 'a message in the other language')
  await choose(page, 'Français')
  await page.getByRole('link', { name: 'Vue d’ensemble' }).waitFor()
  await arabic.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('link', { name: 'Vue d’ensemble' }).waitFor()
}

async function choose(page: Page, name: string): Promise<void> {
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name }).click()
}

test('problems and rejected forms are shown only in Arabic', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const as = await signIn(world, 'owner')
  const unreachable = 'http://127.0.0.1:9'
  await world.query('update webhook_endpoints set url = $2 where workspace_id = $1', [workspaceId, unreachable])
  await world.whatsapp.reports(await world.sendOtp(), ['delivered'])
  await world.query('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, unreachable])
  const [account] = await as.calls.senders.accounts.query({ workspaceId })
  assert.ok(account)
  const synced = as.calls.senders.sync.mutate({ workspaceId, accountId: account.accountId })
  await assert.rejects(synced, /^TRPCClientError: WhatsApp could not be reached: listing phone numbers: no response/)

  const page = await openPage(t, world, { as, language: 'ar' })
  const at = async (place: string, says: string): Promise<void> => {
    await openWithin(page, pathOf(world, place))
    await page.getByText(says).first().waitFor()
  }
  await page.goto(pathOf(world, 'senders'))
  await page.getByText('تعذّر الوصول إلى واتساب: قراءة أرقام الهاتف').first().waitFor()
  await assertArabic(page, 'senders')
  await at(`endpoints/${endpointId}`, 'رُفض الاتصال')
  await at('templates', 'غير صالح للاستخدام')
  await page.getByText('غير صالح للاستخدام').first().hover()
  await page.getByText('لكن يجب أن يحتوي قالب التأكيد على ثلاثة أزرار رد سريع').first().waitFor()
  await at('endpoints', 'نقاط استقبال Webhook')
  await page.getByRole('button', { name: 'إضافة نقطة' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('العنوان').fill('https://user:secret@shop.example/hooks')
  await dialog.getByRole('button', { name: 'إضافة نقطة' }).click()
  await dialog.getByText('يجب ألا يحتوي العنوان على اسم مستخدم أو كلمة مرور').waitFor()
})

test('a half-written form keeps its text when the language and its direction change', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'owner') })
  await page.goto('/dashboard/new-workspace')
  await page.getByLabel('Name', { exact: true }).fill('Half')
  await choose(page, 'العربية')
  await page.locator('html[lang=ar][dir=rtl]').waitFor()
  assert.equal(await page.getByLabel('الاسم', { exact: true }).inputValue(), 'Half')
})
