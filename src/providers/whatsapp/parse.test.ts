import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyJson } from '../../../test/faults/any-text.ts'
import type { ProviderItem } from '../provider.ts'
import { parse } from './parse.ts'
import { readChange, readInbound, readStatus, readStatusWord } from './read.ts'

const MESSAGE_ID = randomUUID()
const CODE = '493817'

const parseJson = (value: unknown): ProviderItem[] => parse(Buffer.from(JSON.stringify(value)))
const webhook = (...changes: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1020304050', time: 1_763_640_000, changes }],
})
const messagesChange = (value: object) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id: '7788990011' }, ...value },
})
const status = (more: object = {}) => ({
  id: 'wamid.A',
  status: 'delivered',
  timestamp: '1763640000',
  recipient_id: '34600111222',
  biz_opaque_callback_data: `otp:${MESSAGE_ID}`,
  ...more,
})
const only = (items: ProviderItem[]): ProviderItem => {
  assert.equal(items.length, 1)
  return items[0] as ProviderItem
}
const onlyStatus = (more: object): ProviderItem =>
  only(parseJson(webhook(messagesChange({ statuses: [status(more)] }))))

test('a status carries the provider’s message id, ours, and its time', () => {
  const item = onlyStatus({})
  assert.equal(item.kind, 'status')
  assert.equal(item.providerMessageId, 'wamid.A')
  assert.equal(item.messageId, MESSAGE_ID)
  assert.equal(item.occurredAt?.toISOString(), '2025-11-20T12:00:00.000Z')
  assert.deepEqual(readStatus(item.body), {
    outcome: 'delivered',
    at: item.occurredAt,
    failureCode: null,
    ours: false,
    error: null,
    errors: [],
  })
})

test('a repeated status has the same identity in any webhook', () => {
  const first = onlyStatus({})
  assert.equal(onlyStatus({ pricing: { billable: true } }).identity, first.identity)
  for (const other of [{ status: 'read' }, { timestamp: '1763640001' }, { id: 'wamid.B' }])
    assert.notEqual(onlyStatus(other).identity, first.identity)
})

test('a status keeps only known members of pricing and conversation', () => {
  const pricing = { billable: true, pricing_model: 'PMP', category: 'authentication', type: 'regular' }
  const conversation = { id: 'c0ffee', expiration_timestamp: '1763640000', origin: { type: 'authentication' } }
  const item = onlyStatus({
    pricing: { ...pricing, note: CODE, nested: { text: CODE } },
    conversation: { ...conversation, origin: { ...conversation.origin, text: CODE }, preview: CODE },
  })
  const stored = JSON.parse(item.body) as { pricing: unknown; conversation: unknown }
  assert.deepEqual([stored.pricing, stored.conversation], [pricing, conversation])
})

test('the price of a code to another country keeps its category, which has a hyphen', () => {
  const pricing = { billable: true, pricing_model: 'PMP', category: 'authentication-international', type: 'regular' }
  const stored = JSON.parse(onlyStatus({ pricing }).body) as { pricing: unknown }
  assert.deepEqual(stored.pricing, pricing)
})

test('all statuses, messages and errors of a webhook become items', () => {
  const items = parseJson({
    entry: [
      {
        id: '1',
        changes: [
          messagesChange({
            statuses: [status(), status({ id: 'wamid.B' })],
            messages: [{ id: 'wamid.C', type: 'text' }],
          }),
        ],
      },
      {
        id: '2',
        changes: [messagesChange({ errors: [{ code: 130_429 }] }), { field: 'account_update', value: { event: 'X' } }],
      },
    ],
  })
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['status', 'status', 'message', 'unknown', 'account'],
  )
})

test('our id is read only from well-formed callback data', () => {
  for (const data of [
    undefined,
    '',
    MESSAGE_ID,
    `otp:${MESSAGE_ID} `,
    `otp:${MESSAGE_ID}0`,
    'otp:not-a-uuid',
    `ad:${MESSAGE_ID}`,
    `OTP:${MESSAGE_ID}`,
    7,
    { otp: MESSAGE_ID },
  ])
    assert.equal(onlyStatus({ biz_opaque_callback_data: data }).messageId, null, JSON.stringify(data))
  for (const data of [`otp:${MESSAGE_ID.toUpperCase()}`, `cod:${MESSAGE_ID}`])
    assert.equal(onlyStatus({ biz_opaque_callback_data: data }).messageId, MESSAGE_ID)
})

