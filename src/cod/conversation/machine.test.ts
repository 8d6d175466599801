import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { confirmationCase } from '../../../test/machines/confirmation-case.ts'
import {
  LATE,
  type MachineCase,
  at,
  runnerOf,
  sendFailed,
  submitted,
  timer,
  typed,
  words,
  wrote,
} from '../../../test/machines/machine-case.ts'
import { refusalCase } from '../../../test/machines/refusal-case.ts'
import { HOUR_MS, later } from '../../lib/clock.ts'
import { ACCEPTED, type CheckEvent, type CheckState, type Types } from './machine.ts'

suite('a confirmation', () => testMachine(confirmationCase))
suite('a refusal check', () => testMachine(refusalCase))

/** Everything except the times that later answers are compared with. */
const whatShows = <T extends Types>(state: CheckState<T>): CheckState<T> => ({ ...state, answerTimes: null })

function testMachine<T extends Types>(of: MachineCase<T>): void {
  const { machine, states, opens, ends } = of
  const { step, run, runFrom } = runnerOf(machine)
  const taps = Object.values(of.events).filter(({ type }) => type === 'tapped')
  const statesIn = (...statuses: readonly T['status'][]) =>
    Object.values(states).filter(({ status }) => statuses.includes(status))

  for (const [name, state] of Object.entries(states)) {
    for (const [column, event] of Object.entries(of.events)) {
      const cell = of.cells[name]?.[column]
      test(`${name}, ${column}: ${cell ?? 'nothing changes'}`, () => {
        const { state: next, effects, ignored } = step(state, event)
        if (cell !== undefined) {
          assert.equal([next.status, ...words(effects)].join(' '), cell)
          assert.equal(ignored, null)
          return
        }
        assert.deepEqual(whatShows(next), whatShows(state))
        assert.deepEqual(effects, [])
        assert.ok(ignored)
      })
    }
  }

  test('no state has two transitions for one trigger', () => {
    const pairs = machine.transitions.flatMap(({ on, from }) => from.map((status) => `${status} ${on}`))
    assert.equal(new Set(pairs).size, pairs.length)
  })

  test('reminder and deadline count from the submission; the reminder is optional', () => {
    const { state } = run(submitted(3))
    assert.deepEqual([state.reminderAt, state.deadlineAt], [at(123), at(1443)])
    assert.equal(run(submitted(3, null)).state.reminderAt, null)
  })

  test('after an early tap the late submission changes nothing', () => {
    for (const tap of taps) assert.deepEqual(run(tap, submitted(11)).state, run(tap).state)
    for (const tap of taps) assert.deepEqual(run(tap, submitted(11)).effects, run(tap).effects)
  })

  test('a timer that fires early, twice or after the answer changes nothing', () => {
    const waiting = run(submitted(0)).state
    assert.equal(step(waiting, timer('reminder_due', 119)).state, waiting)
    assert.equal(step(waiting, timer('deadline_passed', 1439)).state, waiting)
    const reminded = step(waiting, timer('reminder_due', 120)).state
    assert.equal(step(reminded, timer('reminder_due', 121)).state, reminded)
    assert.deepEqual(reminded.deadlineAt, at(1440))
    const answered = step(reminded, ends()).state
    for (const type of ['reminder_due', 'deadline_passed', 'follow_up_expired'] as const)
      assert.equal(step(answered, timer(type)).state, answered)
    const following = step(waiting, opens(10)).state
    assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60 - 1)).state, following)
    assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60)).state.status, of.completed)
  })

  test('every answer disarms reminder and deadline', () => {
    for (const tap of taps) {
      const { state } = run(submitted(0), tap)
      assert.deepEqual([state.reminderAt, state.deadlineAt], [null, null])
    }
  })

  test('the expiry completes with what was chosen, without an answer or a closing message', () => {
    for (const before of statesIn(...of.following)) {
      const { state, effects } = step(before, timer('follow_up_expired'))
      assert.deepEqual([state.chosen, state.answeredAt], [before.chosen, at(LATE)])
      assert.deepEqual(effects, [{ type: 'emit', event: of.names.completed, at: at(LATE) }])
      assert.equal(state.closingSent, false)
    }
  })

  test('each message of the customer postpones the expiry, and none brings it forward', () => {
    const expiry = (...more: CheckEvent<T>[]) => run(opens(10), ...more).state.followUpAt
    const after = (minute: number): Date => later(at(minute), 23 * HOUR_MS)
    assert.deepEqual(expiry(), after(10))
    assert.deepEqual(expiry(wrote(30)), after(30))
    assert.deepEqual(expiry(wrote(30), wrote(20)), after(30))
    assert.deepEqual(expiry(wrote(30), of.chooses(40)), after(40))
    assert.deepEqual(expiry(wrote(30), opens(20)), after(30))
  })

  test('a tap that ends the conversation drops what was chosen', () => {
    for (const before of statesIn(...of.following, of.completed)) {
      const { state } = step(before, ends(50))
      assert.deepEqual([state.chosen, state.followUpAt, state.answeredAt], [null, null, at(50)])
    }
  })

  test('choosing the same again changes nothing', () => {
    for (const before of statesIn(of.completed))
      for (const event of of.repeats) assert.deepEqual(whatShows(step(before, event).state), whatShows(before))
  })

  test('a tap after a failure clears the failure', () => {
    const failed = run(submitted(0), sendFailed(5))
    assert.deepEqual(failed.state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(5) })
    for (const tap of taps) assert.equal(step(failed.state, tap).state.failure, null)
  })

  test('the closing message is sent once, with the reply that completes the conversation', () => {
    const count = (...all: CheckEvent<T>[]) => run(...all).words.filter((word) => word === 'closing').length
    assert.equal(count(...taps, ends(20), opens(21), of.completes(22), ends(23)), 1)
    assert.equal(count(opens(), timer('follow_up_expired')), 0)
    assert.equal(count(opens(), timer('follow_up_expired'), ...of.repeats), 1)
    assert.equal(count(submitted(0), timer('deadline_passed'), ends()), 1)
  })

  test('an answer older than the current one only enters the history', () => {
    for (const [story, late, answer] of of.late) {
      const before = run(...story).state
      const { state, effects, ignored } = step(before, late)
      assert.deepEqual(whatShows(state), whatShows(before))
      assert.deepEqual(words(effects), [`-${answer}`])
      assert.equal(ignored?.code, 'cod.superseded')
    }
  })

  test('without a current answer a tap counts, however old it is', () => {
    for (const before of statesIn('accepted', 'awaiting_answer', 'no_response', 'failed'))
      assert.deepEqual(step(before, ends(-600)).state.answeredAt, at(-600))
  })

  test('a tap during the follow-up counts even when reported after the expiry', () => {
    const expired = run(opens(10), timer('follow_up_expired')).state
    assert.equal(step(expired, ends(20)).state.status, of.ended)
    assert.equal(step(expired, ends(9)).state, expired)
  })

  test('a text before the expiry is the note even when reported after it', () => {
    const expired = run(opens(10), timer('follow_up_expired')).state
    const { state } = step(expired, typed('call me', 20))
    assert.deepEqual([state.chosen?.note, state.answeredAt], ['call me', at(20)])
    assert.equal(step(expired, typed('call me', LATE + 1)).state, expired)
  })

  const anyStory = fc.array(of.anyEvent, { maxLength: 40 })
  /** Checks each step of any story. */
  const always = (check: (next: ReturnType<typeof step>, event: CheckEvent<T>, before: CheckState<T>) => void): void =>
    fc.assert(
      fc.property(anyStory, (story) => {
        let state: CheckState<T> = ACCEPTED
        for (const event of story) {
          const next = step(state, event)
          check(next, event, state)
          state = next.state
        }
      }),
    )

  test('for any events in any order the machine matches the model', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const paper = of.newPaper()
        let state: CheckState<T> = ACCEPTED
        for (const event of story) {
          const next = step(state, event)
          assert.deepEqual(words(next.effects), paper.read(event))
          state = next.state
          const chosen = state.chosen ?? of.nothingChosen
          assert.deepEqual({ status: state.status, ...chosen }, { status: paper.status, ...paper.chosen() })
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('after any events the state is consistent with its status', () =>
    always(({ state }) => {
      const { status } = state
      const isAnswered = of.answered.includes(status)
      const isFollowing = of.following.includes(status)
      assert.ok(of.statuses.includes(status))
      assert.equal(state.failure !== null, status === 'failed')
      assert.equal(state.chosen !== null, isFollowing || status === of.completed)
      assert.equal(state.followUpAt !== null, isFollowing)
      assert.equal(state.deadlineAt !== null, status === 'awaiting_answer')
      assert.ok(state.reminderAt === null || status === 'awaiting_answer')
      assert.equal(state.answeredAt !== null, isAnswered)
      assert.equal(state.answerTimes !== null, isAnswered || isFollowing)
      assert.ok(of.isConsistent(state))
    }))

  test('a repeated event emits nothing, and an ignored one only enters the history', () =>
    always((next, event, before) => {
      if (next.ignored !== null) {
        assert.deepEqual(whatShows(next.state), whatShows(before))
        assert.ok(next.effects.every(({ type }) => type === 'superseded'))
      }
      const again = step(next.state, event)
      const repeated = words(again.effects).filter((word) => /^(cod\.|reminder$|closing$)/.test(word))
      assert.deepEqual(repeated, [])
    }))

  test('the template is resent at most once, and so is the closing message', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const all = run(...story).words
        for (const once of ['reminder', 'closing', of.names.no_response, of.names.failed])
          assert.ok(all.filter((word) => word === once).length <= 1, once)
      }),
    )
  })

  test('a status changes only by a row of the table', () =>
    always(({ state: { status: to } }, _, { status: from }) => {
      if (from !== to) assert.ok(machine.transitions.some((row) => row.from.includes(from) && row.to === to))
    }))

  test('the outcome depends on the order of answers, not of their reports', () => {
    const shuffled = of.anyAnswers.chain(({ from, answers }) => {
      const length = { minLength: answers.length, maxLength: answers.length }
      return fc.tuple(fc.constant({ from, answers }), fc.shuffledSubarray(answers, length))
    })
    const outcomeOf = ({ status, chosen, failure }: CheckState<T>) => ({ status, chosen, failure })
    fc.assert(
      fc.property(shuffled, ([{ from, answers }, reported]) => {
        const { state: expected, ignored: ignoredInOrder } = runFrom(from, answers)
        const { state, ignored } = runFrom(from, reported)
        assert.deepEqual(outcomeOf(state), outcomeOf(expected))
        // An answer that repeats the one in force changes nothing, not even its time.
        const repeats = [...ignored, ...ignoredInOrder].some((why) => why !== 'cod.superseded')
        if (!repeats) assert.deepEqual(state.answeredAt, expected.answeredAt)
      }),
      { numRuns: 1500 },
    )
  })
}
