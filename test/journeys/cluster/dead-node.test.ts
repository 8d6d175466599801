import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOUR_MS, later } from '../../../src/lib/clock.ts'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import type { Db } from '../../../src/lib/db/pool.ts'
import { newId } from '../../../src/lib/ids.ts'
import { beginLease, changeLeased, removeLeases } from '../../../src/runtime/jobs/leases.ts'
import { SUBMIT_LEASE_MS, claimMessages, giveBackMessages } from '../../../src/messages/queue/claim.ts'
import { submitLoop } from '../../../src/messages/queue/submit.ts'
import { spyOnDb, spyOnSql } from '../../database/db-spy.ts'
import { startCrashServer } from '../../faults/crash-process.ts'
import type { Failpoint } from '../../faults/crash-server.ts'
import { lockRow } from '../../faults/lock-in-another-session.ts'
import { createStoppedClock } from '../../faults/moved-clock.ts'
import { freePort } from '../../programs/program.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type SentOtp, type World, startWorld } from '../../world/world.ts'

/** An OTP whose server was killed at this point, and another server that takes over. No clock is moved. */
async function killedAt(t: TestContext, failpoint: Omit<Failpoint, 'stage'>, { claimsOnWrite = true } = {}) {
  const world = await startWorld(t, { works: false })
  const receiver = await world.receiver()
  const port = await freePort()
  const server = await startCrashServer({ databaseUrl: world.databaseUrl, port, movedByMs: 0, claimsOnWrite })
  world.setCallback(server.url)
  await server.arm({ ...failpoint, stage: null })
  const otp = await world.sendOtp({}, { url: server.url, key: await world.freshKey() })
  return {
    world,
    receiver,
    otp,
    /** Sends the provider's reports to the other node from then on. */
    takeOver: async (): Promise<void> => {
      await server.dead
      const node = await world.node({ works: true })
      world.setCallback(node.url)
    },
  }
}

type Submission = { attempts: number; unknown_outcomes: number; due_at: Date | null; attempted_at: Date | null }

async function submissionOf(world: World, { messageId }: Pick<SentOtp, 'messageId'>): Promise<Submission> {
  const [row] = await world.query<Submission>(
    'select attempts, unknown_outcomes, due_at, attempted_at from messages where id = $1',
    [messageId],
  )
  assert.ok(row)
  return row
}

const outcomesOf = async (world: World, { messageId }: SentOtp): Promise<string[]> => {
  const rows = await world.query<{ outcome: string }>(
    'select outcome from message_attempts where message_id = $1 order by attempt',
    [messageId],
  )
  return rows.map(({ outcome }) => outcome)
}

async function assertSentOnce(world: World, otp: SentOtp): Promise<void> {
  await world.whatsapp.gets(otp)
  await world.settled()
  assert.equal(world.whatsapp.got(otp).length, 1)
  const { attempts, unknown_outcomes } = await submissionOf(world, otp)
  assert.deepEqual({ attempts, unknown_outcomes }, { attempts: 1, unknown_outcomes: 0 })
  assert.deepEqual(await outcomesOf(world, otp), ['accepted'])
}

for (const { moment, statement } of [
  { moment: 'committed', statement: 'claim_messages' },
  { moment: 'before', statement: 'begin_lease' },
] as const) {
  test(`a code whose node is killed ${moment} ${statement} is sent immediately, as attempt 1`, async (t) => {
    const { world, otp, takeOver } = await killedAt(t, { moment, statement }, { claimsOnWrite: false })
    await takeOver()
    await assertSentOnce(world, otp)
  })
}

test('a code whose request had begun is sent again after ten seconds', async (t) => {
  const { world, otp, takeOver } = await killedAt(t, { moment: 'before', statement: 'finish_attempts' })
  await takeOver()
  const dueAt = await waitFor('the takeover', async () => {
    const { due_at, attempted_at } = await submissionOf(world, otp)
    const waitsMs = Number(due_at) - Number(attempted_at)
    return due_at !== null && waitsMs < SUBMIT_LEASE_MS && due_at
  })
  assert.ok(dueAt > world.clock.now(), 'a report has time to come')
  assert.equal(world.whatsapp.got(otp).length, 1)
  await world.after('10s')
  assert.equal(world.whatsapp.got(otp).length, 2)
  assert.deepEqual(await outcomesOf(world, otp), ['unknown', 'accepted'])
})

