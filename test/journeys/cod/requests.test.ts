import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createRefusalCheckAcceptor } from '../../../src/cod/accept-refusal.ts'
import { refusalCheckBody } from '../../../src/cod/routes.ts'
import type { ApiError } from '../../../src/lib/errors.ts'
import { MAX_FAULTS } from '../../../src/lib/http/faults.ts'
import { type QuotaKind, setQuota } from '../../../src/workspaces/quota.ts'
import { type CreatedConfirmation, codAccount, confirmationPath, quickReplies, refusalPath } from '../../world/cod.ts'
import { type World, type WorldOptions, newPhone, startWorld } from '../../world/world.ts'

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

const startShop = (t: TestContext, options: WorldOptions = {}): Promise<World> =>
  startWorld(t, { account: codAccount(...TEMPLATES), cod: {}, ...options })

const template = (name: string, text: string, header?: object) => ({
  name,
  language: 'en',
  category: 'UTILITY' as const,
  components: [
    ...(header ? [{ type: 'HEADER', ...header }] : []),
    { type: 'BODY', text },
    quickReplies('Confirm', 'Cancel', 'Change time'),
  ],
})

const NAMED_EXAMPLE = {
  body_text_named_params: [
    { param_name: 'name', example: 'Ana' },
    { param_name: 'order', example: '1' },
  ],
}
const TEMPLATES = [
  template('plain', 'Is your order right?'),
  template('with_header', 'Is your order {{1}} right?', {
    format: 'TEXT',
    text: 'Order {{1}}',
    example: { header_text: ['1'] },
  }),
  template('with_text_header', 'Is your order right?', { format: 'TEXT', text: 'Your order' }),
  template('with_image', 'Is your order right?', { format: 'IMAGE' }),
  {
    ...template('named', 'Dear {{name}}, is your order {{order}} right?'),
    parameter_format: 'NAMED' as const,
    components: [
      { type: 'BODY', text: 'Dear {{name}}, is your order {{order}} right?', example: NAMED_EXAMPLE },
      quickReplies('Confirm', 'Cancel', 'Change time'),
    ],
  },
]

const post = (world: World, body: object, options: object = {}) =>
  world.request('POST', confirmationPath, { body, ...options })

const allow = (world: World, kind: QuotaKind, monthlyUnits: number) =>
  setQuota(world.parts.db, { workspaceId: world.workspaceId, kind, monthlyUnits })

const used = async (world: World): Promise<Record<string, number>> => {
  const rows = await world.query<{ kind: string; used: number }>(
    'select kind, sum(used)::int as used from quota_usage where workspace_id = $1 group by kind',
    [world.workspaceId],
  )
  return Object.fromEntries(rows.filter((row) => row.used > 0).map((row) => [row.kind, row.used]))
}

test('every fault of a request is listed, each with its pointer', async (t) => {
  const world = await startShop(t)
  const answer = await post(world, {
    to: 'nobody',
    senderId: 'no-uuid',
    template: { name: '', components: [] },
    parameters: { header: 1, body: ['a', 2], buttons: [] },
    reference: '',
    code: '1',
  })
  const faults = (answer.body.errors as { in: string; pointer: string }[]).map(
    (fault) => `${fault.in} ${fault.pointer}`,
  )
  assert.deepEqual(faults.sort(), [
    'body /code',
    'body /parameters/body',
    'body /parameters/buttons',
    'body /parameters/header',
    'body /reference',
    'body /senderId',
    'body /template/components',
    'body /template/language',
    'body /template/name',
    'body /to',
  ])
})

