import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import type { AcceptedMessages } from '../../../src/messages/queue/claim-accepted.ts'
import { claimMessages } from '../../../src/messages/queue/claim.ts'
import { submitLoop } from '../../../src/messages/queue/submit.ts'
import { type DbSpy, spyOnDb } from '../../database/db-spy.ts'
import { createStoppedClock } from '../../faults/moved-clock.ts'
import { withConnection } from '../../database/postgres.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type SentOtp, type World, type WorldOptions, startWorld } from '../../world/world.ts'

/** A world that notes which messages its loop found. */
async function startWatchedWorld(
  t: TestContext,
  { around = ({ run }) => run(), ...options }: WorldOptions & { around?: DbSpy } = {},
) {
  const found = new Set<string>()
  const world = await startWorld(t, {
    ...options,
    wrapDb: (db) =>
      spyOnDb(db, async (call) => {
        const rows = await around(call)
        if (call.statement.name === 'lock_due_messages') for (const { id } of rows as { id: string }[]) found.add(id)
        return rows
      }),
  })
  const arrives = (otp: SentOtp) => waitFor('the code on the phone', () => world.whatsapp.got(otp).length > 0)
  return { world, wasFound: ({ messageId }: SentOtp) => found.has(messageId), arrives }
}

test('a code is claimed by the statement that accepts it, and sent without a search', async (t) => {
  const { world, wasFound, arrives } = await startWatchedWorld(t)
  const otp = await world.sendOtp()
  await arrives(otp)
  assert.equal(wasFound(otp), false)
})

test('codes of verifications and of their resends are claimed too', async (t) => {
  const { world, wasFound } = await startWatchedWorld(t)
  const { verificationId } = await world.startVerification()
  await world.settled()
  world.advance('1m')
  const answer = await world.request('POST', `/api/v1/otp/verifications/${verificationId}/resend`)
  assert.equal(answer.status, 202, answer.text)
  await world.settled()
  const sent = await world.query<{ id: string }>('select id from messages where workspace_id = $1 and status <> $2', [
    world.workspaceId,
    'queued',
  ])
  assert.equal(sent.length, 2)
  for (const { id } of sent) assert.equal(wasFound({ messageId: id } as SentOtp), false)
})

type Obstacle = {
  what: string
  begin: (world: World, to: string) => Promise<unknown>
  end?: (world: World) => Promise<unknown>
}

const update = (set: string) => (world: World) =>
  world.query(`update sender_pace set ${set} where sender_id = $1`, [world.senderId])

const OBSTACLES: readonly Obstacle[] = [
  {
    what: 'whose sender has an open circuit breaker',
    begin: update(`breaker_step = 1, breaker_open_until = now() + interval '1 hour'`),
    end: update('breaker_step = 0, breaker_open_until = null'),
  },
  { what: 'whose sender has a half-open circuit breaker', begin: update('breaker_step = 1') },
  {
    what: 'whose sender used up its second',
    begin: update(`slots = array[floor(extract(epoch from clock_timestamp()) * 50)::bigint + 25], slot_sends = '{80}'`),
  },
  {
    what: 'whose recipient got one a moment ago',
    begin: (world, to) => world.sendOtp({ to }),
  },
  {
    what: 'whose sender has used the share of its pace for new codes',
    begin: update(`slots = array[floor(extract(epoch from clock_timestamp()) * 50)::bigint + 25], slot_sends = '{60}'`),
  },
  {
    what: 'behind an earlier one to its recipient',
    begin: async (world, to) => {
      const { messageId } = await world.submitOtp({ to })
      await world.query('delete from pair_pace where sender_id = $1', [world.senderId])
      await world.query(`update messages set due_at = now() - interval '1 s', priority = 0 where id = $1`, [messageId])
    },
  },
]

for (const { what, begin, end } of OBSTACLES)
  test(`a code ${what} waits for its turn, and is sent`, async (t) => {
    const { world, wasFound, arrives } = await startWatchedWorld(t, { mayLogErrors: true })
    const { to } = world.otpBody()
    await begin(world, to)
    const otp = await world.sendOtp({ to })
    await end?.(world)
    await arrives(otp)
    assert.equal(wasFound(otp), true)
  })

