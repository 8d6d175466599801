import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures } from '../failures.ts'
import type { ErrorClass } from '../provider.ts'
import { errorMeanings, findError, meaningOf, readAnswerError, readStatusError } from './errors.ts'
import { remedies } from './remedies.ts'

/** whatsapp-cloud-api.md §3.3, with what it says of each: A auth, R rate, T transient, T* doubtful, P and C final. */
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

test('every documented code has a meaning of its documented class', () => {
  for (const [letter, codes] of Object.entries(DOCUMENTED)) {
    for (const code of codes) {
      const meaning = meaningOf(code, NO_HTTP)
      assert.equal(meaning.class, CLASS_OF[letter as keyof typeof DOCUMENTED], `class of ${code}`)
      assert.notEqual(meaning.title.en, meaningOf(999_999, NO_HTTP).title.en, `${code} is in no table`)
    }
  }
})

test('the table has no code that is not documented', () => {
  const documented = new Set(Object.values(DOCUMENTED).flat())
  const extra = Object.keys(errorMeanings).filter((code) => !documented.has(Number(code)))
  assert.deepEqual(extra, [])
})

test('no two codes share a title, so that a title names its error', () => {
  const titles = Object.values(errorMeanings).map(({ title }) => title.en)
  assert.equal(new Set(titles).size, titles.length)
})

test('each failure that a code leads to has a message for the caller', () => {
  for (const { failureCode } of Object.values(errorMeanings)) assert.ok(failures[failureCode].en.length > 0)
})

test('a recipient whom the business blocked is not said to have blocked it', () => {
  assert.equal(findError(130_403)?.title.en, 'The business blocked this recipient')
  assert.match(failures.RECIPIENT_NOT_ALLOWED.en, /the business has blocked the recipient/)
  assert.doesNotMatch(failures.RECIPIENT_NOT_ALLOWED.en, /recipient blocked/)
})

test('what to do about an error is said of known codes alone, in one sentence that names who', () => {
  for (const [code, { who, sentence }] of remedies) {
    assert.ok(findError(code)?.remedy, String(code))
    assert.match(sentence.en, who === 'operator' ? /^The operator must [^.]+\.$/ : /^The caller must [^.]+\.$/)
  }
})

test('limits hold back what they are limits of', () => {
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

test('a code that no table knows is judged by the HTTP status', () => {
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

test('a known code counts more than the HTTP status it came with', () => {
  assert.equal(meaningOf(131_026, 500).class, 'permanent')
  assert.equal(meaningOf(131_016, 400).class, 'transient')
})

test('an object that is missing is no fault of the parameters', () => {
  const error = { message: 'Unsupported get request.', code: 100, error_subcode: 33 }
  const read = readAnswerError({ error }, { httpStatus: 400, mask: plain })
  assert.deepEqual([read.scope, read.failureCode], ['sender', 'SENDER_UNAVAILABLE'])
  assert.equal(
    readAnswerError({ error: { ...error, error_subcode: 1 } }, { httpStatus: 400, mask: plain }).scope,
    'message',
  )
})

test('details are read in every form that the provider gives them', () => {
  const detailOf = (error: object): string => readAnswerError({ error }, { httpStatus: 400, mask: plain }).detail
  assert.equal(detailOf({ code: 131_008, message: 'm', error_data: { details: 'in an object' } }), 'in an object')
  assert.equal(detailOf({ code: 131_008, message: 'm', error_data: 'as text' }), 'as text')
  assert.equal(detailOf({ code: 131_008, message: 'm', error_user_msg: 'for users' }), 'for users')
  assert.equal(detailOf({ code: 131_008, message: 'the message' }), 'the message')
})

test('an error in any odd form is read as one without a code', () => {
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

test('a code that comes as text is the same code', () => {
  assert.equal(readStatusError({ code: '131026' }).code, 131_026)
})
