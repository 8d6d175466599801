import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { languageStarts } from '../../src/cod/language-starts.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { type TwinMessage, codAccount } from '../cod.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

const save = ({ workspaceId }: World, { calls }: SignedIn, settings: unknown, basedOn: string | null) =>
  calls.codSettings.save.mutate({ workspaceId, settings, basedOn })

const get = ({ workspaceId }: World, { calls }: SignedIn) => calls.codSettings.get.query({ workspaceId })

test('settings that are saved are those that orders then meet, and the log says who changed what', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  assert.equal((await get(world, admin)).stored, null)
  const first = await save(world, admin, { timeZone: 'UTC', languages: { en: languageStarts['en'] } }, null)
  assert.ok(first.outcome === 'saved')
  await world.createConfirmation()
  const next = { ...first.settings, timeZone: 'Africa/Casablanca' }
  const second = await save(world, admin, next, first.updatedAt)
  assert.ok(second.outcome === 'saved')
  assert.deepEqual(second.changes, [{ pointer: '/timeZone', before: 'UTC', after: 'Africa/Casablanca' }])
  const log = await world.ask(
    `select who, before, after from audit_log where workspace_id = $1 and action = 'cod_settings.changed' order by id`,
    [world.workspaceId],
  )
  assert.deepEqual(log.at(-1), {
    who: admin.email,
    before: { '/timeZone': 'UTC' },
    after: { '/timeZone': 'Africa/Casablanca' },
  })
  assert.equal(log.length, 2)
})

test('all faults come at once, and nothing of faulty settings is stored', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  const faulty = { timeZone: 'CET', deliveryDays: { offered: 4 }, confirmation: { reminderMinutes: 14 } }
  const answer = await save(world, admin, faulty, null)
  assert.ok(answer.outcome === 'faulty')
  assert.deepEqual(
    answer.faults.map(({ pointer }) => pointer),
    ['/timeZone', '/deliveryDays/offered', '/confirmation/reminderMinutes'],
  )
  assert.equal((await get(world, admin)).stored, null)
})

test('of two who save at once the second is told what the first one set, and loses nothing', async (t) => {
  const world = await startWorld(t)
  const [one, other] = [await signedIn(world, 'admin'), await signedIn(world, 'admin')]
  await world.codSettings()
  const [mine, theirs] = [(await get(world, one)).stored, (await get(world, other)).stored]
  assert.ok(mine && theirs)
  const answers = await Promise.all([
    save(world, one, { ...mine.settings, timeZone: 'UTC' }, mine.updatedAt),
    save(world, other, { ...theirs.settings, timeZone: 'Asia/Karachi' }, theirs.updatedAt),
  ])
  const [saved, overtaken] = answers.toSorted((a, b) => (a.outcome < b.outcome ? 1 : -1))
  assert.ok(saved?.outcome === 'saved' && overtaken?.outcome === 'overtaken')
  assert.equal(overtaken.stored?.settings.timeZone, saved.settings.timeZone)
  assert.deepEqual((await get(world, one)).stored, { settings: saved.settings, updatedAt: saved.updatedAt })
})

test('of two who set them for the first time at once only one does', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  const answers = await Promise.all(
    ['UTC', 'Asia/Karachi', 'Africa/Cairo'].map((timeZone) => save(world, admin, { timeZone }, null)),
  )
  assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), ['overtaken', 'overtaken', 'saved'])
})

test('a member reads the settings and tries them out, and changes nothing', async (t) => {
  const world = await startWorld(t)
  const member = await signedIn(world, 'member')
  await world.codSettings()
  assert.ok((await get(world, member)).stored)
  const { workspaceId } = world
  const tried = await member.calls.codSettings.tryOut.mutate({ workspaceId, settings: {}, language: null })
  assert.deepEqual(tried.faults, [{ pointer: '/timeZone', detail: 'is required' }])
  await assert.rejects(save(world, member, { timeZone: 'UTC' }, null), /This takes the role admin/)
})

const path = ({ workspaceId }: World): string => `/dashboard/w/${workspaceId}/cod-settings`