test('after a long stop of all nodes, an open attempt still waits ten seconds for its report', async (t) => {
  const { world, otp, takeOver } = await killedAt(t, { moment: 'before', statement: 'finish_attempts' })
  const message = await world.whatsapp.gets(otp)
  world.clock.advance(60_000)
  await takeOver()
  const dueAt = await waitFor('the takeover', async () => {
    const { due_at, attempted_at } = await submissionOf(world, otp)
    return due_at !== null && Number(due_at) - Number(attempted_at) > SUBMIT_LEASE_MS && due_at
  })
  assert.ok(dueAt > world.clock.now(), 'a report has time to come')
  await world.emulator.report(message, ['sent']) // which no node could receive before
  await world.after('10s')
  assert.equal(world.whatsapp.got(otp).length, 1)
  assert.equal((await world.getOtp(otp)).status, 'sent')
})

test('after a long stop of all nodes, an open attempt without a report is sent again', async (t) => {
  const { world, otp, takeOver } = await killedAt(t, { moment: 'before', statement: 'finish_attempts' })
  await world.whatsapp.gets(otp)
  world.clock.advance(60_000)
  await takeOver()
  await waitFor('the takeover', async () => {
    const { due_at, attempted_at } = await submissionOf(world, otp)
    return Number(due_at) - Number(attempted_at) > SUBMIT_LEASE_MS
  })
  assert.equal(world.whatsapp.got(otp).length, 1)
  await world.after('60s') // also if it is claimed late again
  assert.equal(world.whatsapp.got(otp).length, 2)
  assert.deepEqual(await outcomesOf(world, otp), ['unknown', 'accepted'])
})

test('after a stop of all nodes as long as the lease, an open attempt still waits ten seconds for its report', async (t) => {
  const clock = createStoppedClock()
  const world = await startWorld(t, { works: false, clock })
  const otp = await world.sendOtp()
  const lease = newId()
  await claimMessages(world.parts, 1, { lease })
  await beginLease(world.parts.db, lease, clock.now())
  clock.advance(SUBMIT_LEASE_MS)
  const loop = submitLoop(world.parts) // of a node that has just started
  for (const attempts of [1, 2]) {
    await loop.turn()
    assert.equal((await submissionOf(world, otp)).attempts, attempts)
    clock.advance(10_000)
  }
  await loop.drain?.()
})

test('another node delivers a killed node’s webhook immediately', async (t) => {
  const { world, receiver, otp, takeOver } = await killedAt(t, {
    moment: 'after',
    statement: 'claim_deliveries',
  })
  const message = await world.whatsapp.gets(otp)
  await waitFor('the answer to be stored', async () => (await outcomesOf(world, otp)).length === 1)
  await world.emulator.report(message, ['sent']).catch(() => {})
  await takeOver()
  await waitFor('the webhook', () => receiver.received.length > 0)
  assert.equal(receiver.received.length, 1)
})

const lost = (): Error => new DatabaseUnavailable(new Error('read ECONNRESET'), { mayBeCommitted: true })

test('a claim whose commit was never answered is given back as if unclaimed', async (t) => {
  let losses = 0
  const world = await startWorld(t, {
    mayLogErrors: true,
    claimsOnWrite: false,
    wrapDb: (db) => ({
      ...db,
      async transaction(work) {
        let claims = false
        const result = await db.transaction((tx) =>
          work(
            spyOnSql(tx, ({ statement, run }) => {
              claims ||= statement.name === 'claim_messages'
              return run()
            }),
          ),
        )
        if (claims && ++losses <= 2) throw lost()
        return result
      },
    }),
  })
  const otp = await world.sendOtp()
  await assertSentOnce(world, otp)
  assert.ok(losses > 2, 'two answers were lost')
})

/** The first run of a statement takes effect, but its answer is lost. */
function losing(name: string) {
  let losses = 0
  return (db: Db): Db =>
    spyOnDb(db, async ({ statement, run }) => {
      const rows = await run()
      if (statement.name === name && rows.length > 0 && ++losses === 1) throw lost()
      return rows
    })
}

test('a lease whose begin was never answered sends nothing, and the message goes once', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true, claimsOnWrite: false, wrapDb: losing('begin_lease') })
  await assertSentOnce(world, await world.sendOtp())
})

test('a webhook whose claim was never answered does not wait for its lease', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true, wrapDb: losing('claim_deliveries') })
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal(receiver.received.length, 1)
})

