import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { CodedText } from '../../locales/text.ts'
import { openPage } from '../browser.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, newPhone, startWorld } from '../world.ts'

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

const opened = async (t: TestContext, world: World, as: SignedIn): Promise<Page> =>
  openPage(t, world, { as, language: 'ar' })

test('a message in any status is shown only in Arabic', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const as = await signIn(world, 'member')
  const to = newPhone()
  for (const behaviour of [{ error: 131016 }, { error: 131056 }])
    world.emulator.script({ match: { to, times: 1 }, behaviour })
  const failed = await world.sendOtp({ to })
  const page = await opened(t, world, as)
  const look = async (): Promise<void> => {
    await page.goto(`/dashboard/w/${world.workspaceId}/messages/${failed.messageId}`)
    await assertArabic(page, 'message')
  }
  await world.settled()
  await look()
  world.advance('30s')
  await world.settled()
  world.advance('5m')
  await world.settled()
  await world.whatsapp.reports(failed, ['read', 'sent', { status: 'failed', errors: [131026] }])
  await look()
  await page.getByText('مقبول', { exact: true }).waitFor()
  const other = await world.sendOtp()
  await world.whatsapp.reports(other, [{ status: 'failed', errors: [131026] }])
  await page.goto(`/dashboard/w/${world.workspaceId}/messages/${other.messageId}`)
  await assertArabic(page, 'failed message')
  await page.getByText('تعذّر تسليم الرسالة').first().waitFor()
  await page.getByText('تحقق من الرقم مع المستلم').first().waitFor()
})

test('a confirmation is shown only in Arabic, with its reasons', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  await world.receiver()
  const as = await signIn(world, 'member')
  const order = await world.createConfirmation()
  await world.settled()
  const page = await opened(t, world, as)
  const look = async (where: string): Promise<void> => {
    await page.goto(`/dashboard/w/${world.workspaceId}/confirmations/${order.confirmationId}`)
    await assertArabic(page, where)
  }
  await look('awaiting')
  const customer = world.customer(order)
  await customer.taps('Change time')
  await customer.taps(0)
  await look('rescheduling')
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
  await world.startRefusalCheck(order)
  await world.settled()
  await customer.taps('Yes')
  await customer.chooses('Other')
  await customer.types('It was open')
  await look('refused')
  const notes = await world.ask<{ note: CodedText }>(
    'select distinct note from provider_reports where workspace_id = $1 and note is not null',
    [world.workspaceId],
  )
  assert.ok(notes.length > 4, 'this test has customers do what fits nothing')
  for (const { note } of notes) assert.notEqual(note.code, 'text', JSON.stringify(note))
})

test('problems and rejected forms are shown only in Arabic', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const as = await signIn(world, 'owner')
  const nobody = 'http://127.0.0.1:9'
  await world.ask('update webhook_endpoints set url = $2 where workspace_id = $1', [workspaceId, nobody])
  await world.whatsapp.reports(await world.sendOtp(), ['delivered'])
  await world.ask('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, nobody])
  const [account] = await as.calls.senders.accounts.query({ workspaceId })
  assert.ok(account)
  const synced = as.calls.senders.sync.mutate({ workspaceId, accountId: account.accountId })
  await assert.rejects(synced, /^TRPCClientError: WhatsApp could not be reached: listing phone numbers: no answer/)

  const page = await opened(t, world, as)
  const at = async (place: string, says: string): Promise<void> => {
    await page.goto(`/dashboard/w/${workspaceId}/${place}`)
    await page.getByText(says).first().waitFor()
  }
  await at('senders', 'تعذّر الوصول إلى واتساب: قراءة أرقام الهاتف')
  await assertArabic(page, 'senders')
  await at(`endpoints/${endpointId}`, 'رُفض الاتصال')
  await at('templates', 'لكن لقالب التأكيد ثلاثة أزرار رد سريع')
  await at('endpoints', 'نقاط Webhook')
  await page.getByRole('button', { name: 'إضافة نقطة' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('العنوان').fill('https://somebody:secret@shop.example/hooks')
  await dialog.getByRole('button', { name: 'إضافة نقطة' }).click()
  await dialog.getByText('يجب ألا يحتوي العنوان على اسم مستخدم أو كلمة مرور').waitFor()
})

test('the server’s texts change with the page’s language', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }])
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(`/dashboard/w/${world.workspaceId}/messages/${otp.messageId}`)
  await page.getByText('Check the number with the recipient').first().waitFor()
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.getByText('تحقق من الرقم مع').first().waitFor()
  await page.getByText('Check the number with the recipient').first().waitFor({ state: 'detached' })
  await assertArabic(page, 'a message in the other language')
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'Français' }).click()
  await page.getByRole('link', { name: 'Vue d’ensemble' }).waitFor()
  await page.getByText('تحقق من الرقم مع').first().waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('link', { name: 'Vue d’ensemble' }).waitFor()
})
