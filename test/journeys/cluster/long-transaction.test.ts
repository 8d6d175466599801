import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { BY_INDEX } from '../../../src/lib/db/pool.ts'
import { overdueLoop } from '../../../src/messages/queue/overdue.ts'
import { lockSenders } from '../../../src/messages/queue/lock-senders.ts'
import { findDueLoops } from '../../../src/runtime/background/due-loops.ts'
import { FROM_BEGINNING } from '../../../src/runtime/jobs/search-start.ts'
import { FIRST_CURSOR, findDueEndpoints } from '../../../src/webhooks/delivery/claim.ts'
import { type Call, spyOnDb } from '../../database/db-spy.ts'
import { withConnection } from '../../database/postgres.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, type WorldOptions, startWorld } from '../../world/world.ts'

/** How many index entries of finished work the long transaction keeps. */
const STALE_ENTRIES = 300
/** Each page of about a hundred of them has an index entry. */
const VERSIONS = 5_000
/** Senders of other worlds that became due in between. */
const MAX_MORE = 10
/** How many entries a statement may read: those of the last seconds. */
const MAX_READ = 50

/** A world that counts the index entries that each run of one statement reads. */
async function startCountingWorld(
  t: TestContext,
  { name, index, ...options }: WorldOptions & { name: string; index: string },
) {
  const reads: number[] = []
  let isCounting = false
  const world = await startWorld(t, {
    ...options,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, values, run }) => {
        if (isCounting && statement.name === name) reads.push(await countReads(db.url, index, { statement, values }))
        return run()
      }),
  })
  return {
    world,
    countDuring: async (work: () => Promise<unknown>): Promise<number[]> => {
      isCounting = true
      await work()
      isCounting = false
      return reads.splice(0)
    },
  }
}

/** Runs the statement in a transaction of its own and rolls it back. */
const countReads = (url: string, index: string, { statement: { text }, values }: Pick<Call, 'statement' | 'values'>) =>
  withConnection(url, async (connection) => {
    for (const [name, value] of Object.entries(BY_INDEX)) await connection.query(`set ${name} = ${value}`)
    // The session may have read before.
    const readSoFar = async (): Promise<number> => {
      const { rows } = await connection.query<{ reads: string }>(
        `select pg_stat_get_xact_tuples_returned($1::regclass) as reads`,
        [index],
      )
      return Number(rows[0]?.reads)
    }
    await connection.query('begin')
    const before = await readSoFar()
    await connection.query(text, [...values])
    const reads = (await readSoFar()) - before
    await connection.query('rollback')
    return reads
  })

/** A transaction that keeps every row version since its start, as a backup does. */
async function beginLongTransaction(t: TestContext, { databaseUrl }: World): Promise<void> {
  const holder = new Client(databaseUrl)
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin isolation level repeatable read; select from messages limit 1')
}

/** Makes one row due and ends it, many times; each time leaves an index entry. `due` and `ended`: other columns to set. */
const leaveStaleEntries = (
  { databaseUrl }: World,
  { table, id, due = '', ended = '' }: { table: string; id: string; due?: string; ended?: string },
): Promise<void> =>
  withConnection(databaseUrl, async (connection) => {
    await connection.query('begin')
    for (let number = 1; number <= STALE_ENTRIES; number += 1)
      await connection.query(`update ${table} set ${due} due_at = now() - $2 * interval '1 minute' where id = $1`, [
        id,
        number,
      ])
    await connection.query(`update ${table} set ${ended} due_at = null where id = $1`, [id])
    await connection.query('commit')
  })

/** A delivery that succeeded becomes due again, and succeeds, many times. */
async function leaveStaleDeliveries(t: TestContext, world: World): Promise<void> {
  const [delivery] = await world.query<{ id: string }>('select id from webhook_deliveries where workspace_id = $1', [
    world.workspaceId,
  ])
  assert.ok(delivery)
  await beginLongTransaction(t, world)
  await leaveStaleEntries(world, {
    table: 'webhook_deliveries',
    id: delivery.id,
    due: "status = 'pending', ended_at = null,",
    ended: "status = 'succeeded', ended_at = now(),",
  })
}

