import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneLine } from './displayed.ts'

/** Quadratic work takes more than ten times as long, even beside other work. */
const ENOUGH_MS = 2_000

test('a customer’s text is put on one line in one pass, however many spaces it has', () => {
  assert.equal(onOneLine('one \n\n two\r\nthree\n'), 'one ⏎ two ⏎ three ⏎ ')
  const spaces = ' '.repeat(100_000)
  const startedAt = performance.now()
  assert.equal(onOneLine(`a${spaces}b`), `a${spaces}b`)
  assert.equal(onOneLine(`a${spaces}\n${spaces}b`), 'a ⏎ b')
  assert.ok(performance.now() - startedAt < ENOUGH_MS)
})
