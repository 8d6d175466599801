import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '../src/index.ts'
import { type Answer, codeOf, startWorld } from './world.ts'

const TEMPLATES = `/v25.0/${DEMO.accountId}/message_templates`
const NUMBERS = `/v25.0/${DEMO.accountId}/phone_numbers`

type World = Awaited<ReturnType<typeof startWorld>>
type Row = {
  id: string
  name: string
  language: string
  components: { type: string; buttons?: object[]; text?: string }[]
}

test('an OTP button is read as a link that ends in otp{{1}}', async (t) => {
  const world = await startWorld(t)
  const [login] = rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code&language=en_US`))
  const link = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=10&code=otp'
  assert.deepEqual(
    login?.components.map((component) => component.type),
    ['BODY', 'FOOTER', 'BUTTONS'],
  )
  assert.deepEqual(login?.components[2]?.buttons, [
    { type: 'URL', text: 'Copy code', url: `${link}{{1}}`, example: [`${link}123456`] },
  ])
  assert.match(login?.components[0]?.text ?? '', /^\*\{\{1\}\}\*/)
})

test('an account can read OTP buttons as OTP', async (t) => {
  const world = await startWorld(t, { account: { otpButtons: 'OTP' } })
  const [login] = rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code&language=fr`))
  assert.deepEqual(login?.components[2]?.buttons, [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copier le code' }])
})

test('the link of a zero-tap button lists its apps, percent-encoded', async (t) => {
  const world = await startWorld(t)
  const supported_apps = [
    { package_name: 'com.a', signature_hash: 'abcdefghij+' },
    { package_name: 'com.b', signature_hash: 'ABCDEFGHIJ/' },
  ]
  const buttons = [{ type: 'otp', otp_type: 'zero_tap', zero_tap_terms_accepted: true, supported_apps }]
  await create(world, { name: 'zero', components: [{ type: 'body' }, { type: 'buttons', buttons }] })
  const [zero] = rowsOf(await world.call('GET', `${TEMPLATES}?name=zero`))
  const [button] = (zero?.components[1]?.buttons ?? []) as { url: string }[]
  const apps = 'package_name=com.a%2Ccom.b&signature_hash=abcdefghij%2B%2CABCDEFGHIJ%2F&code=otp{{1}}'
  assert.equal(button?.url.slice(-apps.length), apps)
})

test('authentication texts are in the template’s language, else in English', async (t) => {
  const world = await startWorld(t)
  const texts = new Set<string>()
  for (const language of ['en', 'ar', 'fr', 'es', 'ur', 'de']) {
    await create(world, { name: `code_${language}`, language })
    const [row] = rowsOf(await world.call('GET', `${TEMPLATES}?name=code_${language}`))
    texts.add(row?.components[0]?.text ?? '')
  }
  assert.equal(texts.size, 5)
})

test('pages cover all templates, and only the last lacks next', async (t) => {
  const world = await startWorld(t)
  const seen: string[] = []
  let path: string | undefined = `${TEMPLATES}?fields=id,name,language&limit=4`
  let pages = 0
  for (; path !== undefined && pages < 10; pages++) {
    const page: Answer = await world.call('GET', path)
    seen.push(...rowsOf(page).map((row) => `${row.name}/${row.language}`))
    assert.equal(typeof page.at('paging', 'cursors', 'after'), 'string')
    const next = page.at('paging', 'next')
    path = typeof next === 'string' ? next.slice(world.emulator.url.length) : undefined
  }
  assert.equal(pages, 3)
  assert.equal(new Set(seen).size, 9)
  assert.equal(seen.length, 9)
})

test('links to other pages work without an authorization header', async (t) => {
  const world = await startWorld(t)
  const page = await world.call('GET', `${TEMPLATES}?limit=4`)
  const next = await fetch(String(page.at('paging', 'next')))
  const { paging } = (await next.json()) as { paging: { previous: string } }
  const previous = await fetch(paging.previous)
  assert.deepEqual([next.status, previous.status], [200, 200])
})

