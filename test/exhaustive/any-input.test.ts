import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { HOOK_KINDS, type HookKind } from '../../src/otp/hooks/kinds.ts'
import { RESEND_INTERVAL_MS } from '../../src/otp/verifications/limits.ts'
import { anyText } from '../faults/any-text.ts'
import { createHook, postHook, supabaseHeaders, zitadelHeaders } from '../world/hooks.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

/** Chosen so that a run takes a few seconds; a failure prints its seed. */
const RUNS = 120
const RUNS_OF_ALL_ROUTES = 300
const SIGNING_KEY = 'kV3nQvZ8sT1wYb6eRm4x'
const MISSING_ID = '00000000-0000-4000-8000-000000000000'

/** What a request may have stored in a workspace. */
const stored = (world: World) =>
  world.query(
    `select (select count(*)::int from messages where workspace_id = $1) as messages,
       (select count(*)::int from otp_verifications where workspace_id = $1) as verifications,
       (select coalesce(sum(used), 0)::int from quota_usage where workspace_id = $1) as units,
       (select count(*)::int from confirmations where workspace_id = $1) as confirmations,
       (select count(*)::int from refusal_checks where workspace_id = $1) as checks,
       (select count(*)::int from provider_reports where workspace_id = $1) as reports`,
    [world.workspaceId],
  )

const text = fc.oneof(
  fc.string(),
  anyText,
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
  fc.array(fc.tuple(anyText, anyText)).map((pairs) => `?${new URLSearchParams(pairs).toString()}`),
)

type Operation = { method: string; path: string; needsBody: boolean; good: () => object | undefined }

