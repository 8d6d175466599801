import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { codeOf, hashOf, isRightCode, newCodeKey } from './code.ts'
import { type VerificationState, attemptsLeft, checkCode, expire } from './decide.ts'
import {
  MAX_RESENDS,
  MAX_SENDS_A_DAY,
  MAX_SENDS_IN_SHORT,
  MAX_WRONG_A_DAY,
  MIN_SUSPICIOUS,
  MIN_WRONG,
  RESEND_INTERVAL_MS,
  SHORT_MS,
  isGuessed,
  isPumped,
  recipientLimitError,
  resendLimitError,
} from './limits.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const ago = (ms: number): string => later(NOW, -ms).toISOString()

test('a key always makes the same code, of every length, and only that code is right', () => {
  const key = newCodeKey()
  for (const length of [4, 5, 6, 7, 8]) {
    const code = codeOf(key, length)
    assert.match(code, new RegExp(`^\\d{${length}}$`))
    assert.equal(codeOf(key, length), code)
    const hash = hashOf(key, code)
    assert.ok(isRightCode({ key, hash }, code))
    assert.ok(!isRightCode({ key, hash }, `${code}0`))
    assert.ok(!isRightCode({ key: newCodeKey(), hash }, code))
  }
})

test('every digit of a code is equally likely', () => {
  const counts = Array.from({ length: 10 }, () => 0)
  const CODES = 20_000
  for (let n = 0; n < CODES; n += 1)
    for (const digit of codeOf(`key ${n}`, 8)) counts[Number(digit)] = (counts[Number(digit)] ?? 0) + 1
  const expected = (CODES * 8) / 10
  const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  assert.ok(chiSquared < 27.9, `${chiSquared}`) // 9 degrees of freedom: 0.1 %; the keys are fixed, so it never varies
})

const pending = (maxAttempts: number): VerificationState => ({
  status: 'pending',
  expiresAt: later(NOW, MINUTE_MS),
  maxAttempts,
  wrongAt: [],
  endedAt: null,
})

test('in any order of checks a verification is approved at most once, and never after its attempts or its time', () => {
  const step = fc.record({ isRight: fc.boolean(), waitMs: fc.integer({ min: 0, max: 30 * SECOND_MS }) })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.array(step, { maxLength: 20 }), (maxAttempts, steps) => {
      let state = pending(maxAttempts)
      let now = NOW
      for (const { isRight, waitMs } of steps) {
        now = later(now, waitMs)
        const before = state
        state = checkCode(before, { isRight, now })
        if (before.status !== 'pending') assert.equal(state, before)
        else if (now >= before.expiresAt) assert.equal(state.status, 'expired')
        else if (isRight) assert.equal(state.status, 'approved')
        else assert.equal(attemptsLeft(state), attemptsLeft(before) - 1)
        assert.equal(state.status === 'locked', state.wrongAt.length === maxAttempts)
        assert.equal(state.status === 'pending', state.endedAt === null)
      }
      if (state.status !== 'pending') assert.equal(expire(state, now), state)
    }),
  )
})

test('a recipient is limited by codes in a short time, codes a day, and wrong codes, until the oldest is old enough', () => {
  const limitOf = (sentAgo: readonly number[], wrongAgo: readonly number[] = []) => {
    const earlier = [{ sentAt: sentAgo.map(ago), wrongAt: wrongAgo.map(ago) }]
    return recipientLimitError({ recipient: '', earlier, number: 1, prefix: { started: 0, approved: 0 } }, NOW)?.text
  }
  const times = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms)
  assert.equal(limitOf(times(MAX_SENDS_IN_SHORT - 1, 0)), undefined)
  const short = limitOf([...times(MAX_SENDS_IN_SHORT - 1, 0), 4 * MINUTE_MS])
  assert.deepEqual(short, {
    code: 'otp.recipient_sends',
    max: MAX_SENDS_IN_SHORT,
    minutes: 10,
    at: later(NOW, 6 * MINUTE_MS).toISOString(),
  })
  assert.equal(limitOf(times(MAX_SENDS_IN_SHORT, SHORT_MS)), undefined)
  assert.equal(limitOf(times(MAX_SENDS_A_DAY, SHORT_MS))?.code, 'otp.recipient_sends')
  assert.equal(limitOf(times(MAX_SENDS_A_DAY, DAY_MS)), undefined)
  assert.equal(limitOf([], times(MAX_WRONG_A_DAY, DAY_MS - 1))?.code, 'otp.recipient_wrong')
  assert.equal(limitOf([], times(MAX_WRONG_A_DAY, DAY_MS)), undefined)
})

test('a recipient over several limits may try again when the last one ends', () => {
  const times = (count: number, ms: number): string[] => Array.from({ length: count }, () => ago(ms))
  const [asLongAgo, recently] = [
    times(MAX_SENDS_A_DAY - MAX_SENDS_IN_SHORT, 10 * HOUR_MS),
    times(MAX_SENDS_IN_SHORT, 0),
  ]
  const over = (sentAt: readonly string[], wrongAt: readonly string[] = []) =>
    recipientLimitError(
      { recipient: '', earlier: [{ sentAt, wrongAt }], number: 1, prefix: { started: 0, approved: 0 } },
      NOW,
    )?.text
  const at = later(NOW, 14 * HOUR_MS).toISOString()
  const aDay = { minutes: 24 * 60, at }
  assert.deepEqual(over([...asLongAgo, ...recently]), { code: 'otp.recipient_sends', max: MAX_SENDS_A_DAY, ...aDay })
  assert.deepEqual(over(recently, times(MAX_WRONG_A_DAY, 10 * HOUR_MS)), {
    code: 'otp.recipient_wrong',
    max: MAX_WRONG_A_DAY,
    ...aDay,
  })
})

test('a prefix is suspicious only if many of its numbers start verifications and few are approved', () => {
  assert.ok(!isPumped({ started: MIN_SUSPICIOUS - 1, approved: 0 }))
  assert.ok(isPumped({ started: MIN_SUSPICIOUS, approved: 0 }))
  assert.ok(isPumped({ started: MIN_SUSPICIOUS, approved: 1 }))
  assert.ok(!isPumped({ started: MIN_SUSPICIOUS, approved: 2 }))
})

test('checks of a workspace are suspicious only if many codes are wrong and few right', () => {
  assert.ok(!isGuessed({ wrong: MIN_WRONG - 1, right: 0 }))
  assert.ok(isGuessed({ wrong: MIN_WRONG, right: 0 }))
  assert.ok(isGuessed({ wrong: MIN_WRONG, right: MIN_WRONG / 2 - 1 }))
  assert.ok(!isGuessed({ wrong: MIN_WRONG, right: MIN_WRONG / 2 }))
})

test('a code is sent again a few times, with a pause, and not when it expires first', () => {
  const expiresAt = later(NOW, 10 * MINUTE_MS)
  const limitOf = (sentAgo: readonly number[], expires = expiresAt) =>
    resendLimitError({ status: 'pending', expiresAt: expires, sentAt: sentAgo.map((ms) => later(NOW, -ms)) }, NOW)?.text
      .code
  assert.equal(limitOf([RESEND_INTERVAL_MS]), undefined)
  assert.equal(limitOf([RESEND_INTERVAL_MS - 1]), 'otp.resend_too_early')
  assert.equal(limitOf(Array.from({ length: MAX_RESENDS + 1 }, () => DAY_MS)), 'otp.no_resend_left')
  assert.equal(limitOf([0], later(NOW, RESEND_INTERVAL_MS)), 'otp.resend_too_late')
})