test('reference has 1 to 128 characters; parameters are optional, never null', async (t) => {
  const world = await startShop(t)
  const body = { ...world.confirmationBody(), template: { name: 'plain', language: 'en' }, parameters: undefined }
  const codeOf = async (change: object) => (await post(world, { ...body, ...change })).body.code
  for (const good of [
    {},
    { reference: 'r' },
    { reference: '😀'.repeat(128) },
    { parameters: {} },
    { parameters: { body: [] } },
  ])
    assert.equal(await codeOf(good), undefined, JSON.stringify(good))
  for (const bad of [
    { reference: undefined },
    { reference: '' },
    { reference: 'r'.repeat(129) },
    { reference: 5 },
    { parameters: null },
    { parameters: [] },
    { parameters: { body: null } },
    { parameters: { body: 'Ana' } },
    { parameters: { body: { name: 1 } } },
    { parameters: { header: null } },
    { parameters: { button: ['x'] } },
    { parameters: { body: ['a\u0000'] } },
    { to: '0612345678' },
    { to: undefined },
  ])
    assert.equal(await codeOf(bad), 'DEVELOPER_INVALID_INPUT', JSON.stringify(bad))
})

test('parameters that are not text make one issue, however many there are', () => {
  const body = Array.from({ length: 30_000 }, () => 1)
  const { error } = refusalCheckBody.shape.parameters.safeParse({ body })
  assert.ok(JSON.stringify(error?.issues).length < 1_000, 'one key could keep a node busy')
})

test('a refusal check takes only template and parameters', async (t) => {
  const world = await startShop(t)
  const order = await world.askToConfirm()
  for (const more of [{ to: newPhone() }, { senderId: world.senderId }, { reference: 'r' }]) {
    const answer = await world.request('POST', refusalPath(order), { body: { ...world.refusalBody(), ...more } })
    assert.equal(answer.body.code, 'DEVELOPER_INVALID_INPUT', JSON.stringify(more))
  }
  const answer = await world.request('POST', refusalPath(order), { body: world.refusalBody() })
  assert.deepEqual(answer.body, { confirmationId: order.confirmationId, refusalCheck: { status: 'accepted' } })
})

test('parameters must fit the template exactly, and reach the phone', async (t) => {
  const world = await startShop(t)
  const fits: [string, unknown, string?][] = [
    ['plain', undefined, 'Is your order right?'],
    ['plain', {}],
    ['plain', { body: {} }],
    ['with_text_header', undefined],
    ['with_header', { header: '5521', body: ['5521'] }, 'Order 5521\nIs your order 5521 right?'],
    ['named', { body: { order: '5521', name: 'Ana' } }, 'Dear Ana, is your order 5521 right?'],
    ['order_confirmation', { body: [' Ana ', '{{1}}', '😀'] }],
  ]
  for (const [name, parameters, text] of fits) {
    const order = await world.askToConfirm({ template: { name, language: 'en' }, parameters })
    const shown = world.customer(order).last()
    if (text !== undefined) assert.equal(shown.text, text)
  }
  const long = '😀'.repeat(1_024)
  const accepted = await post(world, { ...world.confirmationBody(), parameters: { body: [long, 'b', 'c'] } })
  assert.equal(accepted.status, 202, 'the provider checks the rendered text')

  // Each fault: src/accounts/templates/cod-parameters.test.ts.
  const misfits: [string, unknown][] = [
    ['plain', { body: ['a'] }],
    ['plain', { header: 'a' }],
    ['with_header', { body: ['a'] }],
    ['with_header', { header: ' ', body: ['a'] }],
    ['named', { body: ['a', 'b'] }],
    ['named', { body: { name: 'a', order: 'b', more: 'c' } }],
    ['order_confirmation', undefined],
    ['order_confirmation', { body: ['a', 'b'] }],
    ['order_confirmation', { body: { 1: 'a', 2: 'b', 3: 'c' } }],
    ['order_confirmation', { body: ['a', '\u00a0\u3000', 'c'] }],
    ['order_confirmation', { body: ['a', 'b\nb', 'c'] }],
    ['order_confirmation', { body: [`${long}a`, 'b', 'c'] }],
  ]
  for (const [name, parameters] of misfits) {
    const answer = await post(world, { ...world.confirmationBody(), template: { name, language: 'en' }, parameters })
    assert.equal(answer.body.code, 'COD_TEMPLATE_PARAMETERS_INVALID', `${name} ${JSON.stringify(parameters)}`)
  }
})

