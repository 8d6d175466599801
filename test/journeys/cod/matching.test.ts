import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { syncAccount } from '../../../src/accounts/sync/sync.ts'
import { encodeReply } from '../../../src/cod/conversation/replies.ts'
import { newId } from '../../../src/lib/ids.ts'
import { type CreatedConfirmation, type EmulatorMessage, codAccount } from '../../world/cod.ts'
import { startOrder } from '../../world/order.ts'
import { waitFor } from '../../world/wait-for.ts'
import { anotherAccount } from '../../world/accounts.ts'
import { connectAccount } from '../../world/set-up.ts'
import { postMessages } from '../../world/signed-webhooks.ts'
import { type World, startWorld } from '../../world/world.ts'
import { startRefusalCheck } from '../../world/order.ts'

test('a reply without number or context counts', async (t) => {
  const { world } = await startOrder(t)
  for (const hidden of [
    { hidePhone: true },
    { omitContext: true },
    { hidePhone: true, omitContext: true, omitContacts: true },
  ]) {
    const order = await world.askToConfirm()
    const customer = world.customer(order)
    await customer.taps('Change time', hidden)
    await customer.taps(0, hidden)
    await customer.types('Evening', hidden)
    assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening', JSON.stringify(hidden))
  }
})

test('the first reply identifies a customer whom the send response did not', async (t) => {
  const world = await startWorld(t, { account: codAccount(), cod: {} })
  world.emulator.script({ match: {}, behaviour: { omit: ['user_id'] } })
  const order = await world.askToConfirm()
  await world.customer(order).taps('Change time', { hidePhone: true })
  await world.customer(order).types('Evening', { hidePhone: true })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
})

test('a repeated reply counts once', async (t) => {
  const { world, receiver, ana } = await startOrder(t)
  const [template] = ana.screen()
  await ana.taps('Confirm', { copies: 3 })
  const cancelled = await ana.taps('Cancel', { on: template })
  await ana.taps('Confirm', { on: template })
  world.advance('5m')
  await ana.repeats(cancelled)
  assert.deepEqual(receiver.types(), ['cod.confirmed', 'cod.cancelled', 'cod.confirmed'])
})

test('typed text goes to the conversation that it quotes', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.askToConfirm({ to: order.to, reference: 'other' })
  const [first, second] = ana.screen()
  await ana.taps('Change time', { on: first })
  const dayQuestion = ana.last()
  await ana.taps('Change time', { on: second })
  await ana.types('For the first one', { on: dayQuestion })
  const [one, two] = [await world.getConfirmation(order), await world.getConfirmation(other)]
  assert.deepEqual([one.status, one.reschedule?.note], ['rescheduled', 'For the first one'])
  assert.equal(two.status, 'rescheduling')
})

test('typed text without a quote goes to the latest open question', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.askToConfirm({ to: order.to })
  const [first, second] = ana.screen()
  await ana.taps('Change time', { on: second })
  await ana.taps('Change time', { on: first })
  await ana.types('For the first one')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'For the first one')
  assert.equal((await world.getConfirmation(other)).status, 'rescheduling')
  await ana.types('For the second one')
  assert.equal((await world.getConfirmation(other)).reschedule?.note, 'For the second one')
  await ana.types('For no question')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'For the first one')
})

test('of two questions of one batch, text answers the second', async (t) => {
  // On a slow machine the gate stays closed for longer than a statement waits for a lock, which is logged.
  const { world, order, ana } = await startOrder(t, { mayLogErrors: true })
  const other = await world.askToConfirm({ to: order.to })
  const [first, second] = ana.screen()
  assert.ok(first && second)
  for (const [earlier, later, answered] of [
    [second, first, order],
    [first, second, other],
  ] as const) {
    await tapTogether(world, { phone: order.to, messages: [earlier, later] })
    await ana.types('Evening')
    assert.equal((await world.getConfirmation(answered)).reschedule?.note, 'Evening')
    await ana.types('Whenever')
  }
})

