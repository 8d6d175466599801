import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type Socket, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  type OutgoingMessage,
  type Provider,
  ProviderRejectedError,
  ProviderUnreachableError,
  type TemplateComponent,
} from '../provider.ts'
import { listen } from '../../../test/world/listen.ts'
import { otpComponents } from './send.ts'
import { createWhatsApp } from './whatsapp.ts'

const CODE = 'k493817x'
const TOKEN = 'EAAG-token-493'

const copyCode = {
  type: 'URL',
  text: 'Copy code',
  url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp{{1}}',
}
const components: TemplateComponent[] = [
  { type: 'BODY', text: '*{{1}}* is your code.' },
  { type: 'BUTTONS', buttons: [copyCode] },
]
const message: OutgoingMessage = {
  kind: 'otp',
  messageId: randomUUID(),
  phoneNumberId: '7788990011',
  recipient: '+34600111222',
  content: { type: 'otp', template: { name: 'login_code', language: 'es', components }, code: CODE },
}

type ReceivedRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Responder = (response: ServerResponse, received: ReceivedRequest) => void

/** For answers that may hang. */
const SHORT_TIMEOUT_MS = 200
/** A busy machine must not reach it. */
const AMPLE_TIMEOUT_MS = 30_000

/** A provider with answers that the emulator never gives: broken, foreign and endless. */
async function startProvider(t: TestContext, respond: Responder, sendTimeoutMs = AMPLE_TIMEOUT_MS) {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      received.push(one)
      respond(response, one)
    })
  })
  const url = `http://${await listen(t, server)}`
  const provider = openProvider(t, sendTimeoutMs)
  return { url, received, provider, account: { wabaId: '1020304050', graphUrl: url, accessToken: TOKEN } }
}

function openProvider(t: TestContext, sendTimeoutMs = SHORT_TIMEOUT_MS): Provider {
  const provider = createWhatsApp({ sendTimeoutMs })
  t.after(() => provider.close())
  return provider
}

const json =
  (status: number, body: unknown): Responder =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

test('a message is sent with plus, our id and the code in body and button', async (t) => {
  const { provider, account, received } = await startProvider(t, json(200, { messages: [{ id: 'wamid.A' }] }))
  assert.deepEqual(await provider.send(account, message), {
    outcome: 'accepted',
    httpStatus: 200,
    customer: { waId: null, userId: null },
    providerMessageId: 'wamid.A',
  })
  const [request] = received
  assert.equal(request?.method, 'POST')
  assert.equal(request?.url, '/v26.0/7788990011/messages')
  assert.equal(request?.headers.authorization, `Bearer ${TOKEN}`)
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '+34600111222',
    type: 'template',
    biz_opaque_callback_data: `otp:${message.messageId}`,
    template: {
      name: 'login_code',
      language: { code: 'es' },
      components: [
        { type: 'body', parameters: [{ type: 'text', text: CODE }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: CODE }] },
      ],
    },
  })
})

test('a customer id that the database cannot hold is omitted', async (t) => {
  const contacts = [{ wa_id: '3460\0', user_id: 'u'.repeat(3_000) }]
  const { provider, account } = await startProvider(t, json(200, { messages: [{ id: 'wamid.A' }], contacts }))
  assert.deepEqual(await provider.send(account, message), {
    outcome: 'accepted',
    httpStatus: 200,
    customer: { waId: null, userId: null },
    providerMessageId: 'wamid.A',
  })
})

test('a Graph URL that names a version keeps it', async (t) => {
  const { provider, account, received } = await startProvider(t, json(200, { messages: [{ id: 'wamid.A' }] }))
  await provider.send({ ...account, graphUrl: `${account.graphUrl}/proxy/v25.0/` }, message)
  await provider.send({ ...account, graphUrl: `${account.graphUrl}/proxy` }, message)
  assert.deepEqual(
    received.map(({ url }) => url),
    ['/proxy/v25.0/7788990011/messages', '/proxy/v26.0/7788990011/messages'],
  )
})

test('each OTP button gets the code at its own index', () => {
  const buttons = [
    { type: 'QUICK_REPLY' },
    { type: 'OTP', otp_type: 'ONE_TAP' },
    { type: 'URL', url: 'https://example.com/' },
    copyCode,
  ]
  const indexes = otpComponents([{ type: 'BUTTONS', buttons }], CODE).map((each) => Reflect.get(each, 'index'))
  assert.deepEqual(indexes, ['1', '3'])
})

