import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_SCANNED_ROWS, PAGE_SIZE } from '../../../src/lib/lists/list-pages.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { addConfirmations } from '../../database/many-rows.ts'
import type { CreatedConfirmation } from '../../world/cod.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

type Filters = Omit<Parameters<SignedIn['calls']['confirmations']['list']['query']>[0], 'workspaceId'>

const listing = (world: World, { calls }: SignedIn, filters: Filters = {}) =>
  calls.confirmations.list.query({ workspaceId: world.workspaceId, ...filters })

const referencesOf = async (...listed: Parameters<typeof listing>): Promise<string[]> =>
  (await listing(...listed)).rows.map(({ reference }) => reference)

test('paging shows every confirmation once while new ones arrive', async (t) => {
  const world = await startWorld(t)
  const looking = await signIn(world, 'member')
  const count = PAGE_SIZE * 2 + 7
  await addConfirmations(world, { count })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listing(world, looking, cursor === undefined ? {} : { cursor })
    seen.push(...page.rows.map(({ reference }) => reference))
    cursor = page.nextCursor ?? undefined
    await addConfirmations(world, { count: 3, from: 'now()', reference: 'late' })
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    Array.from({ length: count }, (_, index) => `r-${count - index}`),
  )
})

test('each confirmation knows the ones before and after it in its workspace', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const { workspaceId } = world
  const looking = await signIn(world, 'member')
  const ids: string[] = []
  for (const each of [world, theirs]) await each.codSettings()
  for (let count = 0; count < 3; count += 1) {
    await theirs.createConfirmation()
    ids.push((await world.createConfirmation()).confirmationId)
  }
  const neighboursOf = (confirmationId = '') =>
    looking.calls.confirmations.neighbours.query({ workspaceId, confirmationId })
  assert.deepEqual(await neighboursOf(ids[0]), { newerId: ids[1], olderId: null })
  assert.deepEqual(await neighboursOf(ids[1]), { newerId: ids[2], olderId: ids[0] })
  assert.deepEqual(await neighboursOf(ids[2]), { newerId: null, olderId: ids[1] })
})

test('the neighbours of a confirmation are those of the list that its reader filtered', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { workspaceId } = world
  const looking = await signIn(world, 'member')
  const phone = newPhone()
  const orders: CreatedConfirmation[] = []
  for (const reference of ['AA-1', 'BB-1', 'AA-2', 'BB-2', 'AA-3'])
    orders.push(await world.createConfirmation({ reference, to: reference.startsWith('A') ? phone : newPhone() }))
  await world.settled()
  for (const order of orders.filter((_, nth) => [1, 3, 4].includes(nth))) await world.customer(order).taps('Confirm')
  const ids = orders.map(({ confirmationId }) => confirmationId)
  const neighboursOf = async (nth: number, filter: object): Promise<(number | null)[]> => {
    const confirmationId = ids[nth] ?? ''
    const found = await looking.calls.confirmations.neighbours.query({ workspaceId, confirmationId, ...filter })
    return [found.newerId, found.olderId].map((id) => (id === null ? null : ids.indexOf(id)))
  }
  const confirmed = { status: 'confirmed' }
  assert.deepEqual(await neighboursOf(3, confirmed), [4, 1])
  assert.deepEqual(await neighboursOf(1, confirmed), [3, null])
  assert.deepEqual(await neighboursOf(2, confirmed), [3, 1], 'one that does not match has a place as well')
  assert.deepEqual(await neighboursOf(2, { text: phone }), [4, 0])
  assert.deepEqual(await neighboursOf(2, { text: 'bb-' }), [3, 1], 'by a part of a reference')
  assert.deepEqual(await neighboursOf(0, { text: phone, ...confirmed }), [4, null])
  assert.deepEqual(await neighboursOf(2, { to: '2020-01-01' }), [null, null])
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
  const world = await startWorld(t, { cod: {} })
  const looking = await signIn(world, 'member')
  const refused = await world.createConfirmation({ reference: 'refused' })
  const confirmed = await world.createConfirmation({ reference: 'confirmed' })
  await world.askToConfirm({ reference: 'waiting' })
  await world.customer(confirmed).taps('Confirm')
  await world.askAboutRefusal(refused)
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
    await addConfirmations(world, { count: 1, from: `'${at}'::timestamptz`, reference })
  }
  const days = { from: '2026-03-09', to: '2026-03-10' }
  assert.deepEqual(await referencesOf(world, looking, days), ['last second-1', 'first second-1'])
  await world.query('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    21 * 86_400_000,
  ])
  await world.query(`update confirmations set created_at = created_at + interval '21 days' where workspace_id = $1`, [
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
  await addConfirmations(world, {
    count: 1,
    from: `now() - interval '40 days'`,
    reference: 'rare',
    status: 'cancelled',
  })
  await addConfirmations(world, { count: MAX_SCANNED_ROWS + 5_000 })
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
  const world = await startWorld(t, { cod: {} })
  const receiver = await world.receiver()
  const order = await world.askToConfirm({ reference: 'A-1001' })
  const ana = world.customer(order)
  await ana.taps('Change time')
  await ana.taps(0)
  await ana.types('after six, please')
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
  const world = await startWorld(t, { cod: {} })
  const { confirmationId } = await world.askToConfirm()
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