test('`before` returns the previous page', async (t) => {
  const world = await startWorld(t)
  const first = await world.call('GET', `${TEMPLATES}?limit=3`)
  const second = await world.call('GET', `${TEMPLATES}?limit=3&after=${cursor(first, 'after')}`)
  const back = await world.call('GET', `${TEMPLATES}?limit=3&before=${cursor(second, 'before')}`)
  assert.deepEqual(rowsOf(back), rowsOf(first))
})

test('an invented cursor, or one of a removed row, is 131059', async (t) => {
  const world = await startWorld(t)
  const first = await world.call('GET', `${TEMPLATES}?limit=1`)
  assert.equal(codeOf(await world.call('GET', `${TEMPLATES}?after=bm9uc2Vuc2U=`)), 131059)
  await world.call('DELETE', `${TEMPLATES}?name=login_code`)
  assert.equal(codeOf(await world.call('GET', `${TEMPLATES}?after=${cursor(first, 'after')}`)), 131059)
})

test('only requested fields are sent, and unknown ones fail the call', async (t) => {
  const world = await startWorld(t)
  const [row] = rowsOf(await world.call('GET', `${TEMPLATES}?fields=name&limit=1`))
  assert.deepEqual(Object.keys(row ?? {}), ['name', 'id'])
  for (const path of [TEMPLATES, NUMBERS, `/${DEMO.standardNumberId}`, `/${DEMO.accountId}`]) {
    assert.equal(codeOf(await world.call('GET', `${path}?fields=id,shoe_size`)), 100, path)
    assert.equal(codeOf(await world.call('GET', `${path}?fields=__proto__`)), 100, path)
  }
})

test('templates are filtered by text, quality and time of creation', async (t) => {
  const world = await startWorld(t)
  world.pass(60_000)
  await create(world, { name: 'code_today', language: 'en' })
  const names = async (query: string) =>
    rowsOf(await world.call('GET', `${TEMPLATES}?${query}`)).map(({ name, language }) => `${name}/${language}`)
  const noon = Date.UTC(2026, 10, 20, 12) / 1000
  assert.deepEqual(await names('content=Demo shop&language=en'), ['order_confirmation/en'])
  assert.deepEqual(await names('content=login_code'), [])
  assert.deepEqual(await names('name_or_content=DELIVERY_REF'), ['delivery_refusal/en'])
  assert.deepEqual(await names('quality_score=red'), ['order_delayed/en'])
  assert.deepEqual(await names(`since=${noon + 1}`), ['code_today/en'])
  assert.equal((await names(`until=${noon}`)).length, 9)
  assert.deepEqual(await names('since=2026-11-20T12:00:30Z&until=2026-11-20T12:02:00Z'), ['code_today/en'])
})

test('filters narrow the list, by one value or by several as a JSON list or repeated', async (t) => {
  const world = await startWorld(t)
  for (const [query, count] of [
    ['status=PAUSED', 1],
    ['category=AUTHENTICATION', 3],
    ['language=ar', 2],
    ['name=order', 4],
    ['status=["APPROVED"]', 7],
    ['status=["PAUSED","pending"]', 2],
    ['status=PAUSED&status=PENDING', 2],
    ['language=["ar","fr"]&category=["AUTHENTICATION"]', 2],
  ] as const)
    assert.equal(rowsOf(await world.call('GET', `${TEMPLATES}?${query}`)).length, count, query)
})

test('an unknown filter value fails the call', async (t) => {
  const world = await startWorld(t)
  for (const query of ['status=SOLD', 'status=["SOLD"]', 'category=["UTILITY', 'quality_score=[1]', 'since=soon']) {
    assert.equal(codeOf(await world.call('GET', `${TEMPLATES}?${query}`)), 100, query)
  }
})

test('numbers are listed in display form, with the requested fields', async (t) => {
  const world = await startWorld(t)
  const page = await world.call('GET', `${NUMBERS}?fields=id,display_phone_number,status,throughput,health_status`)
  assert.equal(page.at('data', 0, 'display_phone_number'), DEMO.standardNumber)
  assert.deepEqual(page.at('data', 1, 'throughput'), { level: 'HIGH' })
  assert.equal(page.at('data', 0, 'health_status', 'can_send_message'), 'AVAILABLE')
})

