import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translatorOf } from '../../locales/resources.ts'
import { checkParameters } from '../../src/accounts/templates/cod-parameters.ts'
import { findDraftFaults } from '../../src/accounts/templates/draft.ts'
import { TEMPLATE_LANGUAGES } from '../../src/accounts/templates/languages.ts'
import type { QuestionDraft } from '../../src/providers/template-draft.ts'
import { draftOf, inLanguage, labelsOf, startOf, templateNameOf } from './form-state.ts'
import { waitBeforePoll } from './poll.ts'
import { bubbleOf, bubbleOfDraft, exampleOf } from './preview.ts'
import { readTemplateSearch } from './search.ts'

const body = (text: string, example?: object) => ({ type: 'BODY', text, ...(example && { example }) })

test('the form starts valid in every language', () => {
  for (const language of TEMPLATE_LANGUAGES)
    for (const use of ['otp', 'confirmation', 'refusal'] as const)
      assert.deepEqual(findDraftFaults(draftOf(startOf(use, language))), [], `${use} ${language}`)
})

test('switching the language replaces only untouched texts', () => {
  const english = startOf('confirmation', 'en')
  const written = { ...english, refusal: { ...english.refusal, footer: 'My shop' } }
  const arabic = inLanguage(written, 'ar_EG')
  assert.deepEqual(arabic.confirmation, startOf('confirmation', 'ar').confirmation)
  assert.deepEqual(arabic.refusal, written.refusal)
  assert.deepEqual(inLanguage(inLanguage(english, 'fr'), 'en'), english)
})

test('the preview replaces variables with samples, in either format', () => {
  const shown = (components: { type: string; text?: string }[], category = 'UTILITY') =>
    bubbleOf({ category, language: 'ar', components })
  const numbered = shown([body('Order {{2}} of {{1}}.', { body_text: [['Sara', 'A-1']] })])
  assert.deepEqual([numbered.body, numbered.direction], ['Order A-1 of Sara.', 'rtl'])
  const named = { body_text_named_params: [{ param_name: 'order', example: 'A-1' }] }
  assert.equal(shown([body('Order {{order}} of {{who}}.', named)]).body, 'Order A-1 of {{who}}.')
  const header = { type: 'HEADER', format: 'TEXT', text: 'For {{1}}!', example: { header_text: ['Sara'] } }
  assert.equal(shown([header, body('x')]).header, 'For Sara!')
  assert.equal(shown([{ type: 'HEADER', format: 'IMAGE' } as { type: string }, body('x')]).header, '[IMAGE]')
  assert.equal(shown([body('*{{1}}* is your code.')], 'AUTHENTICATION').body, '*123456* is your code.')
})

test('a draft is shown with its samples, and a code’s label as it was chosen', () => {
  const draft = draftOf(startOf('confirmation', 'en')) as QuestionDraft
  const bubble = bubbleOfDraft({ ...draft, header: 'For {{shop}} only', headerSample: 'Zaynab' })
  assert.equal(bubble.header, 'For Zaynab only')
  assert.match(bubble.body, /^Hello Sara, .* A-1001 of 250 MAD/)
  const code = startOf('otp', 'fr')
  const labelled = bubbleOfDraft(draftOf({ ...code, otp: { ...code.otp, copyLabel: 'Prendre' } }))
  assert.deepEqual(labelled.buttons, [{ label: 'Prendre', kind: 'copy_code' }])
})

test('the example of a request gives exactly the parameters that the template needs', () => {
  const templates = [
    [body('Order {{1}} of {{2}} here.', { body_text: [['A-1', 'Sara']] })],
    [body('Order {{order}} of {{who}} here.')],
    [{ type: 'HEADER', format: 'TEXT', text: 'For {{1}} now' }, body('No variable at all.')],
    [body('No variable at all.')],
  ]
  for (const components of templates) {
    const template = { name: 'x', language: 'en', category: 'UTILITY', components }
    const { body } = exampleOf(template, { use: 'confirmation', senderId: null, baseUrl: '' })
    const { parameters } = body as { parameters?: { header?: string; body?: string[] } }
    assert.ok('filled' in checkParameters({ components }, parameters), JSON.stringify(body))
  }
})

test('each field of the form has a name in the errors, and nothing else has', () => {
  const { t } = translatorOf('en')
  const [code, question] = [draftOf(startOf('otp', 'en')), draftOf(startOf('refusal', 'en'))]
  assert.deepEqual(Object.keys(labelsOf(code, t)), ['name', 'language', 'expiryMinutes', 'copyLabel'])
  const labels = labelsOf(question, t)
  assert.deepEqual([labels['samples.order'], labels['buttons.1']], ['{{order}}', 'Button 2'])
  for (const path of ['buttons', 'buttons.2', 'use', 'samples.amount']) assert.equal(labels[path], undefined, path)
})

test('a template’s name is made of what was typed', () => {
  assert.equal(templateNameOf('Order check 2'), 'order_check_2')
  assert.equal(templateNameOf('Commande à vérifier'), 'commande_a_verifier')
  assert.equal(templateNameOf('order__check_'), 'order__check_')
  assert.equal(templateNameOf('تأكيدOrder'), 'order')
})

test('polling for a review slows down and finally stops', () => {
  const waits = Array.from({ length: 21 }, (_, polls) => waitBeforePoll(polls))
  assert.deepEqual(waits.slice(0, 3), [2_000, 4_000, 8_000])
  assert.equal(waits[19], 120_000)
  assert.equal(waits[20], undefined)
})

test('invalid filters in an address are ignored', () => {
  assert.deepEqual(readTemplateSearch({ use: 'spam', status: '', language: ['x'], search: ' a ' }), { search: 'a' })
  assert.deepEqual(readTemplateSearch({ use: 'none', status: 'PAUSED' }), { use: 'none', status: 'PAUSED' })
})
