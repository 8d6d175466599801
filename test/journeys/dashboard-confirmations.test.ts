import { inEnglish } from '../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_SCANNED_ROWS, PAGE_SIZE } from '../../src/workspaces/list-pages.ts'
import { openPage } from '../browser.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, newPhone, startWorld } from '../world.ts'

type Filters = Omit<Parameters<SignedIn['calls']['confirmations']['list']['query']>[0], 'workspaceId'>

const listing = (world: World, { calls }: SignedIn, filters: Filters = {}) =>
  calls.confirmations.list.query({ workspaceId: world.workspaceId, ...filters })

const referencesOf = async (...listed: Parameters<typeof listing>): Promise<string[]> =>
  (await listing(...listed)).rows.map(({ reference }) => reference)

test('paging shows every confirmation once while new ones arrive', async (t) => {
  const world = await startWorld(t)
  const looking = await signIn(world, 'member')
  const count = PAGE_SIZE * 2 + 7
  await fill(world, { count })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listing(world, looking, cursor === undefined ? {} : { cursor })
    seen.push(...page.rows.map(({ reference }) => reference))
    cursor = page.nextCursor ?? undefined
    await fill(world, { count: 3, from: 'now()', reference: 'late' })
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    Array.from({ length: count }, (_, index) => `r-${count - index}`),
  )
})

test('a confirmation is found by number, reference and id, only in its workspace', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  for (const each of [world, theirs]) {
    await each.codSettings()
    await each.createConfirmation({ to: '+212612345678', reference: 'A-1001' })
    await each.createConfirmation({ to: '+212612345679', reference: 'A-1002' })
  }
  const looking = await signIn(world, 'member')
  const [wanted] = (await listing(world, looking, { text: 'A-1001' })).rows
  assert.ok(wanted)
  for (const text of ['+212612345678', '00212 612-345-678', '212612345678', 'A-1001', wanted.id.toUpperCase()]) {
    assert.deepEqual(
      (await listing(world, looking, { text })).rows.map(({ id }) => id),
      [wanted.id],
      text,
    )
  }
  assert.deepEqual(await referencesOf(world, looking, { text: 'a-100' }), ['A-1002', 'A-1001'])
  const reference = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  await world.createConfirmation({ reference })
  assert.deepEqual(await referencesOf(world, looking, { text: reference }), [reference])
  assert.deepEqual(await referencesOf(theirs, await signIn(theirs, 'member'), { text: wanted.id }), [])
  await assert.rejects(listing(theirs, looking), /There is no such workspace/)
})

test('filters by status, refusal check, template and sender work together', async (t) => {
  const world = await startWorld(t)
  const looking = await signIn(world, 'member')
  await world.codSettings()
  const refused = await world.createConfirmation({ reference: 'refused' })
  const confirmed = await world.createConfirmation({ reference: 'confirmed' })
  await world.createConfirmation({ reference: 'waiting' })
  await world.settled()
  await world.customer(confirmed).taps('Confirm')
  await world.startRefusalCheck(refused)
  await world.settled()
  await world.customer(refused).taps('Yes')
  assert.deepEqual(await referencesOf(world, looking, { status: 'confirmed' }), ['confirmed'])
  assert.deepEqual(await referencesOf(world, looking, { status: 'awaiting_answer' }), ['waiting', 'refused'])
  assert.deepEqual(await referencesOf(world, looking, { refusal: 'awaiting_reason' }), ['refused'])
  assert.deepEqual(await referencesOf(world, looking, { refusal: 'none', status: 'awaiting_answer' }), ['waiting'])
  assert.deepEqual(await referencesOf(world, looking, { template: 'order_confirmation', text: 'waiting' }), ['waiting'])
  assert.deepEqual(await referencesOf(world, looking, { template: 'another' }), [])
  assert.equal((await referencesOf(world, looking, { senderId: world.senderId })).length, 3)
  assert.deepEqual(await referencesOf(world, looking, { senderId: refused.confirmationId }), [])
})

