import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DoorcodeConnectionError, createClient, isDoorcodeError } from '../src/index.ts'
import { MAX_RETRY_AFTER_MS, readRetryAfter, waitBeforeRetry } from '../src/retry.ts'
import { type OperationName, routes } from '../src/routes.ts'
import { API_KEY, problem, startInstance } from './instance.ts'

const OTP = { to: '+212612345678', senderId: 's', template: { name: 'login_code', language: 'en' }, code: '123456' }
const NOW = { 'retry-after': '0' }

test('a request is sent again with the same idempotency key until the instance accepts it', async (t) => {
  const { client, requests } = await startInstance(t, [
    problem(503, 'SERVICE_UNAVAILABLE', NOW),
    problem(429, 'RATE_LIMITED', NOW),
    { status: 202, body: { messageId: 'm-1' } },
  ])
  assert.equal((await client.sendOtpMessage(OTP)).messageId, 'm-1')
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  assert.equal(keys.length, 3)
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
  assert.equal(new Set(keys).size, 1)
  assert.equal(new Set(requests.map(({ body }) => body)).size, 1)
  await client.sendOtpMessage(OTP)
  assert.notEqual(requests[3]?.headers['idempotency-key'], keys[0])
})

test('the error of a failing instance names the key to try again with', async (t) => {
  const { client, requests } = await startInstance(t, [problem(500, 'INTERNAL_ERROR', NOW)])
  await assert.rejects(client.sendOtpMessage(OTP), (error) => {
    assert.ok(isDoorcodeError(error, 'sendOtpMessage'))
    assert.equal(error.idempotencyKey, requests[0]?.headers['idempotency-key'])
    return true
  })
  assert.equal(requests.length, 3)
})

test('a broken connection is tried again, and the error names the key when none is left', async (t) => {
  const { client, requests } = await startInstance(t, [{ breaks: true }])
  await assert.rejects(client.sendOtpMessage(OTP, { idempotencyKey: 'login-1', maxRetries: 1 }), (error) => {
    assert.ok(error instanceof DoorcodeConnectionError)
    assert.deepEqual([error.idempotencyKey, error.status, error.isTimeout], ['login-1', undefined, false])
    return true
  })
  assert.equal(requests.length, 2)
})

test('a rejected request is not sent again', async (t) => {
  for (const [status, code] of [
    [401, 'API_KEY_INVALID'],
    [409, 'IDEMPOTENCY_KEY_REUSED'],
    [422, 'RECIPIENT_BLOCKED'],
    [429, 'OTP_QUOTA_EXCEEDED'],
  ] as const) {
    const { client, requests } = await startInstance(t, [problem(status, code)])
    await assert.rejects(client.sendOtpMessage(OTP), (error) => {
      assert.ok(isDoorcodeError(error, 'sendOtpMessage'))
      assert.ok(!isDoorcodeError(error, 'getOtpMessage'))
      assert.deepEqual([error.code, error.status, error.correlationId, error.faults], [code, status, 'c-1', []])
      assert.match(error.message, new RegExp(`^${code}: Why`))
      return true
    })
    assert.equal(requests.length, 1, code)
  }
})

test('only a response before the request was accepted lets a request without a key be sent again', () => {
  const connection = new DoorcodeConnectionError('listEvents', undefined, { reason: '' })
  const limited = new DoorcodeConnectionError('listEvents', undefined, { reason: '', status: 429, retryAfterMs: 1000 })
  const attempt = { retries: 0, isRepeatable: false }
  assert.equal(waitBeforeRetry(connection, attempt, 0), undefined)
  assert.equal(waitBeforeRetry(limited, attempt, 0), 1000)
  assert.equal(waitBeforeRetry(connection, { ...attempt, isRepeatable: true }, 0), 250)
})

test('waits double up to a limit, vary, and are never shorter than the instance asks', () => {
  const error = (retryAfterMs?: number) =>
    new DoorcodeConnectionError('listEvents', undefined, { reason: '', status: 503, retryAfterMs })
  const wait = (retries: number, random: number, retryAfterMs?: number) =>
    waitBeforeRetry(error(retryAfterMs), { retries, isRepeatable: true }, random)
  assert.deepEqual([wait(0, 0), wait(1, 0), wait(4, 0), wait(9, 0)], [250, 500, 4000, 8000])
  assert.deepEqual([wait(0, 1), wait(0, 1, 2000), wait(0, 0, 2000)], [187.5, 2500, 2000])
  assert.equal(wait(0, 0, MAX_RETRY_AFTER_MS + 1), undefined)
})

test('Retry-After is read as seconds or as a date', () => {
  const now = Date.parse('2026-12-01T09:00:00Z')
  assert.equal(readRetryAfter('2', now), 2000)
  assert.equal(readRetryAfter('Tue, 01 Dec 2026 09:00:05 GMT', now), 5000)
  assert.equal(readRetryAfter('Tue, 01 Dec 2026 08:00:00 GMT', now), 0)
  assert.deepEqual([readRetryAfter(null, now), readRetryAfter('soon', now)], [undefined, undefined])
})

test('an instance that does not answer ends the call after its timeout', async (t) => {
  const { client } = await startInstance(t, [{ hangs: true }], { timeoutMs: 50, maxRetries: 0 })
  await assert.rejects(client.getOtpMessage({ messageId: 'm' }), { isTimeout: true, message: /within 50 ms/ })
})

