import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Difference } from './differences.ts'
import { fewestDifferences } from './fewest-differences.ts'

const difference: Difference = { id: 'x', text: { code: 'verify.event_missing', type: 'x' } }

/** Letters in any order; `fits` says which words contradict nothing. */
const replay = (letters: string, fits: (word: string) => boolean, stored: string) =>
  fewestDifferences<{ word: string; left: string }>({
    starts: [{ word: '', left: letters }],
    movesOf: ({ word, left }) =>
      left === ''
        ? undefined
        : Array.from(left, (letter, index) => ({
            node: { word: word + letter, left: left.slice(0, index) + left.slice(index + 1) },
            difference: fits(word + letter) ? null : difference,
          })),
    differencesAtEnd: ({ word }) => (word === stored ? [] : [difference, difference]),
    keyOf: ({ word }) => word,
  })

test('an order without a contradiction is found wherever it is', () => {
  assert.deepEqual(
    replay('abcdef', () => true, 'fedcba'),
    [],
  )
})

test('without such an order the fewest contradictions are reported', () => {
  const atEnd = [difference, difference]
  assert.deepEqual(
    replay('abc', () => true, 'never'),
    atEnd,
  )
  // One for every order but "abc", and the end of that one counts once.
  assert.deepEqual(
    replay('abc', (word) => 'abc'.startsWith(word), 'never'),
    atEnd,
  )
})

test('too many orders end the search without a verdict', () => {
  assert.equal(
    replay('abcdefghijkl', () => true, 'never'),
    undefined,
  )
})

test('an order with too many contradictions does not count as a fit', () => {
  assert.equal(
    replay('abcd', () => false, 'abcd'),
    'none fits',
  )
})