/** Every operation of the API, each with a request that is accepted; a new one must be given its own here. */
async function operationsOf(world: World): Promise<Operation[]> {
  const goodBodies: Record<string, () => object | undefined> = {
    sendOtpMessage: () => ({ ...world.otpBody(), reference: 'r' }),
    startVerification: world.verificationBody,
    checkVerification: () => ({ code: '493817' }),
    resendVerification: () => undefined,
    createConfirmation: world.confirmationBody,
    createRefusalCheck: world.refusalBody,
  }
  const document = (await (await fetch(`${world.first.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; requestBody?: { required: boolean } }>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      const needsBody = requestBody?.required === true
      const good = method === 'post' ? goodBodies[operationId] : () => undefined
      return { method: method.toUpperCase(), path, needsBody, good: good ?? assert.fail(`no good ${operationId}`) }
    }),
  )
}

/** Enough confirmations that each run of a refusal check finds one without a check. */
const CONFIRMATIONS = 40

/** For each path parameter of the API: ids that exist in the workspace. */
async function idsOf(world: World): Promise<Record<string, readonly string[]>> {
  await world.codSettings()
  const otps = [await world.sendOtp(), await world.sendOtp()]
  const confirmations = await Promise.all(Array.from({ length: CONFIRMATIONS }, () => world.createConfirmation()))
  const verifications = [await world.startVerification(), await world.startVerification()]
  await world.after(`${RESEND_INTERVAL_MS}ms`)
  return {
    verificationId: verifications.map(({ verificationId }) => verificationId),
    messageId: otps.map(({ messageId }) => messageId),
    confirmationId: confirmations.map(({ confirmationId }) => confirmationId),
  }
}

/** The path with `id(name)` in place of each of its parameters. */
const filled = (path: string, id: (name: string) => string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => id(name))

const lastOf = (ids: Record<string, readonly string[]>, name: string): string =>
  ids[name]?.at(-1) ?? assert.fail(`this test has no id for {${name}}`)

/** A fault in a valid body: the member, and what happens to it. */
type Fault = { at: number; how: 'drop' | 'replace' | 'add'; name: string; value: unknown }

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('drop', 'replace', 'add'),
  name: fc.oneof(text, fc.constantFrom('code', 'to', 'header', 'constructor')),
  value: anything,
})

/** The body with one member, however deep, dropped, replaced or added. */
function broken(body: object, { at, how, name, value }: Fault): unknown {
  const copy = structuredClone(body)
  const members = membersOf(copy)
  const member = members[at % members.length]
  if (!member) return { [name]: value }
  if (how === 'drop') Reflect.deleteProperty(member.holder, member.name)
  else define(member.holder, how === 'add' ? name : member.name, value)
  return copy
}

function membersOf(holder: object): { holder: object; name: string }[] {
  return Object.entries(holder).flatMap(([name, value]) => [
    { holder, name },
    ...(typeof value === 'object' && value !== null ? membersOf(value as object) : []),
  ])
}

/** Defines an own member, whatever its name. */
const define = (holder: object, name: string, value: unknown): boolean =>
  Reflect.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

/** Leaves out dot segments, which a client resolves, and the empty text: both make another path. */
const anyId = fc.oneof(
  segment.filter((text) => !/^\.{0,2}$/.test(text)),
  fc.constant(MISSING_ID),
)

/** Three quarters of the requests break no more than one thing. */
const anyRequest = fc.record({
  body: fc.oneof(
    { weight: 2, arbitrary: fault.map((fault) => ({ fault })) },
    { weight: 1, arbitrary: anything.map((instead) => ({ instead })) },
    { weight: 1, arbitrary: fc.constant({}) },
  ),
  ids: fc.oneof(fc.nat(), fc.nat(), anyId),
  headers: fc.oneof(fc.constant({}), fc.constant({}), headers),
  search: fc.oneof(fc.constant(''), fc.constant(''), query),
})

function bodyOf(good: object | undefined, body: { fault?: Fault; instead?: unknown }): string | undefined {
  if ('instead' in body) return JSON.stringify(body.instead)
  if (!good) return undefined
  return JSON.stringify(body.fault ? broken(good, body.fault) : good)
}

test('every route gives any request a documented answer and stores only accepted ones', async (t) => {
  const world = await startWorld(t)
  const [operations, ids] = [await operationsOf(world), await idsOf(world)]
  assert.ok(operations.length >= 5)
  for (const { method, path, good } of operations) {
    const answer = await world.request(
      method,
      filled(path, (name) => lastOf(ids, name)),
      { body: good() },
    )
    assert.ok(answer.status < 300, `a good ${method} ${path}: ${answer.text}`)
  }
  let before = await stored(world)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations), anyRequest, async ({ method, path, good }, sent) => {
      const url = filled(path, (name) =>
        typeof sent.ids === 'string' ? sent.ids : (ids[name]?.[sent.ids % ids[name].length] ?? MISSING_ID),
      )
      const rawBody = bodyOf(good(), sent.body)
      const answer = await world.request(method, url + sent.search, {
        headers: sent.headers,
        ...(rawBody !== undefined && { rawBody }),
      })
      const after = await stored(world)
      if (answer.status !== 202) assert.deepEqual(after, before)
      before = after
    }),
    { numRuns: RUNS_OF_ALL_ROUTES },
  )
})

test('every route rejects random bytes with a documented response', async (t) => {
  const world = await startWorld(t)
  const [operations, ids] = [await operationsOf(world), await idsOf(world)]
  const before = await stored(world)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...operations),
      fc.uint8Array({ maxLength: 300 }),
      headers,
      async (of, bytes, headers) => {
        const url = filled(of.path, (name) => lastOf(ids, name))
        const isAccepted = of.method === 'POST' && !of.needsBody && bytes.length === 0 // a resend
        if (isAccepted) return
        const answer = await world.request(of.method, url, { rawBody: Buffer.from(bytes), headers })
        if (of.needsBody) assert.ok(answer.status >= 400, answer.text)
      },
    ),
    { numRuns: RUNS },
  )
  assert.deepEqual(await stored(world), before)
})

test('any path and method get a documented answer', async (t) => {
  const world = await startWorld(t, { works: false })
  // A client resolves dot segments before it sends the request, so some paths leave the API.
  const staysInApi = (path: string): boolean => /^\/api\//i.test(new URL(path, world.first.url).pathname)
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
      async (method, path, search, headers, withKey) => {
        const answer = await world.request(method, `${path}${search}`, {
          headers,
          ...(withKey !== undefined && { key: withKey }),
        })
        assert.ok(answer.status < 500, answer.text)
      },
    ),
    { numRuns: RUNS },
  )
})

/** What a kind of hook understands, which three quarters of the requests break in one place. */
const HOOK_BODIES: Record<HookKind, (phone: string, code: string) => object> = {
  supabase: (phone, otp) => ({ user: { phone, user_metadata: { locale: 'ar' } }, sms: { otp, phone } }),
  zitadel: (phone, code) => ({ contextInfo: { recipientPhoneNumber: phone }, args: { code, lastPhone: phone } }),
  logto: (to, code) => ({ to, type: 'SignIn', payload: { code, locale: 'ar' } }),
  generic: (to, code) => ({ to, code, language: 'ar' }),
}

test('an auth hook gives any request a response that its product understands, and stores only accepted codes', async (t) => {
  const world = await startWorld(t, { works: false })
  const hooks = await Promise.all(HOOK_KINDS.map(async (kind) => ({ kind, ...(await createSigned(world, kind)) })))
  for (const { kind, post } of hooks)
    assert.ok((await post(JSON.stringify(HOOK_BODIES[kind](newPhone(), '493817')))).isAccepted, `a good ${kind}`)
  const signed = fc.oneof(
    { weight: 3, arbitrary: fault.map((fault) => ({ fault })) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        anything.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
    },
  )
  let before = await stored(world)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...hooks),
      signed,
      fc.boolean(),
      headers,
      async ({ kind, post }, body, isSigned, more) => {
        const good = HOOK_BODIES[kind](newPhone(), '493817')
        const text = typeof body === 'object' ? JSON.stringify(broken(good, body.fault)) : (body ?? '')
        const { 'content-encoding': _, ...sendable } = more
        const answer = await post(text, { headers: sendable, isSigned })
        assert.ok(answer.status < 500, answer.text)
        if (!isSigned) assert.ok(answer.status >= 400, answer.text)
        const after = await stored(world)
        if (!answer.isAccepted) assert.deepEqual(after, before, answer.text)
        before = after
      },
    ),
    { numRuns: RUNS },
  )
})

/** A hook, and what sends it a request as its product does. */
async function createSigned(world: World, kind: HookKind) {
  const hook = await createHook(world, kind, kind === 'zitadel' ? { secret: SIGNING_KEY } : {})
  const signatureOf = (body: string): Record<string, string> => {
    if (kind === 'supabase') return supabaseHeaders(body, world.clock.now(), [hook.secret ?? ''])
    return kind === 'zitadel'
      ? zitadelHeaders(body, world.clock.now(), SIGNING_KEY)
      : { authorization: `Bearer ${hook.secret}` }
  }
  const post = async (
    body: string,
    { headers = {}, isSigned = true }: { headers?: object; isSigned?: boolean } = {},
  ) => {
    const answer = await postHook(hook.url, body, { ...headers, ...(isSigned && signatureOf(body)) })
    return { ...answer, isAccepted: answer.status === 200 && !/"error"/.test(answer.text) }
  }
  return { post }
}

test('no unsigned webhook causes an internal error or is stored', async (t) => {
  const world = await startWorld(t, { works: false })
  const before = await stored(world)
  const url = `${world.first.url}${world.account.webhookPath}`
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST'),
      query,
      headers,
      fc.uint8Array({ maxLength: 200 }),
      async (method, search, headers, bytes) => {
        const { 'content-encoding': _, ...sendable } = headers
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
