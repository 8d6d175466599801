import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileDatabase } from '../../test/database/database.ts'
import { createMovedClock } from '../../test/faults/moved-clock.ts'
import { newEvent } from '../../test/database/events.ts'
import { openTestSeal } from '../../test/database/seal.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { type Db, type Sql, openDb } from '../lib/db/pool.ts'
import { newId } from '../lib/ids.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { type Position, START, findLatest, findPosition, listEvents } from './list.ts'
import { type NewEvent, recordEvents } from './record.ts'
import { adoptRestoredEvents } from './restored.ts'

const clock = createMovedClock()
let db: Db

before(async () => {
  db = openDb({ url: await fileDatabase(), poolSize: 6 })
  await openTestSeal(db) // creates the row of the instance
})
after(() => db.close())

const newWorkspace = async (): Promise<string> =>
  (await createWorkspace(db, clock, { name: 'events', sandbox: true })).workspaceId

/** In the order of their ids, which are random within a millisecond. */
const newEvents = (...events: NewEvent[]): NewEvent[] => {
  const ids = events.map(({ id }) => id).sort()
  return events.map((event, index) => ({ ...event, id: ids[index] ?? '' }))
}

const record = (sql: Sql, events: NewEvent[]): Promise<void> => recordEvents(sql, clock.now(), events)
const recordNow = (events: NewEvent[]): Promise<void> => db.transaction((tx) => record(tx, events))

const idsAfter = async (workspaceId: string, after: Position, limit = 100): Promise<string[]> =>
  (await listEvents(db, { workspaceId, after, limit })).events.map(({ id }) => id)

/** Other tests on the server may have open transactions, which hold events back. */
const untilRead = (workspaceId: string, count: number): Promise<string[]> =>
  waitFor(`${count} events to be readable`, async () => {
    const ids = await idsAfter(workspaceId, START)
    return ids.length >= count && ids
  })

/** A transaction that has recorded the events and commits when told. */
async function uncommitted(events: NewEvent[]): Promise<() => Promise<void>> {
  const recorded = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const committed = db.transaction(async (tx) => {
    await record(tx, events)
    recorded.resolve()
    await mayCommit.promise
  })
  await recorded.promise
  return () => {
    mayCommit.resolve()
    return committed
  }
}

test('an event committed late is read before the later ones that it held back', async () => {
  const workspaceId = await newWorkspace()
  const [first, second, third] = newEvents(newEvent(workspaceId), newEvent(workspaceId), newEvent(workspaceId))
  assert.ok(first && second && third)
  await recordNow([first])
  await untilRead(workspaceId, 1)
  const commitLate = await uncommitted([third])
  await recordNow([second]) // its id is lower, its transaction later
  assert.deepEqual(await idsAfter(workspaceId, START), [first.id])
  await commitLate()
  assert.deepEqual(await untilRead(workspaceId, 3), [first.id, third.id, second.id])
})

test('a reader sees every event once while many transactions commit out of order', async () => {
  const workspaceId = await newWorkspace()
  const recorded: string[] = []
  let isRecording = true
  const recorders = Array.from({ length: 4 }, async (_, turn) => {
    for (let round = 0; round < 25; round++) {
      const [one, other] = [newEvent(workspaceId), newEvent(workspaceId)]
      await db.transaction(async (tx) => {
        await record(tx, [one])
        for (let pause = 0; pause < (turn * round) % 5; pause++) await tx.row(findNothing)
        await record(tx, [other])
      })
      recorded.push(one.id, other.id)
    }
  })
  const ended = Promise.all(recorders).finally(() => (isRecording = false))
  const read: string[] = []
  let position = START
  while (isRecording || read.length < recorded.length) {
    const ids = await idsAfter(workspaceId, position, 7)
    read.push(...ids)
    position = (await findPosition(db, workspaceId, ids.at(-1) ?? position.id)) ?? position
  }
  await ended
  assert.deepEqual(read.toSorted(), recorded.toSorted())
  assert.deepEqual(await untilRead(workspaceId, 100), read.slice(0, 100))
})

const findNothing = { name: 'list_test_nothing', text: 'select 1' }

test('a rolled-back transaction holds back nothing', async () => {
  const workspaceId = await newWorkspace()
  const event = newEvent(workspaceId)
  const failing = db.transaction(async (tx) => {
    await record(tx, [newEvent(workspaceId)])
    throw new Error('the change failed')
  })
  await assert.rejects(failing, /the change failed/)
  await recordNow([event])
  assert.deepEqual(await untilRead(workspaceId, 1), [event.id])
})

