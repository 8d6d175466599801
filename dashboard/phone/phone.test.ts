import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SendableTemplate, curlOf, meaningOf, requestOf, someCode } from './request.ts'
import { readPhoneSearch } from './search.ts'

const place = { to: '+34600111222', senderId: 'sender', confirmationId: 'order' }
const draft = { code: '493817', reference: 'A-1042', header: 'Hi', values: ['Sara'] }
const template = (changes: Partial<SendableTemplate>): SendableTemplate => ({
  name: 'order_confirmation',
  language: 'en',
  header: undefined,
  body: { form: 'positional', values: [] },
  ...changes,
})

test('a request has its template’s parameters, in the template’s form', () => {
  const values: [string, string][] = [
    ['1', 'Ana'],
    ['2', 'A-1'],
  ]
  const named = {
    form: 'named' as const,
    values: [['customer', 'Ana'] satisfies [string, string], ['order', 'A-1'] satisfies [string, string]],
  }
  const asked = (changes: Partial<SendableTemplate>) => requestOf('refusal', template(changes), draft, place).body
  const shown = { name: 'order_confirmation', language: 'en' }
  assert.deepEqual(asked({}), { template: shown })
  assert.deepEqual(asked({ body: { form: 'positional', values } }), {
    template: shown,
    parameters: { body: ['Sara', 'A-1042'] },
  })
  assert.deepEqual(asked({ header: '1', body: named }), {
    template: shown,
    parameters: { header: 'Hi', body: { customer: 'Sara', order: 'A-1042' } },
  })
})

test('a variable is named by its name, or by the sample of the template', () => {
  const meanings: [name: string, sample: string, meaning: string | undefined][] = [
    ['customer_name', 'Ana', 'customer'],
    ['order', 'A-1', 'order'],
    ['amount', '25', 'total'],
    ['day', 'Friday', undefined],
    ['1', 'Ana', 'customer'],
    ['2', '#A-1001', 'order'],
    ['3', '25 EUR', 'total'],
    ['3', '€25.00', 'total'],
    ['4', '12:00-18:00', undefined],
    ['4', 'Friday', undefined],
    ['4', '4', undefined],
  ]
  for (const [name, sample, meaning] of meanings) assert.equal(meaningOf(name, sample), meaning, `${name} ${sample}`)
})

test('a code may lack a reference, and a refusal check goes to its order', () => {
  const otp = requestOf('otp', template({}), { ...draft, reference: '' }, place)
  assert.deepEqual(Object.keys(otp.body), ['to', 'senderId', 'template', 'code'])
  assert.equal(requestOf('refusal', template({}), draft, place).path, '/cod-confirmations/order/refusal-check')
})

test('a quote in a value does not end the text of the shell', () => {
  const curl = curlOf('https://x.example', requestOf('otp', template({ name: "O'Neil" }), draft, place))
  assert.ok(curl.includes(`"O'\\''Neil"`))
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