test('health is the worst of its parts', async (t) => {
  const world = await startWorld(t)
  const health = async (id: string) =>
    (await world.call('GET', `/v25.0/${id}?fields=health_status`)).at('health_status', 'can_send_message')
  const paused = world.emulator
    .getAccount(DEMO.accountId)
    .templates.values()
    .find((template) => template.status === 'PAUSED')
  assert.equal(await health(paused?.id ?? ''), 'BLOCKED')
  world.emulator.changeNumber(DEMO.standardNumberId, { status: 'FLAGGED' })
  assert.equal(await health(DEMO.standardNumberId), 'LIMITED')
  assert.equal(await health(DEMO.accountId), 'AVAILABLE')
  world.emulator.changeAccount(DEMO.accountId, { blockedBy: 131031 })
  assert.equal(await health(DEMO.accountId), 'BLOCKED')
})

test('registering with the PIN connects a number; a wrong PIN is 133005', async (t) => {
  const world = await startWorld(t)
  world.emulator.changeNumber(DEMO.standardNumberId, { status: 'PENDING' })
  const register = (pin: string) =>
    world.call('POST', `/v25.0/${DEMO.standardNumberId}/register`, { messaging_product: 'whatsapp', pin })
  assert.equal(codeOf(await register('12')), 100)
  assert.deepEqual((await register('123456')).body, { success: true })
  assert.equal(codeOf(await register('654321')), 133005)
  assert.equal(codeOf(await world.sendOtp()), 0)
})

const body = (text: string, ...samples: string[]) => ({
  type: 'BODY',
  text,
  ...(samples.length > 0 ? { example: { body_text: [samples] } } : {}),
})
const named = {
  parameter_format: 'NAMED',
  components: [
    {
      type: 'BODY',
      text: 'Hello {{who}} there.',
      example: { body_text_named_params: [{ param_name: 'who', example: 'Ana' }] },
    },
  ],
}
const withHeader = (text: string) => ({ components: [{ type: 'HEADER', format: 'TEXT', text }, body('a')] })
const withFooter = (text: string) => ({ components: [body('a'), { type: 'FOOTER', text }] })
const authentication = (...components: object[]) => ({ category: 'AUTHENTICATION', components })
const buttons = (...list: object[]) => ({ components: [body('Hello.'), { type: 'BUTTONS', buttons: list }] })
const reply = (text: string) => ({ type: 'QUICK_REPLY', text })
const link = { type: 'URL', text: 'Open', url: 'https://shop.example' }
const otpButton = (changes: object, ...more: object[]) =>
  authentication(
    { type: 'BODY' },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', ...changes }] },
    ...more,
  )
const APP = { package_name: 'com.a', signature_hash: 'abcdefghijk' }

