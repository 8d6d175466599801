import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockInAnotherSession } from '../../../test/faults/lock-in-another-session.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { type World, startWorld } from '../../../test/world/world.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { isLockTimeout } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { type ClaimedMessage, claimMessages } from './claim.ts'
import { type EndedAttempt, createFinisher } from './finish.ts'

const accepted = (world: World, message: ClaimedMessage): EndedAttempt => {
  const providerMessageId = `wamid.${newId()}`
  const customer = { waId: null, userId: null }
  const now = world.clock.now()
  return {
    message,
    startedAt: now,
    endedAt: now,
    outcome: { outcome: 'accepted', httpStatus: 200, providerMessageId, customer },
    next: { next: 'accepted', providerMessageId },
  }
}

const claimAll = async (world: World, count: number): Promise<ClaimedMessage[]> => {
  const claimed: ClaimedMessage[] = []
  await waitFor('all to be claimed', async () => {
    claimed.push(...(await claimMessages(world.parts, count)).messages)
    return claimed.length === count
  })
  return claimed
}

for (const { what, accept, lock, idOf } of [
  {
    what: 'a message',
    accept: async (world: World) => (await world.sendOtp()).messageId,
    lock: 'select id from messages where id = $1 for update',
    idOf: ({ id }: ClaimedMessage) => id,
  },
  {
    what: 'a confirmation',
    accept: async (world: World) => (await world.createConfirmation()).confirmationId,
    lock: 'select id from confirmations where id = $1 for update',
    idOf: ({ conversation }: ClaimedMessage) => conversation?.confirmationId ?? '',
  },
]) {
  test(`${what} that another session has locked delays no other outcome`, async (t) => {
    const world = await startWorld(t, { works: false, cod: {} })
    for (let count = 0; count < 3; count += 1) await accept(world)
    const claimed = await claimAll(world, 3)
    const [, locked] = claimed
    assert.ok(locked)
    const unlock = await lockInAnotherSession(t, world.parts.db, lock, idOf(locked))
    const finish = createFinisher(world.parts)
    const outcomes = await Promise.allSettled(claimed.map((message) => finish(accepted(world, message))))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.ok(outcomes[1]?.status === 'rejected' && isLockTimeout(outcomes[1].reason))
    await unlock()
    await finish(accepted(world, locked))
    const stored = await world.query('select id from messages where workspace_id = $1 and accepted_at is not null', [
      world.workspaceId,
    ])
    assert.equal(stored.length, 3)
  })
}

test('an outcome of a message that is gone, as after a failover, delays no other outcome', async (t) => {
  const world = await startWorld(t, { works: false })
  for (let count = 0; count < 3; count += 1) await world.sendOtp()
  const claimed = await claimAll(world, 3)
  const [, lost] = claimed
  assert.ok(lost)
  await world.parts.db.rows({ name: 'test_lose_message', text: 'delete from messages where id = $1' }, [lost.id])
  const finish = createFinisher(world.parts)
  const outcomes = await Promise.allSettled(claimed.map((message) => finish(accepted(world, message))))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
  const stored = await world.query('select message_id from message_attempts where workspace_id = $1', [
    world.workspaceId,
  ])
  assert.equal(stored.length, 2)
})

async function rejectedOtp(world: World) {
  const { messageId } = await world.sendOtp()
  const [message] = await claimAll(world, 1)
  const known = world.parts.provider.findError(132012)
  assert.ok(message && known)
  const error = { ...known, code: 132012, detail: 'not accepted: "Ana"', class: 'permanent', scope: 'message' } as const
  const finish = () =>
    createFinisher(world.parts)({
      ...accepted(world, message),
      outcome: { outcome: 'rejected', httpStatus: 400, error },
      next: { next: 'failed', failureCode: known.failureCode },
    })
  const details = () => world.query('select detail from message_attempts where message_id = $1', [messageId])
  return { messageId, finish, details, title: known.title, text: error.detail }
}

test('an attempt that is stored after its lease was lost keeps no text of the provider', async (t) => {
  const world = await startWorld(t, { works: false })
  const { messageId, finish, details, title } = await rejectedOtp(world)
  await world.query('update messages set lease = gen_random_uuid() where id = $1', [messageId])
  await finish()
  assert.deepEqual(await details(), [{ detail: title }])
})

test('an outcome that is stored twice, as after a lost connection, keeps the text of the provider', async (t) => {
  const world = await startWorld(t, { works: false })
  const { finish, details, title, text } = await rejectedOtp(world)
  await finish()
  await finish()
  assert.deepEqual(await details(), [{ detail: { code: 'providers.titled', title, detail: text } }])
})

test('an outcome that is stored late makes its message due now, not earlier', async (t) => {
  const world = await startWorld(t, { works: false })
  const { messageId } = await world.sendOtp()
  const [message] = await claimAll(world, 1)
  assert.ok(message)
  const dueAt = later(world.clock.now(), SECOND_MS)
  world.advance('20s')
  await createFinisher(world.parts)({
    ...accepted(world, message),
    outcome: { outcome: 'unreachable', detail: { code: 'text', text: 'no route' } },
    next: { next: 'retry', dueAt, failureCode: 'PROVIDER_UNAVAILABLE', breaker: null },
  })
  const [stored] = await world.query<{ due_at: Date }>('select due_at from messages where id = $1', [messageId])
  assert.ok(stored && +world.clock.now() - +stored.due_at < SECOND_MS, String(stored?.due_at))
})

for (const { what, scope, next } of [
  { what: 'makes a sync due', scope: 'template', next: { next: 'failed', failureCode: 'TEMPLATE_INVALID' } },
  {
    what: 'rejects the token',
    scope: 'account',
    next: { next: 'retry', failureCode: 'PROVIDER_CREDENTIALS_INVALID', breaker: { scope: 'credentials' } },
  },
] as const) {
  test(`an error that ${what} is stored with the other outcomes while its account is locked`, async (t) => {
    const world = await startWorld(t, { works: false })
    for (let count = 0; count < 2; count += 1) await world.sendOtp()
    const [message, other] = await claimAll(world, 2)
    const known = world.parts.provider.findError(132012)
    assert.ok(message && other && known)
    const lock = 'select id from provider_accounts where id = $1 for update'
    const unlock = await lockInAnotherSession(t, world.parts.db, lock, world.account.accountId)
    const finish = createFinisher(world.parts)
    const error = { ...known, code: 132012, detail: '', class: 'permanent', scope } as const
    const dueAt = later(world.clock.now(), SECOND_MS)
    const rejected = { outcome: 'rejected', httpStatus: 400, error } as const
    const failing = { ...accepted(world, message), outcome: rejected, next: { ...next, dueAt } } as EndedAttempt
    const [ended] = await Promise.allSettled([finish(failing), finish(accepted(world, other))])
    await unlock()
    assert.equal(ended.status, 'fulfilled', 'no outcome waits for the lock')
    const stored = await world.query('select outcome from message_attempts where workspace_id = $1', [
      world.workspaceId,
    ])
    assert.equal(stored.length, 2)
  })
}
