import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, runnerOf, typed } from '../../../test/machines/machine-case.ts'
import { other, reason, tap } from '../../../test/machines/refusal-case.ts'
import { refusal } from './refusal.ts'

// What only a refusal check has; machine.test.ts tests what it shares with a confirmation.

const { step, run } = runnerOf(refusal)

test('a note after Other has its label as the reason, any other note none', () => {
  const after = run(tap('yes'), other(), typed('it was wet')).state
  assert.deepEqual([after.chosen?.reason, after.chosen?.note], ['Other', 'it was wet'])
  const without = run(tap('yes'), typed('it was wet')).state
  assert.deepEqual([without.chosen?.reason, without.chosen?.note], [null, 'it was wet'])
})

test('the answer "no" also drops a note', () => {
  const { state } = run(tap('yes'), other(), typed('it was wet'), tap('no', 50))
  assert.deepEqual([state.chosen, state.followUpAt, state.answeredAt], [null, null, at(50)])
})

test('a listed reason after Other replaces its label', () => {
  const { state } = run(tap('yes'), other(), reason('Damaged', 1, 13))
  assert.deepEqual([state.status, state.chosen?.reason, state.chosen?.note], ['refusal_confirmed', 'Damaged', null])
})

test('yes after Other drops the label and offers the list again', () => {
  const { state } = run(tap('yes'), other(), tap('yes', 13))
  assert.deepEqual([state.status, state.chosen?.reason, state.round], ['awaiting_reason', null, 2])
})

test('another reason of the latest list keeps the note', () => {
  const { state, words: all } = run(tap('yes'), other(), typed('it was wet'), reason('Damaged', 1, 70))
  assert.deepEqual([state.chosen?.reason, state.chosen?.note, state.answeredAt], ['Damaged', 'it was wet', at(70)])
  assert.deepEqual(all.slice(-2), ['+refusal_confirmed', 'cod.refusal_confirmed'])
})

test('an earlier list counts only while a reason is asked for', () => {
  const second = run(tap('yes'), tap('yes')).state
  assert.equal(second.round, 2)
  const done = step(second, reason('Damaged', 1)).state
  assert.equal(done.chosen?.reason, 'Damaged')
  assert.equal(step(done, reason('Too late', 1, 12)).state, done)
  assert.equal(step(done, reason('Too late', 2, 12)).state.chosen?.reason, 'Too late')
})

test('a repeated yes is not undone by an earlier no', () => {
  const affirmed = run(tap('yes', 10), reason('Damaged', 1, 11), tap('yes', 30)).state
  assert.equal(step(affirmed, tap('no', 20)).state.status, 'refusal_confirmed')
  assert.equal(step(affirmed, tap('no', 31)).state.status, 'denied')
})

test('Other keeps its label when it is reported after the note', () => {
  const { state } = run(tap('yes', 10), typed('it was wet', 13), other(12))
  assert.deepEqual([state.chosen?.reason, state.chosen?.note, state.answeredAt], ['Other', 'it was wet', at(13)])
})
