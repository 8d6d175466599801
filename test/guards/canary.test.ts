import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BehaviourSeed } from '@doorcode/whatsapp-emulator'
import { explain } from '../../src/explain/explain.ts'
import { type SignedIn, signIn } from '../world/dashboard.ts'
import { createHook, postHook, supabaseBody, supabaseHeaders } from '../world/hooks.ts'
import { wrongCode } from '../world/verifications.ts'
import { type SentOtp, type World, newCode, newPhone, startWorld } from '../world/world.ts'

/** Outcomes of an OTP, with the code quoted wherever a provider could quote it. */
const BEHAVIOURS: Record<string, (code: string) => BehaviourSeed> = {
  delivered: () => ({ statuses: [{ status: 'sent' }, { status: 'delivered' }] }),
  'failed later, quoting the code': (code) => ({
    statuses: [{ status: 'failed', errors: [{ code: 131026, title: `Code ${code}`, echoParameters: true }] }],
  }),
  'failed later with several errors': (code) => ({
    statuses: [
      {
        status: 'failed',
        errors: [
          { code: 131000, details: code },
          { code: 132018, echoParameters: true },
        ],
      },
    ],
  }),
  'rejected for good, quoting the code': () => ({ error: { code: 132018, echoParameters: true } }),
  'rejected with the code in the title': (code) => ({ error: { code: 131009, title: `Parameter ${code} is wrong` } }),
  'rejected for now, quoting the code': () => ({ error: { code: 131016, echoParameters: true } }),
  'rejected with a code of its own': (code) => ({
    error: { code: 999_999, title: code, details: code, httpStatus: 400 },
  }),
  'answered with a page that quotes the code': (code) => ({ html: { httpStatus: 502, body: `<p>${code}</p>` } }),
  'rejected with a page that quotes the code': (code) => ({ html: { httpStatus: 400, body: code } }),
  'cut off before it was taken': () => ({ connection: 'drop_before_accepting' }),
  'cut off after it was taken': () => ({ connection: 'drop_after_accepting' }),
}

test('a code appears nowhere, before or after its message is sent', async (t) => {
  const world = await startWorld(t, { works: false })
  const [{ begun } = { begun: '' }] = await world.query<{ begun: string }>('select pg_current_xact_id()::xid as begun')
  const receiver = await world.receiver()
  const answers: string[] = []
  const send = async (code: string, behaviour: BehaviourSeed): Promise<SentOtp> => {
    const to = newPhone()
    world.emulator.script({ match: { to }, behaviour })
    return world.sendOtp({ to, code, reference: 'r' })
  }
  const otps: SentOtp[] = []
  for (const behaviourWith of Object.values(BEHAVIOURS)) {
    const code = newCode()
    otps.push(await send(code, behaviourWith(code)))
  }
  const wrong = newCode()
  for (const request of misplaced(world, wrong)) {
    const answer = await world.request(request.method, request.path, request)
    assert.ok(answer.status >= 400, `${request.method} ${request.path} was rejected`)
    answers.push(JSON.stringify([...answer.headers]), answer.text)
  }
  const hooked = { phone: newPhone(), code: newCode() }
  world.emulator.script({ match: { to: hooked.phone }, behaviour: { statuses: [{ status: 'sent' }] } })
  answers.push(...(await throughHook(world, hooked)))
  const [{ messageId } = { messageId: '' }] = await world.query<{ messageId: string }>(
    'select id as "messageId" from messages where workspace_id = $1 and recipient = $2',
    [world.workspaceId, hooked.phone],
  )
  otps.push({ messageId, status: 'queued', reference: null, to: hooked.phone, code: hooked.code })
  const codes = [wrong, ...otps.map(({ code }) => code)]
  const reader = await signIn(world, 'owner')
  answers.push(...(await messagePages(world, reader, otps)))
  await assertNowhere(world, begun, codes, answers, 'while everything waits')

  const worker = await world.node({ works: true })
  await world.settled()
  for (const otp of otps) answers.push(JSON.stringify(await world.getOtp(otp)))
  await world.settled()
  answers.push(...(await messagePages(world, reader, otps)))
  await assertNowhere(world, begun, codes, answers, 'while some are tried again')
  for (let step = 0; step < 4; step += 1) {
    await world.after('4m')
  }
  const open = await world.query('select id from messages where code is not null and workspace_id = $1', [
    world.workspaceId,
  ])
  assert.deepEqual(open, [], 'no code is kept after the end')
  for (const otp of otps) answers.push(JSON.stringify(await world.getOtp(otp)))
  assert.ok(receiver.received.length >= otps.length)
  answers.push(...receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)))
  for (const { messageId } of otps) answers.push(JSON.stringify(await explain(world.parts, messageId)))
  answers.push(...(await messagePages(world, reader, otps)))
  answers.push(await world.parts.metrics.registry.metrics(), await worker.parts.metrics.registry.metrics())
  await assertNowhere(world, begun, codes, answers, 'at the end')
})

