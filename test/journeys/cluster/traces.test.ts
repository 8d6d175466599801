import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createLog } from '../../../src/lib/log.ts'
import { MAX_WAITING_SPANS, createTracer, parseTraceparent } from '../../../src/lib/tracing.ts'
import { createRemovalGuard } from '../../../src/operations/lifecycle/retention/guard.ts'
import { housekeepingLoop } from '../../../src/runtime/background/housekeeping.ts'
import { TRACE_KEPT_MS } from '../../../src/runtime/jobs/traces.ts'
import { attributesOf, startCollector } from '../../world/collector.ts'
import { createHook, postHook, supabaseBody, supabaseHeaders } from '../../world/hooks.ts'
import { listen } from '../../world/listen.ts'
import { startOrder } from '../../world/order.ts'
import { waitFor } from '../../world/wait-for.ts'
import { spyOnDb } from '../../database/db-spy.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

async function openCollector(t: TestContext, options?: { status?: number; hangs?: boolean }) {
  const collector = await startCollector(options)
  t.after(() => collector.stop())
  return collector
}

/** WhatsApp as the program reaches it: forwards to the emulator and keeps the headers of sends. */
async function watchSends(t: TestContext, world: World): Promise<IncomingHttpHeaders[]> {
  const sends: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      if (request.url?.endsWith('/messages')) sends.push(request.headers)
      const body = await buffer(request)
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers
      const answer = await fetch(world.emulator.url + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': type },
        ...(body.length > 0 && { body }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
    forward().catch(() => response.destroy())
  })
  const url = `http://${await listen(t, server)}`
  await world.query('update provider_accounts set graph_url = $1 where workspace_id = $2', [url, world.workspaceId])
  return sends
}