test('thousands of faulty parameters get the first hundred faults, and fail no request beside them', async (t) => {
  const world = await startShop(t)
  const faulty = { ...world.confirmationBody(), parameters: { body: Array.from({ length: 20_000 }, () => '') } }
  const good = Array.from({ length: 5 }, () => world.confirmationBody())
  const [answer, ...others] = await Promise.all([faulty, ...good].map((body) => post(world, body)))
  assert.equal(answer?.body.code, 'COD_TEMPLATE_PARAMETERS_INVALID')
  const faults = String(answer.body.detail).split('; ')
  assert.deepEqual(
    [faults.length, faults[0]],
    [MAX_FAULTS, 'parameters.body has 20000 values, but the body has 3 numbered parameters'],
  )
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([202]))
})

test('no parameter name is ignored, not even __proto__', async (t) => {
  const world = await startShop(t)
  const body = JSON.stringify({
    ...world.confirmationBody(),
    template: { name: 'named', language: 'en' },
    parameters: { body: { name: 'a', order: 'b', extra: 'c' } },
  })
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const answer = await world.request('POST', confirmationPath, { rawBody: body.replace('extra', name) })
    assert.ok(answer.status === 422, `${name}: ${answer.text}`)
  }
})

test('each check accepts only a utility template with its number of buttons', async (t) => {
  const world = await startShop(t)
  const order = await world.askToConfirm()
  for (const name of ['with_image', 'delivery_refusal', 'order_shipped', 'order_delayed', 'summer_offer']) {
    const answer = await post(world, { ...world.confirmationBody(), template: { name, language: 'en' } })
    assert.equal(answer.body.code, 'COD_TEMPLATE_NOT_USABLE', name)
  }
  for (const name of ['order_confirmation', 'plain', 'summer_offer']) {
    const body = world.refusalBody({ template: { name, language: 'en' } })
    const answer = await world.request('POST', refusalPath(order), { body })
    assert.equal(answer.body.code, 'COD_TEMPLATE_NOT_USABLE', name)
  }
})

test('the same request in another form is a free repeat', async (t) => {
  const world = await startShop(t)
  const body = {
    ...world.confirmationBody({ to: '+212612345678', template: { name: 'named', language: 'en' } }),
    parameters: { body: { name: 'Ana', order: '5521' } },
  }
  const first = await post(world, body, withKey('k'))
  assert.equal(first.status, 202)
  await world.settled()
  const order = { ...(first.body as CreatedConfirmation), to: body.to }
  await world.customer(order).taps('Confirm')
  for (const form of [
    body,
    { ...body, to: ' +212 612-345-678 ' },
    { ...body, senderId: body.senderId.toUpperCase() },
    { ...body, parameters: { body: { order: '5521', name: 'Ana' } } },
  ])
    assert.equal((await post(world, form, withKey('k'))).text, first.text, JSON.stringify(form))
  await world.settled()
  assert.equal(
    world
      .customer(order)
      .texts()
      .filter((text) => text.startsWith('Dear')).length,
    1,
  )
  assert.deepEqual(await used(world), { cod_confirmation: 1 })
})

test('omitted and empty parameters are equal', async (t) => {
  const world = await startShop(t)
  const body = { ...world.confirmationBody(), template: { name: 'plain', language: 'en' }, parameters: undefined }
  const first = await post(world, body, withKey('k'))
  assert.equal(first.status, 202)
  assert.equal((await post(world, { ...body, parameters: {} }, withKey('k'))).text, first.text)
})

test('a key with any changed value is rejected, and keeps its first request', async (t) => {
  const world = await startShop(t)
  const body = {
    ...world.confirmationBody({ template: { name: 'with_header', language: 'en' } }),
    parameters: { header: 'a', body: ['b'] },
  }
  const first = await post(world, body, withKey('k'))
  assert.equal(first.status, 202)
  const changes: object[] = [
    { to: newPhone() },
    { senderId: world.account.senders[1]?.senderId },
    { template: { name: 'plain', language: 'en' } },
    { template: { name: 'with_header', language: 'ar' } },
    { reference: 'order-5522' },
    { parameters: { header: 'a', body: ['c'] } },
    { parameters: { header: 'c', body: ['b'] } },
    { parameters: { body: ['b'] } },
    { parameters: { header: 'a' } },
    { parameters: { header: 'a', body: { 0: 'b' } } },
    { parameters: undefined },
  ]
  for (const change of changes) {
    const answer = await post(world, { ...body, ...change }, withKey('k'))
    assert.deepEqual([answer.status, answer.body.code], [409, 'IDEMPOTENCY_KEY_REUSED'], JSON.stringify(change))
  }
  assert.equal((await post(world, body, withKey('k'))).text, first.text)
})