test('the longest timeout does not end a call that waits for an event', async (t) => {
  const page = { events: [], hasMore: false, next: null }
  const { client } = await startInstance(t, [{ body: page }], { timeoutMs: 2 ** 31 - 1, maxRetries: 0 })
  assert.deepEqual(await client.listEvents({ wait: 25 }), page)
})

test('a signal ends a call and the wait before its retry with the reason of the signal', async (t) => {
  const reason = new Error('the user left')
  const { client, requests } = await startInstance(t, [{ hangs: true }])
  await assert.rejects(client.getOtpMessage({ messageId: 'm' }, { signal: AbortSignal.abort(reason) }), reason)
  assert.equal(requests.length, 0)
  const ending = new AbortController()
  const call = client.getOtpMessage({ messageId: 'm' }, { signal: ending.signal })
  ending.abort(reason)
  await assert.rejects(call, reason)
  const limited = await startInstance(t, [problem(429, 'RATE_LIMITED', { 'retry-after': '29' })])
  const leaving = new AbortController()
  const waiting = limited.client.getOtpMessage({ messageId: 'm' }, { signal: leaving.signal })
  waiting.catch(() => undefined)
  while (limited.requests.length === 0) await new Promise(setImmediate)
  leaving.abort(reason)
  await assert.rejects(waiting, reason)
})

test('the answer of a proxy or of another program is an error of the connection, and no redirect is followed', async (t) => {
  const proxy = await startInstance(t, [{ status: 403, body: '<h1>Forbidden</h1>' }])
  await assert.rejects(proxy.client.listEvents(), { status: 403, message: /responded with 403, but not as Doorcode/ })
  const page = await startInstance(t, [{ status: 200, body: '<h1>Welcome</h1>' }])
  await assert.rejects(page.client.listEvents(), { status: 200 })
  const target = await startInstance(t, [{}])
  const moved = await startInstance(t, [{ status: 302, headers: { location: `${target.url}/elsewhere` } }])
  await assert.rejects(moved.client.listEvents(), { message: /redirects to .*elsewhere/ })
  assert.equal(target.requests.length, 0)
})

test('no call takes the JSON of another program for a success, and the error shows its address but not its text', async (t) => {
  for (const body of [{ ok: true }, [], { data: { messageId: 'm' } }, { echo: OTP }]) {
    const { client, url, requests } = await startInstance(t, [{ body }])
    await assert.rejects(client.sendOtpMessage(OTP), (error) => {
      assert.ok(error instanceof DoorcodeConnectionError)
      assert.ok(
        error.message.includes(`${url}/api/v1/otp/messages responded with 200, but not as Doorcode`),
        error.message,
      )
      assert.ok(!error.message.includes(JSON.stringify(body)), 'it may repeat the code')
      return true
    })
    assert.equal(requests.length, 1)
    for (const operation of Object.keys(routes) as OperationName[]) {
      const call = client[operation] as (input: object) => Promise<unknown>
      const ids = { messageId: 'm', verificationId: 'v', confirmationId: 'c' }
      await assert.rejects(call(ids), { name: 'DoorcodeConnectionError', status: 200 }, operation)
    }
  }
})

test('the fields of a call become its path, its query or its body', async (t) => {
  const { client, requests } = await startInstance(t, [{ body: { confirmationId: 'c', events: [], refusalCheck: {} } }])
  await client.getConfirmation({ confirmationId: 'a/../b' })
  await client.listEvents({ after: 'latest', limit: 5 }, { correlationId: 'c-9' })
  await client.createRefusalCheck(
    { confirmationId: 'c', senderId: 's', template: { name: 'n', language: 'en' } } as never,
    {
      idempotencyKey: 'commande-é',
    },
  )
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['GET', '/api/v1/cod-confirmations/a%2F..%2Fb', ''],
      ['GET', '/api/v1/events?after=latest&limit=5', ''],
      ['POST', '/api/v1/cod-confirmations/c/refusal-check', '{"senderId":"s","template":{"name":"n","language":"en"}}'],
    ],
  )
  const [, events, check] = requests.map(({ headers }) => headers)
  assert.equal(events?.authorization, `Bearer ${API_KEY}`)
  assert.equal(events?.['x-correlation-id'], 'c-9')
  assert.equal(Buffer.from(String(check?.['idempotency-key']), 'latin1').toString(), 'commande-é')
  await assert.rejects(client.getOtpMessage({} as never), /getOtpMessage needs messageId/)
})

test('an option with the wrong form is an error at once, and no error shows the key', () => {
  const wrong: [object, RegExp][] = [
    [{ url: 'doorcode.example' }, /"url"/],
    [{ url: 'https://doorcode.example/shop' }, /"url"/],
    [{ apiKey: 'dck_short_secret' }, /"apiKey" is incomplete/],
    [{ timeoutMs: 0 }, /"timeoutMs"/],
    [{ maxRetries: 11 }, /"maxRetries"/],
  ]
  for (const [options, message] of wrong)
    assert.throws(
      () => createClient({ url: 'https://doorcode.example', apiKey: API_KEY, ...options }),
      (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /dck_short/)
        return true
      },
    )
  for (const url of ['https://doorcode.example/', 'https://doorcode.example/api/v1'])
    assert.ok(createClient({ url, apiKey: API_KEY }))
})