const CREATIONS: [string, object, number][] = [
  ['a plain body', { components: [body('Hello.')] }, 0],
  ['named parameters with samples', named, 0],
  ['named parameters without the format', { ...named, parameter_format: undefined }, 100],
  ['named parameters without samples', { ...named, components: [body('Hello {{who}} there.')] }, 100],
  ['no name', { name: undefined }, 100],
  ['a name in capitals', { name: 'Hello' }, 100],
  ['a name of 513 characters', { name: 'x'.repeat(513) }, 2388040],
  ['an unknown language', { language: 'xx' }, 100],
  ['an unknown category', { category: 'SPAM' }, 100],
  ['no components', { components: [] }, 100],
  ['no body', { components: [{ type: 'FOOTER', text: 'Bye' }] }, 2388072],
  ['two bodies', { components: [body('a'), body('b')] }, 100],
  ['a body of 1025 characters', { components: [body('x'.repeat(1025))] }, 2388072],
  ['a body that begins with a variable', { components: [body('{{1}} is here for you', 'x')] }, 2388299],
  ['a body that ends with a variable', { components: [body('This is for {{1}}', 'x')] }, 2388299],
  ['two variables side by side', { components: [body('This is {{1}} {{2}} for you', 'x', 'y')] }, 2388072],
  ['variables with a gap', { components: [body('This {{1}} is {{3}} here', 'x', 'y')] }, 100],
  [
    'too many variables for the text',
    { components: [body('a {{1}} - {{2}} - {{3}} - {{4}} b', '1', '2', '3', '4')] },
    2388293,
  ],
  ['a variable without a sample', { components: [body('This {{1}} is here')] }, 100],
  ['a header of 61 characters', withHeader('x'.repeat(61)), 2388047],
  ['a header with two variables', withHeader('{{1}} {{2}}'), 2388047],
  ['a footer with a variable', withFooter('Bye {{1}}'), 2388073],
  ['a footer of 61 characters', withFooter('x'.repeat(61)), 2388073],
  ['eleven buttons', buttons(...Array.from({ length: 11 }, (_, at) => reply(`b${at}`))), 100],
  ['quick replies that are apart', buttons(reply('a'), link, reply('b')), 100],
  ['three links', buttons(link, link, link), 100],
  ['a label of 26 characters', buttons(reply('x'.repeat(26))), 100],
  ['a link variable without a sample', buttons({ ...link, url: 'https://shop.example/{{1}}' }), 100],
  ['a time to live that is too long', { message_send_ttl_seconds: 43_201 }, 100],
  ['a time to live of 30 days', { message_send_ttl_seconds: -1 }, 0],
  ['an authentication template', otpButton({}), 0],
  ['an authentication template with a text of its own', authentication(body('Your code')), 100],
  ['an authentication template without its button', authentication({ type: 'BODY' }), 100],
  ['a code that expires after 91 minutes', otpButton({}, { type: 'FOOTER', code_expiration_minutes: 91 }), 2388073],
  ['an unknown kind of OTP button', otpButton({ otp_type: 'TWO_TAP' }), 100],
  ['one-tap without apps', otpButton({ otp_type: 'ONE_TAP' }), 100],
  ['zero-tap without its terms', otpButton({ ...APP, otp_type: 'ZERO_TAP' }), 100],
  ['one-tap with an app', otpButton({ ...APP, otp_type: 'ONE_TAP' }), 0],
  ['a hash of 10 characters', otpButton({ ...APP, otp_type: 'ONE_TAP', signature_hash: 'abcdefghij' }), 100],
  ['an OTP button on a utility template', buttons({ type: 'OTP', otp_type: 'COPY_CODE' }), 100],
]

for (const [what, changes, code] of CREATIONS) {
  test(`a creation gets ${code}: ${what}`, async (t) => {
    const world = await startWorld(t)
    const template = { name: 'new_one', language: 'en', category: 'UTILITY', components: [body('Hello.')], ...changes }
    const answer = await world.call('POST', TEMPLATES, template)
    assert.equal(codeOf(answer), code, answer.text)
    assert.equal(rowsOf(await world.call('GET', `${TEMPLATES}?name=new_one`)).length, code === 0 ? 1 : 0)
  })
}

test('a management error has a title, a user message and data as a string', async (t) => {
  const world = await startWorld(t)
  const answer = await world.call('POST', TEMPLATES, {
    name: 'login_code',
    language: 'ar',
    category: 'UTILITY',
    components: [body('Hello.')],
  })
  const error = answer.at('error') as Record<string, unknown>
  assert.deepEqual(
    [error['code'], error['error_subcode'], error['is_transient'], typeof error['error_data']],
    [100, 2388024, false, 'string'],
  )
  assert.equal(error['error_user_msg'], 'login_code exists already in ar')
})

test('a created template is approved by webhook, with an id beyond 2^53', async (t) => {
  const world = await startWorld(t, { speed: 0.01 })
  const answer = await create(world, {})
  assert.equal(answer.at('status'), 'PENDING')
  await world.emulator.idle()
  const [post] = world.callback.posts
  assert.ok(post?.raw.includes(`"message_template_id":${String(answer.at('id'))},`))
  assert.ok(Number(answer.at('id')) > Number.MAX_SAFE_INTEGER)
  assert.equal(post?.body.entry[0]?.changes[0]?.field, 'message_template_status_update')
  assert.equal(typeof post?.body.entry[0]?.time, 'number')
  assert.equal((await world.call('GET', `/${String(answer.at('id'))}?fields=status`)).at('status'), 'APPROVED')
})

