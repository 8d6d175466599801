import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { HOUR_MS, later } from '../../lib/clock.ts'
import { ACCEPTED, type Effect, transition } from './machine.ts'
import { REFUSAL_STATUSES, type RefusalCheck, type RefusalEvent, type RefusalTypes, refusal } from './refusal.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))
/** After every timer of the states below. */
const LATE = 5000

const frozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
const step = (state: RefusalCheck, event: RefusalEvent) => transition(refusal, frozen(state), frozen(event))

const newRefusal: RefusalCheck = ACCEPTED
const nothing = { reason: null, note: null }

/** `+` before an answer that goes into the history, `-` before one that is superseded. */
const words = (effects: readonly Effect<RefusalTypes>[]): string[] =>
  effects.map((effect) => {
    if (effect.type === 'emit') return effect.event
    if (effect.type === 'send') return effect.purpose
    return `${effect.type === 'superseded' ? '-' : '+'}${effect.answer}`
  })

function run(...events: RefusalEvent[]) {
  const { state, effects } = runFrom(newRefusal, events)
  return { state, effects, words: words(effects) }
}

function runFrom(initial: RefusalCheck, events: readonly RefusalEvent[]) {
  let state = initial
  const effects: Effect<RefusalTypes>[] = []
  const ignored: string[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    effects.push(...next.effects)
    if (next.ignored !== null) ignored.push(next.ignored.code)
  }
  return { state, effects, ignored }
}

const submitted = (minute: number, reminderMinutes: number | null = 120): RefusalEvent => ({
  type: 'submitted',
  at: at(minute),
  reminderMinutes,
  noResponseMinutes: 1440,
})
const order = (minute: number): string => at(minute).toISOString()
const made = (minute: number) => ({ at: at(minute), order: order(minute) })
const tap = (answer: 'yes' | 'no', minute = 10) => ({ type: 'tapped' as const, ...made(minute), answer })
const reason = (reason: string, list = 1, minute = 11) => ({
  type: 'chosen' as const,
  choice: 'reason' as const,
  ...made(minute),
  value: reason,
  round: list,
})
const other = (minute = 12) => ({
  type: 'chosen' as const,
  choice: 'other' as const,
  ...made(minute),
  value: 'Other',
  round: 1,
})
const typed = (text: string, minute = 13) => ({ type: 'typed' as const, ...made(minute), text })
const timer = (type: 'reminder_due' | 'deadline_passed' | 'follow_up_expired', minute = LATE): RefusalEvent => ({
  type,
  at: at(minute),
})
const wrote = (minute: number): RefusalEvent => ({ type: 'customer_wrote', at: at(minute) })
const sendFailed = (minute = 5): RefusalEvent => ({
  type: 'send_failed',
  at: at(minute),
  code: 'RECIPIENT_UNREACHABLE',
})

const givenAt = (minute: number, choices: { reason?: string; note?: string } = {}) => ({
  tap: order(minute),
  choices,
  last: order(minute),
  lastAt: at(minute),
})
const withReason = givenAt(9, { reason: order(9) })

/** Everything except the times that later answers are compared with. */
const whatShows = (state: RefusalCheck): RefusalCheck => ({ ...state, answerTimes: null })

const asked = {
  ...newRefusal,
  round: 1,
  followUpAt: later(at(10), 23 * HOUR_MS),
  answerTimes: givenAt(9),
} as const

const states = {
  accepted: newRefusal,
  awaiting_answer: { ...newRefusal, status: 'awaiting_answer', reminderAt: at(120), deadlineAt: at(1440) },
  awaiting_reason: { ...asked, status: 'awaiting_reason', chosen: nothing },
  awaiting_note: {
    ...asked,
    status: 'awaiting_note',
    chosen: { ...nothing, reason: 'Other' },
    answerTimes: withReason,
  },
  denied: { ...newRefusal, status: 'denied', answeredAt: at(9), round: 1, answerTimes: givenAt(9) },
  refusal_confirmed: {
    ...newRefusal,
    status: 'refusal_confirmed',
    answeredAt: at(9),
    chosen: { ...nothing, reason: 'Too late' },
    round: 1,
    answerTimes: withReason,
  },
  no_response: { ...newRefusal, status: 'no_response', round: 1 },
  failed: { ...newRefusal, status: 'failed', failure: { code: 'UNKNOWN', at: at(9) }, round: 1 },
} as const satisfies Record<string, RefusalCheck>