/** Taps on change time that are stored while an earlier reply waits, so that the next turn takes them together. */
async function tapTogether(world: World, { phone, messages }: { phone: string; messages: EmulatorMessage[] }) {
  world.advance('1m')
  const now = Math.floor(world.clock.now().getTime() / 1000)
  const gate = await world.parts.db.connect()
  await gate.query('begin')
  await gate.query('lock table confirmations in exclusive mode')
  await world.emulator.inbound({ from: phone, tap: { button: 0, message: messages[0]?.id ?? '' }, timestamp: now - 20 })
  await waitFor('a reply waits for the lock', async () => (await gate.query(LOCK_WAITS)).rowCount !== 0)
  for (const [index, { id }] of messages.entries()) {
    await world.emulator.inbound({ from: phone, tap: { button: 2, message: id }, timestamp: now - 10 + index })
  }
  await gate.query('commit')
  await gate.end()
  await world.settled()
}

const LOCK_WAITS = `select 1 from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.relation = 'confirmations'::regclass and not l.granted`

test('when both checks ask, text goes to the one that asked last', async (t) => {
  const { world, order, ana } = await startRefusalCheck(t)
  const [template] = ana.screen()
  await ana.taps('Change time', { on: template })
  await ana.taps('Yes', { on: ana.screen().find(({ template: of }) => of?.name === 'delivery_refusal') })
  await ana.types('It was broken')
  const view = await world.getConfirmation(order)
  assert.deepEqual([view.refusalCheck?.note, view.status], ['It was broken', 'rescheduling'])
  await ana.types('Tomorrow evening')
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Tomorrow evening')
})

test('a message that answers nothing is only kept in the transcript', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  const before = await world.getConfirmation(order)
  await ana.types('Hello?')
  await ana.sends({ raw: { type: 'reaction', reaction: { message_id: ana.last().id, emoji: '👍' } } })
  await ana.sends({ raw: { type: 'image', image: { id: '1' } } })
  await ana.sends({ raw: { type: 'unsupported' } })
  assert.deepEqual(await world.getConfirmation(order), before)
  assert.deepEqual([ana.screen().length, receiver.received.length], [1, 0])
  const transcript = await world.query<{ outcome: string; note: string }>(
    `select outcome, note from provider_reports where confirmation_id = $1 order by received_at`,
    [order.confirmationId],
  )
  assert.equal(transcript.length, 4)
  for (const { outcome, note } of transcript) assert.ok(outcome === 'ignored' && note)
})

test('text to a number of another account of the same app is an answer, although it comes to the first one’s path', async (t) => {
  const { world } = await startOrder(t)
  const { form } = anotherAccount(world)
  const { senders } = await connectAccount(world.parts, form)
  const order = await world.askToConfirm({ senderId: senders[0]?.senderId ?? '' })
  await says(world, order, { tap: 'change_time', to: senders[0]?.phoneNumberId })
  await says(world, order, { text: 'Evening', to: senders[0]?.phoneNumberId })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
})