const traceIdOfHeaders = ({ traceparent }: IncomingHttpHeaders) => String(traceparent).split('-')[1]

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CLIENT_SPAN = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE_ID}-${CLIENT_SPAN}-01`

const SPANS_OF_AN_OTP = ['attempt', 'delivery', 'group commit', 'report', 'POST /api/v1/otp/messages']

test('one order from the client’s request to the delivery is one trace, which goes on at the provider and the endpoint', async (t) => {
  const collector = await openCollector(t)
  const { world, receiver } = await startOrder(t, {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' },
  })
  const sends = await watchSends(t, world)
  await world.confirmedOrder({}, { headers: { traceparent: TRACEPARENT } })
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE_ID)
  const names = () => new Set(ofTrace().map(({ name }) => name))
  await waitFor(
    () => `every kind of span; there are ${[...names()].join(', ')}`,
    () => names().size >= 5,
  )
  assert.deepEqual([...names()].sort(), [
    'POST /api/v1/cod-confirmations',
    'attempt',
    'delivery',
    'group commit',
    'report',
  ])
  const request = ofTrace().find(({ name }) => name.startsWith('POST'))
  assert.ok(request)
  assert.equal(request.parentSpanId, CLIENT_SPAN)
  for (const span of ofTrace()) {
    if (span !== request) assert.equal(span.parentSpanId, request.spanId, span.name)
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))
  }
  const sent = sends.flatMap(({ traceparent }) => (typeof traceparent === 'string' ? traceparent : []))
  const attempts = ofTrace().filter(({ name }) => name === 'attempt')
  assert.deepEqual(
    new Set(attempts.map(({ spanId }) => `00-${TRACE_ID}-${spanId}-01`)),
    new Set(sent.filter((each) => each.includes(TRACE_ID))),
  )
  const delivered = receiver.received.filter(({ headers }) => String(headers['traceparent']).includes(TRACE_ID))
  assert.deepEqual(
    delivered.map(({ event }) => event.type),
    ['cod.confirmed'],
  )
  assert.equal(collector.headers()['x-key'], 'a b')
  assert.deepEqual(
    collector.resources[0]?.attributes.map(({ key, value }) => [key, value.stringValue]),
    [
      ['service.name', 'doorcode'],
      ['service.version', '0.1.0'],
      ['service.instance.id', world.parts.node.id],
    ],
  )
})

test('a code on its way is one trace over two nodes, without the code or the number', async (t) => {
  const collector = await openCollector(t)
  const world = await startWorld(t, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  await world.node()
  await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const traceOf = () => collector.spans.find(({ name }) => name === 'POST /api/v1/otp/messages')?.traceId
  const names = () => new Set(collector.spans.filter(({ traceId }) => traceId === traceOf()).map(({ name }) => name))
  await waitFor(
    () => `every kind of span; there are ${[...names()].join(', ')}`,
    () => names().size === SPANS_OF_AN_OTP.length,
  )
  assert.deepEqual([...names()].sort(), SPANS_OF_AN_OTP.toSorted())
  const attempt = collector.spans.find(({ name }) => name === 'attempt')
  assert.ok(attempt)
  assert.deepEqual(attributesOf(attempt), {
    'doorcode.message_id': otp.messageId,
    'doorcode.attempt': '1',
    'doorcode.outcome': 'accepted',
  })
  for (const hidden of [otp.code, otp.to, otp.to.slice(1)]) assert.ok(!collector.bodies.join().includes(hidden))
})

test('a verification and its resend are sent in the traces of their requests', async (t) => {
  const collector = await openCollector(t)
  const world = await startWorld(t, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const sends = await watchSends(t, world)
  const verification = await world.startVerification({}, { headers: { traceparent: TRACEPARENT } })
  await world.settled()
  world.advance('30s')
  const resendTraceId = TRACE_ID.replaceAll('4', '5')
  const resent = await world.resend(verification, {
    headers: { traceparent: TRACEPARENT.replace(TRACE_ID, resendTraceId) },
  })
  assert.equal(resent.status, 202, resent.text)
  await world.settled()
  assert.deepEqual(sends.map(traceIdOfHeaders), [TRACE_ID, resendTraceId])
})

test('a code from an auth hook is sent in the trace of its request', async (t) => {
  const collector = await openCollector(t)
  const world = await startWorld(t, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const sends = await watchSends(t, world)
  const hook = await createHook(world, 'supabase')
  const phone = newPhone()
  const body = supabaseBody({ phone, code: '493817' })
  const signed = supabaseHeaders(body, world.clock.now(), [hook.secret ?? ''])
  const responses = [
    await postHook(hook.url, body, { ...signed, traceparent: TRACEPARENT }),
    await postHook(hook.url, '{}', {}),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 401],
  )
  await world.settled()
  assert.deepEqual(sends.map(traceIdOfHeaders), [TRACE_ID])
  const requests = () => collector.spans.filter(({ name }) => name === 'POST /hooks/:hookId')
  await waitFor('the spans of both requests', () => requests().length === 2)
  const [accepted] = requests()
  assert.ok(accepted)
  assert.deepEqual([accepted.traceId, accepted.parentSpanId], [TRACE_ID, CLIENT_SPAN])
  assert.deepEqual(
    requests().map((span) => attributesOf(span)['http.response.status_code']),
    ['200', '401'],
  )
  for (const hidden of [phone, phone.slice(1), '493817', hook.hookId, hook.secret ?? ''])
    assert.ok(!collector.bodies.join().includes(hidden))
})

test('a trace that the client does not sample makes no span, and is passed on', async (t) => {
  const collector = await openCollector(t)
  const world = await startWorld(t, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const receiver = await world.receiver()
  const otp = await world.sendOtp({}, { headers: { traceparent: TRACEPARENT.replace(/01$/, '00') } })
  await world.whatsapp.reports(otp, ['sent'])
  assert.match(String(receiver.received[0]?.headers['traceparent']), new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`))
  await world.parts.tracer?.close()
  assert.deepEqual(
    collector.spans.filter(({ traceId }) => traceId === TRACE_ID),
    [],
  )
})

test('without the setting a traceparent is ignored: no span, no row, no header', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const sends = await watchSends(t, world)
  const otp = await world.sendOtp({}, { headers: { traceparent: TRACEPARENT } })
  await world.whatsapp.reports(otp, ['sent'])
  assert.equal(world.parts.tracer, undefined)
  assert.ok(sends.length > 0 && receiver.received.length > 0)
  for (const headers of [...sends, ...receiver.received.map((each) => each.headers)])
    assert.equal(headers['traceparent'], undefined)
  assert.deepEqual(await world.query('select from traces where id = $1', [otp.messageId]), [])
})

