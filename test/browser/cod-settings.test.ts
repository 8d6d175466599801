import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languageStarts } from '../../src/cod/settings/language-starts.ts'
import { hold, openPage } from './browser.ts'
import { type EmulatorMessage, codAccount } from '../world/cod.ts'
import { type SignedIn, getCodSettings, saveCodSettings, signIn } from '../world/dashboard.ts'
import { type World, startWorld } from '../world/world.ts'

const path = ({ workspaceId }: World, tab = 'deliveries'): string =>
  `/dashboard/w/${workspaceId}/cod-settings?tab=${tab}`

test('settings are started, saved and merged, and are not lost accidentally', async (t) => {
  const world = await startWorld(t)
  const [admin, other] = [await signIn(world, 'admin'), await signIn(world, 'admin')]
  const page = await openPage(t, world, { as: admin })
  const saveButton = page.getByRole('button', { name: 'Save' })
  await page.goto(path(world))
  await page.getByRole('button', { name: 'Start in the languages of your templates' }).click()
  await saveButton.click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const order = await world.askToConfirm()
  await world.customer(order).taps('Change time')
  assert.equal(world.customer(order).last().shown.body, languageStarts['en']?.texts.dayQuestion)

  await choosesDays(page)
  await saveButton.click()
  await page.getByText('Delivery days: Monday and Sunday').waitFor()
  await undoes(page, async () => (await getCodSettings(world, admin)).stored?.settings.deliveryDays.skipWeekdays.length)
  await choosesDays(page)
  await saveButton.click()
  await page.getByText('Delivery days: Monday and Sunday').last().waitFor()
  const { settings } = (await getCodSettings(world, admin)).stored ?? {}
  assert.deepEqual(settings?.deliveryDays.skipWeekdays, ['tuesday', 'wednesday', 'thursday', 'friday', 'saturday'])

  await page.getByRole('tab', { name: 'Texts' }).click()
  await page.getByRole('tab', { name: /^English en\b/ }).click()
  await page.getByLabel('Day question').fill('Which day is best?')
  await savesTimeZone(world, other, 'Asia/Karachi')
  await saveButton.click()
  await merges(page)
  await saveButton.click()
  await page.getByText('Saved. Changes').last().waitFor()
  const merged = (await getCodSettings(world, other)).stored?.settings
  assert.equal(merged?.timeZone, 'Asia/Karachi')
  assert.equal(merged?.languages['en']?.texts.dayQuestion, 'Which day is best?')

  await page.getByLabel('Day question').fill('Which day is good?')
  await keepsUnsaved(page, 'Which day is good?')
})

test('what is typed while settings are saved or undone stays on the page', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  await page.goto(path(world, 'texts'))
  const question = page.getByLabel('Day question')
  await question.fill('Which day')
  const release = await hold(page, '**/codSettings.save*')
  const sent = page.waitForRequest('**/codSettings.save*')
  await page.getByRole('button', { name: 'Save' }).click()
  await sent
  await question.press('End')
  await page.keyboard.type(' is best?')
  release()
  await page.getByText('Saved. Changes').waitFor()
  assert.equal(await question.inputValue(), 'Which day is best?')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  assert.equal(await question.inputValue(), 'Which day is best?')
})

test('an undo that another person’s change prevents says so until its message is closed', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const [admin, other] = [await signIn(world, 'admin'), await signIn(world, 'admin')]
  const page = await openPage(t, world, { as: admin, unused: true })
  await page.clock.install()
  await page.goto(path(world, 'texts'))
  await page.getByLabel('Day question').fill('Which day is best?')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Changes').waitFor()
  await savesTimeZone(world, other, 'Asia/Karachi')
  const release = await hold(page, '**/codSettings.save*')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.click()
  await page.mouse.move(0, 0) // a toast under the pointer stays in any case
  await page.clock.fastForward(60_000)
  release()
  await page.getByText('Nothing was undone: someone else changed these settings in the meantime.').waitFor()
  assert.equal(await undo.count(), 0)
})

/** The days from before are back, on the page and in the workspace. */
async function undoes(page: Page, countSkipped: () => Promise<number | undefined>): Promise<void> {
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()
  assert.equal(await countSkipped(), 0)
}

