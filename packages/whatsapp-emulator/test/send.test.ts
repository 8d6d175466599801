import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO, demoAccount } from '../src/index.ts'
import {
  type Answer,
  CUSTOMER,
  body,
  codeOf,
  detailsOf,
  order,
  otp,
  quickReply,
  startWorld,
  template,
  urlButton,
} from './world.ts'

test('an authentication template arrives with its code and is answered like Meta', async (t) => {
  const world = await startWorld(t)
  const answer = await world.sendOtp({ biz_opaque_callback_data: 'job-1' })
  assert.equal(answer.status, 200)
  const message = await world.emulator.waitForMessage({ to: CUSTOMER })
  assert.equal(message.code, '493817')
  assert.match(message.text, /\*493817\*/)
  assert.deepEqual(message.shown.buttons, [{ index: 0, type: 'OTP', text: 'Copy code', code: '493817' }])
  assert.deepEqual(answer.body, {
    messaging_product: 'whatsapp',
    contacts: [{ input: CUSTOMER, wa_id: '34600111222', user_id: message.userId }],
    messages: [{ id: message.id, message_status: 'accepted' }],
  })
})

test('a send works with any version and without one', async (t) => {
  const world = await startWorld(t)
  for (const version of ['/v19.0', '/v25.0', '/v99.9', '']) {
    const answer = await world.call('POST', `${version}/${DEMO.standardNumberId}/messages`, {
      messaging_product: 'whatsapp',
      to: CUSTOMER,
      ...otp(),
    })
    assert.equal(answer.status, 200, version)
  }
})

test('an error has exactly Graph’s form', async (t) => {
  const world = await startWorld(t)
  const answer = await world.send(template('login_code', 'de', []))
  assert.equal(answer.status, 404)
  const traceId = answer.at('error', 'fbtrace_id')
  assert.ok(typeof traceId === 'string' && /^A[\w-]{22}$/.test(traceId))
  assert.deepEqual(answer.body, {
    error: {
      message: '(#132001) Template does not exist',
      type: 'OAuthException',
      code: 132001,
      error_data: { messaging_product: 'whatsapp', details: 'the template login_code does not exist in de' },
      fbtrace_id: traceId,
    },
  })
})

test('each wrong token or number gets the code that Meta documents', async (t) => {
  const world = await startWorld(t)
  const other = {
    id: '99887766554433',
    accessToken: 'EAAother',
    numbers: [{ id: '7788990011', displayPhoneNumber: '+34 911 222 333' }],
  }
  world.emulator.addAccount({ ...demoAccount(), templates: [], ...other })
  const path = `/v25.0/${DEMO.standardNumberId}/messages`
  assert.deepEqual(await rejection(world.call('POST', path, otp(), 'wrong')), [401, 190])
  assert.deepEqual(await rejection(world.call('POST', path, otp(), '')), [400, 104])
  assert.deepEqual(await rejection(world.call('POST', path, otp(), 'EAAother')), [403, 200])
  assert.deepEqual(await rejection(world.call('POST', '/v25.0/5544332211/messages', otp())), [400, 100])
})

test('an unreadable token is reported as unreadable, not as expired', async (t) => {
  const world = await startWorld(t)
  const answer = await world.call('GET', `/v25.0/${DEMO.accountId}`, undefined, 'garbage')
  assert.deepEqual(answer.body, {
    error: {
      message: 'Invalid OAuth access token - Cannot parse access token',
      type: 'OAuthException',
      code: 190,
      fbtrace_id: answer.at('error', 'fbtrace_id'),
    },
  })
})

const login = (...components: object[]) => template('login_code', 'en_US', components)
const confirm = (...components: object[]) => template('order_confirmation', 'en', components)
const LONG = 'x'.repeat(1024)