test('answers count although their number has moved to another account', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  const [former] = world.account.senders
  world.emulator.getAccount(DEMO.accountId).numbers.delete(former?.phoneNumberId ?? '')
  await syncAccount(world.parts, world.account.accountId)
  const { form } = anotherAccount(world, former?.phoneNumber)
  const { senders } = await connectAccount(world.parts, form)
  await says(world, order, { text: 'Evening', to: senders[0]?.phoneNumberId })
  assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening')
  await says(world, order, { tap: 'confirm', to: senders[0]?.phoneNumberId })
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

type Said = { to: string | undefined } & ({ tap: 'confirm' | 'change_time' } | { text: string })

/** A message of the order's customer to a number of the business, at the first account's path. */
async function says(world: World, { confirmationId, to: from }: CreatedConfirmation, { to, ...said }: Said) {
  const content =
    'text' in said
      ? { type: 'text', text: { body: said.text } }
      : {
          type: 'button',
          button: { text: '', payload: encodeReply({ to: 'confirmation', confirmationId, answer: said.tap }) },
        }
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  await postMessages(world, [{ from: from.slice(1), id: `wamid.${newId()}`, timestamp, ...content }], to)
  await world.settled()
}

test('text to another number of the business answers nothing', async (t) => {
  const { world, order, ana } = await startOrder(t)
  await ana.taps('Change time')
  await ana.types('Evening', { to: '15550100102' })
  assert.equal((await world.getConfirmation(order)).status, 'rescheduling')
})

/** A tap whose payload is made up; the emulator's own taps send only what was on the screen. */
const forged = (payload: string, quote?: string) => ({
  raw: { type: 'button', button: { payload, text: 'Confirm' } },
  ...(quote !== undefined && { quote }),
})

test('a payload of another workspace or release changes nothing', async (t) => {
  const { world, receiver, order, ana } = await startOrder(t)
  const theirs = await startOrder(t)
  const before = [await world.getConfirmation(order), await theirs.world.getConfirmation(theirs.order)]
  const good = encodeReply({ to: 'confirmation', confirmationId: order.confirmationId, answer: 'confirm' })
  for (const payload of [
    encodeReply({ to: 'confirmation', confirmationId: theirs.order.confirmationId, answer: 'confirm' }),
    encodeReply({ to: 'confirmation', confirmationId: newId(), answer: 'confirm' }),
    encodeReply({ to: 'question', questionId: newId(), index: 0 }),
    encodeReply({ to: 'refusal', confirmationId: order.confirmationId, answer: 'yes' }),
    good.replace('dc1', 'dc2'),
    `${good} `,
    good.replace(':0', ':7'),
    'Confirm',
    'x'.repeat(5_000),
  ])
    await ana.sends(forged(payload))
  assert.deepEqual([await world.getConfirmation(order), await theirs.world.getConfirmation(theirs.order)], before)
  assert.equal(receiver.received.length + theirs.receiver.received.length, 0)
})

test('a payload that quotes another conversation’s message is rejected', async (t) => {
  const { world, order, ana } = await startOrder(t)
  const other = await world.askToConfirm({ to: order.to })
  const [first, second] = ana.screen()
  const payload = encodeReply({ to: 'confirmation', confirmationId: order.confirmationId, answer: 'confirm' })
  await ana.sends(forged(payload, second?.id))
  assert.equal((await world.getConfirmation(order)).status, 'awaiting_answer')
  assert.equal((await world.getConfirmation(other)).status, 'awaiting_answer')
  await ana.sends(forged(payload, first?.id))
  assert.equal((await world.getConfirmation(order)).status, 'confirmed')
})

test('a choice that quotes the order’s other check is rejected', async (t) => {
  const { world, order, ana } = await startRefusalCheck(t)
  const [template] = ana.screen()
  const refusal = ana.last()
  await ana.taps('Change time', { on: template })
  const choice = ana.last().shown.buttons[0]?.payload ?? ''
  const chosen = {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: choice, title: 'x' } },
  }
  const choices = () => world.query('select choices from confirmations where id = $1', [order.confirmationId])
  const before = await choices()
  await ana.sends({ raw: chosen, quote: refusal.id })
  assert.deepEqual(await choices(), before)
})

test('the forms in which WhatsApp writes a number are one customer', async (t) => {
  const { world } = await startOrder(t)
  for (const to of ['+5511987654321', '+525512345678', '+5491123456789']) {
    const order = await world.askToConfirm({ to })
    const customer = world.customer(order)
    await customer.taps('Change time')
    // Only the number identifies the customer.
    await world.emulator.inbound({ from: to, text: 'Evening' })
    await world.settled()
    assert.equal((await world.getConfirmation(order)).reschedule?.note, 'Evening', to)
  }
})
