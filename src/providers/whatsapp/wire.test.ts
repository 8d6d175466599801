import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  type OutgoingMessage,
  type Provider,
  ProviderRefused,
  ProviderUnreachable,
  type TemplateComponent,
} from '../provider.ts'
import { otpComponents } from './send.ts'
import { whatsapp } from './whatsapp.ts'

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

type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Answering = (response: ServerResponse, asked: Asked) => void

/** What answers in the provider's place, in ways that the twin does not: broken, foreign and endless answers. */
async function startProvider(t: TestContext, answering: Answering) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      answering(response, one)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = openProvider(t)
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url, asked, provider, account: { wabaId: '1020304050', graphUrl: url, accessToken: TOKEN } }
}

function openProvider(t: TestContext, sendTimeoutMs = 200): Provider {
  const provider = whatsapp({ sendTimeoutMs })
  t.after(() => provider.close())
  return provider
}

const json =
  (status: number, body: unknown): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

test('an accepted message was sent with its plus, our id and the code in body and button', async (t) => {
  const { provider, account, asked } = await startProvider(t, json(200, { messages: [{ id: 'wamid.A' }] }))
  assert.deepEqual(await provider.send(account, message), {
    outcome: 'accepted',
    httpStatus: 200,
    customer: { waId: null, userId: null },
    providerMessageId: 'wamid.A',
  })
  const [request] = asked
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

test('a name of the customer that the database could not hold is left out', async (t) => {
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
  const { provider, account, asked } = await startProvider(t, json(200, { messages: [{ id: 'wamid.A' }] }))
  await provider.send({ ...account, graphUrl: `${account.graphUrl}/proxy/v25.0/` }, message)
  await provider.send({ ...account, graphUrl: `${account.graphUrl}/proxy` }, message)
  assert.deepEqual(
    asked.map(({ url }) => url),
    ['/proxy/v25.0/7788990011/messages', '/proxy/v26.0/7788990011/messages'],
  )
})

test('the code goes to each OTP button at its place among all buttons, in either read-back form', () => {
  const buttons = [
    { type: 'QUICK_REPLY' },
    { type: 'OTP', otp_type: 'ONE_TAP' },
    { type: 'URL', url: 'https://example.com/' },
    copyCode,
  ]
  const places = otpComponents([{ type: 'BUTTONS', buttons }], CODE).map((each) => Reflect.get(each, 'index'))
  assert.deepEqual(places, ['1', '3'])
})

test('a template without buttons gets the body alone, and a named parameter its name', () => {
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

test('a refusal is told by its code, and neither code nor token gets into it', async (t) => {
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
    assert.equal(outcome.outcome, 'refused')
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(`${CODE}|${TOKEN}`, 'i'))
    assert.match(JSON.stringify(outcome), /\[code\].*\[token\]/)
  }
})

const unknown: readonly [string, Answering][] = [
  ['an answer of 200 without a message id', json(200, { messages: [{}] })],
  ['a message id that no column could hold', json(200, { messages: [{ id: 'wamid.\0A' }] })],
  ['a message id that no index could hold', json(200, { messages: [{ id: `wamid.${'A'.repeat(3_000)}` }] })],
  ['an answer of 200 that is no JSON', (response) => void response.end('<html>')],
  ['an error page of a proxy', (response) => void response.writeHead(502).end('<html>Bad gateway</html>')],
  ['a proxy that ran out of patience', (response) => void response.writeHead(408).end()],
  ['JSON of a proxy', json(504, { reason: 'timeout' })],
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
  ['what is no HTTP', (response) => void response.socket?.end('SMTP ready\r\n')],
]

for (const [what, answering] of unknown) {
  test(`after ${what} nobody claims to know whether the message was sent`, async (t) => {
    const { provider, account } = await startProvider(t, answering)
    const outcome = await provider.send(account, message)
    assert.equal(outcome.outcome, 'unknown', JSON.stringify(outcome))
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(`${CODE}|${TOKEN}`, 'i'))
  })
}

test('without a connection nothing was sent, and the outcome says so', async (t) => {
  const provider = openProvider(t)
  const at = (graphUrl: string) => provider.send({ wabaId: '1', graphUrl, accessToken: TOKEN }, message)
  const { url } = await startProvider(t, () => {})
  for (const graphUrl of ['http://127.0.0.1:1', 'http://no-such-host.invalid', url.replace('http:', 'https:')]) {
    const outcome = await at(graphUrl)
    assert.equal(outcome.outcome, 'unreachable', graphUrl)
  }
})

test('a TLS handshake that never ends is no send', async (t) => {
  const sockets: Socket[] = []
  const silent = createTcpServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => {
    silent.close()
    for (const socket of sockets) socket.destroy()
  })
  const graphUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const outcome = await openProvider(t).send({ wabaId: '1', graphUrl, accessToken: TOKEN }, message)
  assert.equal(outcome.outcome, 'unreachable')
})

