import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import type { Db } from '../../../src/lib/db/pool.ts'
import { MAX_WAITING_PER_KEY } from '../../../src/events/wait.ts'
import { newId } from '../../../src/lib/ids.ts'
import { revokeKey } from '../../../src/workspaces/keys/keys.ts'
import { failingDb, spyOnDb } from '../../database/db-spy.ts'
import { record } from '../../database/events.ts'
import type { SentRequest } from '../../world/requester.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const EVENTS = '/api/v1/events'

type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
type Page = { events: Event[]; hasMore: boolean; next: string | null }

async function read(world: World, query: string, options: SentRequest = {}): Promise<Page> {
  const answer = await world.request('GET', `${EVENTS}?${query}`, options)
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Page
}

/** Reads all events page by page, as a caller would. */
async function readAll(world: World, limit: number): Promise<Event[]> {
  const events: Event[] = []
  for (let query = `limit=${limit}`; ; ) {
    const page = await read(world, query)
    events.push(...page.events)
    if (!page.hasMore) return events
    query = `limit=${limit}&after=${page.next}`
  }
}

/** Other tests on the server may have open transactions, which hold events back. */
const untilRead = (world: World, count: number): Promise<Event[]> =>
  waitFor(`${count} events to be readable`, async () => {
    const events = await readAll(world, 100)
    return events.length >= count && events
  })

const idsOf = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id)

test('a caller whose endpoint was down for a week reads exactly the webhooks it missed', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const last = await world.sendOtp()
  await world.whatsapp.reports(last, ['sent'])
  const lastId = receiver.received.at(-1)?.id
  receiver.always({ status: 500 })
  for (let day = 0; day < 8; day++) {
    const otp = await world.sendOtp()
    await world.whatsapp.reports(otp, [{ status: 'failed', errors: [131026] }, 'delivered'])
    await world.after('24h')
  }
  const attempted = new Map(receiver.received.slice(1).map(({ id, body }) => [id, body]))
  assert.equal(attempted.size, 10, 'after five days the endpoint is disabled, and the rest is held')
  await untilRead(world, 17)

  const events: Event[] = []
  for (let next = lastId, hasMore = true; hasMore; ) {
    const page = await read(world, `after=${next}&limit=3`)
    events.push(...page.events)
    ;({ next, hasMore } = { next: page.next ?? '', hasMore: page.hasMore })
  }
  assert.equal(new Set(idsOf(events)).size, 16)
  for (const { id, ...envelope } of events.slice(0, 10)) assert.equal(JSON.stringify(envelope), attempted.get(id))
})

test('every mistake in the query is listed, including unknown parameters', async (t) => {
  const world = await startWorld(t, { works: false })
  const faults = async (query: string): Promise<unknown> => {
    const answer = await world.request('GET', `${EVENTS}?${query}`)
    assert.deepEqual([answer.status, answer.body.code], [422, 'DEVELOPER_INVALID_INPUT'])
    return (answer.body.errors as { in: string; pointer: string }[])
      .map((fault) => `${fault.in} ${fault.pointer}`)
      .sort()
  }
  const query = 'after=yesterday&limit=101&wait=31&workspace=1'
  assert.deepEqual(await faults(query), ['query /after', 'query /limit', 'query /wait', 'query /workspace'])
  for (const bad of ['limit=0', 'limit=-1', 'limit=1.5', 'limit=', 'limit=1e1', 'limit=1&limit=2'])
    assert.deepEqual(await faults(bad), ['query /limit'])
  for (const bad of ['after=', 'after=LATEST', `after=${newId()}x`])
    assert.deepEqual(await faults(bad), ['query /after'])
  assert.equal((await world.request('GET', EVENTS, { key: null })).status, 401)
  const withBody = await world.request('GET', EVENTS, { body: {} })
  assert.equal(withBody.status, 422)
})

test('an unknown, a removed and another workspace’s event as "after" get the same answer', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t, { works: false })]
  const [foreign] = await record(other, 1)
  const [removed = ''] = await record(world, 1)
  await world.query('delete from events where workspace_id = $1 and id = $2', [world.workspaceId, removed])
  const headers = { 'x-correlation-id': '7f3b2a10-7c1d-4e8f-9a2b-0c1d2e3f4a5b' }
  const answers = await Promise.all(
    [foreign, removed, newId()].map((id) => world.request('GET', `${EVENTS}?after=${id}`, { headers })),
  )
  assert.deepEqual([answers[0]?.status, answers[0]?.body.code], [404, 'EVENT_NOT_FOUND'])
  assert.match(String(answers[0]?.body.detail), /leave "after" out/)
  assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1)
})