test('while a long transaction runs, claiming a code does not read the index entries of earlier codes', async (t) => {
  const { world, countDuring } = await startCountingWorld(t, {
    name: 'insert_and_claim_otp_messages_within_quota',
    index: 'messages_due',
  })
  const { messageId } = await world.submitOtp()
  await beginLongTransaction(t, world)
  await leaveStaleEntries(world, { table: 'messages', id: messageId })
  const [read = STALE_ENTRIES] = await countDuring(() => world.sendOtp())
  assert.ok(read < MAX_READ, `${read} entries`)
})

test('while a long transaction runs, locking a message does not read the index entries of earlier messages', async (t) => {
  const { world, countDuring } = await startCountingWorld(t, {
    name: 'lock_due_messages',
    index: 'messages_due',
    claimsOnWrite: false,
  })
  const { messageId } = await world.submitOtp()
  await beginLongTransaction(t, world)
  await leaveStaleEntries(world, { table: 'messages', id: messageId })
  const reads = await countDuring(async () => {
    await world.submitOtp()
  })
  assert.ok(reads.length > 0 && Math.max(...reads) < MAX_READ, `${reads.join(', ')} entries`)
})

test('while a long transaction runs, claiming a delivery does not read the index entries of earlier deliveries', async (t) => {
  const { world, countDuring } = await startCountingWorld(t, {
    name: 'claim_deliveries',
    index: 'webhook_deliveries_due',
    claimsOnWrite: false,
  })
  await world.receiver()
  const deliver = async () => world.whatsapp.reports(await world.sendOtp(), ['sent'])
  await deliver()
  await leaveStaleDeliveries(t, world)
  const reads = await countDuring(deliver)
  assert.ok(reads.length > 0 && Math.max(...reads) < MAX_READ, `${reads.join(', ')} entries`)
})

const CHANGES = {
  used_up_pace: {
    change: `update sender_pace set slots = array[floor(extract(epoch from clock_timestamp()) * 50)::bigint + 25], slot_sends = array[80] where sender_id`,
    row: 'senderId',
  },
  quota_usage: { change: 'update quota_usage set used = used where workspace_id', row: 'workspaceId' },
  sender_pace: { change: 'update sender_pace set breaker_code = breaker_code where sender_id', row: 'senderId' },
} as const

for (const { table, statement, claimsOnWrite = false, changes = table } of [
  { table: 'quota_usage', statement: 'look_up_otp_requests' },
  { table: 'quota_usage', statement: 'insert_otp_messages_within_quota' },
  { table: 'quota_usage', statement: 'insert_and_claim_otp_messages_within_quota', claimsOnWrite: true },
  { table: 'sender_pace', statement: 'lock_senders_with_work' },
  { table: 'sender_pace', statement: 'write_sender_paces' },
  { table: 'sender_pace', statement: 'insert_and_claim_otp_messages_within_quota', claimsOnWrite: true },
  {
    table: 'sender_pace',
    statement: 'insert_and_claim_otp_messages_within_quota',
    claimsOnWrite: true,
    changes: 'used_up_pace',
  },
] as const satisfies {
  table: keyof typeof CHANGES
  statement: string
  claimsOnWrite?: boolean
  changes?: keyof typeof CHANGES
}[])
  test(`while a long transaction runs, ${statement} does not read earlier versions of ${changes}`, async (t) => {
    const { world, countDuring } = await startCountingWorld(t, {
      name: statement,
      index: `${table}_pkey`,
      claimsOnWrite,
    })
    // New versions would go to earlier pages that a vacuum has emptied since the test before this one.
    await withConnection(world.databaseUrl, (connection) =>
      connection.query(`alter table ${table} set (autovacuum_enabled = off)`),
    )
    const mostReads = async (): Promise<number> => {
      const reads = await countDuring(async () => {
        await world.submitOtp()
      })
      return Math.max(...reads)
    }
    const before = await mostReads()
    await beginLongTransaction(t, world)
    const { change, row } = CHANGES[changes]
    const loop = `for version in 1..${VERSIONS} loop ${change} = '${world[row]}'; end loop`
    await withConnection(world.databaseUrl, (connection) => connection.query(`do $$ begin ${loop}; end $$`))
    // Other worlds in this database have rows, too.
    const after = await mostReads()
    assert.ok(after < before + MAX_MORE, `${before} entries before, ${after} after`)
  })

