import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneLine } from './displayed.ts'

test('a customer’s text is put on one line in one pass, however many spaces it has', () => {
  assert.equal(onOneLine('one \n\n two\r\nthree\n'), 'one ⏎ two ⏎ three ⏎ ')
  const spaces = ' '.repeat(1_000_000) // a pattern that tried each of them again would take an hour
  assert.equal(onOneLine(`a${spaces}b`), `a${spaces}b`)
  assert.equal(onOneLine(`a${spaces}\n${spaces}b`), 'a ⏎ b')
})