test('days follow the delivery time zone, also with a moved sandbox clock', async (t) => {
  const world = await startWorld(t)
  const looking = await signIn(world, 'member')
  await world.codSettings({ timeZone: 'Asia/Karachi' }) // five hours ahead of UTC, all year
  for (const [reference, at] of [
    ['day before', '2026-03-08T18:59:59Z'],
    ['first second', '2026-03-08T19:00:00Z'],
    ['last second', '2026-03-10T18:59:59Z'],
    ['day after', '2026-03-10T19:00:00Z'],
  ] as const) {
    await fill(world, { count: 1, from: `'${at}'::timestamptz`, reference })
  }
  const days = { from: '2026-03-09', to: '2026-03-10' }
  assert.deepEqual(await referencesOf(world, looking, days), ['last second-1', 'first second-1'])
  await world.ask('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    21 * 86_400_000,
  ])
  await world.ask(`update confirmations set created_at = created_at + interval '21 days' where workspace_id = $1`, [
    world.workspaceId,
  ])
  assert.deepEqual(await referencesOf(world, looking, { from: '2026-03-30', to: '2026-03-31' }), [
    'last second-1',
    'first second-1',
  ])
})

test('a rare result is searched in bounded steps that report their progress', async (t) => {
  const world = await startWorld(t)
  const looking = await signIn(world, 'member')
  await fill(world, { count: 1, from: `now() - interval '40 days'`, reference: 'rare', status: 'cancelled' })
  await fill(world, { count: MAX_SCANNED_ROWS + 5_000 })
  const first = await listing(world, looking, { status: 'cancelled' })
  assert.deepEqual(first.rows, [])
  assert.ok(first.nextCursor && first.searchedBackTo)
  const second = await listing(world, looking, { status: 'cancelled', cursor: first.nextCursor })
  assert.deepEqual(
    second.rows.map(({ reference }) => reference),
    ['rare-1'],
  )
  assert.equal(second.nextCursor, null)
})

test('a confirmation is complete for its workspace and missing for others', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  const receiver = await world.receiver()
  const order = await world.createConfirmation({ reference: 'A-1001' })
  await world.settled()
  const ana = world.customer(order)
  await ana.taps('Change time')
  await ana.taps(0)
  await ana.types('after six, please')
  await receiver.waitFor(1)
  await world.settled()
  const { calls } = await signIn(world, 'member')
  const { confirmationId } = order
  const conversation = await calls.confirmations.get.query({ workspaceId: world.workspaceId, confirmationId })
  assert.equal(conversation.confirmation.status, 'rescheduled')
  const shown = conversation.transcript.map((message) =>
    message.by === 'customer' ? `> ${message.text}` : inEnglish(message.body),
  )
  assert.deepEqual(
    conversation.transcript.flatMap((message) => (message.by === 'business' ? [inEnglish(message.body)] : [])),
    ana.texts(),
  )
  assert.equal(shown[1], '> Change time')
  assert.equal(shown.at(-2), '> after six, please')
  const [template] = conversation.transcript
  assert.ok(template?.by === 'business')
  assert.deepEqual(
    template.buttons.map(({ label }) => label),
    ['Confirm', 'Cancel', 'Change time'],
  )
  assert.deepEqual(
    conversation.answers.map(({ answer }) => answer),
    ['reschedule_started', 'day_chosen', 'rescheduled'],
  )
  assert.deepEqual(
    conversation.webhooks.map(({ type, status, url }) => [type, status, url]),
    [['cod.reschedule_requested', 'succeeded', receiver.url]],
  )
  assert.equal(conversation.next.who, 'none')

  const theirs = await startWorld(t)
  const other = await signIn(theirs, 'owner')
  const asOther = (id: string) =>
    other.calls.confirmations.get.query({ workspaceId: theirs.workspaceId, confirmationId: id })
  await assert.rejects(asOther(confirmationId), /There is no such confirmation in this workspace/)
  for (const id of [theirs.senderId, 'A-1001']) {
    await assert.rejects(asOther(id), /There is no such confirmation in this workspace/)
  }
})

test('running timers are shown with their due time', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  const { confirmationId } = await world.createConfirmation()
  await world.settled()
  const { calls } = await signIn(world, 'member')
  const { timers, now } = await calls.confirmations.get.query({ workspaceId: world.workspaceId, confirmationId })
  assert.deepEqual(
    timers.map(({ check, timer, at }) => [check, timer, Math.round((Date.parse(at) - Date.parse(now)) / 60_000)]),
    [
      ['confirmation', 'reminder', 120],
      ['confirmation', 'deadline', 1_440],
    ],
  )
})