test('a template without buttons gets only the body, named parameters their name', () => {
  assert.deepEqual(
    otpComponents(
      [
        { type: 'BODY', text: 'Code: {{code}}' },
        { type: 'FOOTER', text: 'x' },
      ],
      CODE,
    ),
    [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'code', text: CODE }] }],
  )
})

test('a rejection keeps its error code but no OTP and no token', async (t) => {
  const text = `value ${CODE} of ${CODE.toUpperCase()} with ${TOKEN} is not allowed`
  const known = { message: text, code: 132_018, error_data: { details: text } }
  for (const error of [
    known,
    { message: text, code: 999_999, error_data: text },
    { message: text, code: 190 },
    { message: text },
  ]) {
    const { provider, account } = await startProvider(t, json(400, { error }))
    const outcome = await provider.send(account, message)
    assert.equal(outcome.outcome, 'rejected')
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(`${CODE}|${TOKEN}`, 'i'))
    assert.match(JSON.stringify(outcome), /\[code\].*\[token\]/)
  }
})

test('a token stays hidden even if the code is a single character of it', async (t) => {
  const error = { message: `Malformed access token ${TOKEN}`, code: 190 }
  const { provider, account } = await startProvider(t, json(400, { error }))
  assert.ok(message.content.type === 'otp')
  const content = { ...message.content, code: TOKEN.at(-3) ?? '' }
  const outcome = await provider.send(account, { ...message, content })
  assert.match(JSON.stringify(outcome), /Malformed access token/)
  assert.doesNotMatch(JSON.stringify(outcome), /EAAG/)
})

const unknown: readonly [string, Responder][] = [
  ['an answer of 200 without a message id', json(200, { messages: [{}] })],
  ['a message id that no column could hold', json(200, { messages: [{ id: 'wamid.\0A' }] })],
  ['a message id that no index could hold', json(200, { messages: [{ id: `wamid.${'A'.repeat(3_000)}` }] })],
  ['an answer of 200 that is not JSON', (response) => void response.end('<html>')],
  ['an error page of a proxy', (response) => void response.writeHead(502).end('<html>Bad gateway</html>')],
  ['a timeout of a proxy', (response) => void response.writeHead(408).end()],
  ['JSON from a proxy', json(504, { reason: 'timeout' })],
  ['a connection that is cut before the answer', (response) => void response.destroy()],
  [
    'a connection that is cut within the answer',
    (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"messages":')
      setImmediate(() => response.destroy())
    },
  ],
  ['no answer in time', () => {}],
  [
    'an answer without an end',
    (response) => {
      response.write('x'.repeat(100_000))
    },
  ],
  ['an answer that is not HTTP', (response) => void response.socket?.end('SMTP ready\r\n')],
]

for (const [what, respond] of unknown) {
  test(`after ${what} the outcome is unknown`, async (t) => {
    const { provider, account } = await startProvider(t, respond, SHORT_TIMEOUT_MS)
    const outcome = await provider.send(account, message)
    assert.equal(outcome.outcome, 'unknown', JSON.stringify(outcome))
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(`${CODE}|${TOKEN}`, 'i'))
  })
}

test('a failed connection is reported as not sent', async (t) => {
  const provider = openProvider(t)
  const at = (graphUrl: string) => provider.send({ wabaId: '1', graphUrl, accessToken: TOKEN }, message)
  const { url } = await startProvider(t, () => {})
  for (const graphUrl of ['http://127.0.0.1:1', 'http://no-such-host.invalid', url.replace('http:', 'https:')]) {
    const outcome = await at(graphUrl)
    assert.equal(outcome.outcome, 'unreachable', graphUrl)
  }
})

test('an endless TLS handshake counts as not sent', async (t) => {
  const sockets: Socket[] = []
  const silent = createTcpServer((socket) => void sockets.push(socket))
  const graphUrl = `https://${await listen(t, silent)}`
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  const outcome = await openProvider(t).send({ wabaId: '1', graphUrl, accessToken: TOKEN }, message)
  assert.equal(outcome.outcome, 'unreachable')
})

