import { failureText } from '../failure-codes.ts'
import { asWritten } from '../../../locales/text.ts'
import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorClass } from '../provider.ts'
import { errorMeanings, findError, meaningOf, readAnswerError, readStatusError, remedies } from './errors.ts'

/** Written independently of the table under test: A auth, R rate, T transient, T* doubtful, P and C final. */
const DOCUMENTED: Readonly<Record<'A' | 'R' | 'R/C' | 'T' | 'T*' | 'P' | 'C', readonly number[]>> = {
  A: [0, 3, 10, 102, 104, 190, 200, 201, 210, 299, 131005],
  R: [4, 17, 341, 80007, 130429, 131056, 132069, 133008, 133009, 133016],
  'R/C': [131048],
  T: [2, 131016, 131057, 133000, 133004, 133015, 2494100],
  'T*': [1, 131000],
  P: [
    100, 130403, 130472, 131008, 131009, 131021, 131026, 131047, 131049, 131050, 131051, 131052, 131053, 131055, 131059,
    131062, 131063, 132000, 132005, 132007, 132008, 132012, 132018, 135000, 137000,
  ],
  C: [
    33, 368, 130497, 131030, 131031, 131037, 131042, 131045, 131064, 132001, 132015, 132016, 132068, 133005, 133006,
    133010, 134011, 141002, 2388019, 2388039, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299,
  ],
}

const CLASS_OF: Readonly<Record<keyof typeof DOCUMENTED, ErrorClass>> = {
  A: 'credentials',
  R: 'rate',
  'R/C': 'quality',
  T: 'transient',
  'T*': 'doubtful',
  P: 'permanent',
  C: 'permanent',
}

const NO_HTTP = null
const plain = (text: string): string => text

test('every documented code has its documented class', () => {
  for (const [letter, codes] of Object.entries(DOCUMENTED)) {
    for (const code of codes) {
      const meaning = meaningOf(code, NO_HTTP)
      assert.equal(meaning.class, CLASS_OF[letter as keyof typeof DOCUMENTED], `class of ${code}`)
      assert.notDeepEqual(meaning.title, meaningOf(999_999, NO_HTTP).title, `${code} is in no table`)
    }
  }
})

test('every code in the table is documented', () => {
  const documented = new Set(Object.values(DOCUMENTED).flat())
  const extra = Object.keys(errorMeanings).filter((code) => !documented.has(Number(code)))
  assert.deepEqual(extra, [])
})

test('no two codes share a title', () => {
  const titles = Object.values(errorMeanings).map(({ title }) => inEnglish(title))
  assert.equal(new Set(titles).size, titles.length)
})

test('each failure code has a message for the client', () => {
  for (const { failureCode } of Object.values(errorMeanings))
    assert.doesNotMatch(inEnglish(failureText(failureCode)), /^failures\./)
})

test('a block by the business is not reported as one by the recipient', () => {
  assert.equal(inEnglish(findError(130_403)?.title ?? asWritten('')), 'The business blocked this recipient')
  assert.match(inEnglish(failureText('RECIPIENT_NOT_ALLOWED')), /the business has blocked the recipient/)
  assert.doesNotMatch(inEnglish(failureText('RECIPIENT_NOT_ALLOWED')), /recipient blocked/)
})

test('each remedy belongs to a known code and tells one actor what to do', () => {
  for (const [code, { who, sentence }] of remedies) {
    assert.ok(findError(code)?.remedy, String(code))
    assert.match(who, /^(client|operator)$/, String(code))
    assert.match(inEnglish(sentence), /^(?!The )[A-Z][^.]+\.$/)
  }
})

test('each rate limit has the scope that it limits', () => {
  const scopes = {
    131056: 'pair',
    130429: 'sender',
    131048: 'sender',
    4: 'account',
    17: 'account',
    341: 'account',
    80007: 'account',
    132015: 'template',
    132001: 'template',
    132016: 'template',
    131026: 'message',
    131042: 'account',
    133010: 'sender',
  }
  for (const [code, scope] of Object.entries(scopes)) assert.equal(meaningOf(Number(code), NO_HTTP).scope, scope, code)
})

test('an unknown code is classified by the HTTP status', () => {
  const classes = [500, 503, 401, 403, 429, 400, 404, 422, NO_HTTP].map((status) => meaningOf(999_999, status).class)
  const final = 'permanent'
  assert.deepEqual(classes, [
    'transient',
    'transient',
    'credentials',
    'credentials',
    'rate',
    final,
    final,
    final,
    final,
  ])
})

test('a known code takes precedence over the HTTP status', () => {
  assert.equal(meaningOf(131_026, 500).class, 'permanent')
  assert.equal(meaningOf(131_016, 400).class, 'transient')
})

test('a missing object is not a parameter fault', () => {
  const error = { message: 'Unsupported get request.', code: 100, error_subcode: 33 }
  const read = readAnswerError({ error }, { httpStatus: 400, mask: plain })
  assert.deepEqual([read.scope, read.failureCode], ['sender', 'SENDER_UNAVAILABLE'])
  assert.equal(
    readAnswerError({ error: { ...error, error_subcode: 1 } }, { httpStatus: 400, mask: plain }).scope,
    'message',
  )
})

test('a sub-code given as text is the same sub-code', () => {
  const error = { message: 'Unsupported get request.', code: '100', error_subcode: '33' }
  assert.equal(readAnswerError({ error }, { httpStatus: 400, mask: plain }).failureCode, 'SENDER_UNAVAILABLE')
})

test('details are read in each of the provider’s forms', () => {
  const detailOf = (error: object): string => readAnswerError({ error }, { httpStatus: 400, mask: plain }).detail
  assert.equal(detailOf({ code: 131_008, message: 'm', error_data: { details: 'in an object' } }), 'in an object')
  assert.equal(detailOf({ code: 131_008, message: 'm', error_data: 'as text' }), 'as text')
  assert.equal(detailOf({ code: 131_008, message: 'm', error_user_msg: 'for users' }), 'for users')
  assert.equal(detailOf({ code: 131_008, message: 'the message' }), 'the message')
})

test('a management error is explained in the words that WhatsApp means for people', () => {
  const error = {
    code: 100,
    message: 'm',
    error_data: '{"blame_field_specs":[["name"]]}',
    error_user_msg: 'for people',
  }
  assert.equal(readAnswerError({ error }, { httpStatus: 400, mask: plain }).detail, 'for people')
})

test('a malformed error is read as one without a code', () => {
  for (const body of [
    undefined,
    null,
    'text',
    [],
    {},
    { error: null },
    { error: 'no' },
    { error: { code: 'x' } },
    { error: { code: -1 } },
    { error: { code: 1e300 } },
    { error: { code: 3_000_000_000 } },
  ])
    assert.equal(readAnswerError(body, { httpStatus: 400, mask: plain }).code, null, JSON.stringify(body))
})

test('a code given as text is the same code', () => {
  assert.equal(readStatusError({ code: '131026' }).code, 131_026)
})