const REJECTED: [string, object, number][] = [
  ['messaging_product missing', { ...otp(), messaging_product: undefined }, 100],
  ['messaging_product of another kind', { ...otp(), messaging_product: 'telegram' }, 100],
  ['to missing', { ...otp(), to: undefined }, 100],
  ['to with letters', { ...otp(), to: '+34 CALL ME' }, 131009],
  ['to too short', { ...otp(), to: '12' }, 131009],
  ['a group', { ...otp(), recipient_type: 'group' }, 100],
  ['the sending number itself', { ...otp(), to: DEMO.standardNumber }, 131021],
  ['a user id for an authentication template', { ...otp(), to: undefined, recipient: 'ES.9ab4f0c9' }, 131062],
  ['an unknown type', { type: 'hologram' }, 131051],
  ['callback data of 513 characters', { ...otp(), biz_opaque_callback_data: 'x'.repeat(513) }, 100],
  ['template missing', { type: 'template' }, 131008],
  ['template without a name', { type: 'template', template: { language: { code: 'en' } } }, 131008],
  ['template without a language', { type: 'template', template: { name: 'login_code' } }, 131008],
  [
    'a policy that is not deterministic',
    { type: 'template', template: { name: 'login_code', language: { code: 'ar', policy: 'fallback' } } },
    100,
  ],
  ['en where only en_US exists', otp('1', 'en'), 132001],
  ['a language in the wrong case', otp('1', 'EN_us'), 132001],
  ['a template that is still pending', order('order_shipped', ['A-1']), 132001],
  ['a paused template', order('order_delayed', ['A-1']), 132015],
  ['too few parameters', order('order_confirmation', ['Ana', 'A-1001']), 132000],
  ['too many parameters', order('order_confirmation', ['Ana', 'A-1001', '25', '26']), 132000],
  ['no body component', login(urlButton('1')), 132000],
  ['two body components', login(body('1'), body('1'), urlButton('1')), 100],
  ['a footer component', login({ type: 'footer' }), 100],
  ['a header that the template lacks', confirm({ ...body('x'), type: 'header' }, body('a', 'b', 'c')), 132000],
  ['an empty text', order('order_confirmation', ['', 'A-1001', '25']), 131008],
  ['a new line', order('order_confirmation', ['Ana\nB', 'A-1001', '25']), 132018],
  ['a tab', order('order_confirmation', ['Ana\tB', 'A-1001', '25']), 132018],
  ['five spaces', order('order_confirmation', ['Ana     B', 'A-1001', '25']), 132018],
  ['a rendered body of over 1024 characters', order('order_confirmation', [LONG, 'A-1001', '25']), 132005],
  [
    'an image where text is expected',
    confirm({
      type: 'body',
      parameters: [{ type: 'image' }, { type: 'text', text: 'b' }, { type: 'text', text: 'c' }],
    }),
    132012,
  ],
  [
    'a name for a counted parameter',
    confirm({
      type: 'body',
      parameters: ['a', 'b', 'c'].map((text) => ({ type: 'text', text, parameter_name: text })),
    }),
    100,
  ],
  [
    'a component for a body without parameters',
    template('summer_offer', 'en', [{ type: 'body', parameters: [] }]),
    132012,
  ],
  ['the code button left out', login(body('1')), 131008],
  ['the code button without its parameter', login(body('1'), { ...urlButton('1'), parameters: [] }), 131008],
  ['the code button as quick_reply', login(body('1'), quickReply(0, 'x')), 131009],
  ['the code button as copy_code', login(body('1'), { ...urlButton('1'), sub_type: 'copy_code' }), 131009],
  ['a button at an index that is not there', login(body('1'), urlButton('1', '1')), 131009],
  ['a button without an index', login(body('1'), { ...urlButton('1'), index: undefined }), 131008],
  ['two components for one button', login(body('1'), urlButton('1'), urlButton('1', 0)), 131009],
  ['a code of 16 characters', otp('1234567890123456'), 131009],
  ['an empty payload', confirm(body('a', 'b', 'c'), quickReply(0, '')), 131008],
]

for (const [what, request, code] of REJECTED) {
  test(`a send is rejected with ${code}: ${what}`, async (t) => {
    const world = await startWorld(t)
    const answer = await world.send(request)
    assert.equal(codeOf(answer), code, answer.text)
    assert.deepEqual(world.emulator.messages(), [])
  })
}

test('a body that is not a JSON object is rejected without an internal error', async (t) => {
  const world = await startWorld(t)
  for (const text of ['{', '[]', '"x"', 'null', '']) {
    const answer = await world.call('POST', `/${DEMO.standardNumberId}/messages`, text)
    assert.deepEqual([answer.status, codeOf(answer)], [400, 100], text)
  }
})

test('accepted spellings of a number reach one phone', async (t) => {
  const world = await startWorld(t)
  for (const to of ['+34600111222', '34600111222', '+34 (600) 111-222'])
    assert.equal((await world.sendOtp({ to })).status, 200)
  assert.equal(world.emulator.messages({ to: '+34600111222' }).length, 3)
})

test('Brazil loses its ninth digit, Mexico gains a 1 and Argentina a 9 in wa_id', async (t) => {
  const world = await startWorld(t)
  const expected = {
    '+5511987654321': '551187654321',
    '+525512345678': '5215512345678',
    '+541123456789': '5491123456789',
    '+5491123456789': '5491123456789',
  }
  for (const [to, waId] of Object.entries(expected)) {
    const answer = await world.sendOtp({ to })
    assert.deepEqual([answer.at('contacts', 0, 'input'), answer.at('contacts', 0, 'wa_id')], [to, waId])
  }
})

test('a user id in `to` is accepted, and the message goes nowhere', async (t) => {
  const world = await startWorld(t)
  assert.equal((await world.sendOrder({ to: 'ES.9ab4f0c9' })).status, 200)
  await world.emulator.idle()
  assert.deepEqual(world.statuses(), [])
})

test('a user id from an earlier answer reaches the same phone through `recipient`', async (t) => {
  const world = await startWorld(t)
  const first = await world.sendOtp()
  const userId = first.at('contacts', 0, 'user_id')
  const answer = await world.sendOrder({ to: undefined, recipient: userId })
  assert.equal(answer.status, 200)
  assert.equal(answer.at('contacts', 0, 'wa_id'), undefined)
  assert.equal(world.emulator.messages({ to: CUSTOMER }).length, 2)
})