test('a failed status keeps every code and its meaning', () => {
  const item = onlyStatus({
    status: 'failed',
    errors: [{ code: 131_026, title: 'Message undeliverable' }, { code: 131_000 }],
  })
  const report = readStatus(item.body)
  assert.equal(report?.error?.failureCode, 'RECIPIENT_UNREACHABLE')
  assert.deepEqual(report?.error?.title, { code: 'failures.error_131026' })
  assert.match(item.body, /131000/)
})

test('the first known error decides, and all are stored up to a limit', () => {
  const of = (...codes: number[]) =>
    readStatus(onlyStatus({ status: 'failed', errors: codes.map((code) => ({ code })) }).body)
  const report = of(999_999, 131_026, 131_000)
  assert.equal(report?.error?.failureCode, 'RECIPIENT_UNREACHABLE')
  assert.deepEqual(
    report?.errors.map(({ code }) => code),
    [999_999, 131_026, 131_000],
  )
  assert.equal(of(999_999, 999_998)?.error?.code, 999_999)
  assert.equal(of(...Array.from({ length: 200 }, (_, index) => 999_000 + index))?.errors.length, 10)
})

test('an unknown status keeps its word', () => {
  const { body } = onlyStatus({ status: 'warned' })
  assert.deepEqual([readStatus(body), readStatusWord(body)], [undefined, 'warned'])
  assert.equal(readStatusWord(onlyStatus({ status: 'Your code is 493817' }).body), null)
})

test('a template quality update is recognized by its members', () => {
  const value = {
    message_template_id: 1234,
    message_template_name: 'login_code',
    message_template_language: 'en-US',
    previous_quality_score: 'GREEN',
    new_quality_score: 'RED',
  }
  for (const field of [
    'message_template_quality_update',
    'message_template_quality',
    'quality_score_update',
    'messages',
  ]) {
    const item = only(parseJson(webhook({ field, value: { ...value, note: CODE } })))
    assert.equal(item.kind, 'template', field)
    assert.deepEqual(readChange(item.body), {
      kind: 'template',
      wabaId: '1020304050',
      name: 'login_code',
      language: 'en_US',
      status: null,
    })
    if (field !== 'message_template_quality_update') assert.doesNotMatch(item.body, new RegExp(CODE))
  }
  const { previous_quality_score: _, new_quality_score: __, ...other } = value
  assert.equal(only(parseJson(webhook({ field: 'something_new', value: other }))).kind, 'unknown')
})

test('a failed status without a readable error is still a failure', () => {
  for (const errors of [undefined, [], null, 'x', [null], [{ title: 'no code' }]]) {
    const report = readStatus(onlyStatus({ status: 'failed', errors }).body)
    assert.equal(report?.outcome, 'failed')
    assert.equal(report?.error?.code, null)
  }
})

test('no status text that may quote a code is stored', () => {
  const quoting = `parameter ${CODE} is not allowed`
  const error = {
    code: 132_018,
    title: quoting,
    message: quoting,
    error_data: { details: quoting },
    href: quoting,
    [CODE]: 1,
  }
  const bodies = [
    onlyStatus({ status: 'failed', errors: [error, { ...error, code: 999_999 }] }),
    onlyStatus({ text: quoting, message: { text: quoting }, biz_opaque_callback_data: quoting, status: quoting }),
    ...parseJson(webhook(messagesChange({ errors: [error] }))),
    ...parseJson(webhook(messagesChange({ statuses: [quoting, [quoting]] }))),
    ...parseJson(
      webhook(messagesChange({ messages: [quoting, { id: 'wamid.C', type: 'unsupported', errors: [error] }] })),
    ),
    ...parseJson(webhook({ field: 'something_new', value: { text: quoting, [CODE]: quoting, list: [[{ quoting }]] } })),
    ...parseJson(webhook({ field: quoting, value: { text: quoting } }, quoting, null)),
    ...parseJson({ entry: quoting, text: quoting }),
    ...parse(Buffer.from(`{"entry": [{"text": "${quoting}"`)),
  ]
  assert.ok(bodies.length >= 12)
  for (const { body, identity } of bodies) assert.ok(!`${body} ${identity}`.includes(CODE), body)
})

test('a customer’s message is stored unchanged, with the receiving number', () => {
  const message = {
    from: '34600111222',
    id: 'wamid.C',
    timestamp: '1763640050',
    type: 'text',
    text: { body: 'Mañana 🙂\u0000' },
  }
  const item = only(parseJson(webhook(messagesChange({ messages: [message] }))))
  assert.equal(item.identity, 'message:wamid.C')
  assert.deepEqual(JSON.parse(item.body), { phone_number_id: '7788990011', message })
  assert.ok(!item.body.includes('\u0000'))
})