test('"next" leads on from an empty list, also to the first event ever', async (t) => {
  const world = await startWorld(t, { works: false })
  assert.deepEqual(await read(world, 'after=latest'), { events: [], hasMore: false, next: null })
  const [first = ''] = await record(world, 1)
  await untilRead(world, 1)
  const { next, events } = await read(world, 'after=latest')
  assert.deepEqual([next, events], [first, []])
  const [second] = await record(world, 1)
  const later = await read(world, `after=${first.toUpperCase()}&wait=30`)
  assert.deepEqual([idsOf(later.events), later.next], [[second], second])
})

test('a waiting request is answered when an event is recorded, on any node', async (t) => {
  const world = await startWorld(t)
  const other = await world.node({ works: false })
  for (const { url } of [world.first, other]) {
    const waiting = read(world, 'after=latest&wait=30', { url })
    const otp = await world.sendOtp()
    await world.whatsapp.reports(otp, ['sent'])
    const { events } = await waiting
    assert.equal(events[0]?.data.messageId, otp.messageId)
  }
})

test('a wait without an event ends with an empty list and holds no connection', async (t) => {
  const world = await startWorld(t, { works: false })
  const began = performance.now()
  const keys = [await world.freshKey(), await world.freshKey()]
  const waiting = keys.flatMap((key) =>
    Array.from({ length: MAX_WAITING_PER_KEY }, () => read(world, 'wait=2', { key })),
  )
  assert.ok(waiting.length > world.parts.config.databasePool)
  await world.sendOtp()
  for (const page of await Promise.all(waiting)) assert.deepEqual(page, { events: [], hasMore: false, next: null })
  assert.ok(performance.now() - began >= 2_000)
})

/** Counts looks for events: a request that waits has looked at least twice. */
function countLooks() {
  let looks = 0
  const wrapDb = (db: Db): Db =>
    spyOnDb(db, ({ statement, run }) => {
      if (statement.name === 'list_events_after') looks += 1
      return run()
    })
  return { wrapDb, untilWaiting: () => waitFor('a request to wait', () => looks >= 2) }
}

/** Requests that wait, and what ends them. */
function startWaiting(
  t: TestContext,
  world: World,
  { key, count }: { key: string; count: number },
): { ends: AbortController[]; answers: Promise<Response>[] } {
  const ends = Array.from({ length: count }, () => new AbortController())
  t.after(() => ends.forEach((end) => end.abort()))
  const answers = ends.map(({ signal }) =>
    fetch(`${world.first.url}${EVENTS}?wait=30`, { headers: { authorization: `Bearer ${key}` }, signal }),
  )
  for (const answer of answers) answer.catch(() => undefined)
  return { ends, answers }
}

test('a key has a limited number of waiting requests, and a disconnect frees a place', async (t) => {
  const world = await startWorld(t, { works: false })
  const key = await world.freshKey()
  const { ends, answers } = startWaiting(t, world, { key, count: MAX_WAITING_PER_KEY + 1 })
  const rejected = await Promise.race(answers) // the others wait
  assert.equal(rejected.status, 429)
  const another = await world.request('GET', `${EVENTS}?wait=1`, { key })
  assert.deepEqual([another.status, /10 requests that wait/.test(String(another.body.detail))], [429, true])
  assert.equal((await world.request('GET', EVENTS, { key: await world.freshKey() })).status, 200)
  for (const end of ends.slice(0, 2)) end.abort() // at least one of them waits
  const hasRoom = async () => (await world.request('GET', `${EVENTS}?wait=1`, { key })).status === 200
  await waitFor('room for another', hasRoom)
})

test('a node that stops answers its waiting requests immediately', async (t) => {
  const world = await startWorld(t)
  const { wrapDb, untilWaiting } = countLooks()
  const other = await world.node({ works: false, wrapDb })
  const waiting = read(world, 'wait=30', { url: other.url })
  await untilWaiting()
  const began = performance.now()
  await Promise.all([waiting, other.app.stop()])
  assert.ok(performance.now() - began < 10_000)
})

test('a key that is revoked while its request waits gets no events', async (t) => {
  const { wrapDb, untilWaiting } = countLooks()
  const world = await startWorld(t, { works: false, wrapDb })
  const key = await world.freshKey()
  const waiting = world.request('GET', `${EVENTS}?wait=30`, { key })
  await untilWaiting()
  await revokeKey(world.parts.db, { ...world, publicId: key.split('_')[1] ?? '' })
  await waitFor('the key to be rejected', async () => (await world.request('GET', EVENTS, { key })).status === 401)
  await record(world, 1)
  assert.equal((await waiting).status, 401)
})

test('database errors are answered with 500 and 503, as on every route', async (t) => {
  let fault: Error | undefined
  const world = await startWorld(t, {
    works: false,
    mayLogErrors: true,
    wrapDb: failingDb((name) => name === 'list_events_after' && fault),
  })
  fault = new TypeError('inner secret')
  assert.equal((await world.request('GET', EVENTS)).status, 500)
  fault = new DatabaseUnavailable(new Error('gone'))
  assert.equal((await world.request('GET', EVENTS)).status, 503)
})
