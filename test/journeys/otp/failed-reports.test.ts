import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingDb, spyOnDb } from '../../database/db-spy.ts'
import { postStatuses } from '../../world/signed-webhooks.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

test('a node that fails with a report does not undo another node’s result', async (t) => {
  let faults = 0
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        // when it arrives, in its batch, and on its own
        if (statement.name === 'write_reported_messages' && ++faults <= 3)
          throw Object.assign(new Error('a fault that quotes 493817'), { code: 'XX000' })
        if (statement.name === 'count_failed_provider_report')
          await world.query(`update provider_reports set outcome = 'applied', due_at = null, attempts = attempts + 1`)
        return run()
      }),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  const rows = await world.query('select outcome, due_at from provider_reports where message_id = $1', [otp.messageId])
  assert.deepEqual(rows, [{ outcome: 'applied', due_at: null }])
})

test('a failed report stores the kind of its fault and nothing that it quotes', async (t) => {
  let faults = 0
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: failingDb(
      // when it arrives, in its batch, and on its own
      (name) =>
        name === 'write_reported_messages' &&
        ++faults <= 3 &&
        Object.assign(new TypeError('a fault that quotes 493817'), { code: 'XX000' }),
    ),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  const rows = await world.query('select outcome, note from provider_reports where message_id = $1', [otp.messageId])
  assert.deepEqual(rows, [{ outcome: 'waiting', note: { code: 'text', text: 'TypeError XX000' } }])
  await world.after('31s')
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

test('every report is counted by its outcome, quarantined ones included', async (t) => {
  const isFaulty = new Set<string>()
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: (db) =>
      spyOnDb(db, ({ statement, values, run }) => {
        const written = statement.name === 'write_reported_messages' ? JSON.stringify(values) : ''
        if ([...isFaulty].some((id) => written.includes(id)))
          throw Object.assign(new Error('faulty'), { code: 'XX000' })
        return run()
      }),
  })
  const [good, faulty] = [await world.sendOtp(), await world.sendOtp()]
  const { counts } = await countsOf(world)
  isFaulty.add(faulty.messageId)
  await world.whatsapp.reports(faulty, ['sent'])
  assert.deepEqual(await counts(), { waiting: 1 })
  await world.whatsapp.reports(good, ['sent'])
  assert.deepEqual(await counts(), { waiting: 1, applied: 1 })
  for (let tries = 1; tries < 5; tries += 1) {
    await world.after('31s')
  }
  assert.deepEqual(await counts(), { waiting: 4, applied: 1, quarantined: 1 })
  isFaulty.clear()
})

test('a report that waited for its message is tried five times before it is quarantined', async (t) => {
  const stored = Promise.withResolvers<void>()
  let isFaulty = true
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        if (statement.name === 'finish_attempts') await stored.promise
        if (statement.name === 'write_reported_messages' && isFaulty)
          throw Object.assign(new Error('faulty'), { code: 'XX000' })
        return run()
      }),
  })
  const { counts } = await countsOf(world)
  const otp = await world.sendOtp()
  const { id } = await world.whatsapp.gets(otp)
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  assert.equal(await postStatuses(world, [{ id, status: 'sent', timestamp }]), 200)
  for (const [index, wait] of ['0s', '1s', '5s'].entries()) {
    world.advance(wait)
    await waitFor('the report to be parked', async () => (await counts())['parked'] === index + 1)
  }
  stored.resolve()
  for (let tries = 1; tries < 5; tries += 1) {
    await world.settled()
    assert.deepEqual(await counts(), { parked: 3, waiting: tries })
    world.advance('31s')
  }
  isFaulty = false
  await world.settled()
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

/** The increase of `doorcode_provider_reports_processed_total`. */
async function countsOf({ parts }: World) {
  const read = async () => {
    const { values } = await parts.metrics.processedReports.get()
    return new Map(values.map(({ labels, value }) => [String(labels.outcome), value]))
  }
  const before = await read()
  assert.equal(before.get('quarantined'), 0, 'an alert needs a line before the first')
  const counts = async () =>
    Object.fromEntries(
      [...(await read())]
        .map(([outcome, value]): [string, number] => [outcome, value - (before.get(outcome) ?? 0)])
        .filter(([, risen]) => risen > 0),
    )
  return { counts }
}