test('a code does not wait behind a code of its sender to another recipient', async (t) => {
  // The queue may take the first message, whose code is gone, before it is locked.
  const { world, wasFound, arrives } = await startWatchedWorld(t, { mayLogErrors: true })
  const { messageId } = await world.submitOtp()
  await withConnection(world.databaseUrl, async (holder) => {
    await holder.query('begin')
    await holder.query(`update messages set due_at = now() - interval '1 s' where id = $1`, [messageId])
    await holder.query('commit; begin')
    await holder.query('select from messages where id = $1 for update', [messageId])
    const otp = await world.sendOtp()
    await arrives(otp)
    assert.equal(wasFound(otp), false)
    await holder.query('rollback')
  })
})

test('two codes for one number that arrive together are both sent', async (t) => {
  const { world, arrives } = await startWatchedWorld(t)
  const { to } = world.otpBody()
  for (const otp of await Promise.all([world.sendOtp({ to }), world.sendOtp({ to })])) await arrives(otp)
})

/** Accepts a code while another transaction has locked something; returns the statements that inserted it. */
async function acceptLocked(t: TestContext, lock: string) {
  const inserts: string[] = []
  const { world, arrives } = await startWatchedWorld(t, {
    mayLogErrors: true,
    around({ statement: { name }, run }) {
      if (name.endsWith('_otp_messages_within_quota')) inserts.push(name)
      return run()
    },
  })
  const first = await world.sendOtp()
  await arrives(first)
  await world.after('1m')
  inserts.length = 0
  await withConnection(world.databaseUrl, async (holder) => {
    await holder.query('begin')
    await holder.query(lock.replace('$1', `'${world.senderId}'`))
    const otp = await world.sendOtp({ to: first.to })
    assert.equal((await world.getOtp(otp)).status, 'queued')
    await holder.query('rollback')
    await arrives(otp)
  })
  return inserts
}

for (const table of ['sender_pace', 'pair_pace'])
  test(`a locked row of ${table} delays only its own code: the statement that accepts skips it`, async (t) => {
    const inserts = await acceptLocked(t, `select from ${table} where sender_id = $1 for update`)
    assert.deepEqual(inserts, ['insert_and_claim_otp_messages_within_quota'])
  })

const ROUNDS = 20

test('while the quota counter of one workspace is locked, codes of others are still claimed when accepted', async (t) => {
  const { world: locked, wasFound } = await startWatchedWorld(t, { mayLogErrors: true })
  const other = await startWorld(t, { works: false })
  const post = (world: World) =>
    world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(), url: locked.first.url })
  for (const world of [locked, other]) assert.equal((await post(world)).status, 202)
  await locked.settled()
  await withConnection(locked.databaseUrl, async (holder) => {
    await holder.query('begin')
    await holder.query('select used from quota_usage where workspace_id = $1 for update', [locked.workspaceId])
    const waiting: Promise<unknown>[] = []
    let foundByLoop = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      waiting.push(post(locked))
      const { status, body } = await post(other)
      assert.equal(status, 202)
      await waitFor('the code to be sent', async () => {
        const [message] = await other.query('select id from messages where id = $1 and due_at is null', [
          body['messageId'],
        ])
        return message !== undefined
      })
      if (wasFound(body as SentOtp)) foundByLoop += 1
    }
    await holder.query('rollback')
    await Promise.all(waiting)
    // On a busy machine a look-up may take too long for a claim.
    assert.ok(foundByLoop < ROUNDS / 2, `${foundByLoop} codes`)
  })
})

test('a counter that was locked, and has changed since, keeps no later code from being claimed', async (t) => {
  let release: (() => Promise<unknown>) | undefined
  const { world, wasFound, arrives } = await startWatchedWorld(t, {
    async around({ statement: { name }, run }) {
      if (name === 'find_workspace_of_quota_counter') await release?.()
      return run()
    },
  })
  await world.submitOtp()
  const waiting = await withConnection(world.databaseUrl, async (holder) => {
    await holder.query('begin')
    await holder.query('update quota_usage set used = used where workspace_id = $1', [world.workspaceId])
    release = () => holder.query('commit')
    return world.sendOtp()
  })
  await arrives(waiting)
  const otp = await world.sendOtp()
  await arrives(otp)
  assert.equal(wasFound(otp), false)
})