const events = {
  submitted: submitted(1),
  yes: tap('yes'),
  no: tap('no'),
  'listed reason': reason('Damaged'),
  other: other(),
  text: typed('the box was open'),
  message: wrote(20),
  reminder: timer('reminder_due'),
  deadline: timer('deadline_passed'),
  expiry: timer('follow_up_expired'),
  'send fails': sendFailed(),
} as const satisfies Record<string, RefusalEvent>

const LIST = 'awaiting_reason +refused reasons_question'
const DENIED = 'denied +denied cod.refusal_denied closing'
const REFUSED = 'refusal_confirmed +refusal_confirmed cod.refusal_confirmed closing'
const NOTE = 'awaiting_note +other_chosen note_prompt'
const EXPIRED = 'refusal_confirmed cod.refusal_confirmed'
const FAILED = 'failed cod.refusal_failed'

/** The table cell by cell, written independently of the machine. Events that a row leaves out change nothing. */
const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', yes: LIST, no: DENIED, 'send fails': FAILED },
  awaiting_answer: {
    yes: LIST,
    no: DENIED,
    reminder: 'awaiting_answer reminder',
    deadline: 'no_response cod.refusal_no_response',
    'send fails': FAILED,
  },
  awaiting_reason: {
    yes: LIST,
    no: DENIED,
    'listed reason': REFUSED,
    other: NOTE,
    text: REFUSED,
    message: 'awaiting_reason',
    expiry: EXPIRED,
  },
  awaiting_note: {
    yes: LIST,
    no: DENIED,
    'listed reason': REFUSED,
    other: NOTE,
    text: REFUSED,
    message: 'awaiting_note',
    expiry: EXPIRED,
  },
  denied: { yes: LIST },
  refusal_confirmed: { no: DENIED, 'listed reason': REFUSED },
  no_response: { yes: LIST, no: DENIED },
  failed: { yes: LIST, no: DENIED },
}

suite('every event in every status of a refusal check', () => {
  for (const [name, state] of Object.entries(states)) {
    for (const [column, event] of Object.entries(events)) {
      const cell = cells[name as keyof typeof states][column as keyof typeof events]
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
})

test('no state has two transitions for one trigger', () => {
  const pairs = refusal.transitions.flatMap(({ on, from }) => from.map((status) => `${status} ${on}`))
  assert.equal(new Set(pairs).size, pairs.length)
})

test('reminder and deadline count from the submission; the reminder is optional', () => {
  const { state } = run(submitted(3))
  assert.deepEqual([state.reminderAt, state.deadlineAt], [at(123), at(1443)])
  assert.equal(run(submitted(3, null)).state.reminderAt, null)
})

test('after an early tap the late submission changes nothing', () => {
  for (const answer of ['yes', 'no'] as const) assert.deepEqual(run(tap(answer), submitted(11)), run(tap(answer)))
})

test('a timer that fires early, twice or after the answer changes nothing', () => {
  const waiting = run(submitted(0)).state
  assert.equal(step(waiting, timer('reminder_due', 119)).state, waiting)
  assert.equal(step(waiting, timer('deadline_passed', 1439)).state, waiting)
  const reminded = step(waiting, timer('reminder_due', 120)).state
  assert.equal(step(reminded, timer('reminder_due', 121)).state, reminded)
  assert.deepEqual(reminded.deadlineAt, at(1440))
  const answered = step(reminded, tap('no')).state
  for (const type of ['reminder_due', 'deadline_passed', 'follow_up_expired'] as const)
    assert.equal(step(answered, timer(type)).state, answered)
  const following = step(waiting, tap('yes', 10)).state
  assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60 - 1)).state, following)
  assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60)).state.status, 'refusal_confirmed')
})

test('every answer disarms reminder and deadline', () => {
  for (const answer of ['yes', 'no'] as const) {
    const { state } = run(submitted(0), tap(answer))
    assert.deepEqual([state.reminderAt, state.deadlineAt], [null, null])
  }
})