test('pages end at their limit and say whether more follows', async () => {
  const workspaceId = await newWorkspace()
  const events = newEvents(...Array.from({ length: 5 }, () => newEvent(workspaceId)))
  await recordNow(events)
  const ids = await untilRead(workspaceId, 5)
  assert.deepEqual(
    ids,
    events.map(({ id }) => id),
  )
  const page = await listEvents(db, { workspaceId, after: START, limit: 3 })
  assert.deepEqual([page.events.length, page.hasMore], [3, true])
  const after = (await findPosition(db, workspaceId, ids[2] ?? '')) ?? START
  const last = await listEvents(db, { workspaceId, after, limit: 2 })
  assert.deepEqual([last.events.map(({ id }) => id), last.hasMore], [ids.slice(3), false])
})

test('a page of large events ends early, but has at least one', async () => {
  const workspaceId = await newWorkspace()
  const large = (kilobytes: number): NewEvent =>
    newEvent(workspaceId, { data: { note: 'x'.repeat(kilobytes * 1024), occurredAt: '2026-12-01T00:00:00.123Z' } })
  const events = newEvents(large(3_000), large(700), large(700), large(700))
  await recordNow(events)
  await waitFor('them to be readable', async () => (await findLatest(db, workspaceId)).id === events[3]?.id)
  const pages: number[] = []
  for (let after = START; ; ) {
    const page = await listEvents(db, { workspaceId, after, limit: 100 })
    pages.push(page.events.length)
    if (!page.hasMore) break
    after = (await findPosition(db, workspaceId, page.events.at(-1)?.id ?? '')) ?? START
  }
  assert.deepEqual(pages, [1, 2, 1])
})

test('pings and events without content are left out and can still be a position', async () => {
  const workspaceId = await newWorkspace()
  const [ping, removed, kept] = newEvents(
    newEvent(workspaceId, { type: 'ping', endpointId: newId() }),
    newEvent(workspaceId),
    newEvent(workspaceId),
  )
  assert.ok(ping && removed && kept)
  await recordNow([ping, removed, kept])
  await db.rows({ name: 'remove_content', text: `update events set body = '' where id = $1` }, [removed.id])
  assert.deepEqual(await untilRead(workspaceId, 1), [kept.id])
  for (const { id } of [ping, removed]) {
    const position = await findPosition(db, workspaceId, id)
    assert.ok(position)
    assert.deepEqual(await idsAfter(workspaceId, position), [kept.id])
  }
})

test('events of another server stay in their order, before those recorded here', async () => {
  const workspaceId = await newWorkspace()
  const [last, ping, one, two, next] = newEvents(
    newEvent(workspaceId),
    newEvent(workspaceId, { type: 'ping', endpointId: newId() }),
    newEvent(workspaceId),
    newEvent(workspaceId),
    newEvent(workspaceId),
  )
  assert.ok(last && ping && one && two && next)
  await recordNow([one, two, last, ping])
  const load = { name: 'load_dump', text: 'update events set recorded_order = $2 where id = $1' }
  for (const [index, { id }] of [one, two, last, ping].entries()) await db.rows(load, [id, 9_000_000_000_000 + index])
  assert.deepEqual(await idsAfter(workspaceId, START), [])
  const adopted = await Promise.all([adoptRestoredEvents(db), adoptRestoredEvents(db), adoptRestoredEvents(db)])
  assert.equal(adopted.filter(Boolean).length, 1)
  assert.deepEqual(await untilRead(workspaceId, 3), [one.id, two.id, last.id])
  await recordNow([next])
  assert.deepEqual(await untilRead(workspaceId, 4), [one.id, two.id, last.id, next.id])
  for (const { id } of [last, ping]) {
    const position = await findPosition(db, workspaceId, id)
    assert.ok(position)
    assert.deepEqual(await idsAfter(workspaceId, position), [next.id])
  }
  assert.equal(await adoptRestoredEvents(db), false)
})

/** An event that no client can read any more, but whose id may be a client's position. */
const HIDDEN = {
  'a ping': `update events set endpoint_id = gen_random_uuid(), type = 'ping', recorded_order = $2 where id = $1`,
  'a removed event': `update events set body = '', recorded_order = $2 where id = $1`,
}

for (const [index, [name, text]] of Object.entries(HIDDEN).entries())
  test(`no event is skipped after ${name} of another server`, async () => {
    const workspaceId = await newWorkspace()
    const [hidden, next] = newEvents(newEvent(workspaceId), newEvent(workspaceId))
    assert.ok(hidden && next)
    await recordNow([hidden])
    await db.rows({ name: `hide ${name}`, text }, [hidden.id, 90_000_000_000_000 * (index + 1)])
    assert.equal(await adoptRestoredEvents(db), true)
    await recordNow([next])
    await untilRead(workspaceId, 1)
    const position = await findPosition(db, workspaceId, hidden.id)
    assert.ok(position)
    assert.deepEqual(await idsAfter(workspaceId, position), [next.id])
    assert.equal(await adoptRestoredEvents(db), false)
  })
