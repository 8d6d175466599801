import assert from 'node:assert/strict'
import { test } from 'node:test'
import { erase, formsOf, tablesWith } from '../recipients.ts'
import { type World, newPhone, startWorld } from '../world.ts'

const KILLED = 'killed'

/** As when the process is killed before its next transaction. */
function killedAfter({ parts }: World, transactions: number): World['parts'] {
  let left = transactions
  const transaction: typeof parts.db.transaction = (work) => {
    if (left === 0) throw new Error(KILLED)
    left -= 1
    return parts.db.transaction(work)
  }
  return { ...parts, db: { ...parts.db, transaction } }
}

test('a repeated erasure finishes one that was interrupted at any step', async (t) => {
  const world = await startWorld(t)
  await world.codSettings()
  let wasKilled = true
  for (let transactions = 1; wasKilled; transactions += 1) {
    const person = await fillWithPerson(world)
    wasKilled = await erase(world, person, { parts: killedAfter(world, transactions) }).then(
      () => false,
      (error: Error) => error.message === KILLED || Promise.reject(error),
    )
    if (wasKilled) await erase(world, person)
    assert.deepEqual(await tablesWith(world, person), [], `killed after ${transactions} transactions`)
  }
  const entries = await world.ask<{ after: object }>(
    `select after from audit_log where workspace_id = $1 and action = 'recipient.erased'`,
    [world.workspaceId],
  )
  assert.ok(entries.length > 5)
  for (const { after } of entries) assert.deepEqual(Object.keys(after), ['isBlocked', 'oneTimeCodes', 'confirmations'])
})

/** An order, a code, and a text that only the user id connects to them. */
async function fillWithPerson(world: World) {
  const order = await world.createConfirmation({ to: newPhone() })
  const otp = await world.sendOtp({ to: order.to })
  await world.whatsapp.reports(otp, ['sent'])
  await world.settled()
  const [row] = await world.ask<{ userId: string }>(
    'select customer_user_id as "userId" from confirmations where id = $1',
    [order.confirmationId],
  )
  assert.ok(row?.userId, 'the provider names the customer')
  await storeReport(world, { from_user_id: row.userId, id: 'wamid.text', type: 'text', text: { body: 'Where is it?' } })
  return { to: order.to, forms: [...formsOf(order.to), row.userId] }
}

const storeReport = (world: World, body: object) =>
  world.ask(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome)
     values (gen_random_uuid(), $1, $2, 'message', $3, now() - interval '1 hour', 'applied')`,
    [world.workspaceId, world.account.accountId, JSON.stringify(body)],
  )