test('yes and a listed reason complete the check without a note', () => {
  const { state, effects } = run(submitted(0), tap('yes'), reason('Damaged'))
  assert.deepEqual([state.chosen?.reason, state.chosen?.note, state.answeredAt], ['Damaged', null, at(11)])
  assert.deepEqual(effects, [
    { type: 'answered', answer: 'refused', chosen: nothing, at: at(10) },
    { type: 'send', purpose: 'reasons_question' },
    { type: 'answered', answer: 'refusal_confirmed', chosen: { ...nothing, reason: 'Damaged' }, at: at(11) },
    { type: 'emit', event: 'cod.refusal_confirmed', at: at(11) },
    { type: 'send', purpose: 'closing' },
  ])
})

test('a note after Other has its label as the reason, any other note none', () => {
  const after = run(tap('yes'), other(), typed('it was wet')).state
  assert.deepEqual([after.chosen?.reason, after.chosen?.note], ['Other', 'it was wet'])
  const without = run(tap('yes'), typed('it was wet')).state
  assert.deepEqual([without.chosen?.reason, without.chosen?.note], [null, 'it was wet'])
})

test('a listed reason after Other replaces its label', () => {
  const { state } = run(tap('yes'), other(), reason('Damaged', 1, 13))
  assert.deepEqual([state.status, state.chosen?.reason, state.chosen?.note], ['refusal_confirmed', 'Damaged', null])
})

test('yes after Other drops the label and offers the list again', () => {
  const { state } = run(tap('yes'), other(), tap('yes', 13))
  assert.deepEqual([state.status, state.chosen?.reason, state.round], ['awaiting_reason', null, 2])
})

test('expiry completes the check with what is known, without answer or closing message', () => {
  for (const [before, known] of [
    [states.awaiting_reason, null],
    [states.awaiting_note, 'Other'],
  ] as const) {
    const { state, effects } = step(before, timer('follow_up_expired'))
    assert.deepEqual([state.chosen?.reason, state.chosen?.note, state.answeredAt], [known, null, at(LATE)])
    assert.deepEqual(effects, [{ type: 'emit', event: 'cod.refusal_confirmed', at: at(LATE) }])
    assert.equal(state.closingSent, false)
  }
})

test('each message of the customer postpones the expiry, and none brings it forward', () => {
  const expiry = (...more: RefusalEvent[]) => run(tap('yes', 10), ...more).state.followUpAt
  const after = (minute: number): Date => later(at(minute), 23 * HOUR_MS)
  assert.deepEqual(expiry(), after(10))
  assert.deepEqual(expiry(wrote(30)), after(30))
  assert.deepEqual(expiry(wrote(30), wrote(20)), after(30))
  assert.deepEqual(expiry(wrote(30), other(40)), after(40))
  assert.deepEqual(expiry(wrote(30), tap('yes', 20)), after(30))
})