test('codes are accepted while the table of the pace is locked, and sent afterwards', async (t) => {
  const inserts = await acceptLocked(t, 'lock table sender_pace')
  assert.deepEqual(inserts, ['insert_and_claim_otp_messages_within_quota', 'insert_otp_messages_within_quota'])
})

test('a claim whose answer stays lost is given back, and its code is sent once, as attempt 1', async (t) => {
  let isDown = false
  const { world, arrives } = await startWatchedWorld(t, {
    mayLogErrors: true,
    async around({ statement: { name }, run }) {
      const isOfAccept = name.endsWith('_otp_messages_within_quota') || name === 'find_inserted_requests'
      const rows = isDown && isOfAccept ? [] : await run()
      if (name === 'insert_and_claim_otp_messages_within_quota') isDown = true
      if (isDown && isOfAccept) throw new DatabaseUnavailable(new Error('read ECONNRESET'), { mayBeCommitted: true })
      return rows
    },
  })
  const body = world.otpBody()
  assert.equal((await world.request('POST', '/api/v1/otp/messages', { body })).status, 503)
  const [row] = await world.query<{ id: string }>('select id from messages where recipient = $1', [body.to])
  assert.ok(row, 'the commit took place')
  const otp = { ...body, messageId: row.id, status: 'queued', reference: null }
  await arrives(otp)
  await world.settled()
  const [{ attempts } = { attempts: 0 }] = await world.query<{ attempts: number }>(
    'select attempts from messages where id = $1',
    [row.id],
  )
  assert.deepEqual([attempts, world.whatsapp.got(otp).length], [1, 1])
})

test('a stop gives back what was claimed without an answer, and what is claimed after it', async (t) => {
  const world = await startWorld(t, { works: false })
  const acceptedMessages: AcceptedMessages = {}
  const loop = submitLoop({ ...world.parts, acceptedMessages })
  const claimed = async () => {
    await world.sendOtp()
    const [message] = (await claimMessages(world.parts, 1)).messages
    return message ?? assert.fail('nothing was claimed')
  }
  const isGivenBack = async ({ id }: { id: string }) => {
    const [row] = await world.query<{ lease: string | null }>('select lease from messages where id = $1', [id])
    return row?.lease === null
  }
  const unanswered = await claimed()
  acceptedMessages.loop?.giveBack(unanswered.lease)
  await loop.drain?.()
  assert.ok(await isGivenBack(unanswered))
  const late = await claimed()
  acceptedMessages.loop?.give({ message: late, trace: undefined })
  await waitFor('the claim to be given back', () => isGivenBack(late))
})

test('codes that are claimed when they are accepted count in the pace of their sender', async (t) => {
  // The clock is stopped: the pace counts only the last second, and sending twenty codes may take longer.
  const { world } = await startWatchedWorld(t, { clock: createStoppedClock() })
  await Promise.all(Array.from({ length: 20 }, () => world.sendOtp()))
  await world.settled()
  const [pace] = await world.query<{ sends: string }>(
    'select sum(sends) as sends from sender_pace, unnest(slot_sends) as sends where sender_id = $1',
    [world.senderId],
  )
  assert.equal(Number(pace?.sends), 20)
})

test('a process that does not send claims nothing', async (t) => {
  const { world } = await startWatchedWorld(t, { works: false })
  const otp = await world.sendOtp()
  const [row] = await world.query<{ status: string; lease: string | null; attempts: number }>(
    'select status, lease, attempts from messages where id = $1',
    [otp.messageId],
  )
  assert.deepEqual(row, { status: 'queued', lease: null, attempts: 0 })
})

test('a claimed code whose commit was not answered is accepted and sent once', async (t) => {
  let lost = false
  const { world, arrives, wasFound } = await startWatchedWorld(t, {
    async around({ statement, run }) {
      const rows = await run()
      if (lost || statement.name !== 'insert_and_claim_otp_messages_within_quota') return rows
      lost = true
      throw new DatabaseUnavailable(new Error('read ECONNRESET'), { mayBeCommitted: true })
    },
  })
  const otp = await world.sendOtp()
  await arrives(otp)
  await world.settled()
  assert.deepEqual([lost, wasFound(otp), world.whatsapp.got(otp).length], [true, false, 1])
})