/** The answers of an auth hook to a code that it accepts, and to the same code in wrong places. */
async function throughHook(world: World, { phone, code }: { phone: string; code: string }): Promise<string[]> {
  const { url, secret } = await createHook(world, 'supabase')
  const bodies = [
    supabaseBody({ phone, code }),
    supabaseBody({ phone: code, code }),
    supabaseBody({ phone: newPhone(), code: `${code}-` }),
    `{"sms":{"otp":"${code}"`,
  ]
  const answers = []
  for (const body of bodies) {
    const { text, headers } = await postHook(url, body, supabaseHeaders(body, world.clock.now(), [secret ?? '']))
    answers.push(text + JSON.stringify([...headers]))
  }
  return answers
}

/** The dashboard's answers about messages. */
async function messagePages(
  { workspaceId }: World,
  { calls }: SignedIn,
  otps: readonly Pick<SentOtp, 'messageId'>[],
): Promise<string[]> {
  const explained = await Promise.all(otps.map(({ messageId }) => calls.messages.get.query({ workspaceId, messageId })))
  return [await calls.messages.list.query({ workspaceId }), ...explained].map((answer) => JSON.stringify(answer))
}

test('a code that Doorcode made appears nowhere, and neither does a wrong one', async (t) => {
  const world = await startWorld(t)
  const [{ begun } = { begun: '' }] = await world.query<{ begun: string }>('select pg_current_xact_id()::xid as begun')
  const receiver = await world.receiver()
  const reader = await signIn(world, 'owner')
  const answers: string[] = []
  const codes: string[] = []
  const started = []
  for (let n = 0; n < 4; n += 1) started.push(await world.startVerification({ length: 8, maxAttempts: 2 }))
  for (const [index, verification] of started.entries()) {
    const code = await world.codeOn(verification)
    const wrong = wrongCode(code)
    codes.push(code, wrong)
    const checks = [
      await world.check(verification, `${code}9`), // too long: it is invalid input, which quotes nothing
      await world.check(verification, wrong),
      await world.check(verification, index % 2 === 0 ? code : wrong),
    ]
    answers.push(...checks.map(({ text, headers }) => text + JSON.stringify([...headers])))
  }
  const pending = await world.startVerification({ length: 8 })
  const code = await world.codeOn(pending)
  codes.push(code, wrongCode(code))
  answers.push((await world.check(pending, wrongCode(code))).text)
  await world.settled()
  for (const verification of [...started, pending]) {
    answers.push(JSON.stringify(await world.getVerification(verification)))
    answers.push(JSON.stringify(await explain(world.parts, verification.verificationId)))
  }
  const otps = [...started, pending].map(({ verificationId: messageId }) => ({ messageId }))
  answers.push(...(await messagePages(world, reader, otps)))
  assert.ok(receiver.received.length > 0)
  answers.push(...receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)))
  answers.push(await world.parts.metrics.registry.metrics())
  await assertNowhere(world, begun, codes, answers, 'that Doorcode made')
})