test('no drops every earlier reason and note', () => {
  for (const before of [
    states.awaiting_note,
    { ...states.refusal_confirmed, chosen: { reason: 'Too late', note: 'it was wet' } },
  ]) {
    const { state } = step(before, tap('no', 50))
    assert.deepEqual([state.chosen, state.followUpAt, state.answeredAt], [null, null, at(50)])
  }
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

test('choosing the current reason again changes nothing', () => {
  const { state } = step(states.refusal_confirmed, reason('Too late'))
  assert.deepEqual(whatShows(state), whatShows(states.refusal_confirmed))
})

test('a tap after a failure clears the failure', () => {
  const failed = run(submitted(0), sendFailed(5))
  assert.deepEqual(failed.state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(5) })
  for (const answer of ['yes', 'no'] as const) assert.equal(step(failed.state, tap(answer)).state.failure, null)
})

test('the closing message is sent once, with the reply that completes the check', () => {
  const count = (...all: RefusalEvent[]) => run(...all).words.filter((word) => word === 'closing').length
  assert.equal(count(tap('no'), tap('yes'), reason('Damaged'), tap('no', 12)), 1)
  assert.equal(count(tap('yes'), timer('follow_up_expired')), 0)
  assert.equal(count(tap('yes'), timer('follow_up_expired'), reason('Damaged')), 1)
  assert.equal(count(submitted(0), timer('deadline_passed'), tap('no')), 1)
})

test('an older answer than the current one only goes into the history', () => {
  for (const [before, late, answer] of [
    [run(tap('no', 50)), tap('yes', 49), 'refused'],
    [run(tap('no', 50)), reason('Damaged', 1, 49), 'refusal_confirmed'],
    [run(tap('yes', 50)), tap('no', 49), 'denied'],
    [run(tap('yes', 50)), reason('Damaged', 1, 49), 'refusal_confirmed'],
    [run(tap('yes', 50)), other(49), 'other_chosen'],
    [run(tap('yes', 50)), typed('wet', 49), 'refusal_confirmed'],
    [run(tap('yes', 40), reason('Damaged', 1, 50)), tap('no', 49), 'denied'],
    [run(tap('yes', 40), reason('Damaged', 1, 50)), reason('Too late', 1, 49), 'refusal_confirmed'],
    [run(tap('yes', 40), reason('Damaged', 1, 50)), typed('wet', 49), 'refusal_confirmed'],
    [run(tap('yes', 40), other(50)), tap('yes', 49), 'refused'],
    [run(tap('yes', 40), other(50)), reason('Damaged', 1, 49), 'refusal_confirmed'],
  ] as const) {
    const { state, effects, ignored } = step(before.state, late)
    assert.deepEqual(whatShows(state), whatShows(before.state))
    assert.deepEqual(words(effects), [`-${answer}`])
    assert.equal(ignored?.code, 'cod.superseded')
  }
})

test('without a current answer a tap of any time counts', () => {
  for (const before of [states.accepted, states.awaiting_answer, states.no_response, states.failed])
    assert.deepEqual(step(before, tap('no', -600)).state.answeredAt, at(-600))
})

test('a tap during the follow-up counts even when reported after the expiry', () => {
  const expired = run(tap('yes', 10), timer('follow_up_expired')).state
  assert.equal(step(expired, tap('no', 20)).state.status, 'denied')
  assert.equal(step(expired, tap('no', 9)).state, expired)
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

const anyMinute = fc.integer({ min: 0, max: 4500 })
const anyEvent: fc.Arbitrary<RefusalEvent> = fc.oneof(
  fc.tuple(anyMinute, fc.option(fc.constant(120))).map(([minute, reminder]) => submitted(minute, reminder)),
  fc.tuple(fc.constantFrom('yes', 'yes', 'no'), anyMinute).map(([answer, minute]) => tap(answer, minute)),
  fc
    .tuple(fc.constantFrom('Too late', 'Damaged'), fc.integer({ min: 1, max: 4 }), anyMinute)
    .map((all) => reason(...all)),
  anyMinute.map(other),
  anyMinute.map((minute) => typed('a note', minute)),
  anyMinute.map(wrote),
  fc
    .tuple(fc.constantFrom('reminder_due', 'deadline_passed', 'follow_up_expired'), anyMinute)
    .map(([type, minute]) => timer(type, minute)),
  anyMinute.map(sendFailed),
)
const anyStory = fc.array(anyEvent, { maxLength: 40 })

/** The same conversation without the table, as a person would write it down on paper. */
class Paper {
  status = 'accepted'
  reason: string | null = null
  note: string | null = null
  lists = 0
  reminder = Number.POSITIVE_INFINITY
  deadline = Number.POSITIVE_INFINITY
  lastMessage = 0
  closed = false
  /** The minutes of the tap in force, of the reason, of the note, and of whatever the customer answered last. */
  tapped = Number.NEGATIVE_INFINITY
  reasoned = Number.NEGATIVE_INFINITY
  noted = Number.NEGATIVE_INFINITY
  answered = Number.NEGATIVE_INFINITY

  isAsking = (): boolean => this.status === 'awaiting_reason' || this.status === 'awaiting_note'

  isOld(event: RefusalEvent, minute: number): boolean {
    if (event.type === 'tapped')
      return minute < (this.isAsking() && event.answer === 'no' ? this.tapped : this.answered)
    if (event.type === 'typed') return minute < (this.isAsking() ? this.tapped : this.answered)
    return event.type === 'chosen' && minute < Math.max(this.tapped, this.reasoned)
  }

  setAside(event: RefusalEvent, minute: number): string[] {
    if (event.type === 'chosen' && event.choice === 'other') return ['-other_chosen']
    if (event.type !== 'tapped') return ['-refusal_confirmed']
    if (event.answer === 'no') return ['-denied']
    if (this.status !== 'denied') this.tapped = Math.max(this.tapped, minute)
    return ['-refused']
  }

  read(event: RefusalEvent): string[] {
    const minute = (event.at.getTime() - at(0).getTime()) / 60_000
    return this.isOld(event, minute) ? this.setAside(event, minute) : this.readNext(event)
  }

  /** A tap begins again. */
  tap(minute: number): void {
    this.tapped = this.answered = minute
    this.reasoned = this.noted = Number.NEGATIVE_INFINITY
  }

  readNext(event: RefusalEvent): string[] {
    const minute = (event.at.getTime() - at(0).getTime()) / 60_000
    const open = this.status === 'accepted' || this.status === 'awaiting_answer'
    const asking = this.status === 'awaiting_reason' || this.status === 'awaiting_note'
    if (event.type === 'submitted' && this.status === 'accepted') {
      this.status = 'awaiting_answer'
      this.reminder = event.reminderMinutes === null ? Number.POSITIVE_INFINITY : minute + event.reminderMinutes
      this.deadline = minute + event.noResponseMinutes
    } else if (event.type === 'send_failed' && open) return this.end('failed', 'cod.refusal_failed')
    else if (event.type === 'reminder_due' && this.status === 'awaiting_answer' && minute >= this.reminder) {
      this.reminder = Number.POSITIVE_INFINITY
      return ['reminder']
    } else if (event.type === 'deadline_passed' && this.status === 'awaiting_answer' && minute >= this.deadline)
      return this.end('no_response', 'cod.refusal_no_response')
    else if (event.type === 'follow_up_expired' && asking && minute >= this.lastMessage + 23 * 60)
      return this.end('refusal_confirmed', 'cod.refusal_confirmed')
    else if (event.type === 'customer_wrote') this.lastMessage = Math.max(this.lastMessage, minute)
    else if (event.type === 'tapped' && event.answer === 'yes' && this.status !== 'refusal_confirmed') {
      this.lastMessage = asking ? Math.max(this.lastMessage, minute) : minute
      this.reason = null
      this.tap(minute)
      this.lists += 1
      this.status = 'awaiting_reason'
      return ['+refused', 'reasons_question']
    } else if (event.type === 'tapped' && event.answer === 'no' && this.status !== 'denied') {
      this.reason = this.note = null
      this.tap(minute)
      return this.reply('denied', 'cod.refusal_denied')
    } else if (event.type === 'tapped') this.answered = Math.max(this.answered, minute)
    else if (
      event.type === 'chosen' &&
      event.choice === 'other' &&
      this.status === 'refusal_confirmed' &&
      minute < this.noted
    ) {
      this.reasoned = minute
      if (event.value === this.reason) return []
      this.reason = event.value
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    } else if (event.type === 'chosen' && event.choice === 'other' && asking) {
      this.reasoned = minute
      this.answered = Math.max(this.answered, minute)
      this.lastMessage = Math.max(this.lastMessage, minute)
      this.reason = event.value
      this.status = 'awaiting_note'
      return ['+other_chosen', 'note_prompt']
    } else if (event.type === 'typed' && asking) {
      this.note = event.text
      this.noted = minute
      this.answered = Math.max(this.answered, minute)
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    } else if (event.type === 'chosen' && event.choice === 'reason') {
      const late = this.status === 'refusal_confirmed' && event.round === this.lists
      if (!asking && !late) return []
      this.reasoned = minute
      this.answered = Math.max(this.answered, minute)
      if (late && event.value === this.reason) return []
      this.reason = event.value
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    }
    return []
  }

  end(status: string, event: string): string[] {
    this.status = status
    return [event]
  }

  reply(status: string, event: string): string[] {
    this.status = status
    const closing = this.closed ? [] : ['closing']
    this.closed = true
    return [`+${status}`, event, ...closing]
  }
}

test('for any events in any order the machine matches the model', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const paper = new Paper()
      let state = newRefusal
      for (const event of story) {
        const next = step(state, event)
        assert.deepEqual(words(next.effects), paper.read(event))
        state = next.state
        assert.deepEqual(
          { status: state.status, ...(state.chosen ?? nothing) },
          { status: paper.status, reason: paper.reason, note: paper.note },
        )
      }
    }),
    { numRuns: 1000 },
  )
})

