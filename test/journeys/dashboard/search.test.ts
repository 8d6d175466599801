import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codAccount } from '../../world/cod.ts'
import { signIn } from '../../world/dashboard.ts'
import { startWorld } from '../../world/world.ts'

test('one search finds every kind of thing by part, and only of its workspace', async (t) => {
  const world = await startWorld(t, { account: codAccount(), cod: {} })
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const order = await world.createConfirmation({ reference: 'Basket-7781' })
  const otp = await world.sendOtp({ to: '+212661987654', reference: 'login-7781' })
  const { calls } = await signIn(world, 'member')
  const search = async (text: string) => {
    const { confirmations, messages, templates, senders, endpoints } = await calls.search.all.query({
      workspaceId,
      text,
    })
    return {
      confirmations: confirmations.map(({ id }) => id),
      messages: messages.map(({ id }) => id),
      templates: templates.map(({ name }) => name),
      senders: senders.map(({ senderId }) => senderId),
      endpoints: endpoints.map((each) => each.endpointId),
    }
  }
  const none = { confirmations: [], messages: [], templates: [], senders: [], endpoints: [] }
  assert.deepEqual(
    await search('basket-77'),
    { ...none, confirmations: [order.confirmationId] },
    'without its messages',
  )
  for (const text of ['987654', otp.messageId, otp.messageId.slice(-12), '0661-987654'])
    assert.deepEqual(await search(text), { ...none, messages: [otp.messageId] }, text)
  assert.ok((await search('rder_confirm')).templates.includes('order_confirmation'))
  const [sender] = await calls.senders.list.query({ workspaceId })
  assert.ok((await search(sender!.phoneNumber.slice(-7))).senders.includes(sender!.senderId))
  assert.deepEqual((await search('127.0.0.1')).endpoints, [endpointId])
  for (const text of ['', 'ba', 'nothing has this']) assert.deepEqual(await search(text), none, text)
  const other = await startWorld(t)
  const theirs = await signIn(other, 'owner')
  for (const text of ['basket-77', '987654', otp.messageId, endpointId])
    assert.deepEqual(await theirs.calls.search.all.query({ workspaceId: other.workspaceId, text }), none, text)
})

test('a part of a reference is found in either case of every alphabet', async (t) => {
  const world = await startWorld(t, { account: codAccount(), cod: {} })
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const otp = await world.sendOtp({ reference: 'ÉTÉ ΟΔΟΣ İZMIR 100%_\\' })
  const { messageId } = otp
  await world.whatsapp.reports(otp, ['delivered'])
  const { calls } = await signIn(world, 'member')
  for (const text of ['ÉTÉ', 'été', 'ΟΔΟΣ', 'İZMIR', '100%_\\', 'ΟΔΟΣ İ']) {
    const { messages } = await calls.search.all.query({ workspaceId, text })
    assert.deepEqual(
      messages.map(({ id }) => id),
      [messageId],
      text,
    )
    const { rows } = await calls.endpoints.deliveries.query({ workspaceId, endpointId, about: text })
    assert.ok(rows.length > 0 && rows.every((row) => row.messageId === messageId), text)
  }
  for (const text of ['1_0', '100%%', '%ÉTÉ', 'ÉTÉ_'])
    assert.deepEqual((await calls.search.all.query({ workspaceId, text })).messages, [], text)
})
