import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPhone, startWorld } from '../../../test/world/world.ts'
import { DoorcodeError, type RecordedEvent, createClient, isDoorcodeError } from '../src/index.ts'
import { problem, startInstance } from './instance.ts'

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A row of the caller's database. */
function memory(saved?: string) {
  const ids: string[] = []
  return { ids, load: () => ids.at(-1) ?? saved, save: (id: string) => void ids.push(id) }
}

const eventsOf = (...ids: string[]) => ids.map((id) => ({ id, type: 'cod.confirmed', timestamp: '', data: {} }))
const page = (
  ids: string[],
  { hasMore = false, next = ids.at(-1) ?? null }: { hasMore?: boolean; next?: string | null } = {},
) => ({
  body: { events: eventsOf(...ids), hasMore, next },
})

test('events are read to the end over a real instance, and the next reader continues behind them', async (t) => {
  const world = await startWorld(t)
  const client = createClient({ url: world.first.url, apiKey: await world.freshKey() })
  const position = memory()
  const readAll = async (): Promise<RecordedEvent[]> =>
    Array.fromAsync(client.events({ position, follow: false, limit: 2 }))
  assert.deepEqual(await readAll(), [])
  const references = ['a', 'b', 'c', 'd', 'e']
  for (const reference of references) {
    const otp = await client.sendOtpMessage(world.otpBody({ reference }))
    await world.whatsapp.reports(otp, ['sent'])
  }
  await world.settled()
  const read: RecordedEvent[] = []
  while (read.length < references.length) read.push(...(await readAll())) // others' open transactions hold events back
  assert.deepEqual(
    read.map(({ type, data }) => [type, 'reference' in data && data.reference]),
    references.map((reference) => ['message.sent', reference]),
  )
  assert.deepEqual(position.ids, [FIRST_ID, ...read.map(({ id }) => id)])
  assert.deepEqual(await readAll(), [])
})

test('a real instance rejects a call with the codes of its type', async (t) => {
  const world = await startWorld(t)
  const client = createClient({ url: world.first.url, apiKey: await world.freshKey() })
  const { senderId, template } = world.otpBody()
  const to = newPhone()
  const sent = await client.sendOtpMessage({ to, senderId, template, code: '493817' }, { idempotencyKey: 'k' })
  assert.equal((await client.getOtpMessage({ messageId: sent.messageId })).to, to)
  const again = await client.sendOtpMessage({ to, senderId, template, code: '111111' }, { idempotencyKey: 'k' })
  assert.equal(again.messageId, sent.messageId)
  const codeOf = async (call: Promise<unknown>): Promise<string> => {
    const error: unknown = await call.then(
      () => assert.fail('the call succeeded'),
      (each: unknown) => each,
    )
    assert.ok(error instanceof DoorcodeError)
    assert.ok(error.help.endsWith(`/problems/${error.code}`))
    return error.code
  }
  assert.equal(
    await codeOf(client.sendOtpMessage({ to: newPhone(), senderId, template, code: '1' }, { idempotencyKey: 'k' })),
    'IDEMPOTENCY_KEY_REUSED',
  )
  assert.equal(await codeOf(client.getOtpMessage({ messageId: crypto.randomUUID() })), 'NOT_FOUND')
  const invalid = await client
    .sendOtpMessage({ to: '0612345678', senderId, template, code: '!' })
    .catch((error: unknown) => error)
  assert.ok(isDoorcodeError(invalid, 'sendOtpMessage') && invalid.code === 'DEVELOPER_INVALID_INPUT')
  assert.deepEqual(
    invalid.faults.map(({ pointer }) => pointer),
    ['/to', '/code'],
  )
})

test('an event is saved only after the loop has processed it', async (t) => {
  const { client, requests } = await startInstance(t, [page(['1', '2', '3'])])
  const position = memory('0')
  const failing = async (): Promise<void> => {
    for await (const event of client.events({ position })) if (event.id === '2') throw new Error('the database is down')
  }
  await assert.rejects(failing, /the database is down/)
  assert.deepEqual(position.ids, ['1'])
  for await (const _ of client.events({ position })) break
  assert.deepEqual(position.ids, ['1'])
  assert.deepEqual(
    requests.map(({ path }) => path),
    ['/api/v1/events?after=0', '/api/v1/events?after=1'],
  )
})

test('a reader of new events misses none, whether or not the workspace had an event', async (t) => {
  for (const next of [null, '7']) {
    const { client, requests } = await startInstance(t, [page([], { next }), page(['8']), page([], { next: '8' })])
    const [position, ending] = [memory(), new AbortController()]
    for await (const event of client.events({ position, start: 'latest', signal: ending.signal })) {
      assert.equal(event.id, '8')
      ending.abort()
    }
    assert.deepEqual(position.ids, [next ?? FIRST_ID, '8'])
    assert.deepEqual(
      requests.map(({ path }) => path),
      ['/api/v1/events?after=latest', `/api/v1/events?after=${next ?? FIRST_ID}&wait=25`],
    )
  }
})

test('a reader of new events reads the first event of a workspace again after its processing failed', async (t) => {
  const { client, requests } = await startInstance(t, [page([], { next: null }), page(['8'])])
  const position = memory()
  const failing = async (): Promise<void> => {
    for await (const _ of client.events({ position, start: 'latest' })) throw new Error('the database is down')
  }
  await assert.rejects(failing, /the database is down/)
  for await (const { id } of client.events({ position, start: 'latest' })) {
    assert.equal(id, '8')
    break
  }
  assert.equal(requests.at(-1)?.path, `/api/v1/events?after=${FIRST_ID}`)
})

test('a reader that follows waits out an outage, and stops for what only its owner can fix', async (t) => {
  const { client } = await startInstance(
    t,
    [problem(503, 'SERVICE_UNAVAILABLE'), page(['1']), problem(404, 'EVENT_NOT_FOUND')],
    { maxRetries: 0 },
  )
  const outages: Error[] = []
  const read: string[] = []
  const onOutage = (error: Error): void => void outages.push(error)
  const reading = async (): Promise<void> => {
    for await (const { id } of client.events({ position: memory(), onOutage })) read.push(id)
  }
  await assert.rejects(reading, (error) => isDoorcodeError(error, 'listEvents') && error.code === 'EVENT_NOT_FOUND')
  assert.deepEqual([read, outages.length], [['1'], 1])
})

test('the signal ends a reader that waits for an event, without an error', async (t) => {
  const { client, requests } = await startInstance(t, [page(['1']), { hangs: true }])
  const ending = new AbortController()
  const reading = Array.fromAsync(client.events({ position: memory(), signal: ending.signal }))
  while (requests.length < 2) await new Promise(setImmediate)
  ending.abort()
  assert.equal((await reading).length, 1)
})
