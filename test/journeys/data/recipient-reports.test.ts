import assert from 'node:assert/strict'
import { test } from 'node:test'
import { erase, exported, formsOf, storeMessage, tablesWith } from '../../world/recipients.ts'
import { assertVerified } from '../../world/verified.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const wamidOf = (digits: string, end: string): string => `wamid.${Buffer.from(`${digits} ${end}`).toString('base64')}`

test('texts that come without the number are exported and erased, without any order', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  const digits = to.slice(1)
  const userId = `MA.${digits.split('').toReversed().join('')}`
  const text = (body: string) => ({ id: wamidOf(digits, body), type: 'text', text: { body } })
  await storeMessage(world, { from_user_id: userId, ...text('Do you deliver Quetzalcoatl?') })
  await storeMessage(world, { from: digits, from_user_id: userId, ...text('Hello Xylofon') })
  const others = await storeMessage(world, { from_user_id: `${userId}.1`, ...text('Hello') })
  await world.query(`update provider_reports set body = replace(body, $2, '') where id = $1`, [
    others,
    wamidOf(digits, 'Hello'),
  ])
  const otherBody = await bodyOf(world, others)

  const { userIds, otherReports } = await exported(world, to)
  assert.deepEqual([userIds, (otherReports as object[]).length], [[userId], 2])
  assert.match(JSON.stringify(otherReports), /Quetzalcoatl/)
  const { erased } = await erase(world, { to })
  assert.equal(erased.reports, 2)
  assert.deepEqual(await tablesWith(world, { forms: [...formsOf(to), `"${userId}"`, 'Quetzalcoatl', 'Xylofon'] }), [])
  assert.equal(await bodyOf(world, others), otherBody)
})

test('a user id that only a text of an erased order has leads to the other texts', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { confirmationId, to } = await world.askToConfirm({ to: newPhone() })
  const userId = `MA.${to.slice(5)}`
  const text = { type: 'text', text: { body: 'Hello' }, from_user_id: userId }
  await storeMessage(world, { ...text, from: to.slice(1) }, { confirmationId, outcome: 'ignored' })
  await storeMessage(world, text)
  assert.ok(((await exported(world, to))['userIds'] as string[]).includes(userId))
  await erase(world, { to })
  assert.deepEqual(await tablesWith(world, { forms: [userId] }), [])
})

test('of another customer’s contact card an erasure replaces only the number, and no export has it', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const to = newPhone()
  const local = `0${to.slice(4)}`
  const order = await world.askToConfirm({ to: newPhone() })
  const card = {
    from: order.to.slice(1),
    id: 'wamid.card',
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'My neighbour' }, phones: [{ phone: local, wa_id: to.slice(1) }] }],
  }
  const text = { ...card, type: 'text', contacts: undefined, text: { body: `Please call ${to}` } }
  const ids = [
    await storeMessage(world, card, { confirmationId: order.confirmationId, outcome: 'ignored' }),
    await storeMessage(world, card),
    await storeMessage(world, text),
  ]
  const before = await Promise.all(ids.map((id) => bodyOf(world, id)))
  assert.equal((await exported(world, to))['found'], false)

  const { pseudonym } = await erase(world, { to })
  const after = await Promise.all(ids.map((id) => bodyOf(world, id)))
  assert.deepEqual(
    after,
    before.map((body, index) =>
      index === 2 ? body : body.replaceAll(to.slice(1), pseudonym).replaceAll(local, pseudonym),
    ),
  )
  assert.equal((await exported(world, order.to))['found'], true)
  await assertVerified(world)
})

test('a number as dialled locally does not survive in a reference or an idempotency key', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const to = newPhone()
  const national = to.slice(4)
  const spaced = `0${national.replaceAll(/(..)/g, '$1-')}`
  await world.sendOtp({ to, reference: `login-0${national}` }, { headers: { 'idempotency-key': `login ${spaced}` } })
  const order = await world.createConfirmation({ to, reference: `order ${spaced}` })
  const kept = await world.askToConfirm({ to, reference: `order 7${national}` })
  const { pseudonym } = await erase(world, { to })
  assert.deepEqual(await tablesWith(world, { forms: [`login-0${national}`, spaced] }), [])
  assert.equal((await world.getConfirmation(order)).reference, pseudonym)
  assert.equal((await world.getConfirmation(kept)).reference, `order 7${national}`)
})

test('more reports than one step reads are exported and erased, each once', async (t) => {
  const world = await startWorld(t)
  const to = newPhone()
  const many = 4_500
  await world.query(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome)
     select gen_random_uuid(), $1, $2, 'message', $3, now() - interval '1 hour', 'applied' from generate_series(1, $4::int)`,
    [world.workspaceId, world.account.accountId, JSON.stringify({ message: { from: to.slice(1) } }), many],
  )
  assert.deepEqual((await exported(world, to))['counts'], {
    oneTimeCodes: 0,
    confirmations: 0,
    reports: many,
    auditEntries: 0,
    blocks: 0,
  })
  assert.equal((await erase(world, { to })).erased.reports, many)
  assert.deepEqual(await tablesWith(world, { forms: formsOf(to) }), [])
})

async function bodyOf(world: World, id: string): Promise<string> {
  const [row] = await world.query<{ body: string }>('select body from provider_reports where id = $1', [id])
  return row?.body ?? ''
}
