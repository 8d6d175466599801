import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { MAX_SCANNED_ROWS } from '../../../src/lib/lists/list-pages.ts'
import { failureText } from '../../../src/providers/failure-codes.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { addMessages } from '../../database/many-rows.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

type Filter = Omit<Parameters<SignedIn['calls']['messages']['list']['query']>[0], 'workspaceId'>

const idsOf = async ({ calls }: SignedIn, { workspaceId }: World, filter: Filter = {}): Promise<string[]> =>
  (await calls.messages.list.query({ workspaceId, ...filter })).rows.map(({ id }) => id)

test('a message is found by recipient, reference, id and WhatsApp’s id', async (t) => {
  const world = await startWorld(t)
  const reader = await signIn(world, 'member')
  const wanted = await world.sendOtp({ to: '+212612345678', reference: 'login-17' })
  await world.submitOtp({ reference: 'login-18' })
  const { providerMessageId } = (
    await reader.calls.messages.get.query({ workspaceId: world.workspaceId, messageId: wanted.messageId })
  ).message
  assert.ok(providerMessageId)
  for (const text of [
    '+212612345678',
    '00212 612-345678',
    '212612345678',
    'login-17',
    wanted.messageId,
    providerMessageId,
  ]) {
    assert.deepEqual(await idsOf(reader, world, { text }), [wanted.messageId], text)
  }
  assert.deepEqual(await idsOf(reader, world, { text: '+212612345679' }), [])
})

test('a part of a number, reference or id finds its messages, whatever signs it has', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  const reader = await signIn(world, 'member')
  const code = await world.sendOtp({ to: '+212612345678', reference: 'Login_17%' })
  const order = await world.createConfirmation({ reference: 'order-99' })
  await world.sendOtp({ to: '+212698765432', reference: 'Loginx17' })
  for (const text of ['345678', '06 12 34', '٣٤٥٦', 'login_1', '17%', code.messageId.slice(-12)])
    assert.deepEqual(await idsOf(reader, world, { text }), [code.messageId], text)
  for (const text of ['%%%', '34', 'in', '987654321']) assert.deepEqual(await idsOf(reader, world, { text }), [], text)
  assert.deepEqual(await idsOf(reader, world, { text: 'login', kind: 'cod' }), [])
  const { workspaceId } = world
  assert.equal((await idsOf(reader, world, { text: 'DER-9' })).length, 1, 'the message of an order')
  for (const text of ['DER-9', order.confirmationId.slice(-12)]) {
    const { rows } = await reader.calls.confirmations.list.query({ workspaceId, text })
    assert.deepEqual(
      rows.map(({ id }) => id),
      [order.confirmationId],
    )
  }
})

test('a conversation’s message is found by order reference and confirmation id', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const reader = await signIn(world, 'member')
  const order = await world.askToConfirm({ reference: 'order-9' })
  const [row] = (await reader.calls.messages.list.query({ workspaceId: world.workspaceId, text: 'order-9' })).rows
  assert.equal(row?.confirmationId, order.confirmationId)
  assert.equal(row.reference, 'order-9')
  assert.deepEqual(await idsOf(reader, world, { text: order.confirmationId }), [row.id])
  const explained = await reader.calls.messages.get.query({ workspaceId: world.workspaceId, messageId: row.id })
  assert.equal(explained.message.confirmationId, order.confirmationId)
  assert.equal(explained.displayed.buttons.length, 3, 'what the customer reads is shown with its buttons')
})

test('a one-time code’s message is shown as the customer reads it, with the code hidden', async (t) => {
  const world = await startWorld(t)
  const reader = await signIn(world, 'member')
  const { messageId, code } = await world.submitOtp()
  const { displayed, message } = await reader.calls.messages.get.query({ workspaceId: world.workspaceId, messageId })
  assert.match(displayed.body.code === 'text' ? displayed.body.text : '', /•••••/)
  assert.deepEqual(
    displayed.buttons.map(({ kind }) => kind),
    ['copy_code'],
  )
  assert.ok(!JSON.stringify(displayed).includes(code))
  assert.equal(message.senderId, world.senderId)
})

test('filters work together', async (t) => {
  const world = await startWorld(t)
  const reader = await signIn(world, 'member')
  const failed = await world.sendOtp()
  const sent = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  await world.whatsapp.reports(sent, ['sent'])
  assert.deepEqual(await idsOf(reader, world, { status: 'failed' }), [failed.messageId])
  assert.deepEqual(await idsOf(reader, world, { status: 'sent', kind: 'otp', senderId: world.senderId }), [
    sent.messageId,
  ])
  assert.deepEqual(await idsOf(reader, world, { status: 'sent', kind: 'cod' }), [])
  assert.deepEqual(await idsOf(reader, world, { template: 'login_code' }), [sent.messageId, failed.messageId])
  assert.deepEqual(await idsOf(reader, world, { template: 'another' }), [])
  assert.deepEqual(await idsOf(reader, world, { text: failed.to, status: 'sent' }), [])
})

test('paging shows every message once while new ones arrive', async (t) => {
  const world = await startWorld(t, { works: false })
  const reader = await signIn(world, 'member')
  const before = await Promise.all(Array.from({ length: 120 }, () => world.sendOtp()))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { rows, nextCursor } = await reader.calls.messages.list.query({ workspaceId: world.workspaceId, cursor })
    seen.push(...rows.map(({ id }) => id))
    cursor = nextCursor ?? undefined
    await Promise.all([world.sendOtp(), world.sendOtp()])
  } while (cursor !== undefined)
  assert.deepEqual(
    seen,
    before
      .map(({ messageId }) => messageId)
      .sort()
      .toReversed(),
  )
})