test('a Graph error with HTTP 500 is a rejection that may be retried', async (t) => {
  const { provider, account } = await startProvider(t, json(500, { error: { code: 131_016, message: 'x' } }))
  const outcome = await provider.send(account, message)
  assert.ok(outcome.outcome === 'rejected' && outcome.error.class === 'transient')
})

test('an answer of a proxy neither fails the message nor stops its account', async (t) => {
  for (const status of [301, 302, 400, 401, 403, 404, 405, 413, 421]) {
    const { provider, account } = await startProvider(
      t,
      (response) => void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Not here</html>'),
    )
    const outcome = await provider.send(account, message)
    assert.ok(outcome.outcome === 'rejected', `${status}: ${outcome.outcome}`)
    assert.deepEqual([outcome.error.class, outcome.error.failureCode], ['transient', 'PROVIDER_UNAVAILABLE'])
  }
})

test('a redirect is not followed, since it would leak the token', async (t) => {
  const { provider, account, received } = await startProvider(
    t,
    (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  )
  assert.equal((await provider.send(account, message)).outcome, 'rejected')
  assert.equal(received.length, 1)
})

/** Serves `pages` of data, each with a cursor; the last one without `next`. */
const paged =
  (pages: Readonly<Record<string, unknown[][]>>): Responder =>
  (response, { url }) => {
    const { pathname, searchParams } = new URL(url, 'http://graph')
    const list = pages[pathname.split('/').at(-1) ?? ''] ?? [[]]
    const page = Number(searchParams.get('after') ?? 0)
    const next = page + 1 < list.length ? { next: `http://elsewhere.invalid/?access_token=${TOKEN}` } : {}
    json(200, { data: list[page], paging: { cursors: { after: String(page + 1) }, ...next } })(response, {
      method: '',
      url: '',
      headers: {},
      body: '',
    })
  }

test('all pages of both lists are read by cursor', async (t) => {
  const template = (name: string) => ({
    id: '1',
    name,
    language: 'es',
    status: 'APPROVED',
    category: 'AUTHENTICATION',
    components: [],
  })
  const { provider, account, received } = await startProvider(
    t,
    paged({
      phone_numbers: [[{ id: '1' }], [{ id: '2' }]],
      message_templates: [[template('a')], [template('b')], [template('c')]],
    }),
  )
  const progress: string[] = []
  const { numbers, templates } = await provider.list(account, async (page) => {
    progress.push(`${page.numbers} ${page.templates}`)
  })
  assert.deepEqual(progress, ['1 null', '2 null', '2 0', '2 1', '2 2', '2 3'], 'progress is reported for each page')
  assert.deepEqual(
    numbers.map(({ phoneNumberId }) => phoneNumberId),
    ['1', '2'],
  )
  assert.deepEqual(
    templates.map(({ name }) => name),
    ['a', 'b', 'c'],
  )
  assert.equal(received.length, 5)
})

test('an expired cursor restarts the list once', async (t) => {
  let rejections = 0
  const { provider, account } = await startProvider(t, (response, received) => {
    if (received.url.includes('after=1') && rejections < 1) {
      rejections += 1
      json(400, { error: { code: 131_059, message: 'cursor' } })(response, received)
    } else paged({ phone_numbers: [[{ id: '1' }], [{ id: '2' }]] })(response, received)
  })
  assert.equal((await provider.list(account)).numbers.length, 2)
  const always = await startProvider(t, json(400, { error: { code: 131_059, message: 'cursor' } }))
  await assert.rejects(always.provider.list(always.account), ProviderRejectedError)
  assert.equal(always.received.length, 2)
})

test('an endless list is an error, not an incomplete list', async (t) => {
  const { provider, account } = await startProvider(
    t,
    json(200, { data: [{ id: '1' }], paging: { cursors: { after: 'x' }, next: 'x' } }),
  )
  await assert.rejects(provider.list(account), ProviderUnreachableError)
})

test('numbers are read in every documented form', async (t) => {
  const number = {
    id: '7788990011',
    display_phone_number: '+1 631-555-0100',
    verified_name: 'Clinic',
    status: 'FLAGGED',
    throughput: { level: 'HIGH' },
    quality_rating: 'GREEN',
  }
  const { provider, account } = await startProvider(
    t,
    paged({
      phone_numbers: [[number, { id: '2' }, {}, 'odd', { id: '3', display_phone_number: '55 11 98765\u0000-4321' }]],
    }),
  )
  const { numbers } = await provider.list(account)
  assert.deepEqual(numbers[0], {
    phoneNumberId: '7788990011',
    phone: '+16315550100',
    verifiedName: 'Clinic',
    status: 'FLAGGED',
    throughput: 'HIGH',
    quality: 'GREEN',
  })
  assert.deepEqual(
    numbers.slice(1).map(({ phone, status }) => [phone, status]),
    [
      ['', 'UNKNOWN'],
      ['+5511987654321', 'UNKNOWN'],
    ],
  )
})

test('templates are read in every documented form', async (t) => {
  const read = async (more: object) => {
    const { provider, account } = await startProvider(
      t,
      paged({ message_templates: [[{ id: '9', name: 'a', language: 'es', ...more }]] }),
    )
    const [template] = (await provider.list(account)).templates
    assert.ok(template)
    return template
  }
  assert.equal((await read({ components: [{ type: 'BODY', text: '{{1}}' }] })).parameterFormat, 'POSITIONAL')
  assert.equal((await read({ components: [{ type: 'BODY', text: '{{code}}' }] })).parameterFormat, 'NAMED')
  assert.equal((await read({ parameter_format: 'NAMED' })).parameterFormat, 'NAMED')
  assert.equal((await read({ quality_score: { score: 'RED', date: 1 } })).quality, 'RED')
  assert.equal((await read({ rejected_reason: 'NONE' })).rejectedReason, null)
  assert.equal((await read({ rejected_reason: 'SCAM' })).rejectedReason, 'SCAM')
  assert.equal((await read({ message_send_ttl_seconds: -1 })).sendTtlSeconds, -1)
  assert.equal((await read({ id: 90071992547409 })).providerTemplateId, '90071992547409')
  const template = await read({
    components: [
      {
        type: 'buttons',
        add_security_recommendation: true,
        buttons: [{ type: 'otp', otp_type: 'copy_code', example: ['a\u0000'] }, null],
      },
    ],
  })
  assert.deepEqual(template.components, [
    {
      add_security_recommendation: true,
      type: 'BUTTONS',
      buttons: [{ example: ['a'], type: 'OTP', otp_type: 'COPY_CODE' }, { type: 'UNKNOWN' }],
    },
  ])
})

test('items that no row can hold do not prevent storing the others', async (t) => {
  const long = 'x'.repeat(3_000)
  const { provider, account } = await startProvider(
    t,
    paged({
      phone_numbers: [[{ id: long }, { id: '55' }]],
      message_templates: [
        [
          { id: '8', name: long, language: 'es' },
          { id: '8', name: 'a', language: long },
          { id: '9', name: 'a', language: 'es', message_send_ttl_seconds: 1e15 },
        ],
      ],
    }),
  )
  const { numbers, templates } = await provider.list(account)
  assert.deepEqual(
    numbers.map(({ phoneNumberId }) => phoneNumberId),
    ['55'],
  )
  assert.deepEqual(
    templates.map(({ name, language, sendTtlSeconds }) => [name, language, sendTtlSeconds]),
    [['a', 'es', null]],
  )
})

test('a list answer from something other than Graph is an error', async (t) => {
  for (const respond of [
    json(200, { hello: 'world' }),
    json(200, []),
    json(404, { detail: 'x' }),
    ((response) => void response.end('<html>')) satisfies Responder,
  ]) {
    const { provider, account } = await startProvider(t, respond)
    await assert.rejects(provider.list(account), ProviderUnreachableError)
  }
})

test('a rejected list names the error code but never the token', async (t) => {
  const { provider, account } = await startProvider(
    t,
    json(401, { error: { code: 190, message: `Malformed access token ${TOKEN}` } }),
  )
  for (const call of [provider.list(account), provider.subscribe({ ...account, appSecret: 'secret' })])
    await assert.rejects(
      call,
      (error: unknown) =>
        error instanceof ProviderRejectedError && error.message.includes('190') && !error.message.includes(TOKEN),
    )
})