test('an order is found, followed, and shown with its origin and escaped text', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, senderId } = world
  await world.codSettings()
  await world.ask('update workspaces set sandbox = true where id = $1', [workspaceId])
  await fill(world, { count: PAGE_SIZE })
  const admin = await signIn(world, 'admin')
  const order = await world.createConfirmation({ to: '+212612345678', reference: 'A-1001' })
  const strange = await world.createConfirmation({ reference: 'A-1\u202e002' })
  await admin.calls.phone.sendConfirmation.mutate({
    workspaceId,
    body: {
      to: newPhone(),
      senderId,
      template: { name: 'order_confirmation', language: 'en' },
      parameters: { body: ['Ana', 'A-7', '10 EUR'] },
      reference: 'A-7',
    },
  })
  await world.settled()
  await world.customer(strange).taps('Change time')
  await world.customer(strange).types('at\u2067 noon\nplease')
  const page = await openPage(t, world, { as: admin })
  const orderLink = (reference: string) => page.getByRole('link', { name: reference, exact: true })
  const backToList = () => page.getByRole('navigation').getByRole('link', { name: 'Confirmations' }).click()
  await page.goto(`/dashboard/w/${workspaceId}/confirmations`)
  await orderLink('A-7').waitFor()
  await page.getByLabel('Customer, reference or id').fill('00212 612 34 56 78')
  await orderLink('A-7').waitFor({ state: 'detached' })
  await orderLink('A-1001').click()
  await page.getByRole('heading', { level: 1, name: /Order .*A-1001/ }).waitFor()
  await page.getByText('Answer deadline').waitFor()
  const [key] = await world.ask<{ id: string; name: string }>(
    'select k.public_id as id, k.name from api_keys k join confirmations c on c.api_key_id = k.public_id where c.id = $1',
    [order.confirmationId],
  )
  await page.getByText(`${key?.name} dck_${key?.id}_…`).waitFor()
  await page.getByRole('status').filter({ hasText: 'Updates automatically' }).waitFor()
  await world.customer(order).taps('Confirm')
  await page.getByRole('main').getByText('Confirmed', { exact: true }).waitFor()
  const message = page.getByTestId('transcript').locator('[data-side="customer"]')
  assert.match((await message.textContent()) ?? '', /Confirm/)
  await page.getByText('No action is needed: the customer confirmed the order.').waitFor()
  await page.getByText('Confirmation’s question', { exact: true }).click()
  await page.getByText('Send attempt').first().waitFor()

  await backToList()
  await orderLink('A-7').click()
  await page.getByText('sent from the Phone page').waitFor()

  await backToList()
  await orderLink('A-1\\u202e002').click()
  await page.getByRole('heading', { level: 1, name: 'A-1\\u202e002' }).waitFor()
  const facts = page.getByRole('region', { name: 'The order' })
  await facts.getByText('“at\\u2067 noon ⏎ please”').waitFor()
  assert.doesNotMatch((await facts.textContent()) ?? '', /\p{Bidi_Control}/u)

  await backToList()
  await page.locator('[data-account]').click()
  await page.getByRole('menuitem', { name: 'العربية' }).click()
  await page.setViewportSize({ width: 360, height: 900 })
  await page.getByRole('link', { name: 'الأقدم' }).click()
  await orderLink('r-1').waitFor()
  await page.getByRole('link', { name: 'الأحدث' }).click()
  await orderLink('A-1001').waitFor()
})

type Filling = { count: number; from?: string; reference?: string; status?: string }

/** Confirmations one second apart, oldest first, with ids of the same times. */
async function fill(
  world: World,
  { count, from = `now() - interval '30 days'`, reference = 'r', status = 'awaiting_answer' }: Filling,
): Promise<void> {
  await world.ask(
    `insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, correlation_id, api_key_id, quota_unit, created_at, status)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5($3 || n), 1, 3) || '8' ||
         substr(md5($3 || n), 4, 15))::uuid,
       $1, $2, '+212600' || lpad(n::text, 6, '0'), 'order_confirmation', 'en', '{}', $3 || '-' || n,
       gen_random_uuid(), 'key', n, at, $4
     from generate_series(1, $5::int) n, lateral (select ${from} + n * interval '1 second' - interval '1 second' as at) t`,
    [world.workspaceId, world.senderId, reference, status, count],
  )
}