test('a workspace without settings begins with ready-made texts, and its first order is accepted', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(path(world))
  await page.getByRole('button', { name: 'Start in the languages of your templates' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. This is different now').waitFor()
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Change time')
  assert.equal(world.customer(order).last().shown.body, languageStarts['en']?.texts.dayQuestion)
})

test('each limit of the settings is counted as it is typed, and nothing beyond it can be saved', async (t) => {
  const world = await startWorld(t)
  const admin = await signedIn(world, 'admin')
  const before = await world.codSettings()
  const page = await openPage(t, world, { as: admin })
  await page.goto(path(world))
  await page.getByRole('tab', { name: 'English' }).click()
  const limited = [
    ['Day question', 1_024],
    ['Time question', 1_024],
    ['Time range 1', 20],
    ['Refusal reason question', 4_096],
    ['Button that opens the list', 20],
    ['Reason 1', 24],
    ['Other row, always the last one', 24],
    ['Note prompt, after the Other row', 4_096],
    ['After a confirmation: Closing message', 4_096],
  ] as const
  for (const [label, most] of limited) await page.getByLabel(label, { exact: true }).fill('x'.repeat(most + 1))
  const timers = page.getByRole('group', { name: 'Order confirmation' })
  await timers.getByLabel('Remind after: hours').fill('72')
  await timers.getByLabel('Remind after: minutes').fill('1')
  await timers.getByLabel('Stop waiting after: hours').fill('168')
  await timers.getByLabel('Stop waiting after: minutes').fill('1')
  const counted = (most: number, count: number): string =>
    `${count.toLocaleString('en')} of ${most.toLocaleString('en')}`
  for (const [label, most] of limited) {
    const field = fieldOf(page, label)
    await field.getByText(counted(most, most + 1), { exact: true }).waitFor()
    await field.getByText(`is too long: WhatsApp shows at most ${most.toLocaleString('en')} characters`).waitFor()
  }
  await timers.getByText('= 4,321 minutes').waitFor()
  await timers.getByText('must be from 15 to 4,320 minutes').waitFor()
  await timers.getByText('must be from 60 to 10,080 minutes').waitFor()

  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('[id^="/confirmation/reminderMinutes"]:focus').waitFor()
  assert.deepEqual((await get(world, admin)).stored?.settings, before)

  for (const [label, most] of limited) await page.getByLabel(label, { exact: true }).fill('x'.repeat(most))
  await page.getByLabel('Other row, always the last one').fill('y'.repeat(24))
  await timers.getByLabel('Remind after: minutes').fill('0')
  await timers.getByLabel('Stop waiting after: hours').fill('72')
  await timers.getByLabel('Stop waiting after: minutes').fill('0')
  await timers.getByText('must be later than the reminder: 4,320 minutes is not after 4,320').waitFor()
  await timers.getByLabel('Stop waiting after: hours').fill('168')
  for (const [label, most] of limited)
    await fieldOf(page, label).getByText(counted(most, most), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. This is different now').waitFor()
  const after = (await get(world, admin)).stored?.settings
  assert.deepEqual(after?.confirmation, { reminderMinutes: 4_320, noResponseMinutes: 10_080 })
  assert.equal(after?.languages['en']?.texts.dayQuestion.length, 1_024)
})

test('no more days, ranges and reasons can be entered than a question may have, nor two that look alike', async (t) => {
  const world = await startWorld(t)
  await world.codSettings({ deliveryDays: { skipWeekdays: [] } })
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(path(world))
  await page.getByRole('tab', { name: 'English' }).click()
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'])
    await page.getByText(day, { exact: true }).click()
  await page.getByText('6 of 6 chosen').waitFor()
  assert.ok(await page.getByRole('checkbox', { name: 'Sunday' }).isDisabled())
  assert.deepEqual(await page.getByRole('radiogroup', { name: 'Days offered' }).getByRole('radio').count(), 3)
  await page.getByRole('button', { name: 'Add a time range' }).click()
  await page.getByLabel('Time range 3', { exact: true }).fill('09:00-12:00')
  await page.getByText('is the same as one above').first().waitFor()
  assert.ok(await page.getByRole('button', { name: 'Add a time range' }).isDisabled())
  for (let count = 2; count < 9; count += 1) await page.getByRole('button', { name: 'Add a reason' }).click()
  assert.ok(await page.getByRole('button', { name: 'Add a reason' }).isDisabled())
  await page.getByLabel('Reason 9', { exact: true }).fill('Other')
  await page.getByText('is the same as the Other row').first().waitFor()
})

test('the preview shows what the phone then gets, in English and in Arabic', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  await world.codSettings()
  const page = await openPage(t, world, { as: await signedIn(world, 'member') })
  await page.goto(path(world))
  for (const [language, name] of [
    ['en', 'English'],
    ['ar', 'Arabic'],
  ] as const) {
    await page.getByRole('tab', { name }).click()
    const order = await world.createConfirmation({ template: { name: 'order_confirmation', language } })
    await world.settled()
    const customer = world.customer(order)
    await customer.taps(2)
    await previews(page, 'dayQuestion', customer.last())
    await customer.taps(0)
    await previews(page, 'timeQuestion', customer.last())
    await customer.taps(0)
    await previews(page, 'afterConfirmation', customer.last())
    await world.startRefusalCheck(order, { template: { name: 'delivery_refusal', language } })
    await world.settled()
    await customer.taps(0)
    await previews(page, 'reasonsQuestion', customer.last())
    await customer.chooses(2)
    await previews(page, 'notePrompt', customer.last())
    const direction = language === 'ar' ? 'rtl' : 'ltr'
    const body = page.getByTestId('dayQuestion').locator('p').first()
    assert.equal(await body.getAttribute('dir'), direction)
  }
})

test('of two who write at once the second is told, and puts both their changes together', async (t) => {
  const world = await startWorld(t)
  const [one, other] = [await signedIn(world, 'admin'), await signedIn(world, 'admin')]
  await world.codSettings()
  const page = await openPage(t, world, { as: one })
  await page.goto(path(world))
  await page.getByRole('tab', { name: 'English' }).click()
  await page.getByLabel('Day question').fill('Which day is best?')
  const { stored } = await get(world, other)
  assert.ok(stored)
  await save(world, other, { ...stored.settings, timeZone: 'Asia/Karachi' }, stored.updatedAt)
  await page.getByRole('button', { name: 'Save' }).click()
  const told = page.getByRole('alert')
  await page.locator(':focus').getByText('Somebody else has changed').waitFor()
  await told.getByText('Somebody else has changed these settings meanwhile').waitFor()
  await told.getByText('Asia/Karachi').waitFor()
  await told.getByRole('button', { name: 'Put my changes on top of theirs' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. This is different now').waitFor()
  const settings = (await get(world, other)).stored?.settings
  assert.equal(settings?.timeZone, 'Asia/Karachi')
  assert.equal(settings?.languages['en']?.texts.dayQuestion, 'Which day is best?')
})

test('what is not saved is lost neither by another language of the page nor by leaving it unasked', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(path(world))
  await page.getByRole('tab', { name: 'English' }).click()
  await page.getByLabel('Day question').fill('Which day is best?')
  await page.getByRole('button', { name: 'العربية' }).click()
  await page.getByRole('tab', { name: 'الإنجليزية' }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), 'Which day is best?')
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'البقاء هنا' }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), 'Which day is best?')
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'مغادرة وفقدانها' }).click()
  await page.getByRole('heading', { level: 1, name: 'مفاتيح API' }).waitFor()
})

/** A field with its label, its counter and its fault. */
const fieldOf = (page: Page, label: string) =>
  page
    .locator('.mantine-InputWrapper-root')
    .filter({ has: page.getByLabel(label, { exact: true }) })
    .last()

/** The preview of the part reads like the message that came to a phone. */
async function previews(page: Page, part: string, { shown }: TwinMessage): Promise<void> {
  const preview = page.getByTestId(part)
  await preview.getByText(shown.body, { exact: true }).waitFor()
  const labels = [...shown.buttons.map(({ text }) => text), ...(shown.list ? [shown.list.button] : [])]
  for (const label of labels) await preview.getByText(label, { exact: true }).waitFor()
  const rows = (shown.list?.rows ?? []).map(({ title }) => title)
  assert.deepEqual(await preview.getByRole('listitem').allTextContents(), rows)
}