test('a message of a user without a phone number is an item', () => {
  const item = only(
    parseJson(webhook(messagesChange({ messages: [{ id: 'wamid.C', from_user_id: 'ES.9ab', type: 'text' }] }))),
  )
  assert.equal(item.kind, 'message')
  assert.equal(item.occurredAt, null)
})

test('a template update is matched by name and language, hyphenated or not', () => {
  const raw = `{"entry":[{"id":"1020304050","time":1763640000,"changes":[{"field":"message_template_status_update","value":
    {"event":"PAUSED","message_template_id":90071992547409931,"message_template_name":"login_code","message_template_language":"en-US"}}]}]}`
  const item = only(parse(Buffer.from(raw)))
  assert.equal(item.kind, 'template')
  const expected = { kind: 'template', wabaId: '1020304050', name: 'login_code', language: 'en_US', status: 'PAUSED' }
  assert.deepEqual(readChange(item.body), expected)
})

test('a template update has a status only if the provider gives one', () => {
  const named = { message_template_name: 'login_code', message_template_language: 'es' }
  const statusAfter = (field: string, value: object): string | null | undefined => {
    const change = readChange(only(parseJson(webhook({ field, value: { ...named, ...value } }))).body)
    return change?.kind === 'template' ? change.status : undefined
  }
  assert.equal(statusAfter('message_template_status_update', { event: 'REINSTATED' }), 'APPROVED')
  assert.equal(statusAfter('message_template_status_update', { event: 'FLAGGED' }), null)
  assert.equal(statusAfter('message_template_status_update', { event: 'constructor' }), null)
  assert.equal(statusAfter('message_template_quality_update', { event: 'PAUSED' }), null)
  assert.equal(
    statusAfter('message_template_status_update', { event: 'PAUSED', message_template_name: undefined }),
    undefined,
  )
})

test('the same pause at another time is a new item', () => {
  const at = (time: number): string =>
    only(parseJson({ entry: [{ id: '1', time, changes: [{ field: 'account_update', value: {} }] }] })).identity
  assert.equal(at(1_763_640_000), at(1_763_640_000))
  assert.notEqual(at(1_763_640_000), at(1_763_640_001))
})

test('updates of numbers and accounts are distinguished', () => {
  const kindOf = (field: string): string | undefined =>
    readChange(only(parseJson(webhook({ field, value: {} }))).body)?.kind
  assert.equal(kindOf('phone_number_quality_update'), 'number')
  assert.equal(kindOf('account_update'), 'account')
})

test('an unknown field becomes an item with its name', () => {
  for (const field of ['calls', 'toString', '__proto__']) {
    const item = only(parseJson(webhook({ field, value: { a: 1 } })))
    assert.equal(item.kind, 'unknown')
    assert.equal(JSON.parse(item.body).field, field)
  }
})

test('unknown outcomes are not reports and do not throw', () => {
  for (const more of [{ status: 'warped' }, { status: undefined }])
    assert.equal(readStatus(onlyStatus(more).body), undefined, JSON.stringify(more))
  for (const body of ['', 'null', '[]', '{', '7']) assert.equal(readStatus(body), undefined)
})

test('a report without a time is still a report', () => {
  for (const timestamp of [undefined, null, 'soon', '-1', '']) {
    const item = onlyStatus({ timestamp })
    assert.equal(item.occurredAt, null)
    assert.deepEqual(readStatus(item.body), {
      outcome: 'delivered',
      at: null,
      failureCode: null,
      ours: false,
      error: null,
      errors: [],
    })
  }
})

const textColumn = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function storableItem(item: ProviderItem): void {
  assert.ok(textColumn(item.body) && textColumn(item.identity))
  JSON.parse(item.body)
  assert.ok(item.providerMessageId === null || /^[\x21-\x7e]{1,512}$/.test(item.providerMessageId))
  assert.ok(item.occurredAt === null || !Number.isNaN(item.occurredAt.getTime()))
  readStatus(item.body)
  readChange(item.body)
}

test('any bytes become at least one item that the database can hold', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const items = parse(Buffer.from(bytes))
      assert.ok(items.length > 0)
      items.forEach(storableItem)
    }),
  )
})

const STATUS_MEMBERS = ['id', 'status', 'timestamp', 'errors', 'pricing', 'biz_opaque_callback_data']