test('a refusal check’s key covers its confirmation, template and parameters', async (t) => {
  const world = await startShop(t)
  const [order, other] = [await world.askToConfirm(), await world.askToConfirm()]
  await world.createConfirmation({}, withKey('k'))
  await world.sendOtp({}, withKey('k'))
  const ask = (of: CreatedConfirmation, body: object) =>
    world.request('POST', refusalPath(of), { body, ...withKey('k') })
  const body = world.refusalBody()
  const first = await ask(order, body)
  assert.equal(first.status, 202)
  await world.settled()
  await world.customer(order).taps('No')
  assert.equal((await ask({ ...order, confirmationId: order.confirmationId.toUpperCase() }, body)).text, first.text)
  const changes: [CreatedConfirmation, object][] = [
    [other, body],
    [order, { ...body, parameters: { body: ['Ana', '5522'] } }],
    [order, { ...body, template: { name: 'delivery_refusal', language: 'ar' } }],
    [order, { template: body.template }],
  ]
  for (const [of, changed] of changes)
    assert.equal((await ask(of, changed)).body.code, 'IDEMPOTENCY_KEY_REUSED', JSON.stringify(changed))
  assert.deepEqual(await used(world), { otp: 1, cod_confirmation: 3, cod_refusal: 1 })
})

test('60 simultaneous requests with one key on two nodes create one confirmation', async (t) => {
  const world = await startShop(t)
  const other = await world.node()
  const body = world.confirmationBody()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      post(world, body, { ...withKey('k'), url: index % 2 ? other.url : world.first.url }),
    ),
  )
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  assert.equal(answers[0]?.status, 202)
  await world.settled()
  assert.equal(world.customer(body).screen().length, 1)
  assert.deepEqual(await used(world), { cod_confirmation: 1 })
})

test('of 20 simultaneous refusal checks on two nodes exactly one is accepted', async (t) => {
  const world = await startShop(t)
  const other = await world.node()
  const order = await world.askToConfirm()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      world.request('POST', refusalPath(order), {
        body: world.refusalBody(),
        url: index % 2 ? other.url : world.first.url,
      }),
    ),
  )
  const codes = answers.map(({ status, body }) => body.code ?? status)
  assert.equal(codes.filter((code) => code === 202).length, 1)
  assert.equal(codes.filter((code) => code === 'COD_REFUSAL_CHECK_EXISTS').length, 19)
  await world.settled()
  assert.equal(world.customer(order).screen().length, 2)
  assert.deepEqual(await used(world), { cod_confirmation: 1, cod_refusal: 1 })
})

test('with one unit left, simultaneous refusal checks report the existing check', async (t) => {
  const world = await startShop(t)
  await allow(world, 'cod_refusal', 1)
  const order = await world.askToConfirm()
  const accept = createRefusalCheckAcceptor(world.parts)
  const { template, parameters } = world.refusalBody()
  const requests = Array.from({ length: 20 }, () => ({
    workspaceId: world.workspaceId,
    apiKeyId: 'aaaaaaaaaaaa',
    correlationId: randomUUID(),
    idempotencyKey: null,
    confirmationId: order.confirmationId,
    template,
    parameters: parameters as { body: string[] },
  }))
  // In one turn of the event loop, so that they form one group.
  const outcomes = await Promise.allSettled(requests.map(accept))
  const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ApiError] : []))
  assert.deepEqual(
    rejected.map(({ code }) => code),
    Array.from({ length: 19 }, () => 'COD_REFUSAL_CHECK_EXISTS'),
  )
})

