import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type World, startWorld } from '../world.ts'

/** Chosen so that a run takes a second or two; a failure prints its seed. */
const RUNS = 250
const MISSING_ID = '00000000-0000-4000-8000-000000000000'

/** What of a workspace a request may have stored. */
const stored = (world: World) =>
  world.ask(
    `select (select count(*)::int from messages where workspace_id = $1) as messages,
       (select coalesce(sum(used), 0)::int from quota_usage where workspace_id = $1) as units,
       (select count(*)::int from events where workspace_id = $1) as events,
       (select count(*)::int from provider_reports where workspace_id = $1) as reports`,
    [world.workspaceId],
  )

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    'null',
    '1e999',
    '<b>',
    "'; drop table messages; --",
    '%00',
    '😀'.repeat(200),
  ),
)
const anything = fc.anything({
  withBigInt: false,
  withDate: false,
  maxDepth: 4,
  values: [text, fc.double(), fc.boolean(), fc.constant(null)],
})

/** A good body with some members replaced, dropped or added. */
const almostGood = (world: World) =>
  fc
    .tuple(
      fc.subarray(['to', 'senderId', 'template', 'code', 'reference']),
      fc.dictionary(
        fc.oneof(text, fc.constantFrom('to', 'senderId', 'template', 'code', 'reference', 'constructor')),
        anything,
        { maxKeys: 3 },
      ),
    )
    .map(([dropped, changes]) => {
      const body: Record<string, unknown> = { ...world.otpBody(), reference: 'r', ...changes }
      for (const name of dropped.slice(0, 1)) if (!(name in changes)) delete body[name]
      return body
    })

/** Headers that HTTP can carry; `host` and lengths belong to the client. */
const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'idempotency-key',
      'x-correlation-id',
      'content-type',
      'accept',
      'accept-encoding',
      'content-encoding',
      'traceparent',
      'x-forwarded-for',
      'if-none-match',
      'origin',
      'cookie',
    ),
    fc.stringMatching(/^x-[a-z]{1,10}$/),
  ),
  fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e\x80-\xff]{0,140}[\x21-\x7e])?$/),
  { maxKeys: 3 },
)

const segment = fc.oneof(
  fc.string({ maxLength: 40 }).map(encodeURIComponent),
  fc.constantFrom('..', '.', '', '%00', '%zz', '%c0%af', MISSING_ID, 'messages', 'a'.repeat(300)),
)
const query = fc.oneof(
  fc.constant(''),
  fc.constantFrom('?', '?a', '?a=1&a=2', '?__proto__[x]=1', '?%zz', '?code=123'),
  fc.webQueryParameters().map((given) => `?${given}`),
)

test('whatever is posted is accepted or refused with a documented answer, and only what is accepted is stored', async (t) => {
  const world = await startWorld(t, { works: false })
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, almostGood(world)), headers, query, async (body, given, search) => {
      const before = await stored(world)
      const rawBody = JSON.stringify(body) ?? ''
      const answer = await world.request('POST', `/api/v1/otp/messages${search}`, { rawBody, headers: given })
      assert.ok(answer.status < 500, answer.text)
      if (answer.status !== 202) assert.deepEqual(await stored(world), before)
    }),
    { numRuns: RUNS },
  )
})

test('bytes that are no JSON at all are refused with a documented answer', async (t) => {
  const world = await startWorld(t, { works: false })
  const before = await stored(world)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), headers, async (bytes, given) => {
      const answer = await world.request('POST', '/api/v1/otp/messages', {
        rawBody: Buffer.from(bytes),
        headers: given,
      })
      assert.ok(answer.status < 500, answer.text)
    }),
    { numRuns: RUNS },
  )
  assert.deepEqual(await stored(world), before)
})

test('whatever path and method are asked for, the answer is documented', async (t) => {
  const world = await startWorld(t, { works: false })
  // A client resolves dot segments before it asks: what leaves the API that way is no question about the API.
  const staysInApi = (asked: string): boolean => /^\/api\//i.test(new URL(asked, world.first.url).pathname)
  const anyPath = fc.oneof(
    fc
      .tuple(fc.constantFrom('/api/v1/otp/messages/', '/api/v1/', '/api/v2/', '/API/V1/'), segment)
      .map((parts) => parts.join('')),
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/api/v1/${parts.join('/')}`),
  )
  const path = anyPath.filter(staysInApi)
  const key = fc.oneof(fc.constant(undefined), fc.constant(null), fc.stringMatching(/^[\x21-\x7e]{1,80}$/))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      path,
      query,
      headers,
      key,
      async (method, asked, search, given, withKey) => {
        const answer = await world.request(method, `${asked}${search}`, {
          headers: given,
          ...(withKey !== undefined && { key: withKey }),
        })
        assert.ok(answer.status < 500, answer.text)
      },
    ),
    { numRuns: RUNS },
  )
})

test('whatever the provider’s path is sent, the answer is no fault and nothing unsigned is stored', async (t) => {
  const world = await startWorld(t, { works: false })
  const before = await stored(world)
  const url = `${world.first.url}${world.account.webhookPath}`
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST'),
      query,
      headers,
      fc.uint8Array({ maxLength: 200 }),
      async (method, search, given, bytes) => {
        const { 'content-encoding': _, ...sendable } = given
        const answer = await fetch(url + search.replaceAll(/%(?![0-9a-f]{2})/gi, ''), {
          method,
          headers: sendable,
          ...(method === 'POST' && { body: Buffer.from(bytes) }),
        })
        assert.ok(answer.status < 500, `${answer.status}`)
      },
    ),
    { numRuns: RUNS },
  )
  assert.deepEqual(await stored(world), before)
})