test('named parameters must match the template’s names', async (t) => {
  const world = await startWorld(t)
  world.emulator.addTemplate(DEMO.accountId, {
    name: 'visit',
    language: 'en',
    category: 'UTILITY',
    parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'For {{who}} now' },
      { type: 'BODY', text: 'Hello {{first_name}}, see you on {{slot}} then.' },
    ],
  })
  const named = (...names: string[]) => names.map((name) => ({ type: 'text', parameter_name: name, text: `<${name}>` }))
  const visit = (header: object[], parameters: object[]) =>
    world.send(
      template('visit', 'en', [
        { type: 'header', parameters: header },
        { type: 'body', parameters },
      ]),
    )
  assert.equal(codeOf(await visit(named('who'), named('slot', 'first_name'))), 0)
  assert.equal(world.emulator.messages()[0]?.text, 'For <who> now\nHello <first_name>, see you on <slot> then.')
  assert.equal(
    codeOf(
      await visit(named('who'), [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ),
    100,
  )
  assert.equal(codeOf(await visit(named('who'), named('slot', 'surname'))), 100)
  assert.equal(codeOf(await visit(named('who'), named('slot'))), 132000)
})

test('button indexes include buttons without parameters', async (t) => {
  const world = await startWorld(t)
  const buttons = [
    { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+34911222333' },
    { type: 'URL', text: 'Track', url: 'https://shop.example/t/{{1}}' },
  ]
  world.emulator.addTemplate(DEMO.accountId, {
    name: 'track',
    language: 'en',
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: 'On its way.' },
      { type: 'BUTTONS', buttons },
    ],
  })
  assert.equal(codeOf(await world.send(template('track', 'en', [urlButton('A1', 0)]))), 132012)
  assert.equal(codeOf(await world.send(template('track', 'en', [urlButton('$1', 1)]))), 0)
  assert.equal(world.emulator.messages()[0]?.shown.buttons[1]?.url, 'https://shop.example/t/$1')
})

test('quick replies without a component have their label as payload', async (t) => {
  const world = await startWorld(t)
  await world.send(template('order_confirmation', 'en', [body('a', 'b', 'c'), quickReply(1, 'no:77')]))
  const payloads = world.emulator.messages()[0]?.shown.buttons.map((button) => button.payload)
  assert.deepEqual(payloads, ['Confirm', 'no:77', 'Change time'])
})

test('a button with another code than the text causes a warning', async (t) => {
  const world = await startWorld(t)
  assert.equal((await world.send(template('login_code', 'en_US', [body('1111'), urlButton('2222')]))).status, 200)
  assert.equal(world.emulator.messages()[0]?.warnings.length, 1)
})

test('disconnected numbers and blocked accounts cannot send', async (t) => {
  const world = await startWorld(t)
  world.emulator.changeNumber(DEMO.standardNumberId, { status: 'DISCONNECTED' })
  assert.deepEqual(await rejection(world.sendOtp()), [400, 133010])
  world.emulator.changeNumber(DEMO.standardNumberId, { status: 'FLAGGED' })
  assert.equal((await world.sendOtp()).status, 200)
  world.emulator.changeAccount(DEMO.accountId, { blockedBy: 131042 })
  assert.deepEqual(await rejection(world.sendOtp()), [400, 131042])
})

test('a test number reaches only the recipients on its list', async (t) => {
  const world = await startWorld(t, {
    account: {
      numbers: [
        { id: DEMO.standardNumberId, displayPhoneNumber: '+1 555 010 0101', allowedRecipients: ['+34600111222'] },
      ],
    },
  })
  assert.equal(codeOf(await world.sendOtp()), 0)
  assert.equal(codeOf(await world.sendOtp({ to: '+34600111223' })), 131030)
})

test('the 46th message of a burst is 131056 until six seconds later', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  for (let count = 0; count < 45; count++) assert.equal((await world.sendOtp()).status, 200)
  assert.equal(codeOf(await world.sendOtp()), 131056)
  assert.equal(codeOf(await world.sendOtp({ to: '+34600111223' })), 0)
  world.pass(6_000)
  assert.equal(codeOf(await world.sendOtp()), 0)
  assert.equal(codeOf(await world.sendOtp()), 131056)
})

test('a standard number sends 80 messages a second, a high one more', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', pairLimit: false })
  const codes = await Promise.all(Array.from({ length: 81 }, () => world.sendOtp()))
  assert.deepEqual(
    codes.map(codeOf).filter((code) => code !== 0),
    [130429],
  )
  const high = await Promise.all(Array.from({ length: 81 }, () => world.send(otp(), DEMO.highNumberId)))
  assert.deepEqual(
    high.map(codeOf).filter((code) => code !== 0),
    [],
  )
  world.pass(1_000)
  assert.equal(codeOf(await world.sendOtp()), 0)
})

test('an error says what is wrong and where', async (t) => {
  const world = await startWorld(t)
  const answer = await world.send(template('login_code', 'en_US', [body('1')]))
  assert.equal(detailsOf(answer), 'the button at index 0 of type url needs its component')
})

async function rejection(answer: Promise<Answer>): Promise<[number, number]> {
  const { status } = await answer
  return [status, codeOf(await answer)]
}