test('confirmations and refusal checks have separate quotas, exact under concurrency', async (t) => {
  const world = await startShop(t)
  const orders = await Promise.all(Array.from({ length: 12 }, () => world.createConfirmation()))
  await world.settled()
  await allow(world, 'cod_confirmation', 17)
  await allow(world, 'cod_refusal', 7)
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, () => post(world, world.confirmationBody())),
    ...orders.map((order) => world.request('POST', refusalPath(order), { body: world.refusalBody() })),
  ])
  const codes = answers.map(({ status, body }) => body.code ?? status)
  assert.equal(codes.slice(0, 12).filter((code) => code === 202).length, 5)
  assert.equal(codes.slice(12).filter((code) => code === 202).length, 7)
  assert.equal(codes.filter((code) => code === 'COD_QUOTA_EXCEEDED').length, 12)
  assert.deepEqual(await used(world), { cod_confirmation: 17, cod_refusal: 7 })
  await world.sendOtp()
})

test('follow-up messages and failures neither take nor return a unit', async (t) => {
  const world = await startShop(t)
  const order = await world.askToConfirm()
  await world.after('121m')
  const customer = world.customer(order)
  await customer.taps('Change time')
  await customer.taps(0)
  await customer.taps(0)
  const to = newPhone()
  world.emulator.script({ match: { to }, behaviour: { error: 131026 } })
  const failed = await world.askToConfirm({ to })
  assert.equal((await world.getConfirmation(failed)).status, 'failed')
  assert.deepEqual(await used(world), { cod_confirmation: 2 })
})

test('a GET accepts only no body or an empty object', async (t) => {
  const world = await startShop(t)
  const order = await world.createConfirmation()
  const path = `${confirmationPath}/${order.confirmationId}`
  const json = { headers: { 'content-type': 'application/json' } }
  const codeOf = async (options: object, query = '') =>
    (await world.request('GET', `${path}${query}`, options)).body.code
  for (const good of [{}, { body: {} }, { rawBody: ' {} ', ...json }]) assert.equal(await codeOf(good), undefined)
  for (const bad of [{ body: { a: 1 } }, { body: [] }, { body: null }, { body: 'x' }, { rawBody: '{', ...json }])
    assert.equal(await codeOf(bad), 'DEVELOPER_INVALID_INPUT', JSON.stringify(bad))
  assert.equal(await codeOf({}, '?expand=1'), 'DEVELOPER_INVALID_INPUT')
  const upper = await world.request('GET', `${confirmationPath}/${order.confirmationId.toUpperCase()}`)
  assert.equal(upper.body.confirmationId, order.confirmationId)
})

test('a new confirmation is accepted and unanswered', async (t) => {
  const world = await startShop(t, { works: false })
  const order = await world.createConfirmation({ to: ' +212 612-345-678 ' })
  const { createdAt, ...view } = await world.getConfirmation(order)
  assert.deepEqual(view, {
    confirmationId: order.confirmationId,
    reference: 'order-5521',
    to: '+212612345678',
    status: 'accepted',
    answeredAt: null,
    reschedule: null,
    refusalCheck: null,
    failure: null,
  })
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
})

test('a refusal check needs a confirmation that was sent and did not fail', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  for (const [status, code] of [
    ['accepted', 'COD_CONFIRMATION_NOT_ELIGIBLE'],
    ['failed', 'COD_CONFIRMATION_NOT_ELIGIBLE'],
    ['awaiting_answer', undefined],
    ['confirmed', undefined],
    ['cancelled', undefined],
    ['rescheduling', undefined],
    ['rescheduled', undefined],
    ['no_response', undefined],
  ] as const) {
    const order = await world.createConfirmation()
    await world.query(
      `update confirmations set status = $2, failure_code = case when $2 = 'failed' then 'UNKNOWN' end,
         reschedule = case when $2 = 'rescheduled' then '{}'::jsonb end where id = $1`,
      [order.confirmationId, status],
    )
    const answer = await world.request('POST', refusalPath(order), { body: world.refusalBody() })
    assert.equal(answer.body.code, code, status)
  }
})
