import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  day,
  following,
  monday,
  mondayMorning,
  morning,
  nothing,
  range,
  states,
  tap,
} from '../../../test/machines/confirmation-case.ts'
import { LATE, at, runnerOf, timer, typed } from '../../../test/machines/machine-case.ts'
import { confirmation } from './confirmation.ts'

// What only a confirmation has; machine.test.ts tests what it shares with a refusal check.

const { step, run } = runnerOf(confirmation)

test('tapping change time again drops the choices and keeps old questions valid', () => {
  const again = run(tap('change_time'), day('2026-11-23'), tap('change_time', 12))
  assert.deepEqual([again.state.chosen, again.state.round], [nothing, 1])
  const rangeFirst = step(again.state, range('09:00-12:00', 1, 13)).state
  assert.deepEqual(rangeFirst.chosen, morning)
  assert.deepEqual(step(rangeFirst, day('2026-11-24', 1, 14)).state.chosen, { ...morning, date: '2026-11-24' })
})

test('typed text completes with the choices so far', () => {
  for (const choices of [nothing, monday, morning])
    assert.deepEqual(step(following(choices), typed('call me')).state.chosen, { ...choices, note: 'call me' })
})

test('another day of the latest follow-up changes only the date and its time', () => {
  const before = { ...states.rescheduled, chosen: { ...mondayMorning, note: 'ring twice' } }
  const { state, effects } = step(before, day('2026-11-25', 1, 70))
  const reschedule = { ...mondayMorning, date: '2026-11-25', note: 'ring twice' }
  assert.deepEqual([state.chosen, state.answeredAt], [reschedule, at(70)])
  assert.deepEqual(effects[0], { type: 'answered', answer: 'rescheduled', chosen: reschedule, at: at(70) })
})

test('an earlier follow-up’s question counts only while another follow-up runs', () => {
  const second = run(tap('change_time'), typed('later'), tap('change_time', 14)).state
  assert.equal(second.round, 2)
  assert.deepEqual(step(second, day('2026-11-23', 1, 15)).state.chosen, monday)
  const over = step(second, typed('never mind', 16)).state
  assert.equal(step(over, day('2026-11-23', 1, 17)).state, over)
  assert.equal(step(over, day('2026-11-23', 2, 17)).state.chosen?.date, '2026-11-23')
})

test('a choice during the follow-up counts even when reported after the expiry', () => {
  const expired = run(tap('change_time', 10), timer('follow_up_expired')).state
  const chosen = step(expired, day('2026-11-23', 1, 20)).state
  assert.deepEqual(chosen.chosen, monday)
  assert.equal(step(chosen, typed('call me', 25)).state.chosen?.note, 'call me')
})

test('a late choice after an expiry is answered at the latest choice, not at the expiry', () => {
  const expired = run(tap('change_time', 10), day('2026-11-23', 1, 14), timer('follow_up_expired')).state
  const { state } = step(expired, range('09:00-12:00', 1, 12))
  assert.deepEqual([state.chosen, state.answeredAt], [mondayMorning, at(14)])
})

test('a repeated answer supersedes what was answered in between', () => {
  const confirmed = run(tap('confirm', 10), tap('confirm', 30))
  assert.deepEqual([confirmed.state.answeredAt, confirmed.words], [at(10), ['+confirmed', 'cod.confirmed', 'closing']])
  assert.equal(step(confirmed.state, tap('cancel', 20)).state.status, 'confirmed')
  const rescheduled = run(tap('change_time', 10), day('2026-11-23', 1, 11), typed('x', 12), day('2026-11-23', 1, 30))
  assert.equal(step(rescheduled.state, day('2026-11-24', 1, 20)).state.chosen?.date, '2026-11-23')
})

test('day and range of one follow-up may be reported in any order', () => {
  const swapped = run(tap('change_time', 10), range('09:00-12:00', 1, 15), day('2026-11-23', 1, 12)).state
  const inOrder = run(tap('change_time', 10), day('2026-11-23', 1, 12), range('09:00-12:00', 1, 15)).state
  assert.deepEqual([swapped.chosen, swapped.answeredAt], [inOrder.chosen, inOrder.answeredAt])
})

test('a text typed before the last choice is its note although it is reported after it', () => {
  const swapped = run(tap('change_time', 10), day('2026-11-23'), range('09:00-12:00', 1, 15), typed('ring twice', 13))
  assert.deepEqual([swapped.state.chosen, swapped.state.answeredAt], [{ ...mondayMorning, note: 'ring twice' }, at(15)])
  assert.deepEqual(swapped.words.slice(-2), ['+rescheduled', 'cod.reschedule_requested'])
  const after = step(swapped.state, typed('or write', 14)).state
  assert.equal(after.chosen?.note, 'ring twice')
})

test('a text typed after the reschedule was complete is no note, whatever is reported first', () => {
  const complete = [tap('change_time', 10), day('2026-11-23'), range('09:00-12:00', 1, 15)]
  const repeated = run(...complete, range('09:00-12:00', 1, 20), typed('thanks', 18)).state
  assert.equal(repeated.chosen?.note, null)
  const changed = run(...complete, range('12:00-15:00', 1, 20), typed('thanks', 18)).state
  assert.equal(changed.chosen?.note, null)
  const expired = run(tap('change_time', 10), timer('follow_up_expired')).state
  const chosen = step(expired, day('2026-11-23', 1, LATE + 20)).state
  assert.equal(step(chosen, typed('too late', LATE + 10)).state.chosen?.note, null)
})

test('a text after a change that was reported late is its note', () => {
  const complete = run(tap('change_time', 10), day('2026-11-23', 1, 11), range('09:00-12:00', 1, 15)).state
  const late = step(step(complete, range('12:00-15:00', 1, 20)).state, tap('change_time', 18)).state
  assert.equal(step(late, typed('ring twice', 19)).state.chosen?.note, 'ring twice')
  assert.equal(step(late, typed('thanks', 17)).state.chosen?.note, null)
})
