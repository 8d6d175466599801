import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { TemplateButton, TemplateComponent } from '../../providers/provider.ts'
import { codUnusableReason } from './usability.ts'

const header: TemplateComponent = { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }
const body: TemplateComponent = { type: 'BODY', text: 'Hello {{1}}, your order of {{2}} is on its way.' }
const footer: TemplateComponent = { type: 'FOOTER', text: 'The shop' }
const quickReply = (text: string): TemplateButton => ({ type: 'QUICK_REPLY', text })
const buttons = (...list: TemplateButton[]): TemplateComponent => ({ type: 'BUTTONS', buttons: list })
const two = buttons(quickReply('Yes'), quickReply('No'))
const three = buttons(quickReply('Confirm'), quickReply('Cancel'), quickReply('Another time'))

const template = (more: Partial<{ status: string; category: string; components: TemplateComponent[] }> = {}) => ({
  status: 'APPROVED',
  category: 'UTILITY',
  components: [header, body, footer, three],
  ...more,
})

test('approved utility templates serve confirmations with three replies, refusals with two', () => {
  assert.equal(codUnusableReason(template(), 'confirmation'), undefined)
  assert.equal(codUnusableReason(template({ components: [two, footer, body, header] }), 'refusal'), undefined)
})

test('header, footer, parameters and the header’s format are optional', () => {
  for (const components of [
    [{ type: 'BODY', text: 'Is it yours?' }, three],
    [{ type: 'BODY', text: 'Is it yours, {{first_name}}, from {{slot}}, {{first_name}}?' }, three],
    [{ type: 'HEADER', text: 'Your order' }, body, three],
    [body, buttons({ type: 'quick_reply' }, quickReply('b'), quickReply('c'))],
  ]) {
    assert.equal(codUnusableReason(template({ components }), 'confirmation'), undefined)
  }
})

test('neither template can serve the other check', () => {
  assert.match(
    reasonOf(template(), 'refusal'),
    /has 3 quick replies, but the refusal template has exactly 2 quick replies, in this order: yes/,
  )
  assert.match(
    reasonOf(template({ components: [body, two] }), 'confirmation'),
    /has 2 quick replies, but the confirmation template has exactly 3 quick replies, in this order: confirm/,
  )
})

const rejected: readonly [string, Parameters<typeof template>[0], RegExp][] = [
  ['that waits for review', { status: 'PENDING' }, /status PENDING/],
  ['that is paused', { status: 'PAUSED' }, /status PAUSED/],
  ['of the category MARKETING', { category: 'MARKETING' }, /category MARKETING/],
  ['of the category AUTHENTICATION', { category: 'AUTHENTICATION' }, /category AUTHENTICATION/],
  ['with a picture above it', { components: [{ type: 'HEADER', format: 'IMAGE' }, body, three] }, /format IMAGE/],
  ['with a place above it', { components: [{ type: 'HEADER', format: 'LOCATION' }, body, three] }, /format LOCATION/],
  [
    'whose header has two parameters',
    { components: [{ type: 'HEADER', format: 'TEXT', text: '{{1}} {{2}}' }, body, three] },
    /header has 2 parameters/,
  ],
  ['without a body', { components: [header, three] }, /no body/],
  ['with an empty body', { components: [{ type: 'BODY', text: ' ' }, three] }, /no body/],
  ['with two bodies', { components: [body, body, three] }, /more than one component of the type BODY/],
  [
    'whose numbers have a gap',
    { components: [{ type: 'BODY', text: 'a {{1}} b {{3}}' }, three] },
    /\{\{2\}\} is missing/,
  ],
  ['of the carousel kind', { components: [body, { type: 'CAROUSEL' }] }, /type CAROUSEL/],
  ['without buttons', { components: [body] }, /no quick reply/],
  ['with one quick reply', { components: [body, buttons(quickReply('a'))] }, /1 quick reply,/],
  [
    'with a link after its quick replies',
    { components: [body, buttons(quickReply('a'), quickReply('b'), quickReply('c'), { type: 'URL' })] },
    /Button 4 .* type URL/,
  ],
  [
    'with a link among its quick replies',
    { components: [body, buttons(quickReply('a'), { type: 'URL' }, quickReply('c'))] },
    /Button 2 .* type URL/,
  ],
]

for (const [what, more, reason] of rejected) {
  test(`a template ${what} cannot be used, and the reason explains it`, () => {
    assert.match(reasonOf(template(more), 'confirmation'), reason)
  })
}

test('components of any kind in any order never throw', () => {
  const button = fc.record({ type: fc.constantFrom('QUICK_REPLY', 'URL', '') })
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
    fc.property(fc.array(component), fc.constantFrom('confirmation', 'refusal'), (components, check) => {
      const reason = codUnusableReason(template({ components }), check)
      assert.ok(reason === undefined || inEnglish(reason).endsWith('.'))
    }),
  )
})

function reasonOf(...of: Parameters<typeof codUnusableReason>): string {
  const reason = codUnusableReason(...of)
  return reason ? inEnglish(reason) : 'usable'
}
