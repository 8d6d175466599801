import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DEMO, demoAccount, startEmulator } from '../../emulator/emulator.ts'
import { LANGUAGES } from '../../emulator/languages.ts'
import { whatsapp } from '../providers/whatsapp/whatsapp.ts'
import { checkParameters } from './cod-parameters.ts'
import { type CodeDraft, type QuestionDraft, type TemplateDraft, faultsOfDraft } from './draft.ts'
import { TEMPLATE_LANGUAGES } from './languages.ts'
import { newTemplateOf, templateDraft } from './new-template.ts'
import { verdictsOf } from './verdicts.ts'

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

const faultsIn = (draft: TemplateDraft): string[] => faultsOfDraft(draft).map(({ at, fault }) => `${at} ${fault}`)

test('each rule of WhatsApp is told at the field that breaks it', () => {
  const broken: [Partial<QuestionDraft>, string[]][] = [
    [{}, []],
    [{ name: '' }, ['name missing']],
    [{ name: 'Order' }, ['name nameForm']],
    [{ name: 'a'.repeat(513) }, ['name tooLong']],
    [{ language: 'en-US' }, ['language language']],
    [{ body: '' }, ['body missing']],
    [{ body: 'x'.repeat(1025) }, ['body tooLong']],
    [{ body: 'One\n\n\ntwo' }, ['body blankLines']],
    [{ body: 'Hello {{customer}} and {{2}} of the shop and more words' }, ['body mixedVariables', 'samples.2 missing']],
    [
      { body: 'Hello {{1}} and {{3}} of the shop and more words' },
      ['body gap', 'samples.1 missing', 'samples.3 missing'],
    ],
    [{ body: 'Hello {{ customer }} of our shop today' }, ['body variableForm']],
    [{ body: 'Hello {{Customer}} of our shop today' }, ['body variableForm', 'samples.Customer missing']],
    [{ body: 'Hello {customer} of our shop today' }, ['body variableForm']],
    [{ body: 'Please confirm the order {{order}}' }, ['body edge']],
    [{ body: '{{order}} is your order, please confirm' }, ['body edge']],
    [{ body: 'Please confirm {{customer}} {{order}} of today, thank you' }, ['body adjacent']],
    [{ body: 'Hello {{customer}}!' }, ['body fewWords']],
    [{ samples: { customer: 'Sara' } }, ['samples.order missing']],
    [{ samples: { customer: 'Sara', order: 'a\nb' } }, ['samples.order newLine']],
    [{ header: 'x'.repeat(61) }, ['header tooLong']],
    [{ header: 'Order *one*' }, ['header formatting']],
    [{ header: 'Order 🎁' }, ['header emoji']],
    [{ header: 'Your order {{1}} here', headerSample: 'A' }, ['header mixedVariables']],
    [{ header: 'Your order {{order}} here', headerSample: 'A' }, ['header sameVariable']],
    [{ header: 'Your {{shop}} order', headerSample: '' }, ['headerSample missing']],
    [{ header: 'Your {{shop}} order', headerSample: 'x'.repeat(60) }, ['headerSample filledTooLong']],
    [{ footer: 'Shop {{1}}' }, ['footer noVariables']],
    [{ footer: 'x'.repeat(61) }, ['footer tooLong']],
    [{ buttons: ['Yes', 'No'] }, ['buttons buttonCount']],
    [{ buttons: ['Yes', 'No', ''] }, ['buttons.2 missing']],
    [{ buttons: ['Yes', 'No', 'yes '] }, ['buttons.2 sameButton']],
    [{ buttons: ['Yes', 'No', 'x'.repeat(26)] }, ['buttons.2 tooLong']],
    [{ use: 'refusal' }, ['buttons buttonCount']],
  ]
  for (const [change, faults] of broken)
    assert.deepEqual(faultsIn({ ...question, ...change }), faults, JSON.stringify(change))
})

test('a code template has one rule for its minutes and those of a button for its label', () => {
  assert.deepEqual(faultsIn(code), [])
  assert.deepEqual(faultsIn({ ...code, expiryMinutes: null }), [])
  for (const expiryMinutes of [0, 91, 1.5])
    assert.deepEqual(faultsIn({ ...code, expiryMinutes }), ['expiryMinutes expiry'])
  assert.deepEqual(faultsIn({ ...code, copyLabel: 'Copy {{1}}' }), ['copyLabel noVariables'])
})

test('the languages are those that the twin takes', () => {
  assert.deepEqual([...TEMPLATE_LANGUAGES].sort(), [...LANGUAGES].sort())
})

/** Texts that often break a rule and often do not. */
const word = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('Hello', 'مرحبا', 'طلبك', 'please', 'confirm', 'commande', 'آرڈر', '请确认订单'),
  },
  { weight: 3, arbitrary: fc.constantFrom('{{1}}', '{{2}}', '{{order}}', '{{customer}}') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom('\n', '*bold*', '{', '}}', '🎁', '{{ 1 }}', '\u0000', '\ud800', '     ') },
)
const sentence = (most: number) => fc.array(word, { maxLength: most }).map((words) => words.join(' '))
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

/** The twin refuses more in an hour, as WhatsApp does. */
const CREATED_PER_ACCOUNT = 100

test('whatever the form lets through is taken by WhatsApp’s rules, and usable for what it is for once approved', async (t) => {
  const twin = await startEmulator({ speed: 0 })
  const provider = whatsapp()
  t.after(() => Promise.all([provider.close(), twin.close()]))
  const account = { wabaId: DEMO.accountId, graphUrl: twin.url, accessToken: DEMO.accessToken }
  const taken = { otp: 0, confirmation: 0, refusal: 0 }
  let made = 0
  const { id: _id, numbers: _numbers, templates: _templates, ...seed } = demoAccount()
  let wabaId = ''
  await fc.assert(
    fc.asyncProperty(anyDraft, async (draft) => {
      const read = templateDraft.safeParse(draft)
      assert.equal(read.success, faultsOfDraft(draft).length === 0)
      if (!read.success) return
      if (made % CREATED_PER_ACCOUNT === 0) {
        wabaId = twin.addAccount(seed).id
        twin.planReview(wabaId, { afterMs: 0 })
      }
      made += 1
      const unique = { ...read.data, name: `${read.data.name.slice(0, 500)}_${made}` }
      const of = { ...account, wabaId }
      const form = newTemplateOf(unique)
      await provider.createTemplate(of, form)
      const template = await provider.findTemplate(of, unique)
      assert.ok(template)
      assert.equal(verdictsOf(template)[draft.use], null)
      taken[draft.use] += 1
      if (form.kind === 'code') return
      const { parameterFormat, header, body } = form
      const texts = body.samples.map(({ text }) => text)
      const named = Object.fromEntries(body.samples.map(({ name, text }) => [name, text]))
      const checked = checkParameters(template, {
        header: header?.samples[0]?.text,
        body: parameterFormat === 'NAMED' ? named : texts,
      })
      assert.ok('filled' in checked, JSON.stringify(checked))
    }),
    { numRuns: 3_000 },
  )
  for (const [use, count] of Object.entries(taken)) assert.ok(count > 50, `${use}: ${count}`)
})