test('a review can approve immediately, reject with a reason, or change the category', async (t) => {
  const world = await startWorld(t)
  world.emulator.planReview(DEMO.accountId, { afterMs: 0, times: 1 })
  world.emulator.planReview(DEMO.accountId, { outcome: 'reject', reason: 'SCAM', afterMs: 0, times: 1 })
  world.emulator.planReview(DEMO.accountId, { category: 'MARKETING', afterMs: 0, times: 1 })
  assert.equal((await create(world, { name: 'one' })).at('status'), 'APPROVED')
  const rejected = await create(world, { name: 'two' })
  assert.equal(rejected.at('status'), 'REJECTED')
  assert.equal(
    (await world.call('GET', `/${String(rejected.at('id'))}?fields=rejected_reason`)).at('rejected_reason'),
    'SCAM',
  )
  const moved = await world.call('POST', TEMPLATES, {
    name: 'three',
    language: 'en',
    category: 'UTILITY',
    message_send_ttl_seconds: 60,
    components: [body('Hello.')],
  })
  assert.deepEqual([moved.at('status'), moved.at('category')], ['APPROVED', 'MARKETING'])
  const read = await world.call('GET', `/${String(moved.at('id'))}?fields=previous_category,message_send_ttl_seconds`)
  assert.deepEqual([read.at('previous_category'), read.at('message_send_ttl_seconds')], ['UTILITY', undefined])
  await world.emulator.idle()
  const fields = world.callback.posts.flatMap((post) => post.body.entry.map((entry) => entry.changes[0]?.field))
  assert.ok(fields.includes('template_category_update'))
})

test('deleting by name removes all languages and blocks the name 30 days', async (t) => {
  const world = await startWorld(t)
  const [arabic] = rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code&language=ar`))
  await world.call('DELETE', `${TEMPLATES}?name=login_code&hsm_id=${arabic?.id}`)
  assert.equal(rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code`)).length, 2)
  await world.call('DELETE', `${TEMPLATES}?name=login_code`)
  assert.equal(rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code`)).length, 0)
  assert.equal((await create(world, { name: 'login_code', language: 'ar' })).at('error', 'error_subcode'), 2388023)
  world.pass(31 * 24 * 3_600_000)
  assert.equal(codeOf(await create(world, { name: 'login_code', language: 'ar' })), 0)
})

test('a disabled template cannot be sent or deleted', async (t) => {
  const world = await startWorld(t)
  const [login] = rowsOf(await world.call('GET', `${TEMPLATES}?name=login_code&language=en_US`))
  world.emulator.changeTemplate(login?.id ?? '', { status: 'DISABLED' })
  assert.equal(codeOf(await world.sendOtp()), 132016)
  assert.equal(codeOf(await world.call('DELETE', `${TEMPLATES}?name=login_code`)), 2388039)
})

test('the 101st creation within an hour is 80007', async (t) => {
  const world = await startWorld(t)
  for (let count = 0; count < 100; count++) assert.equal(codeOf(await create(world, { name: `t${count}` })), 0)
  assert.equal(codeOf(await create(world, { name: 'over' })), 80007)
  world.pass(3_600_001)
  assert.equal(codeOf(await create(world, { name: 'over' })), 0)
})

function create(world: World, changes: object): Promise<Answer> {
  const buttons = [{ type: 'OTP', otp_type: 'COPY_CODE' }]
  const components = [
    { type: 'BODY', add_security_recommendation: true },
    { type: 'BUTTONS', buttons },
  ]
  return world.call('POST', TEMPLATES, {
    name: 'new_code',
    language: 'en',
    category: 'AUTHENTICATION',
    components,
    ...changes,
  })
}

function rowsOf(answer: Answer): Row[] {
  return (answer.at('data') ?? []) as Row[]
}

function cursor(answer: Answer, which: 'before' | 'after'): string {
  return encodeURIComponent(String(answer.at('paging', 'cursors', which)))
}