test('a Graph error of 500 is a refusal that may be tried again, not an unknown outcome', async (t) => {
  const { provider, account } = await startProvider(t, json(500, { error: { code: 131_016, message: 'x' } }))
  const outcome = await provider.send(account, message)
  assert.ok(outcome.outcome === 'refused' && outcome.error.class === 'transient')
})

test('an answer that is not the provider’s neither fails a message for good nor stops its account', async (t) => {
  for (const status of [301, 302, 400, 401, 403, 404, 405, 413, 421]) {
    const { provider, account } = await startProvider(
      t,
      (response) => void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Not here</html>'),
    )
    const outcome = await provider.send(account, message)
    assert.ok(outcome.outcome === 'refused', `${status}: ${outcome.outcome}`)
    assert.deepEqual([outcome.error.class, outcome.error.failureCode], ['transient', 'PROVIDER_UNAVAILABLE'])
  }
})

test('a redirect is not followed, since it would carry the token elsewhere', async (t) => {
  const { provider, account, asked } = await startProvider(
    t,
    (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  )
  assert.equal((await provider.send(account, message)).outcome, 'refused')
  assert.equal(asked.length, 1)
})

/** Serves `pages` of data, each with a cursor; the last one without `next`. */
const paged =
  (pages: Readonly<Record<string, unknown[][]>>): Answering =>
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

test('all pages of both lists are read, by cursor and to the last one', async (t) => {
  const template = (name: string) => ({
    id: '1',
    name,
    language: 'es',
    status: 'APPROVED',
    category: 'AUTHENTICATION',
    components: [],
  })
  const { provider, account, asked } = await startProvider(
    t,
    paged({
      phone_numbers: [[{ id: '1' }], [{ id: '2' }]],
      message_templates: [[template('a')], [template('b')], [template('c')]],
    }),
  )
  const told: string[] = []
  const { numbers, templates } = await provider.list(account, async (soFar) => {
    told.push(`${soFar.numbers} ${soFar.templates}`)
  })
  assert.deepEqual(told, ['1 null', '2 null', '2 0', '2 1', '2 2', '2 3'], 'each page is told when it is read')
  assert.deepEqual(
    numbers.map(({ phoneNumberId }) => phoneNumberId),
    ['1', '2'],
  )
  assert.deepEqual(
    templates.map(({ name }) => name),
    ['a', 'b', 'c'],
  )
  assert.equal(asked.length, 5)
})

test('a cursor that has expired starts the list over, once', async (t) => {
  let refusals = 0
  const { provider, account } = await startProvider(t, (response, asked) => {
    if (asked.url.includes('after=1') && refusals < 1) {
      refusals += 1
      json(400, { error: { code: 131_059, message: 'cursor' } })(response, asked)
    } else paged({ phone_numbers: [[{ id: '1' }], [{ id: '2' }]] })(response, asked)
  })
  assert.equal((await provider.list(account)).numbers.length, 2)
  const always = await startProvider(t, json(400, { error: { code: 131_059, message: 'cursor' } }))
  await assert.rejects(always.provider.list(always.account), ProviderRefused)
  assert.equal(always.asked.length, 2)
})

test('a list that never ends is an error, not half a list', async (t) => {
  const { provider, account } = await startProvider(
    t,
    json(200, { data: [{ id: '1' }], paging: { cursors: { after: 'x' }, next: 'x' } }),
  )
  await assert.rejects(provider.list(account), ProviderUnreachable)
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
  const kept = await read({
    components: [
      {
        type: 'buttons',
        add_security_recommendation: true,
        buttons: [{ type: 'otp', otp_type: 'copy_code', example: ['a\u0000'] }, null],
      },
    ],
  })
  assert.deepEqual(kept.components, [
    {
      add_security_recommendation: true,
      type: 'BUTTONS',
      buttons: [{ example: ['a'], type: 'OTP', otp_type: 'COPY_CODE' }, { type: 'UNKNOWN' }],
    },
  ])
})

test('what no row could hold keeps nothing else of a list from being stored', async (t) => {
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

test('what answers a list and is not the Graph API is an error that says so', async (t) => {
  for (const answering of [
    json(200, { hello: 'world' }),
    json(200, []),
    json(404, { detail: 'x' }),
    ((response) => void response.end('<html>')) satisfies Answering,
  ]) {
    const { provider, account } = await startProvider(t, answering)
    await assert.rejects(provider.list(account), ProviderUnreachable)
  }
})

test('a refused list names the provider’s code, and never the token', async (t) => {
  const { provider, account } = await startProvider(
    t,
    json(401, { error: { code: 190, message: `Malformed access token ${TOKEN}` } }),
  )
  for (const call of [provider.list(account), provider.subscribe({ ...account, appSecret: 'secret' })])
    await assert.rejects(
      call,
      (error: unknown) =>
        error instanceof ProviderRefused && error.message.includes('190') && !error.message.includes(TOKEN),
    )
})