test('after any events the state is consistent with its status', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
      for (const event of story) {
        state = step(state, event).state
        const { status } = state
        const asking = status === 'awaiting_reason' || status === 'awaiting_note'
        assert.ok(REFUSAL_STATUSES.includes(status))
        assert.equal(state.failure !== null, status === 'failed')
        assert.equal(state.chosen !== null, asking || status === 'refusal_confirmed')
        assert.ok(status !== 'awaiting_reason' || state.chosen?.reason === null)
        assert.ok(state.chosen === null || state.chosen.note === null || status === 'refusal_confirmed')
        assert.equal(state.followUpAt !== null, asking)
        assert.equal(state.deadlineAt !== null, status === 'awaiting_answer')
        assert.ok(state.reminderAt === null || status === 'awaiting_answer')
        const answered = status === 'denied' || status === 'refusal_confirmed'
        assert.equal(state.answeredAt !== null, answered)
        assert.equal(state.answerTimes !== null, answered || asking)
      }
    }),
  )
})

test('a repeated event emits nothing, and an ignored one only enters the history', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
      for (const event of story) {
        const next = step(state, event)
        if (next.ignored !== null) {
          assert.deepEqual(whatShows(next.state), whatShows(state))
          assert.ok(next.effects.every(({ type }) => type === 'superseded'))
        }
        const again = step(next.state, event)
        const repeated = words(again.effects).filter((word) => /^(cod\.|reminder$|closing$)/.test(word))
        assert.deepEqual(repeated, [])
        state = next.state
      }
    }),
  )
})