/** Slow enough that the next looks are partial. */
const SLOW_LOOK_MS = 200
const SEARCHES = ['find_due_work', 'lock_senders_with_work', 'find_overdue_messages', 'find_due_endpoints']

/** For each search that begins at the last look: how many entries of the index it reads. One that never runs reads too many. */
async function countSearches(
  t: TestContext,
  { index, leaveStale }: { index: string; leaveStale: (world: World) => Promise<void> },
) {
  const reads = new Map<string, number>()
  let since = ''
  const world = await startWorld(t, {
    claimsOnWrite: false,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, values, run }) => {
        // The world’s own searches begin elsewhere.
        if (reads.has(statement.name) && values.includes(since))
          reads.set(statement.name, await countReads(db.url, index, { statement, values }))
        return run()
      }),
  })
  await leaveStale(world)
  const { parts } = world
  const { next } = await findDueLoops(parts, FROM_BEGINNING)
  assert.ok(next)
  since = next.messages.since
  for (const name of SEARCHES) reads.set(name, STALE_ENTRIES)
  const searching = { ...parts, searchStarts: next }
  await findDueLoops(parts, next)
  await parts.db.transaction((tx) => lockSenders(tx, searching, parts.clock.now()))
  await overdueLoop(searching).turn()
  await findDueEndpoints(parts.db, FIRST_CURSOR, parts.clock.now(), next.deliveries)
  return Object.fromEntries(reads)
}

test('while a long transaction runs, searches from the last look do not read entries of earlier messages', async (t) => {
  const reads = await countSearches(t, {
    index: 'messages_due',
    async leaveStale(world) {
      const { messageId } = await world.submitOtp()
      await beginLongTransaction(t, world)
      await leaveStaleEntries(world, { table: 'messages', id: messageId })
    },
  })
  for (const [name, read] of Object.entries(reads)) assert.ok(read < MAX_READ, `${name}: ${read} entries`)
})

test('while a long transaction runs, searches from the last look do not read entries of earlier deliveries', async (t) => {
  const reads = await countSearches(t, {
    index: 'webhook_deliveries_due',
    async leaveStale(world) {
      await world.receiver()
      await world.whatsapp.reports(await world.sendOtp(), ['sent'])
      await leaveStaleDeliveries(t, world)
    },
  })
  for (const [name, read] of Object.entries(reads)) assert.ok(read < MAX_READ, `${name}: ${read} entries`)
})

test('while looks are slow, searches begin near the last look and still find a message that waited before', async (t) => {
  const searches = new Map<string, string>()
  const world = await startWorld(t, {
    claimsOnWrite: false,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement: { name }, values, run }) => {
        searches.set(name, JSON.stringify(values))
        const result = await run()
        if (name === 'find_due_work') await wait(SLOW_LOOK_MS)
        return result
      }),
  })
  const searchOf = (name: string): string => searches.get(name) ?? ''
  const { senderId, workspaceId } = world
  const receiver = await world.receiver()
  const openBreaker = (until: string) =>
    world.query(`update sender_pace set breaker_open_until = ${until} where sender_id = $1`, [senderId])
  await openBreaker("now() + interval '1 h'")
  const { messageId } = await world.sendOtp()
  await world.query(`update messages set due_at = due_at - interval '5 min' where workspace_id = $1 and id = $2`, [
    workspaceId,
    messageId,
  ])
  await waitFor('a search that names the sender', () => searchOf('lock_senders_with_work').includes(senderId))
  await openBreaker('null')
  await world.settled()
  await world.whatsapp.reports({ messageId }, ['sent'])
  await waitFor('the webhook', () => receiver.received.length === 1)
  assert.doesNotMatch(searchOf('lock_senders_with_work'), /infinity/)
  assert.doesNotMatch(searchOf('find_due_endpoints'), /infinity/)
})