test('a node that was declared dead sends nothing under its old leases', async (t) => {
  let givenBack = 0
  const world = await startWorld(t, {
    claimsOnWrite: false,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, values, run }) => {
        if (statement.name === 'begin_lease' && givenBack === 0) {
          const leases = await db.rows(removeLeases, [[values[0] as string]])
          givenBack += (await changeLeased(db, giveBackMessages, leases, values[1] as Date)).length
        }
        return run()
      }),
  })
  const otp = await world.sendOtp()
  await assertSentOnce(world, otp)
  assert.equal(givenBack, 1)
})

test('giving back a claim keeps the open attempt before it', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  const startedAt = world.clock.now()
  await world.query(
    `update messages set status = 'sending', attempts = 1, attempted_at = $2, lease = gen_random_uuid() where id = $1`,
    [otp.messageId, startedAt],
  )
  const [claimed] = (await claimMessages(world.parts, 10)).messages
  assert.equal(claimed?.followsOpenAttempt, true)
  await world.parts.db.transaction(async (tx) =>
    changeLeased(tx, giveBackMessages, await tx.rows(removeLeases, [[claimed.lease]]), world.clock.now()),
  )
  assert.equal((await world.getOtp(otp)).status, 'sending')
  const { attempts, unknown_outcomes, attempted_at } = await submissionOf(world, otp)
  assert.deepEqual(
    { attempts, unknown_outcomes, attempted_at },
    { attempts: 1, unknown_outcomes: 0, attempted_at: startedAt },
  )
})

for (const begun of [false, true])
  test(`a message whose claim${begun ? ' and request' : ''} began while the clock was ahead goes after the correction`, async (t) => {
    const world = await startWorld(t, { works: false })
    const otp = await world.sendOtp()
    const [claimed] = (await claimMessages(world.parts, 10)).messages
    assert.ok(claimed)
    if (begun) assert.ok(await beginLease(world.parts.db, claimed.lease, world.clock.now()))
    const ahead = `interval '800 days'`
    await world.query(
      `update leases set taken_at = taken_at + ${ahead}, begun_at = begun_at + ${ahead} where id = $1`,
      [claimed.lease],
    )
    await world.query(`update messages set due_at = due_at + ${ahead} where id = $1`, [otp.messageId])
    await world.query(
      `insert into pair_pace (sender_id, recipient, free_at) values ($1, $2, now() + ${ahead})
       on conflict (sender_id, recipient) do update set free_at = excluded.free_at`,
      [world.senderId, otp.to],
    )
    await world.node({ works: true })
    await waitFor('the lease to end', async () => {
      const { due_at } = await submissionOf(world, otp)
      return due_at === null || due_at < later(world.clock.now(), HOUR_MS)
    })
    await world.after('10s') // in which a report may come
    assert.deepEqual(await outcomesOf(world, otp), begun ? ['unknown', 'accepted'] : ['accepted'])
  })

test('a locked message keeps no other from being claimed or taken over', async (t) => {
  const world = await startWorld(t, { works: false })
  const [locked, other] = [await world.sendOtp(), await world.sendOtp()]
  const { messages: claimed } = await claimMessages(world.parts, 10)
  assert.equal(claimed.length, 2)
  const unlock = await lockRow(t, world, 'messages', locked.messageId)
  world.clock.advance(SUBMIT_LEASE_MS)
  await waitFor('the other to be claimed', async () =>
    (await claimMessages(world.parts, 10)).messages.some(({ id }) => id === other.messageId),
  )
  await world.node({ works: true })
  world.clock.advance(10_000) // its lease never began
  await world.whatsapp.gets(other)
  await unlock()
  for (const otp of [locked, other]) await assertSentOnce(world, otp)
})

test('an expired lease that never began is no unknown outcome', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  for (const _ of [1, 2, 3]) {
    assert.equal((await claimMessages(world.parts, 10)).messages.length, 1)
    world.clock.advance(SUBMIT_LEASE_MS)
  }
  await world.node({ works: true })
  await assertSentOnce(world, otp)
})

test('a lease that a node with a faster clock gave back cannot begin', async (t) => {
  const world = await startWorld(t, { works: false })
  const otp = await world.sendOtp()
  const [claimed] = (await claimMessages(world.parts, 10)).messages
  assert.ok(claimed)
  const fast = { ...world.parts, clock: { now: () => later(world.clock.now(), 2 * SUBMIT_LEASE_MS) } }
  assert.equal((await claimMessages(fast, 10)).messages.length, 1)
  assert.equal(await beginLease(world.parts.db, claimed.lease, world.clock.now()), false)
  assert.equal((await submissionOf(world, otp)).unknown_outcomes, 0)
})
