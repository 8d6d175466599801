import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DEMO, TEMPLATE_LANGUAGES as LANGUAGES, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import { createWhatsApp } from '../../providers/whatsapp/whatsapp.ts'
import { checkParameters } from './cod-parameters.ts'
import type { CodeDraft, QuestionDraft, TemplateDraft } from '../../providers/template-draft.ts'
import { sampleOf, tidy, variablesOf } from '../../providers/template-text.ts'
import { findDraftFaults } from './draft.ts'
import { TEMPLATE_LANGUAGES } from './languages.ts'
import { validDraft } from './submit.ts'
import { verdictsOf } from './usability.ts'

const code: CodeDraft = {
  use: 'otp',
  name: 'login_code',
  language: 'en',
  securityAdvice: true,
  expiryMinutes: 10,
  copyLabel: '',
}

const question: QuestionDraft = {
  use: 'confirmation',
  name: 'order_check',
  language: 'en',
  header: '',
  headerSample: '',
  body: 'Hello {{customer}}, please confirm your order {{order}} of today.',
  samples: { customer: 'Sara', order: 'A-1001' },
  footer: '',
  buttons: ['Confirm', 'Cancel', 'Change time'],
}

const faultsIn = (draft: TemplateDraft): string[] => findDraftFaults(draft).map(({ at, fault }) => `${at} ${fault}`)

test('each broken rule of WhatsApp is reported at its field', () => {
  const broken: [Partial<QuestionDraft>, string[]][] = [
    [{}, []],
    [{ name: '' }, ['name missing']],
    [{ name: 'Order' }, ['name name_form']],
    [{ name: 'a'.repeat(513) }, ['name too_long']],
    [{ language: 'en-US' }, ['language language']],
    [{ body: '' }, ['body missing']],
    [{ body: 'x'.repeat(1025) }, ['body too_long']],
    [{ body: 'One\n\n\ntwo' }, ['body blank_lines']],
    [
      { body: 'Hello {{customer}} and {{2}} of the shop and more words' },
      ['body mixed_variables', 'samples.2 missing'],
    ],
    [
      { body: 'Hello {{1}} and {{3}} of the shop and more words' },
      ['body gap', 'samples.1 missing', 'samples.3 missing'],
    ],
    [{ body: 'Hello {{ customer }} of our shop today' }, ['body variable_form']],
    [{ body: 'Hello {{Customer}} of our shop today' }, ['body variable_form', 'samples.Customer missing']],
    [{ body: 'Hello {customer} of our shop today' }, ['body variable_form']],
    [{ body: 'Please confirm the order {{order}}' }, ['body edge']],
    [{ body: '{{order}} is your order, please confirm' }, ['body edge']],
    [{ body: 'Please confirm {{customer}} {{order}} of today, thank you' }, ['body adjacent']],
    [{ body: 'Hello {{customer}}!' }, ['body few_words']],
    [{ samples: { customer: 'Sara' } }, ['samples.order missing']],
    [{ samples: { customer: 'Sara', order: 'a\nb' } }, ['samples.order new_line']],
    [{ header: 'x'.repeat(61) }, ['header too_long']],
    [{ header: 'Order *one*' }, ['header formatting']],
    [{ header: 'Order 🎁' }, ['header emoji']],
    [{ header: 'Your order {{1}} here', headerSample: 'A' }, ['header mixed_variables']],
    [{ header: 'Your order {{order}} here', headerSample: 'A' }, ['header same_variable']],
    [{ header: 'Your {{shop}} order', headerSample: '' }, ['headerSample missing']],
    [{ header: 'Your {{shop}} order', headerSample: 'x'.repeat(60) }, ['headerSample filled_too_long']],
    [{ footer: 'Shop {{1}}' }, ['footer no_variables']],
    [{ footer: 'x'.repeat(61) }, ['footer too_long']],
    [{ buttons: ['Yes', 'No'] }, ['buttons button_count']],
    [{ buttons: ['Yes', 'No', ''] }, ['buttons.2 missing']],
    [{ buttons: ['Yes', 'No', 'yes '] }, ['buttons.2 same_button']],
    [{ buttons: ['Yes', 'No', 'x'.repeat(26)] }, ['buttons.2 too_long']],
    [{ use: 'refusal' }, ['buttons button_count']],
  ]
  for (const [change, faults] of broken)
    assert.deepEqual(faultsIn({ ...question, ...change }), faults, JSON.stringify(change))
})