test('the template is resent at most once, and so is the closing message', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const all = run(...story).words
      for (const once of ['reminder', 'closing', 'cod.refusal_no_response', 'cod.refusal_failed'])
        assert.ok(all.filter((word) => word === once).length <= 1, once)
    }),
  )
})

test('a status changes only by a row of the table', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
      for (const event of story) {
        const next = step(state, event)
        const [from, to] = [state.status, next.state.status]
        if (from !== to) assert.ok(refusal.transitions.some((row) => row.from.includes(from) && row.to === to))
        state = next.state
      }
    }),
  )
})

/** Reasons of the list, words that end it, and then a denial or, where no reason was given, any taps. */
const anyAnswers = fc
  .record({
    from: fc.constantFrom(...Object.values(states)),
    reasons: fc.array(
      fc.oneof(
        fc.constant(other),
        fc.constantFrom('Too late', 'Damaged').map((each) => (minute: number) => reason(each, 1, minute)),
      ),
      { maxLength: 4 },
    ),
    text: fc.option(fc.constant((minute: number) => typed('a note', minute))),
    taps: fc.array(
      fc.constantFrom('yes', 'no').map((answer) => (minute: number) => tap(answer, minute)),
      { maxLength: 4 },
    ),
  })
  .map(({ from, reasons, text, taps }) => {
    const all = [...reasons, ...(text ? [text] : []), ...taps].map((make, index) => make(20 + index))
    const answers = all.filter((event, index) => counts(from, all.slice(0, index), event))
    const hasReason = answers.some(({ type }) => type !== 'tapped') || from.status === 'refusal_confirmed'
    return {
      from,
      answers: hasReason ? answers.filter((event) => event.type !== 'tapped' || event.answer === 'no') : answers,
    }
  })

/** A reason or text that nothing asks for would be lost in one order and kept in another. */
const counts = (from: RefusalCheck, before: readonly RefusalEvent[], event: RefusalEvent): boolean =>
  event.type === 'tapped' || step(runFrom(from, before).state, event).ignored?.code !== 'cod.changes_nothing'

test('the outcome depends on the order of answers, not of their reports', () => {
  fc.assert(
    fc.property(
      anyAnswers.chain(({ from, answers }) =>
        fc.tuple(
          fc.constant({ from, answers }),
          fc.shuffledSubarray(answers, { minLength: answers.length, maxLength: answers.length }),
        ),
      ),
      ([{ from, answers }, reported]) => {
        const { state: expected, ignored: ignoredInOrder } = runFrom(from, answers)
        const { state, ignored } = runFrom(from, reported)
        assert.deepEqual(outcomeOf(state), outcomeOf(expected))
        // An answer that repeats the one in force changes nothing, not even its time.
        const repeats = [...ignored, ...ignoredInOrder].some((why) => why !== 'cod.superseded')
        if (!repeats) assert.deepEqual(state.answeredAt, expected.answeredAt)
      },
    ),
    { numRuns: 1500 },
  )
})

const outcomeOf = ({ status, chosen, failure }: RefusalCheck) => ({ status, chosen, failure })
