import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { TemplateButton, TemplateComponent } from '../../providers/provider.ts'
import { codUnusableReason, otpUnusableReason } from './usability.ts'

const link = (type: string): string =>
  `https://www.whatsapp.com/otp/code/?otp_type=${type}&code_expiration_minutes=5&code=otp{{1}}`

const body: TemplateComponent = { type: 'BODY', text: '*{{1}}* is your code.' }
const footer: TemplateComponent = { type: 'FOOTER', text: 'This code expires in 5 minutes.' }
const buttons = (...list: TemplateButton[]): TemplateComponent => ({ type: 'BUTTONS', buttons: list })
const copyCode: TemplateButton = { type: 'URL', text: 'Copy code', url: link('COPY_CODE') }

type Changes = Partial<{ status: string; category: string; components: TemplateComponent[] }>
/** A description of the template, its difference from a usable one, and the reason. */
type Case = readonly [what: string, changes: Changes, reason: RegExp]

const template = (more: Changes = {}) => ({
  status: 'APPROVED',
  category: 'AUTHENTICATION',
  components: [body, footer, buttons(copyCode)],
  ...more,
})

const withComponents = (...components: TemplateComponent[]): string | undefined =>
  otpUnusableReason(template({ components }))?.code

test('an approved authentication template works with every form of OTP button', () => {
  for (const type of ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP']) {
    assert.equal(withComponents(body, footer, buttons({ type: 'URL', text: 'Copy', url: link(type) })), undefined)
    assert.equal(withComponents(body, footer, buttons({ type: 'OTP', text: 'Copy', otp_type: type })), undefined)
  }
  assert.equal(withComponents(body, buttons({ type: 'OTP', text: 'Copy' })), undefined)
})

test('the otp_type field of a URL button takes precedence over its link', () => {
  const url = 'https://www.whatsapp.com/otp/code/?code=otp{{1}}'
  assert.equal(withComponents(body, buttons({ type: 'URL', url, otp_type: 'COPY_CODE' })), undefined)
  assert.match(withComponents(body, buttons({ type: 'URL', url })) ?? '', /usability_button/)
  const contradicted = buttons({ type: 'URL', url: link('COPY_CODE'), otp_type: 'THREE_TAP' })
  assert.match(withComponents(body, contradicted) ?? '', /usability_button/)
})

test('a zero-tap link with the app’s name and hash is an OTP button', () => {
  const url =
    'https://www.whatsapp.com/otp/code/?otp_type=ZERO_TAP&cta_display_name=Autofill&package_name=com.example.a%2Ccom.example.b&signature_hash=K8a%2FAINcGX7%2CAbc&code=otp{{1}}'
  assert.equal(withComponents(body, buttons({ type: 'URL', url })), undefined)
})

test('an old template without a button can be used', () => {
  assert.equal(withComponents({ type: 'BODY', text: 'Your code: {{1}}' }), undefined)
})

test('one named parameter is accepted like {{1}}', () => {
  assert.equal(withComponents({ type: 'BODY', text: 'Your code: {{code}}' }, buttons(copyCode)), undefined)
})

test('a repeated parameter in the body counts once', () => {
  assert.equal(withComponents({ type: 'BODY', text: '{{1}} is your code. Do not share {{1}}.' }), undefined)
})

