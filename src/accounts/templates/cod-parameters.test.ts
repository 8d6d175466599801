import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { TemplateComponent } from '../../providers/provider.ts'
import { checkParameters, type RequestParameters } from './cod-parameters.ts'

const template = (body: string, header?: string): { components: TemplateComponent[] } => ({
  components: [
    ...(header === undefined ? [] : [{ type: 'HEADER', format: 'TEXT', text: header }]),
    { type: 'BODY', text: body },
  ],
})

const numbered = template('Hello {{1}}, {{2}} is due.', 'Order {{1}}')
const named = template('Hello {{first_name}}, {{amount}} is due, {{first_name}}.', 'Order {{order}}')
const plain = template('Is it yours?', 'Your order')

test('numbered values are filled in their order', () => {
  assert.deepEqual(checkParameters(numbered, { header: 'A-1', body: ['Ana', '25'] }), {
    filled: {
      header: { name: null, text: 'A-1' },
      body: [
        { name: null, text: 'Ana' },
        { name: null, text: '25' },
      ],
    },
  })
})

test('named values are filled in the template’s order', () => {
  assert.deepEqual(checkParameters(named, { header: 'A-1', body: { amount: '25', first_name: 'Ana' } }), {
    filled: {
      header: { name: 'order', text: 'A-1' },
      body: [
        { name: 'first_name', text: 'Ana' },
        { name: 'amount', text: '25' },
      ],
    },
  })
})

test('a template without parameters accepts every way to give none', () => {
  const none = { filled: { header: null, body: [] } }
  for (const parameters of [undefined, {}, { body: [] }, { body: {} }])
    assert.deepEqual(checkParameters(plain, parameters), none)
})

test('a value is sent unchanged', () => {
  const text = '  مرحبا *Ana*    🌙 '
  assert.deepEqual(checkParameters(template('Hello {{1}}'), { body: [text] }), {
    filled: { header: null, body: [{ name: null, text }] },
  })
})

const LONGEST = '🌙'.repeat(1024)

test('a value of 1,024 characters is accepted whatever the template’s length', () => {
  assert.deepEqual(faultsOf(template('Hello {{1}}, and more.'), { body: [LONGEST] }), [])
})

const wrong: readonly [string, { components: TemplateComponent[] }, RequestParameters | undefined, RegExp[]][] = [
  [
    'nothing where all is needed',
    numbered,
    undefined,
    [/header is required.*\{\{1\}\}/, /body is required.*2 numbered/],
  ],
  ['a header that is not needed', plain, { header: 'x' }, [/header must be left out/]],
  ['a body that is not needed', plain, { body: ['x'] }, [/body must be empty or left out/]],
  ['a named body that is not needed', plain, { body: { a: 'x' } }, [/body must be empty or left out/]],
  ['one value too few', numbered, { header: 'x', body: ['a'] }, [/has one value, but the body has 2 numbered/]],
  ['one value too many', numbered, { header: 'x', body: ['a', 'b', 'c'] }, [/has 3 values, but/]],
  ['names for numbers', numbered, { header: 'x', body: { '1': 'a', '2': 'b' } }, [/body must be an array/]],
  ['numbers for names', named, { header: 'x', body: ['a', 'b'] }, [/body must be an object.*first_name, amount/]],
  ['a name too few', named, { header: 'x', body: { amount: '1' } }, [/does not contain first_name/]],
  [
    'another name',
    named,
    { header: 'x', body: { amount: '1', First_name: 'b' } },
    [/does not contain first_name/, /names that/],
  ],
  ['no names', named, { header: 'x', body: {} }, [/does not contain first_name/, /does not contain amount/]],
  ['a name that all objects have', template('{{toString}} a'), { body: {} }, [/does not contain toString/]],
  [
    'blank values',
    numbered,
    { header: ' ', body: ['', '\n'] },
    [/header must not be blank/, /\[0\] must/, /\[1\] must/],
  ],
  [
    '1,025 characters',
    template('{{1}} a'),
    { body: [`${LONGEST}🌙`] },
    [/body\[0\] must have at most 1,024 characters/],
  ],
  ['a line break', template('{{a}} a'), { body: { a: 'x\ny' } }, [/body\.a must not contain line breaks, tabs/]],
  ['a tab', template('a', '{{1}}'), { header: 'x\ty' }, [/header must not contain line breaks, tabs/]],
  ['five spaces in a row', template('{{1}} a'), { body: ['x     y'] }, [/more than four spaces/]],
]

for (const [what, of, parameters, faults] of wrong) {
  test(`${what}: every fault is reported and nothing is filled`, () => {
    const actual = faultsOf(of, parameters)
    assert.equal(actual.length, faults.length, actual.join('\n'))
    for (const [index, fault] of faults.entries()) assert.match(actual[index] ?? '', fault)
  })
}

test('no fault quotes a value or an unknown name', () => {
  const secret = '4711-secret\n'
  for (const each of [numbered, named, plain]) {
    for (const body of [[secret], { [secret]: secret }, { amount: secret }])
      assert.doesNotMatch(faultsOf(each, { header: secret, body }).join(), /4711/)
  }
})

test('any input gives faults or exactly one value for each parameter', () => {
  const variable = fc.constantFrom('{{1}}', '{{2}}', '{{a}}', '{{b}}', '{{__proto__}}', ' text ')
  const text = fc.array(variable, { maxLength: 4 }).map((parts) => parts.join(' '))
  const value = fc.string({ maxLength: 4 })
  const body = fc.oneof(fc.array(value, { maxLength: 3 }), fc.dictionary(fc.constantFrom('1', 'a', 'b'), value))
  const parameters = fc.record({ header: value, body }, { requiredKeys: [] })
  fc.assert(
    fc.property(text, parameters, (words, values) => {
      const outcome = checkParameters(template(words), values)
      if ('filled' in outcome) assert.equal(outcome.filled.body.length, new Set(words.match(/\{\{\w+\}\}/g) ?? []).size)
      else assert.ok(outcome.faults.length > 0)
    }),
  )
})

function faultsOf(of: { components: TemplateComponent[] }, parameters: RequestParameters | undefined): string[] {
  const outcome = checkParameters(of, parameters)
  return 'faults' in outcome ? outcome.faults.map(inEnglish) : []
}
