import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SendableTemplate, requestOf, someCode } from './request.ts'
import { readPhoneSearch } from './search.ts'

const place = { to: '+34600111222', senderId: 'sender', confirmationId: 'order' }
const draft = { code: '493817', reference: 'A-1', header: 'Hi', values: ['Sara', 'A-1042'] }
const template = (changes: Partial<SendableTemplate>): SendableTemplate => ({
  name: 'order_confirmation',
  language: 'en',
  header: null,
  body: { form: 'positional', names: [] },
  text: '',
  ...changes,
})

test('a request has its template’s parameters, in the template’s form', () => {
  const named = { form: 'named' as const, names: ['customer', 'order'] }
  const asked = (changes: Partial<SendableTemplate>) => requestOf('refusal', template(changes), draft, place).body
  const shown = { name: 'order_confirmation', language: 'en' }
  assert.deepEqual(asked({}), { template: shown })
  assert.deepEqual(asked({ body: { form: 'positional', names: ['1', '2'] } }), {
    template: shown,
    parameters: { body: ['Sara', 'A-1042'] },
  })
  assert.deepEqual(asked({ header: '1', body: named }), {
    template: shown,
    parameters: { header: 'Hi', body: { customer: 'Sara', order: 'A-1042' } },
  })
})

test('a code may lack a reference, and a refusal check goes to its order', () => {
  const otp = requestOf('otp', template({}), { ...draft, reference: '' }, place)
  assert.deepEqual(Object.keys(otp.body), ['to', 'senderId', 'template', 'code'])
  assert.equal(requestOf('refusal', template({}), draft, place).path, '/cod-confirmations/order/refusal-check')
})

test('a code always has six digits', () => {
  assert.deepEqual(
    [someCode(() => 0), someCode(() => 0.000042), someCode(() => 0.999_999_9)],
    ['000000', '000042', '999999'],
  )
})

test('an address without a phone opens no phone', () => {
  assert.deepEqual(readPhoneSearch({ phone: 34600111222, number: 101 }), { phone: '+34600111222', number: '101' })
  assert.deepEqual(readPhoneSearch({ phone: '+34600111222', number: '101' }), { phone: '+34600111222', number: '101' })
  for (const wrong of [{}, { phone: '+34600111222' }, { phone: 'ana', number: '1' }, { phone: {}, number: [] }]) {
    assert.deepEqual(readPhoneSearch(wrong), {})
  }
})
