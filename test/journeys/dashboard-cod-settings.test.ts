import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languageStarts } from '../../src/cod/settings/language-starts.ts'
import { openPage } from '../browser.ts'
import { type EmulatorMessage, codAccount } from '../cod.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

const save = ({ workspaceId }: World, { calls }: SignedIn, settings: unknown, basedOn: string | null) =>
  calls.codSettings.save.mutate({ workspaceId, settings, basedOn })

const get = ({ workspaceId }: World, { calls }: SignedIn) => calls.codSettings.get.query({ workspaceId })

test('saved settings apply to new orders, and the log shows each change', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
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

test('all faults are reported at once, and faulty settings are not stored', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const faulty = { timeZone: '+02:00', deliveryDays: { offered: 4 }, confirmation: { reminderMinutes: 14 } }
  const answer = await save(world, admin, faulty, null)
  assert.ok(answer.outcome === 'faulty')
  assert.deepEqual(
    answer.faults.map(({ pointer }) => pointer),
    ['/timeZone', '/deliveryDays/offered', '/confirmation/reminderMinutes'],
  )
  assert.equal((await get(world, admin)).stored, null)
})

test('a concurrent save is rejected with the other person’s settings', async (t) => {
  const world = await startWorld(t)
  const [one, other] = [await signIn(world, 'admin'), await signIn(world, 'admin')]
  await world.codSettings()
  const [mine, theirs] = [(await get(world, one)).stored, (await get(world, other)).stored]
  assert.ok(mine && theirs)
  const answers = await Promise.all([
    save(world, one, { ...mine.settings, timeZone: 'UTC' }, mine.updatedAt),
    save(world, other, { ...theirs.settings, timeZone: 'Asia/Karachi' }, theirs.updatedAt),
  ])
  const [saved, conflict] = answers.toSorted((a, b) => (a.outcome < b.outcome ? 1 : -1))
  assert.ok(saved?.outcome === 'saved' && conflict?.outcome === 'conflict')
  assert.equal(conflict.stored?.settings.timeZone, saved.settings.timeZone)
  assert.deepEqual((await get(world, one)).stored, { settings: saved.settings, updatedAt: saved.updatedAt })
})

test('of two concurrent first saves only one succeeds', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const answers = await Promise.all(
    ['UTC', 'Asia/Karachi', 'Africa/Cairo'].map((timeZone) => save(world, admin, { timeZone }, null)),
  )
  assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), ['conflict', 'conflict', 'saved'])
})

test('a member can read and try out the settings, but not save', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  await world.codSettings()
  assert.ok((await get(world, member)).stored)
  const { workspaceId } = world
  const tried = await member.calls.codSettings.tryOut.mutate({ workspaceId, settings: {}, language: null })
  assert.deepEqual(tried.faults, [{ pointer: '/timeZone', detail: { code: 'cod.settings_required' } }])
  await assert.rejects(save(world, member, { timeZone: 'UTC' }, null), /This requires the role admin/)
})

const path = ({ workspaceId }: World, tab = 'deliveries'): string =>
  `/dashboard/w/${workspaceId}/cod-settings?tab=${tab}`