/** The ticked days have deliveries; one of them remains. */
async function choosesDays(page: Page): Promise<void> {
  const days = page.getByRole('group', { name: 'Delivery days' })
  await days.locator('input:checked').nth(6).waitFor({ state: 'attached' })
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'])
    await days.getByText(day, { exact: true }).click()
  await page.getByText('Choose at least one delivery day.').waitFor()
  assert.ok(await days.getByRole('checkbox', { name: 'Sunday' }).isDisabled())
  assert.deepEqual(await page.getByRole('radiogroup', { name: 'Days offered' }).getByRole('radio').count(), 3)
  await days.getByText('Monday', { exact: true }).click()
}

async function savesTimeZone(world: World, person: SignedIn, timeZone: string): Promise<void> {
  const { stored } = await getCodSettings(world, person)
  assert.ok(stored)
  await saveCodSettings(world, person, { ...stored.settings, timeZone }, stored.updatedAt)
}

/** A conflicting edit is reported, and both changes are merged. */
async function merges(page: Page): Promise<void> {
  const alert = page.getByRole('alert')
  await page.locator(':focus').getByText('Someone else changed').waitFor()
  await alert.getByText('Someone else changed these settings').waitFor()
  await alert.getByText('Asia/Karachi').waitFor()
  await alert.getByRole('button', { name: 'Apply my changes on top of theirs' }).click()
}

/** The draft survives another tab, another language and leaving for another page. */
async function keepsUnsaved(page: Page, dayQuestion: string): Promise<void> {
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.getByRole('tab', { name: 'التوصيل' }).click()
  await page.getByRole('tab', { name: 'النصوص' }).getByText('تغييرات غير محفوظة').waitFor({ state: 'attached' })
  await page.getByRole('tab', { name: 'النصوص' }).click()
  await page.getByRole('tab', { name: /^الإنجليزية en\b/ }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), dayQuestion)
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'البقاء' }).click()
  assert.equal(await page.getByLabel('سؤال اليوم').inputValue(), dayQuestion)
  await page.getByRole('link', { name: 'مفاتيح API' }).click()
  await page.getByRole('button', { name: 'المغادرة دون حفظ' }).click()
  await page.getByRole('heading', { level: 1, name: 'مفاتيح API' }).waitFor()
}

const LIMITED = [
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

/** Exactly this long: spaces at the ends would not count. */
const textOf = (length: number): string => 'word '.repeat(length / 5 + 1).slice(0, length - 1) + 'x'

/** Every text has its maximum length. */
const LONGEST = {
  texts: {
    dayQuestion: textOf(1_024),
    timeQuestion: textOf(1_024),
    refusalReasonQuestion: textOf(4_096),
    reasonsListButton: textOf(20),
    otherLabel: 'y'.repeat(24),
    notePrompt: textOf(4_096),
  },
  timeRanges: [textOf(20)],
  refusalReasons: [textOf(24)],
  closingMessages: { confirmation: textOf(4_096), refusal: null },
}

/** One more has room. */
const MANY_REASONS = { refusalReasons: ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] }

