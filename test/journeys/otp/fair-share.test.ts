import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createOtpAcceptor } from '../../../src/otp/accept.ts'
import { type World, startWorld } from '../../world/world.ts'

test('codes, verifications and confirmations take turns together', async (t) => {
  const world = await startWorld(t)
  const { fairShare } = world.parts
  assert.ok(fairShare)
  const turn = t.mock.method(fairShare, 'waitForTurn')
  const ended = t.mock.method(fairShare, 'groupEnded')
  await world.codSettings()
  await world.sendOtp()
  await world.startVerification()
  await world.createConfirmation()
  const turns = turn.mock.calls.map((call) => call.arguments[0])
  assert.deepEqual(
    turns,
    Array.from({ length: 3 }, () => world.workspaceId),
  )
  assert.equal(ended.mock.callCount(), 3)
})

test('a bug in one request does not fail other requests of its group', async (t) => {
  const [world, another] = [await startWorld(t), await startWorld(t)]
  const requestIn = ({ workspaceId, otpBody }: World) => {
    const { to: recipient, ...body } = otpBody()
    const ids = { workspaceId, apiKeyId: 'aaaaaaaaaaaa', correlationId: randomUUID(), idempotencyKey: null }
    return { ...ids, ...body, recipient, reference: null }
  }
  const faulty = {
    ...requestIn(another),
    get reference(): null {
      throw new RangeError('a bug')
    },
  }
  // In one turn of the event loop, so that they form one group.
  const outcomes = await Promise.allSettled(
    [requestIn(world), faulty, requestIn(another)].map(createOtpAcceptor(world.parts)),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})