test('a workspace without settings starts with usable texts', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(path(world))
  await page.getByRole('button', { name: 'Start in the languages of your templates' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Changes').waitFor()
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Change time')
  assert.equal(world.customer(order).last().shown.body, languageStarts['en']?.texts.dayQuestion)
})

test('every limit is shown when it is near, and enforced on save', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const before = await world.codSettings()
  const page = await openPage(t, world, { as: admin })
  const tab = (name: string) => page.getByRole('tab', { name })
  await page.goto(path(world, 'texts'))
  await tab('English').click()
  const limited = [
    ['Day question', 1_024],
    ['Time question', 1_024],
    ['Time range 1', 20],
    ['Refusal reason question', 4_096],
    ['Button that opens the list', 20],
    ['Reason 1', 24],
    ['Other row (always last)', 24],
    ['Note prompt (after the Other row)', 4_096],
    ['Closing message after a confirmation', 4_096],
  ] as const
  const counted = (max: number, count: number): string => `${count.toLocaleString('en')} of ${max.toLocaleString('en')}`
  assert.equal(await page.getByText(/ of (20|24|1,024|4,096)$/).count(), 0, 'no limit is near')
  for (const [label, max] of limited) await page.getByLabel(label, { exact: true }).fill('x'.repeat(max + 1))
  for (const [label, max] of limited) {
    const field = fieldOf(page, label)
    await field.getByText(counted(max, max + 1), { exact: true }).waitFor()
    await field.getByText(`${label} must have at most ${max.toLocaleString('en')} characters.`).waitFor()
  }
  await tab('Texts').getByText('9 errors').waitFor()
  await tab('Reminders').click()
  await page.waitForURL(/tab=reminders/)
  const timers = page.getByRole('region', { name: 'Order confirmation' })
  await timers.getByLabel('Remind after: hours').fill('72')
  await timers.getByLabel('Remind after: minutes').fill('1')
  await timers.getByLabel('Stop waiting after: hours').fill('168')
  await timers.getByLabel('Stop waiting after: minutes').fill('1')
  await timers.getByText('The reminder must be sent 15 minutes to 72 hours after the question.').waitFor()
  await timers.getByText('Waiting must end 1 hour to 168 hours after the question.').waitFor()

  await page.getByRole('button', { name: 'Save' }).click()
  const summary = page.locator(':focus').getByRole('alert', { name: '11 errors' })
  await summary.waitFor()
  assert.equal(await summary.getByRole('listitem').count(), 11)
  await page.getByRole('button', { name: 'English: Reason 1 must have at most 24 characters.' }).click()
  await page.locator('[data-path="/languages/en/refusalReasons/0"]:focus').waitFor()
  assert.deepEqual((await get(world, admin)).stored?.settings, before)

  for (const [label, max] of limited) await page.getByLabel(label, { exact: true }).fill('x'.repeat(max))
  await page.getByLabel('Other row (always last)').fill('y'.repeat(24))
  for (const [label, max] of limited) await fieldOf(page, label).getByText(counted(max, max), { exact: true }).waitFor()
  await tab('Reminders').click()
  await timers.getByLabel('Remind after: minutes').fill('0')
  await timers.getByLabel('Stop waiting after: hours').fill('72')
  await timers.getByLabel('Stop waiting after: minutes').fill('0')
  await timers.getByText('Waiting must end after the reminder.').waitFor()
  await timers.getByLabel('Stop waiting after: hours').fill('168')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Changes').waitFor()
  const after = (await get(world, admin)).stored?.settings
  assert.deepEqual(after?.confirmation, { reminderMinutes: 4_320, noResponseMinutes: 10_080 })
  assert.equal(after?.languages['en']?.texts.dayQuestion.length, 1_024)
})