const OTP_REJECTED: readonly Case[] = [
  ['in review', { status: 'PENDING' }, /status PENDING.*Wait until/],
  ['that is paused', { status: 'PAUSED' }, /status PAUSED.*another template/],
  ['with an unknown status', { status: 'SOMETHING_NEW' }, /status SOMETHING_NEW/],
  ['whose status only looks approved', { status: 'approved' }, /status approved/],
  ['of the category UTILITY', { category: 'UTILITY' }, /category UTILITY/],
  ['of the category MARKETING', { category: 'MARKETING' }, /category MARKETING/],
  ['without a body', { components: [footer] }, /no body/],
  ['whose body has no text', { components: [{ type: 'BODY' }] }, /but has none/],
  ['whose body has no parameter', { components: [{ type: 'BODY', text: 'Hello' }] }, /but has none/],
  ['whose body has two parameters', { components: [{ type: 'BODY', text: '{{1}} {{2}}' }] }, /but has 2/],
  ['whose body has only {{2}}', { components: [{ type: 'BODY', text: '{{2}}' }] }, /\{\{2\}\} instead/],
  [
    'whose header has a parameter',
    { components: [{ type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' }, body] },
    /header/,
  ],
  ['whose header is an image', { components: [{ type: 'HEADER', format: 'IMAGE' }, body] }, /format IMAGE/],
  [
    'with a quick reply',
    { components: [body, buttons({ type: 'QUICK_REPLY', text: 'No' })] },
    /Button 1 .*QUICK_REPLY/,
  ],
  [
    'with another button after the OTP one',
    { components: [body, buttons(copyCode, { type: 'PHONE_NUMBER' })] },
    /Button 2/,
  ],
  [
    'with a link of its own',
    { components: [body, buttons({ type: 'URL', url: 'https://example.com/{{1}}' })] },
    /Button 1/,
  ],
  [
    'with a link that only looks like an OTP one',
    {
      components: [
        body,
        buttons({ type: 'URL', url: link('COPY_CODE').replace('www.whatsapp.com', 'www.whatsapp.com.example.org') }),
      ],
    },
    /Button 1/,
  ],
  [
    'with an OTP link of an unknown kind',
    { components: [body, buttons({ type: 'URL', url: link('THREE_TAP') })] },
    /Button 1/,
  ],
  [
    'with an OTP link that takes no code',
    { components: [body, buttons({ type: 'URL', url: link('ONE_TAP').replace('{{1}}', '123456') })] },
    /Button 1/,
  ],
  [
    'with an OTP button of an unknown kind',
    { components: [body, buttons({ type: 'OTP', otp_type: 'THREE_TAP' })] },
    /Button 1/,
  ],
]

const header: TemplateComponent = { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }
const question: TemplateComponent = { type: 'BODY', text: 'Hello {{1}}, your order of {{2}} is on its way.' }
const quickReply = (text: string): TemplateButton => ({ type: 'QUICK_REPLY', text })
const two = buttons(quickReply('Yes'), quickReply('No'))
const three = buttons(quickReply('Confirm'), quickReply('Cancel'), quickReply('Another time'))

const codTemplate = (more: Changes = {}) => ({
  status: 'APPROVED',
  category: 'UTILITY',
  components: [header, question, footer, three],
  ...more,
})

test('approved utility templates serve confirmations with three replies, and refusal checks with two', () => {
  assert.equal(codUnusableReason(codTemplate(), 'confirmation'), undefined)
  assert.equal(codUnusableReason(codTemplate({ components: [two, footer, question, header] }), 'refusal'), undefined)
})

test('header, footer, parameters and the header’s format are optional', () => {
  for (const components of [
    [{ type: 'BODY', text: 'Is it yours?' }, three],
    [{ type: 'BODY', text: 'Is it yours, {{first_name}}, from {{slot}}, {{first_name}}?' }, three],
    [{ type: 'HEADER', text: 'Your order' }, question, three],
    [question, buttons({ type: 'quick_reply' }, quickReply('b'), quickReply('c'))],
  ]) {
    assert.equal(codUnusableReason(codTemplate({ components }), 'confirmation'), undefined)
  }
})

test('a template for one check cannot serve the other', () => {
  assert.match(
    textOf(codUnusableReason(codTemplate(), 'refusal')),
    /has 3 quick replies, but a refusal template needs exactly 2 quick replies, in this order: yes/,
  )
  assert.match(
    textOf(codUnusableReason(codTemplate({ components: [question, two] }), 'confirmation')),
    /has 2 quick replies, but a confirmation template needs exactly 3 quick replies, in this order: confirm/,
  )
})

const COD_REJECTED: readonly Case[] = [
  ['in review', { status: 'PENDING' }, /status PENDING/],
  ['that is paused', { status: 'PAUSED' }, /status PAUSED/],
  ['of the category MARKETING', { category: 'MARKETING' }, /category MARKETING/],
  ['of the category AUTHENTICATION', { category: 'AUTHENTICATION' }, /category AUTHENTICATION/],
  ['with a picture above it', { components: [{ type: 'HEADER', format: 'IMAGE' }, question, three] }, /format IMAGE/],
  [
    'with a location above it',
    { components: [{ type: 'HEADER', format: 'LOCATION' }, question, three] },
    /format LOCATION/,
  ],
  [
    'whose header has two parameters',
    { components: [{ type: 'HEADER', format: 'TEXT', text: '{{1}} {{2}}' }, question, three] },
    /header has 2 parameters/,
  ],
  ['without a body', { components: [header, three] }, /no body/],
  ['with an empty body', { components: [{ type: 'BODY', text: ' ' }, three] }, /no body/],
  ['with two bodies', { components: [question, question, three] }, /more than one component of the type BODY/],
  [
    'whose numbers have a gap',
    { components: [{ type: 'BODY', text: 'a {{1}} b {{3}}' }, three] },
    /\{\{2\}\} is missing/,
  ],
  ['of the carousel kind', { components: [question, { type: 'CAROUSEL' }] }, /type CAROUSEL/],
  ['without buttons', { components: [question] }, /no quick reply/],
  ['with one quick reply', { components: [question, buttons(quickReply('a'))] }, /1 quick reply,/],
  [
    'with a link after its quick replies',
    { components: [question, buttons(quickReply('a'), quickReply('b'), quickReply('c'), { type: 'URL' })] },
    /Button 4 .* type URL/,
  ],
  [
    'with a link among its quick replies',
    { components: [question, buttons(quickReply('a'), { type: 'URL' }, quickReply('c'))] },
    /Button 2 .* type URL/,
  ],
]

for (const [use, cases, reasonOf] of [
  ['codes', OTP_REJECTED, (more: Changes) => otpUnusableReason(template(more))],
  ['confirmations', COD_REJECTED, (more: Changes) => codUnusableReason(codTemplate(more), 'confirmation')],
] as const) {
  for (const [what, more, reason] of cases) {
    test(`a template ${what} cannot be used for ${use}, and the reason explains it`, () => {
      assert.match(textOf(reasonOf(more)), reason)
    })
  }
}

test('components of any kind in any order never throw', () => {
  const button = fc.record(
    { type: fc.oneof(fc.string(), fc.constantFrom('QUICK_REPLY', 'URL')), url: fc.string(), otp_type: fc.string() },
    { requiredKeys: ['type'] },
  )
  const component = fc.record(
    {
      type: fc.constantFrom('BODY', 'HEADER', 'FOOTER', 'BUTTONS', 'NEW'),
      text: fc.string(),
      format: fc.string(),
      buttons: fc.array(button),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(fc.array(component), (components) => {
      for (const reason of [
        otpUnusableReason(template({ components })),
        codUnusableReason(codTemplate({ components }), 'confirmation'),
        codUnusableReason(codTemplate({ components }), 'refusal'),
      ])
        assert.ok(reason === undefined || inEnglish(reason).endsWith('.'))
    }),
  )
})

const textOf = (reason: ReturnType<typeof otpUnusableReason>): string => (reason ? inEnglish(reason) : 'usable')