test('a rejected request is logged with its trace and the release', async (t) => {
  const collector = await openCollector(t)
  const world = await startWorld(t, { settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const headers = { traceparent: TRACEPARENT }
  const answer = await world.request('POST', '/api/v1/otp/messages', { body: {}, headers })
  const { url, secret } = await createHook(world, 'supabase')
  const signed = supabaseHeaders('{}', world.clock.now(), [secret ?? ''])
  const ofHook = await postHook(url, '{}', { ...signed, ...headers })
  assert.deepEqual([answer.status, ofHook.status], [422, 200]) // Supabase reads an error from the body of a 200
  const lines = world.first.logLines.filter((each) => each.includes('a request was rejected'))
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as Record<string, string>).map(({ trace, release }) => [trace, release]),
    [
      [TRACE_ID, '0.1.0'],
      [TRACE_ID, '0.1.0'],
    ],
  )
})

/** With a trace that is old, and one that is not. */
async function worldWithTraces(t: TestContext): Promise<World> {
  const world = await startWorld(t, { works: false })
  const old = new Date(Date.now() - TRACE_KEPT_MS - 60_000)
  await world.query(`insert into traces values (gen_random_uuid(), 'old', $1), (gen_random_uuid(), 'new', now())`, [
    old,
  ])
  return world
}

async function assertOldRemoved(world: World): Promise<void> {
  const rows = await world.query(`select traceparent from traces where traceparent in ('old', 'new')`)
  assert.deepEqual(rows, [{ traceparent: 'new' }])
  await world.query(`delete from traces where traceparent = 'new'`)
}

test('housekeeping removes old traces', async (t) => {
  const world = await worldWithTraces(t)
  await housekeepingLoop({ ...world.parts, guard: createRemovalGuard(world.parts) }).turn()
  await assertOldRemoved(world)
})

test('a removal that fails keeps housekeeping from no other, and fails its turn', async (t) => {
  const world = await worldWithTraces(t)
  const db = spyOnDb(world.parts.db, ({ statement: { name }, run }) =>
    name === 'remove_idle_pair_paces' ? Promise.reject(new Error('locked')) : run(),
  )
  const turn = housekeepingLoop({ ...world.parts, db, guard: createRemovalGuard(world.parts) }).turn()
  await assert.rejects(turn, /locked/)
  await assertOldRemoved(world)
})

function startTracer(t: TestContext, endpoint: string) {
  const lost = { full: 0, not_exported: 0 }
  const tracer = createTracer(
    { endpoint, headers: {}, serviceName: 'test' },
    {
      log: createLog('silent'),
      node: 'node',
      release: '0',
      dropped: (reason, spans) => {
        lost[reason] += spans
      },
    },
  )
  t.after(() => tracer.close())
  return {
    tracer,
    lost,
    add: (spans: number) => Array.from({ length: spans }, () => tracer.start('x', { kind: 'internal' }).end()),
  }
}

test('a receiver that hangs delays nothing: spans wait up to a limit, and the others are dropped and counted', async (t) => {
  const collector = await openCollector(t, { hangs: true })
  const { lost, add } = startTracer(t, collector.url)
  add(3 * MAX_WAITING_SPANS)
  await waitFor('the export', () => collector.requests() === 1)
  assert.ok(lost.full > MAX_WAITING_SPANS && lost.full <= 2 * MAX_WAITING_SPANS)
})

test('spans that the receiver rejects, or that find none, are counted', async (t) => {
  const collector = await openCollector(t, { status: 503 })
  const rejected = startTracer(t, collector.url)
  rejected.add(5)
  await rejected.tracer.close()
  assert.deepEqual(rejected.lost, { full: 0, not_exported: 5 })
  const alone = startTracer(t, 'http://127.0.0.1:1')
  alone.add(7)
  await alone.tracer.close()
  assert.deepEqual(alone.lost, { full: 0, not_exported: 7 })
})

test('only a traceparent of W3C Trace Context is taken', () => {
  assert.deepEqual(parseTraceparent(TRACEPARENT), { traceId: TRACE_ID, spanId: CLIENT_SPAN, isSampled: true })
  assert.equal(parseTraceparent(TRACEPARENT.replace(/01$/, '00'))?.isSampled, false)
  assert.equal(parseTraceparent(`01-${TRACE_ID}-${CLIENT_SPAN}-01-later`)?.traceId, TRACE_ID)
  for (const wrong of [
    '',
    `${TRACEPARENT}-more`,
    TRACEPARENT.toUpperCase(),
    `ff-${TRACE_ID}-${CLIENT_SPAN}-01`,
    `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
  ])
    assert.equal(parseTraceparent(wrong), undefined, wrong)
})