test('ticked are the days with deliveries, of which one is left', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  await world.codSettings({ deliveryDays: { skipWeekdays: [] } })
  const page = await openPage(t, world, { as: admin })
  await page.goto(path(world))
  const days = page.getByRole('group', { name: 'Delivery days' })
  await days.locator('input:checked').nth(6).waitFor({ state: 'attached' })
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'])
    await days.getByText(day, { exact: true }).click()
  await page.getByText('Choose at least one delivery day.').waitFor()
  assert.ok(await days.getByRole('checkbox', { name: 'Sunday' }).isDisabled())
  assert.deepEqual(await page.getByRole('radiogroup', { name: 'Days offered' }).getByRole('radio').count(), 3)
  await days.getByText('Monday', { exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Delivery days: Monday and Sunday').waitFor()
  const { settings } = (await get(world, admin)).stored ?? {}
  assert.deepEqual(settings?.deliveryDays.skipWeekdays, ['tuesday', 'wednesday', 'thursday', 'friday', 'saturday'])
})

test('the form allows no more entries than a question, and no duplicates', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(path(world, 'texts'))
  await page.getByRole('tab', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Add a time range' }).click()
  await page.getByLabel('Time range 3', { exact: true }).fill('09:00-12:00')
  await page.getByText('Time range 3 repeats an earlier item of the list.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Add a time range' }).isDisabled())
  await page.getByText('At most 3.').waitFor()
  for (let count = 2; count < 9; count += 1) await page.getByRole('button', { name: 'Add a reason' }).click()
  assert.ok(await page.getByRole('button', { name: 'Add a reason' }).isDisabled())
  await page.getByLabel('Reason 9', { exact: true }).fill('Other')
  await page.getByText('Reason 9 must differ from the label of the Other row').waitFor()
})

test('the preview matches the phone, in English and in Arabic', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  await world.codSettings()
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(path(world, 'texts'))
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

test('a conflicting edit is reported, and both changes can be merged', async (t) => {
  const world = await startWorld(t)
  const [one, other] = [await signIn(world, 'admin'), await signIn(world, 'admin')]
  await world.codSettings()
  const page = await openPage(t, world, { as: one })
  await page.goto(path(world, 'texts'))
  await page.getByRole('tab', { name: 'English' }).click()
  await page.getByLabel('Day question').fill('Which day is best?')
  const { stored } = await get(world, other)
  assert.ok(stored)
  await save(world, other, { ...stored.settings, timeZone: 'Asia/Karachi' }, stored.updatedAt)
  await page.getByRole('button', { name: 'Save' }).click()
  const alert = page.getByRole('alert')
  await page.locator(':focus').getByText('Someone else changed').waitFor()
  await alert.getByText('Someone else changed these settings').waitFor()
  await alert.getByText('Asia/Karachi').waitFor()
  await alert.getByRole('button', { name: 'Apply my changes on top of theirs' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Changes').waitFor()
  const settings = (await get(world, other)).stored?.settings
  assert.equal(settings?.timeZone, 'Asia/Karachi')
  assert.equal(settings?.languages['en']?.texts.dayQuestion, 'Which day is best?')
})

test('unsaved changes survive another tab, another language and accidental leaving', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(path(world, 'texts'))
  await page.getByRole('tab', { name: 'English' }).click()
  await page.getByLabel('Day question').fill('Which day is best?')
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.getByRole('tab', { name: 'التوصيل' }).click()
  await page.getByRole('tab', { name: 'النصوص' }).getByText('تغييرات غير محفوظة').waitFor({ state: 'attached' })
  await page.getByRole('tab', { name: 'النصوص' }).click()
  await page.getByRole('tab', { name: 'الإنجليزية' }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), 'Which day is best?')
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'البقاء' }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), 'Which day is best?')
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'المغادرة دون حفظ' }).click()
  await page.getByRole('heading', { level: 1, name: 'مفاتيح API' }).waitFor()
})

/** A field with its label, counter and error. */
const fieldOf = (page: Page, label: string) =>
  page
    .locator('.mantine-InputWrapper-root')
    .filter({ has: page.getByLabel(label, { exact: true }) })
    .last()

/** The preview matches the message on the phone. */
async function previews(page: Page, part: string, { shown }: EmulatorMessage): Promise<void> {
  const preview = page.getByTestId(part)
  await preview.getByText(shown.body, { exact: true }).waitFor()
  const labels = [...shown.buttons.map(({ text }) => text), ...(shown.list ? [shown.list.button] : [])]
  for (const label of labels) await preview.getByText(label, { exact: true }).waitFor()
  const rows = (shown.list?.rows ?? []).map(({ title }) => title)
  assert.deepEqual(await preview.getByRole('listitem').allTextContents(), rows)
}