test('a code template’s minutes and copy label are checked', () => {
  assert.deepEqual(faultsIn(code), [])
  assert.deepEqual(faultsIn({ ...code, expiryMinutes: null }), [])
  for (const expiryMinutes of [0, 91, 1.5])
    assert.deepEqual(faultsIn({ ...code, expiryMinutes }), ['expiryMinutes expiry'])
  assert.deepEqual(faultsIn({ ...code, copyLabel: 'Copy {{1}}' }), ['copyLabel no_variables'])
})

test('the form and the emulator know the same languages', () => {
  assert.deepEqual([...TEMPLATE_LANGUAGES].sort(), [...LANGUAGES].sort())
})

/** Texts, some of which break a rule. */
const word = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('Hello', 'مرحبا', 'طلبك', 'please', 'confirm', 'commande', 'آرڈر', '请确认订单'),
  },
  { weight: 3, arbitrary: fc.constantFrom('{{1}}', '{{2}}', '{{order}}', '{{customer}}') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom('\n', '*bold*', '{', '}}', '🎁', '{{ 1 }}', '\u0000', '\ud800', '     ') },
)
const sentence = (maxLength: number) => fc.array(word, { maxLength }).map((words) => words.join(' '))
const label = fc.oneof(
  { weight: 20, arbitrary: fc.stringMatching(/^[a-zA-Zء-ي0-9]{1,25}$/) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: sentence(3) },
)
const sample = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('A-1001', 'سارة', 'x y') },
  fc.string({ maxLength: 120 }),
)
const name = fc.oneof({ weight: 9, arbitrary: fc.stringMatching(/^[a-z0-9_]{1,30}$/) }, fc.string({ maxLength: 10 }))
const language = fc.constantFrom(...TEMPLATE_LANGUAGES, 'xx')

const anyDraft: fc.Arbitrary<TemplateDraft> = fc.oneof(
  fc.record({
    use: fc.constant('otp' as const),
    name,
    language,
    securityAdvice: fc.boolean(),
    expiryMinutes: fc.option(fc.integer({ min: -1, max: 100 })),
    copyLabel: fc.oneof(fc.constant(''), label),
  }),
  ...(['confirmation', 'refusal'] as const).map((use) =>
    fc.record({
      use: fc.constant(use),
      name,
      language,
      header: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, sentence(4)),
      headerSample: sample,
      body: sentence(20),
      samples: fc.record({ '1': sample, '2': sample, order: sample, customer: sample }),
      footer: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, sentence(4)),
      buttons: fc.uniqueArray(label, { minLength: use === 'refusal' ? 2 : 3, maxLength: use === 'refusal' ? 2 : 3 }),
    }),
  ),
)

/** The emulator rejects more in an hour, as WhatsApp does. */
const CREATED_PER_ACCOUNT = 100

test('every valid draft is accepted by WhatsApp and usable once approved', async (t) => {
  const emulator = await startEmulator({ speed: 0 })
  const provider = createWhatsApp()
  t.after(() => Promise.all([provider.close(), emulator.close()]))
  const account = { wabaId: DEMO.accountId, graphUrl: emulator.url, accessToken: DEMO.accessToken }
  const taken = { otp: 0, confirmation: 0, refusal: 0 }
  let created = 0
  const { id: _id, numbers: _numbers, templates: _templates, ...seed } = demoAccount()
  let wabaId = ''
  await fc.assert(
    fc.asyncProperty(anyDraft, async (draft) => {
      const read = validDraft.safeParse(draft)
      assert.equal(read.success, findDraftFaults(draft).length === 0)
      if (!read.success) return
      if (created % CREATED_PER_ACCOUNT === 0) {
        wabaId = emulator.addAccount(seed).id
        emulator.planReview(wabaId, { afterMs: 0 })
      }
      created += 1
      const unique = { ...read.data, name: `${read.data.name.slice(0, 500)}_${created}` }
      const of = { ...account, wabaId }
      await provider.createTemplate(of, unique)
      const template = await provider.findTemplate(of, unique)
      assert.ok(template)
      assert.equal(verdictsOf(template)[draft.use], null)
      taken[draft.use] += 1
      if (unique.use === 'otp') return
      const { form, names } = variablesOf(tidy(unique.body))
      const named = Object.fromEntries(names.map((name) => [name, tidy(sampleOf(unique.samples, name))]))
      const checked = checkParameters(template, {
        header: variablesOf(unique.header).names.length > 0 ? tidy(unique.headerSample) : undefined,
        body: form === 'named' ? named : names.map((name) => named[name] ?? ''),
      })
      assert.ok('filled' in checked, JSON.stringify(checked))
    }),
    { numRuns: 1_000 },
  )
  for (const [use, count] of Object.entries(taken)) assert.ok(count > 50, `${use}: ${count}`)
})