test('a code logged by mistake is redacted', async (t) => {
  const world = await startWorld(t)
  const code = newCode()
  world.parts.log.info({ code, request: { code, body: { code } } }, 'a mistake')
  const [line] = world.first.logLines.slice(-1)
  assert.match(line ?? '', /a mistake/)
  assert.ok(!line?.includes(code))
})

/** Requests with the code in the wrong place. A field named like a code is repeated by name. */
function misplaced(world: World, code: string) {
  const POST = '/api/v1/otp/messages'
  const good = world.otpBody({ code })
  const json = { 'content-type': 'application/json' }
  return [
    { method: 'POST', path: POST, body: { ...good, otp: code, extra: { [`x`]: code } } },
    { method: 'POST', path: `${POST}?code=${code}`, body: good },
    { method: 'POST', path: POST, body: { ...good, code: `${code}-` } },
    { method: 'POST', path: POST, body: { ...good, code: [code] } },
    { method: 'POST', path: POST, body: { ...good, to: code } },
    { method: 'POST', path: POST, body: { ...good, senderId: code } },
    { method: 'POST', path: POST, body: { ...good, template: { name: 'login_code', language: 'en_US', code } } },
    { method: 'POST', path: POST, body: { ...good, template: code } },
    { method: 'POST', path: POST, body: { ...good, template: { name: 'missing', language: 'en_US' } } },
    { method: 'POST', path: POST, body: { ...good, reference: code.repeat(20) } },
    { method: 'POST', path: POST, rawBody: `{"code":"${code}"` },
    { method: 'POST', path: POST, rawBody: `{"code":"${code}"}`, headers: { 'content-type': 'text/plain' } },
    { method: 'POST', path: POST, body: good, headers: { 'idempotency-key': code.repeat(20) } },
    { method: 'POST', path: POST, body: good, key: code },
    { method: 'GET', path: `${POST}/${code}` },
    { method: 'GET', path: `${POST}/%${code}?x=${code}` },
    { method: 'GET', path: `/api/v1/${code}` },
    {
      method: 'GET',
      path: `${POST}/00000000-0000-4000-8000-000000000000`,
      rawBody: `{"code":"${code}"}`,
      headers: json,
    },
  ]
}

async function assertNowhere(
  world: World,
  begun: string,
  codes: readonly string[],
  answers: readonly string[],
  when: string,
) {
  const places = [
    ...(await dump(world, begun)),
    { place: 'the log', text: world.nodes.flatMap((node) => node.logLines).join('') },
    ...answers.map((text, index) => ({ place: `answer ${index}`, text })),
  ]
  assert.ok(places.length > 15, 'there is much to look through')
  const found: string[] = []
  for (const code of codes) {
    const bytes = Buffer.from(code)
    const forms = [code, bytes.toString('hex'), bytes.toString('base64').slice(0, 18)]
    for (const { place, text } of places) {
      if (forms.some((form) => text.includes(form))) found.push(`${place}: ${around(text, forms)}`)
    }
  }
  assert.deepEqual(found, [], `a code was found ${when}`)
}

/** Every column of every row in every table that was written since the transaction `begun`. */
async function dump(world: World, begun: string): Promise<{ place: string; text: string }[]> {
  const tables = await world.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  assert.ok(tables.length > 10)
  return Promise.all(
    tables.map(async ({ name }) => {
      const rows = await world.query<{ row: string }>(
        `select t::text as row from ${name} t where age(t.xmin) <= age($1::xid)`,
        [begun],
      )
      return { place: name, text: rows.map(({ row }) => row).join('\n') }
    }),
  )
}

/** The match with its surroundings. */
function around(text: string, forms: readonly string[]): string {
  const at = Math.max(...forms.map((form) => text.indexOf(form)))
  return text.slice(Math.max(0, at - 200), at + 60)
}
