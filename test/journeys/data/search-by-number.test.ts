import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LAST_ID, newId } from '../../../src/lib/ids.ts'
import { listMessages } from '../../../src/messages/search.ts'
import { everyMessage } from '../../world/list-filters.ts'
import { type World, startWorld } from '../../world/world.ts'

const NUMBER = '+212612345678'

/** The newest messages to a number, and those before one of them. */
async function idsTo({ parts, workspaceId }: World, number: string, before: string | null = null): Promise<string[]> {
  const search = { id: null, text: number, phones: [number], part: null }
  const filter = { ...everyMessage(workspaceId), search, before }
  return (await listMessages(parts.db, filter)).rows.map(({ id }) => id)
}

test('a number’s codes and conversation messages are found together, newest first', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  const code = await world.sendOtp({ to: NUMBER })
  const order = await world.createConfirmation({ to: NUMBER })
  await world.createConfirmation({ to: '+212612345679' })
  const laterCode = await world.sendOtp({ to: NUMBER })
  const [first] = await world.query<{ id: string }>('select id from messages where confirmation_id = $1', [
    order.confirmationId,
  ])
  assert.ok(first)
  assert.deepEqual(await idsTo(world, NUMBER), [code.messageId, first.id, laterCode.messageId].sort().toReversed())
  assert.deepEqual(await idsTo(world, '+212612345670'), [])
})

test('paging finds a message whose confirmation has a later id of its millisecond', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  const order = await world.createConfirmation({ to: NUMBER })
  const millisecond = newId().slice(0, 13)
  const [messageId, pageEnd, confirmationId] = ['1', '2', '3'].map(
    (digit) => `${millisecond}-7000-8000-00000000000${digit}`,
  )
  assert.ok(messageId && pageEnd && confirmationId)
  await world.query('update messages set id = $1, confirmation_id = $2 where confirmation_id = $3', [
    messageId,
    confirmationId,
    order.confirmationId,
  ])
  await world.query('update confirmations set id = $1 where id = $2', [confirmationId, order.confirmationId])
  assert.deepEqual(await idsTo(world, NUMBER, pageEnd), [messageId])
  assert.deepEqual(await idsTo(world, NUMBER, LAST_ID), [messageId])
})

test('another workspace’s messages to the same number are not found', async (t) => {
  const [own, other] = [await startWorld(t, { works: false }), await startWorld(t, { works: false })]
  await other.codSettings()
  await other.sendOtp({ to: NUMBER })
  await other.createConfirmation({ to: NUMBER })
  assert.deepEqual(await idsTo({ ...own, parts: other.parts }, NUMBER), [])
  assert.equal((await idsTo(other, NUMBER)).length, 2)
})