test('a page counts and searches the rows of its filters in limited steps', async (t) => {
  const world = await startWorld(t, { works: false })
  const { workspaceId } = world
  const { calls } = await signIn(world, 'member')
  const old = await world.sendOtp({ reference: 'order-1' })
  const sent = await Promise.all(Array.from({ length: 60 }, () => world.sendOtp({ reference: 'login-1' })))
  const rare = sent.slice(0, 3).map(({ messageId }) => messageId)
  await world.query(`update messages set template_name = 'rare' where id = any($1)`, [rare])
  await world.query(`update messages set template_name = 'rarest' where id = $1`, [old.messageId])
  const other = await startWorld(t, { works: false })
  await other.sendOtp({ reference: 'login-1' })
  const { nextCursor: cursor, rows } = await calls.messages.list.query({ workspaceId })
  assert.ok(cursor)
  const of = (filter: Filter) => calls.messages.count.query({ workspaceId, ...filter })
  for (const [text, total] of [
    ['', 61],
    ['login-1', 60],
    ['ogin-', 60],
  ] as const)
    assert.deepEqual(await of({ text, cursor }), { newer: rows.length, total, isMore: false }, text)
  assert.deepEqual(await of({ template: 'rare' }), { newer: 0, total: 3, isMore: false })
  assert.deepEqual(await of({ status: 'failed' }), { newer: 0, total: 0, isMore: false })
  await addMessages(world, 15_000)
  assert.deepEqual(await of({}), { newer: 0, total: MAX_SCANNED_ROWS, isMore: true })
  assert.deepEqual(await of({ cursor }), { newer: null, total: MAX_SCANNED_ROWS, isMore: true })

  const first = await calls.messages.list.query({ workspaceId, template: 'rarest' })
  assert.deepEqual(first.rows, [])
  assert.ok(first.searchedBackTo && first.nextCursor)
  const second = await calls.messages.list.query({ workspaceId, template: 'rarest', cursor: first.nextCursor })
  assert.deepEqual([second.rows.map(({ id }) => id), second.nextCursor], [[old.messageId], null])

  const found: string[] = []
  let next: string | null = null
  do {
    const page = await calls.messages.list.query({ workspaceId, text: 'rder', cursor: next })
    found.push(...page.rows.map(({ id }) => id))
    assert.equal(page.searchedBackTo === null, page.nextCursor === null, 'it says how far it searched')
    next = page.nextCursor
  } while (next !== null)
  assert.deepEqual(found, [old.messageId])
})

test('days follow the delivery time zone and the sandbox’s clock', async (t) => {
  const world = await startWorld(t, { sandbox: true })
  const reader = await signIn(world, 'member')
  const early = await world.submitOtp()
  await advanceSandbox(world.parts, { workspaceId: world.workspaceId, byMs: 5 * 86_400_000 })
  const late = await world.sendOtp()
  const dayOf = async ({ messageId }: { messageId: string }): Promise<string> =>
    (await reader.calls.messages.get.query({ workspaceId: world.workspaceId, messageId })).message.createdAt.slice(
      0,
      10,
    )
  const [firstDay, lastDay] = [await dayOf(early), await dayOf(late)]
  assert.notEqual(firstDay, lastDay)
  assert.deepEqual(await idsOf(reader, world, { from: lastDay }), [late.messageId])
  assert.deepEqual(await idsOf(reader, world, { to: firstDay }), [early.messageId])
  assert.deepEqual(await idsOf(reader, world, { from: firstDay, to: lastDay }), [late.messageId, early.messageId])
})

test('another workspace’s messages are neither listed nor shown', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  const otp = await other.sendOtp()
  const reader = await signIn(world, 'member')
  const { workspaceId } = world
  assert.deepEqual(await idsOf(reader, world, { text: otp.messageId }), [])
  assert.deepEqual(await idsOf(reader, world, { text: otp.to }), [])
  for (const messageId of [otp.messageId, 'what no address holds'])
    await assert.rejects(reader.calls.messages.get.query({ workspaceId, messageId }), /no such message/)
  await assert.rejects(idsOf(reader, other), /no such workspace/)
})

test('a failed message shows its cause, next action and webhooks', async (t) => {
  const world = await startWorld(t)
  const { endpointId } = await world.receiver()
  const reader = await signIn(world, 'member')
  const otp = await world.sendOtp({ to: newPhone() })
  await world.whatsapp.reports(otp, ['sent', { status: 'failed', errors: [131026] }])
  const explained = await reader.calls.messages.get.query({ workspaceId: world.workspaceId, messageId: otp.messageId })
  assert.equal(explained.failure?.code, 'RECIPIENT_UNREACHABLE')
  assert.deepEqual(explained.failure.text, failureText('RECIPIENT_UNREACHABLE'))
  assert.equal(explained.next.who, 'client')
  assert.equal(explained.message.apiKeyName, 'test')
  const page = await fetch(`${world.first.url}/problems/RECIPIENT_UNREACHABLE`, { headers: { cookie: reader.cookie } })
  assert.match(
    await page.text(),
    /messages\?failureCode=RECIPIENT_UNREACHABLE/,
    'the page knows the real session cookie',
  )
  assert.deepEqual(await idsOf(reader, world, { failureCode: 'RECIPIENT_UNREACHABLE' }), [otp.messageId])
  assert.deepEqual(await idsOf(reader, world, { failureCode: 'TEMPLATE_PAUSED' }), [])
  assert.deepEqual(
    explained.events.map(({ type, webhooks }) => [type, webhooks.map((each) => [each.endpointId, each.status])]),
    [
      ['message.sent', [[endpointId, 'succeeded']]],
      ['message.failed', [[endpointId, 'succeeded']]],
    ],
  )
})
