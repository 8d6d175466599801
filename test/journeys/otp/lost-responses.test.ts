import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pauseSender } from '../../../src/accounts/senders.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { waitFor } from '../../world/wait-for.ts'
import { newPhone, startWorld } from '../../world/world.ts'
import { sendInto, failureOf, attemptsOf } from '../../world/submission.ts'

for (const behind of ['a pause', 'nothing']) {
  test(`an attempt whose process died is recorded behind ${behind}, and the message does not fail as expired`, async (t) => {
    const world = await startWorld(t, { works: false })
    const otp = await world.sendOtp()
    if (behind === 'a pause')
      await pauseSender(world.parts.db, { workspaceId: world.workspaceId, senderId: world.senderId }, world.clock.now())
    await world.query(
      `update messages set status = 'sending', attempts = 1, attempted_at = $2, lease = gen_random_uuid() where id = $1`,
      [otp.messageId, world.clock.now()],
    )
    await world.node({ works: true })
    await world.after('11m')
    assert.equal(await failureOf(world, otp), 'PROVIDER_UNAVAILABLE')
    const [attempt] = await attemptsOf(world, otp)
    assert.deepEqual(attempt, { outcome: 'unknown', provider_code: null })
  })
}

for (const [what, behaviour] of [
  ['a connection lost before acceptance', { connection: 'drop_before_accepting' }],
  ['a 5xx page instead of an answer', { html: { httpStatus: 502 } }],
] as const) {
  test(`${what} triggers one resend after ten seconds`, async (t) => {
    const world = await startWorld(t)
    const otp = await sendInto(world, behaviour)
    await world.settled()
    assert.equal((await world.getOtp(otp)).status, 'sending', 'unknown as yet')
    await world.after('8s')
    assert.equal((await attemptsOf(world, otp)).length, 1)
    await world.after('3s')
    assert.deepEqual(
      (await attemptsOf(world, otp)).map(({ outcome }) => outcome),
      ['unknown', 'accepted'],
    )
    assert.equal(world.whatsapp.got(otp).length, 1)
  })
}

test('a message whose answer was lost is not sent again once its status comes', async (t) => {
  const world = await startWorld(t)
  const otp = await sendInto(world, { connection: 'drop_after_accepting' })
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal((await world.getOtp(otp)).status, 'sent')
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
  assert.equal((await attemptsOf(world, otp)).length, 1)
})

const REPORTS_AWAY = 'a report that is stored while no reports are processed'

/** A lost response whose status report is stored, on a node that processes no reports until `resume` is called. */
async function withUnreadReport(t: TestContext) {
  let away = true
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, ({ statement, run }) => {
        if (away && statement.name === 'lock_messages_of_statuses')
          throw Object.assign(new Error('locked'), { code: '55P03' })
        return away && statement.name === 'take_provider_reports' ? Promise.resolve([]) : run()
      }),
  })
  const otp = await sendInto(world, { connection: 'drop_after_accepting' })
  const dueAt = async (): Promise<Date | null> => {
    const [row] = await world.query<{ due_at: Date | null }>('select due_at from messages where id = $1', [
      otp.messageId,
    ])
    return row?.due_at ?? null
  }
  await waitFor('the lost response', async () => (await attemptsOf(world, otp)).length === 1)
  const reported = world.whatsapp.reports(otp, ['sent']) // resolves when everything has settled
  await waitFor(REPORTS_AWAY, async () => {
    const rows = await world.query('select 1 from provider_reports where message_id = $1', [otp.messageId])
    return rows.length === 1
  })
  /** The message is due again, and is sent or waits. */
  const recheck = async (): Promise<void> => {
    await waitFor('a look at the message', async () => {
      world.first.wake()
      const due = await dueAt()
      return due === null || due > world.clock.now()
    })
  }
  const resume = async (): Promise<void> => {
    away = false
    world.first.wake()
    await reported
  }
  return { world, otp, recheck, resume }
}

test('a lost message with a stored, unread report is not sent again', async (t) => {
  const { world, otp, recheck, resume } = await withUnreadReport(t)
  world.advance('11s')
  await recheck()
  await resume()
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

test('an unreadable report does not block a lost message forever', async (t) => {
  const { world, otp, recheck, resume } = await withUnreadReport(t)
  world.advance('4m')
  await recheck()
  await waitFor('the message to be sent again', () => world.whatsapp.got(otp).length === 2)
  await resume()
})

test('a lost message without a status is sent again exactly once', async (t) => {
  const world = await startWorld(t)
  const lost = await sendInto(world, { connection: 'drop_after_accepting' })
  await world.settled()
  for (let step = 0; step < 8; step += 1) {
    await world.after('1m')
  }
  assert.equal(world.whatsapp.got(lost).length, 2)

  const to = newPhone()
  world.emulator.script({ match: { to }, behaviour: { connection: 'drop_after_accepting' } })
  const hopeless = await world.sendOtp({ to })
  for (let step = 0; step < 12; step += 1) {
    await world.settled()
    world.advance('1m')
  }
  await world.settled()
  assert.equal(world.whatsapp.got(hopeless).length, 2)
  assert.equal(await failureOf(world, hopeless), 'PROVIDER_UNAVAILABLE')
})