test('every limit is shown when it is near, and enforced on save', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const before = await world.codSettings({ languages: { en: LONGEST, ar: MANY_REASONS } })
  const page = await openPage(t, world, { as: admin })
  const tab = (name: string) => page.getByRole('tab', { name })
  const counted = (max: number, count: number): string => `${count.toLocaleString('en')} of ${max.toLocaleString('en')}`
  await page.goto(path(world, 'texts'))
  await tab('Arabic').click()
  await page.getByRole('tab', { name: 'Arabic', selected: true }).waitFor()
  assert.equal(await page.getByText(/ of (20|24|1,024|4,096)$/).count(), 0, 'no limit is near')
  await addsToLists(page)
  await tab('English').click()
  await page.getByRole('tab', { name: 'English', selected: true }).waitFor()
  const full = await fieldsOf(page)
  for (const [label, max] of LIMITED) assert.ok(full[label]?.includes(counted(max, max)), `${label}: ${full[label]}`)

  for (const [label] of LIMITED) await page.getByLabel(label, { exact: true }).press('x')
  await tab('Texts').getByText('9 errors').waitFor()
  const over = await fieldsOf(page)
  for (const [label, max] of LIMITED) {
    const shown = over[label] ?? ''
    assert.ok(shown.includes(counted(max, max + 1)), `${label}: ${shown}`)
    const fault = `${label} must have at most ${max.toLocaleString('en')} characters.`
    assert.ok(shown.includes(fault), `${label}: ${shown}`)
  }
  await tab('Reminders').click()
  await page.waitForURL(/tab=reminders/)
  const timers = page.getByRole('region', { name: 'Confirmation' })
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
  assert.deepEqual((await getCodSettings(world, admin)).stored?.settings, before)

  await page.getByRole('button', { name: 'Discard changes', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes', exact: true }).click()
  await tab('Reminders').click()
  await timers.getByLabel('Remind after: hours').fill('72')
  await timers.getByLabel('Stop waiting after: hours').fill('72')
  await timers.getByText('Waiting must end after the reminder.').waitFor()
  await timers.getByLabel('Stop waiting after: hours').fill('168')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Changes').last().waitFor()
  const after = (await getCodSettings(world, admin)).stored?.settings
  assert.deepEqual(after?.confirmation, { reminderMinutes: 4_320, noResponseMinutes: 10_080 })
  assert.equal(after?.languages['en']?.texts.dayQuestion.length, 1_024)
})

/** No more items than a question may have, and none twice. */
async function addsToLists(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a time range' }).click()
  await page.getByLabel('Time range 3', { exact: true }).fill('مساء')
  await page.getByText('Time range 3 repeats an earlier item of the list.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Add a time range' }).isDisabled())
  await page.getByText('At most 3.').waitFor()
  await page.getByRole('button', { name: 'Add a reason' }).click()
  assert.ok(await page.getByRole('button', { name: 'Add a reason' }).isDisabled())
  await page.getByLabel('Reason 9', { exact: true }).fill('سبب آخر')
  await page.getByText('Reason 9 must differ from the label of the Other row').waitFor()
  await page.getByLabel('Reason 9', { exact: true }).fill('I')
  await page.getByLabel('Time range 3', { exact: true }).fill('18:00-20:00')
}

test('the preview matches the phone, in English and in Arabic', async (t) => {
  const world = await startWorld(t, { account: codAccount(), cod: {} })
  const page = await openPage(t, world, { as: await signIn(world, 'member') })
  await page.goto(path(world, 'texts'))
  for (const [language, name] of [
    ['en', 'English'],
    ['ar', 'Arabic'],
  ] as const) {
    await page.getByRole('tab', { name }).click()
    const order = await world.askToConfirm({ template: { name: 'order_confirmation', language } })
    const customer = world.customer(order)
    await customer.taps(2)
    await previews(page, 'dayQuestion', customer.last())
    await customer.taps(0)
    await previews(page, 'timeQuestion', customer.last())
    await customer.taps(0)
    await previews(page, 'afterConfirmation', customer.last())
    await world.askAboutRefusal(order, { template: { name: 'delivery_refusal', language } })
    await customer.taps(0)
    await previews(page, 'reasonsQuestion', customer.last())
    await customer.chooses(2)
    await previews(page, 'notePrompt', customer.last())
    const direction = language === 'ar' ? 'rtl' : 'ltr'
    const body = page.getByTestId('dayQuestion').locator('p').first()
    assert.equal(await body.getAttribute('dir'), direction)
    assert.equal(await page.evaluate(DIRECTION_OF_BUBBLE), 'ltr', 'the page decides the sides, as on the phone')
  }
})

const DIRECTION_OF_BUBBLE = `getComputedStyle(document.querySelector('[data-testid="dayQuestion"] [data-side]')).direction`

/** What each field shows, by its label: counter, error and the like. */
const fieldsOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`Object.fromEntries(Array.from(
    document.querySelectorAll('input[data-path], textarea[data-path]'),
    (field) => [field.labels[0]?.textContent ?? field.ariaLabel, field.closest('.mantine-InputWrapper-root').innerText],
  ))`)

/** The preview matches the message on the phone. */
async function previews(page: Page, part: string, { shown }: EmulatorMessage): Promise<void> {
  const preview = page.getByTestId(part)
  await preview.getByText(shown.body, { exact: true }).waitFor()
  const labels = [...shown.buttons.map(({ text }) => text), ...(shown.list ? [shown.list.button] : [])]
  for (const label of labels) await preview.getByText(label, { exact: true }).waitFor()
  const rows = (shown.list?.rows ?? []).map(({ title }) => title)
  assert.deepEqual(await preview.getByRole('listitem').allTextContents(), rows)
}