test('any JSON becomes items that the database can hold', () => {
  const nearly = fc.oneof(
    anyJson,
    anyJson.map((each) => webhook(each)),
    fc
      .tuple(fc.constantFrom('messages', 'account_update', 'message_template_status_update', 'new'), anyJson)
      .map(([field, value]) => webhook({ field, value })),
    fc
      .tuple(fc.constantFrom('statuses', 'messages', 'errors'), fc.array(anyJson))
      .map(([name, list]) => webhook(messagesChange({ [name]: list }))),
    fc
      .record(Object.fromEntries(STATUS_MEMBERS.map((name) => [name, anyJson])), { requiredKeys: [] })
      .map((each) => webhook(messagesChange({ statuses: [each] }))),
  )
  fc.assert(
    fc.property(nearly, (value) => {
      const items = parseJson(value)
      assert.ok(items.length > 0)
      items.forEach(storableItem)
    }),
    { numRuns: 200 },
  )
})

test('deep nesting never overflows the stack', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const bodies = [
    (nested: string) => nested,
    (nested: string) => `{"entry":[{"changes":[{"field":"account_update","value":{"a":${nested}}}]}]}`,
    (nested: string) =>
      `{"entry":[{"changes":[{"field":"messages","value":{"messages":[{"id":"wamid.C","a":${nested}}]}}]}]}`,
    (nested: string) =>
      `{"entry":[{"changes":[{"field":"messages","value":{"statuses":[{"id":"wamid.A","pricing":${nested}},{"id":"wamid.B"}]}}]}]}`,
    (nested: string) => `{"entry":[{"changes":[{"field":"new","value":{"a":${nested}}}]}]}`,
  ]
  for (const nested of bodies) parse(Buffer.from(nested(deep(400_000)))).forEach(storableItem)
})

test('a 3 MB webhook of 1,000 updates gives 1,000 bounded items', () => {
  const statuses = Array.from({ length: 1000 }, (_, index) =>
    status({ id: `wamid.${index}`, padding: 'x'.repeat(2900), pricing: { padding: 'x'.repeat(100) } }),
  )
  const items = parseJson(webhook(messagesChange({ statuses })))
  assert.equal(new Set(items.map(({ identity }) => identity)).size, 1000)
  const [huge] = parseJson(
    webhook(messagesChange({ messages: [{ id: 'wamid.C', text: { body: 'x'.repeat(3_000_000) } }] })),
  )
  assert.ok((huge?.body.length ?? 0) < 64 * 1024)
})

test('a customer’s text is read as text that the database can hold', () => {
  const message = { id: 'wamid.C', from_user_id: 'ES.\u00009ab', type: 'text', text: { body: 'Six\u0000 \ud83d' } }
  const { body } = only(parseJson(webhook(messagesChange({ messages: [message] }))))
  const inbound = readInbound(body)
  assert.deepEqual(inbound?.says, { type: 'text', text: 'Six \ufffd' })
  assert.equal(inbound?.customer.userId, 'ES.9ab')
})

test('items beyond the limit are counted in one more item', () => {
  const statuses = (count: number) => Array.from({ length: count }, (_, index) => status({ id: `wamid.${index}` }))
  const body = webhook(
    messagesChange({ statuses: statuses(4_999), messages: [{ id: 'wamid.M', type: 'text' }, { id: 'wamid.N' }] }),
    1,
    messagesChange({ errors: [{ code: 130_429 }, { code: 130_429 }] }),
    messagesChange({}),
  )
  const items = parseJson(body)
  assert.equal(items.length, 5_001)
  assert.deepEqual(
    items.slice(0, 5_000).map((item) => item.providerMessageId),
    [...statuses(4_999).map(({ id }) => id), 'wamid.M'],
  )
  const last = items.at(-1)
  assert.equal(last?.kind, 'unknown')
  assert.equal((JSON.parse(last.body) as { leftOut: { items: number } }).leftOut.items, 5)
  assert.deepEqual(parseJson(body).at(-1), last, 'the same webhook again')
  const other = webhook(...body.entry.flatMap(({ changes }) => [2, ...changes.slice(0, 1), ...changes.slice(2)]))
  assert.notEqual(parseJson(other).at(-1)?.identity, last.identity, 'another webhook')
  assert.equal(parseJson(webhook(messagesChange({ statuses: statuses(5_000) }))).length, 5_000)
})

test('a 3 MB webhook of invalid values stays within the item limit', () => {
  const many = (value: string, count: number): string => `[${Array<string>(count).fill(value).join()}]`
  const changes = parse(Buffer.from(`{"entry":[{"changes":${many('1', 1_400_000)}}]}`))
  const entries = parse(Buffer.from(`{"entry":${many('{"changes":[0]}', 190_000)}}`))
  for (const items of [changes, entries]) assert.equal(items.length, 5_001)
  const value = `{"field":"messages","value":{"statuses":${many('{}', 900_000)}}}`
  assert.equal(parse(Buffer.from(`{"entry":[{"changes":[${value}]}]}`)).length, 5_001)
})
