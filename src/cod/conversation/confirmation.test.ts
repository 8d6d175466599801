import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { HOUR_MS, later } from '../../lib/clock.ts'
import {
  CONFIRMATION_STATUSES,
  type Confirmation,
  type ConfirmationEvent,
  type ConfirmationTypes,
  type Reschedule,
  confirmation,
} from './confirmation.ts'
import { ACCEPTED, type Effect, transition } from './machine.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))
/** After every timer of the states below. */
const LATE = 5000

const frozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
const step = (state: Confirmation, event: ConfirmationEvent) => transition(confirmation, frozen(state), frozen(event))

const newConfirmation: Confirmation = ACCEPTED

/** `+` before an answer that goes into the history, `-` before one that is superseded. */
const words = (effects: readonly Effect<ConfirmationTypes>[]): string[] =>
  effects.map((effect) => {
    if (effect.type === 'emit') return effect.event
    if (effect.type === 'send') return effect.purpose
    return `${effect.type === 'superseded' ? '-' : '+'}${effect.answer}`
  })

function run(...events: ConfirmationEvent[]) {
  const { state, effects } = runFrom(newConfirmation, events)
  return { state, effects, words: words(effects) }
}

function runFrom(initial: Confirmation, events: readonly ConfirmationEvent[]) {
  let state = initial
  const effects: Effect<ConfirmationTypes>[] = []
  const ignored: string[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    effects.push(...next.effects)
    if (next.ignored !== null) ignored.push(next.ignored.code)
  }
  return { state, effects, ignored }
}

const submitted = (minute: number, reminderMinutes: number | null = 120): ConfirmationEvent => ({
  type: 'submitted',
  at: at(minute),
  reminderMinutes,
  noResponseMinutes: 1440,
})
const made = (minute: number) => ({ at: at(minute), order: at(minute).toISOString() })
const tap = (answer: 'confirm' | 'cancel' | 'change_time', minute = 10) => ({
  type: 'tapped' as const,
  ...made(minute),
  answer,
})
const day = (date: string, followUp = 1, minute = 11) => ({
  type: 'chosen' as const,
  choice: 'date' as const,
  ...made(minute),
  value: date,
  round: followUp,
})
const range = (timeRange: string, followUp = 1, minute = 12) => ({
  type: 'chosen' as const,
  choice: 'timeRange' as const,
  ...made(minute),
  value: timeRange,
  round: followUp,
})
const typed = (text: string, minute = 13) => ({ type: 'typed' as const, ...made(minute), text })
const timer = (type: 'reminder_due' | 'deadline_passed' | 'follow_up_expired', minute = LATE): ConfirmationEvent => ({
  type,
  at: at(minute),
})
const wrote = (minute: number): ConfirmationEvent => ({ type: 'customer_wrote', at: at(minute) })
const sendFailed = (minute = 5): ConfirmationEvent => ({
  type: 'send_failed',
  at: at(minute),
  code: 'RECIPIENT_UNREACHABLE',
})

const monday: Reschedule = { date: '2026-11-23', timeRange: null, note: null }
const morning: Reschedule = { date: null, timeRange: '09:00-12:00', note: null }
const mondayMorning: Reschedule = { ...monday, timeRange: '09:00-12:00' }
const nothing: Reschedule = { date: null, timeRange: null, note: null }

const order = (minute: number): string => at(minute).toISOString()
const givenAt = (minute: number, choices: { date?: string; timeRange?: string } = {}) => ({
  tap: order(minute),
  choices,
  last: order(minute),
  lastAt: at(minute),
})

const following = (choices: Reschedule): Confirmation => ({
  ...newConfirmation,
  status: 'rescheduling',
  chosen: choices,
  round: 1,
  followUpAt: later(at(10), 23 * HOUR_MS),
  answerTimes: givenAt(9, {
    ...(choices.date !== null && { date: order(9) }),
    ...(choices.timeRange !== null && { timeRange: order(9) }),
  }),
})

const states = {
  accepted: newConfirmation,
  awaiting_answer: { ...newConfirmation, status: 'awaiting_answer', reminderAt: at(120), deadlineAt: at(1440) },
  'rescheduling, nothing chosen': following(nothing),
  'rescheduling, day chosen': following(monday),
  'rescheduling, range chosen': following(morning),
  rescheduled: {
    ...newConfirmation,
    status: 'rescheduled',
    answeredAt: at(9),
    chosen: mondayMorning,
    round: 1,
    answerTimes: givenAt(9, { date: order(9), timeRange: order(9) }),
  },
  confirmed: { ...newConfirmation, status: 'confirmed', answeredAt: at(9), round: 1, answerTimes: givenAt(9) },
  cancelled: { ...newConfirmation, status: 'cancelled', answeredAt: at(9), round: 1, answerTimes: givenAt(9) },
  no_response: { ...newConfirmation, status: 'no_response', round: 1 },
  failed: { ...newConfirmation, status: 'failed', failure: { code: 'UNKNOWN', at: at(9) }, round: 1 },
} as const satisfies Record<string, Confirmation>

/** Everything except the times that later answers are compared with. */
const whatShows = (state: Confirmation): Confirmation => ({ ...state, answerTimes: null })

const events = {
  submitted: submitted(1),
  C: tap('confirm'),
  X: tap('cancel'),
  R: tap('change_time'),
  day: day('2026-11-24'),
  range: range('12:00-18:00'),
  text: typed('after work'),
  message: wrote(20),
  reminder: timer('reminder_due'),
  deadline: timer('deadline_passed'),
  expiry: timer('follow_up_expired'),
  'send fails': sendFailed(),
} as const satisfies Record<string, ConfirmationEvent>

const CONFIRMED = 'confirmed +confirmed cod.confirmed closing'
const CANCELLED = 'cancelled +cancelled cod.cancelled closing'
const STARTED = 'rescheduling +reschedule_started day_question'
const RESCHEDULED = 'rescheduled +rescheduled cod.reschedule_requested closing'
const EXPIRED = 'rescheduled cod.reschedule_requested'
const ASK_TIME = 'rescheduling +day_chosen time_question'
const ASK_DAY = 'rescheduling +range_chosen day_question'
const MOVED = 'rescheduling'

/** The table cell by cell, written independently of the machine. Events that a row leaves out change nothing. */
const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', C: CONFIRMED, X: CANCELLED, R: STARTED, 'send fails': 'failed cod.failed' },
  awaiting_answer: {
    C: CONFIRMED,
    X: CANCELLED,
    R: STARTED,
    reminder: 'awaiting_answer reminder',
    deadline: 'no_response cod.no_response',
    'send fails': 'failed cod.failed',
  },
  'rescheduling, nothing chosen': {
    C: CONFIRMED,
    X: CANCELLED,
    R: STARTED,
    day: ASK_TIME,
    range: ASK_DAY,
    text: RESCHEDULED,
    message: MOVED,
    expiry: EXPIRED,
  },
  'rescheduling, day chosen': {
    C: CONFIRMED,
    X: CANCELLED,
    R: STARTED,
    day: ASK_TIME,
    range: RESCHEDULED,
    text: RESCHEDULED,
    message: MOVED,
    expiry: EXPIRED,
  },
  'rescheduling, range chosen': {
    C: CONFIRMED,
    X: CANCELLED,
    R: STARTED,
    day: RESCHEDULED,
    range: ASK_DAY,
    text: RESCHEDULED,
    message: MOVED,
    expiry: EXPIRED,
  },
  rescheduled: { C: CONFIRMED, X: CANCELLED, R: STARTED, day: RESCHEDULED, range: RESCHEDULED },
  confirmed: { X: CANCELLED, R: STARTED },
  cancelled: { C: CONFIRMED, R: STARTED },
  no_response: { C: CONFIRMED, X: CANCELLED, R: STARTED },
  failed: { C: CONFIRMED, X: CANCELLED, R: STARTED },
}

suite('every event in every status of a confirmation', () => {
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
  const pairs = confirmation.transitions.flatMap(({ on, from }) => from.map((status) => `${status} ${on}`))
  assert.equal(new Set(pairs).size, pairs.length)
})

test('reminder and deadline count from the submission; the reminder is optional', () => {
  const { state } = run(submitted(3))
  assert.deepEqual([state.reminderAt, state.deadlineAt], [at(123), at(1443)])
  assert.equal(run(submitted(3, null)).state.reminderAt, null)
})

test('after an early tap the late submission changes nothing', () => {
  for (const answer of ['confirm', 'cancel', 'change_time'] as const) {
    const tapped = run(tap(answer))
    const known = run(tap(answer), submitted(11))
    assert.deepEqual(known, tapped)
  }
})

test('a timer that fires early, twice or after the answer changes nothing', () => {
  const waiting = run(submitted(0)).state
  assert.equal(step(waiting, timer('reminder_due', 119)).state, waiting)
  assert.equal(step(waiting, timer('deadline_passed', 1439)).state, waiting)
  const reminded = step(waiting, timer('reminder_due', 120)).state
  assert.equal(step(reminded, timer('reminder_due', 121)).state, reminded)
  assert.deepEqual(reminded.deadlineAt, at(1440))
  const answered = step(reminded, tap('confirm')).state
  for (const type of ['reminder_due', 'deadline_passed', 'follow_up_expired'] as const)
    assert.equal(step(answered, timer(type)).state, answered)
  const following = step(waiting, tap('change_time', 10)).state
  assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60 - 1)).state, following)
  assert.equal(step(following, timer('follow_up_expired', 10 + 23 * 60)).state.status, 'rescheduled')
})

test('every answer disarms reminder and deadline', () => {
  for (const answer of ['confirm', 'cancel', 'change_time'] as const) {
    const { state } = run(submitted(0), tap(answer))
    assert.deepEqual([state.reminderAt, state.deadlineAt], [null, null])
  }
})

test('day and range are both asked for, and the second completes the reschedule', () => {
  const done = run(submitted(0), tap('change_time'), day('2026-11-23'), range('09:00-12:00'))
  assert.deepEqual(done.state.chosen, mondayMorning)
  assert.deepEqual(done.state.answeredAt, at(12))
  assert.deepEqual(done.words, [
    '+reschedule_started',
    'day_question',
    '+day_chosen',
    'time_question',
    '+rescheduled',
    'cod.reschedule_requested',
    'closing',
  ])
})

test('tapping change time again drops the choices and keeps old questions valid', () => {
  const again = run(tap('change_time'), day('2026-11-23'), tap('change_time', 12))
  assert.deepEqual([again.state.chosen, again.state.round], [nothing, 1])
  const rangeFirst = step(again.state, range('09:00-12:00', 1, 13)).state
  assert.deepEqual(rangeFirst.chosen, morning)
  assert.deepEqual(step(rangeFirst, day('2026-11-24', 1, 14)).state.chosen, { ...morning, date: '2026-11-24' })
})

test('typed text completes with the choices so far', () => {
  for (const [choices, expected] of [
    [nothing, { ...nothing, note: 'call me' }],
    [monday, { ...monday, note: 'call me' }],
    [morning, { ...morning, note: 'call me' }],
  ] as const) {
    assert.deepEqual(step(following(choices), typed('call me')).state.chosen, expected)
  }
})

test('the expiry completes with the choices so far, without a closing message', () => {
  for (const choices of [nothing, monday, morning]) {
    const { state, effects } = step(following(choices), timer('follow_up_expired'))
    assert.deepEqual([state.chosen, state.answeredAt], [choices, at(LATE)])
    assert.deepEqual(effects, [{ type: 'emit', event: 'cod.reschedule_requested', at: at(LATE) }])
    assert.equal(state.closingSent, false)
  }
})

test('each message of the customer postpones the expiry, and none brings it forward', () => {
  const expiry = (...more: ConfirmationEvent[]) => run(tap('change_time', 10), ...more).state.followUpAt
  const after = (minute: number): Date => later(at(minute), 23 * HOUR_MS)
  assert.deepEqual(expiry(), after(10))
  assert.deepEqual(expiry(wrote(30)), after(30))
  assert.deepEqual(expiry(wrote(30), wrote(20)), after(30))
  assert.deepEqual(expiry(wrote(30), day('2026-11-23', 1, 40)), after(40))
  assert.deepEqual(expiry(wrote(30), tap('change_time', 20)), after(30))
})

test('confirm or cancel drops the choices and a completed reschedule', () => {
  for (const before of [states['rescheduling, day chosen'], states.rescheduled]) {
    const { state } = step(before, tap('confirm', 50))
    assert.deepEqual([state.chosen, state.followUpAt, state.answeredAt], [null, null, at(50)])
  }
})

test('another day of the latest follow-up changes only the date and its time', () => {
  const before = { ...states.rescheduled, chosen: { ...mondayMorning, note: 'ring twice' } }
  const { state, effects } = step(before, day('2026-11-25', 1, 70))
  const reschedule = { ...mondayMorning, date: '2026-11-25', note: 'ring twice' }
  assert.deepEqual([state.chosen, state.answeredAt], [reschedule, at(70)])
  assert.deepEqual(effects[0], { type: 'answered', answer: 'rescheduled', chosen: reschedule, at: at(70) })
})

test('choosing the current day or range again changes nothing', () => {
  for (const event of [day('2026-11-23'), range('09:00-12:00')])
    assert.deepEqual(whatShows(step(states.rescheduled, event).state), whatShows(states.rescheduled))
})

test('an earlier follow-up’s question counts only while another follow-up runs', () => {
  const second = run(tap('change_time'), typed('later'), tap('change_time', 14)).state
  assert.equal(second.round, 2)
  assert.deepEqual(step(second, day('2026-11-23', 1, 15)).state.chosen, monday)
  const over = step(second, typed('never mind', 16)).state
  assert.equal(step(over, day('2026-11-23', 1, 17)).state, over)
  assert.equal(step(over, day('2026-11-23', 2, 17)).state.chosen?.date, '2026-11-23')
})

test('a tap after a failure clears the failure', () => {
  const failed = run(submitted(0), sendFailed(5))
  assert.deepEqual(failed.state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(5) })
  for (const answer of ['confirm', 'cancel', 'change_time'] as const)
    assert.equal(step(failed.state, tap(answer)).state.failure, null)
})

test('the closing message is sent once, with the reply that completes the conversation', () => {
  const count = (...all: ConfirmationEvent[]) => run(...all).words.filter((word) => word === 'closing').length
  assert.equal(count(tap('confirm'), tap('cancel'), tap('change_time'), typed('x'), tap('confirm')), 1)
  assert.equal(count(tap('change_time'), timer('follow_up_expired')), 0)
  assert.equal(count(tap('change_time'), timer('follow_up_expired'), range('09:00-12:00')), 1)
  assert.equal(count(submitted(0), timer('deadline_passed'), tap('confirm')), 1)
})

test('an older answer than the current one only goes into the history', () => {
  for (const [before, late, answer] of [
    [run(tap('cancel', 50)), tap('confirm', 49), 'confirmed'],
    [run(tap('confirm', 50)), tap('change_time', 49), 'reschedule_started'],
    [run(tap('confirm', 50)), day('2026-11-24', 1, 49), 'day_chosen'],
    [run(tap('confirm', 50)), typed('call me', 49), 'rescheduled'],
    [run(tap('change_time', 50)), tap('confirm', 49), 'confirmed'],
    [run(tap('change_time', 50)), day('2026-11-24', 1, 49), 'day_chosen'],
    [run(tap('change_time', 50)), range('09:00-12:00', 1, 49), 'range_chosen'],
    [run(tap('change_time', 50)), typed('call me', 49), 'rescheduled'],
    [run(tap('change_time', 40), typed('call me', 50)), tap('confirm', 49), 'confirmed'],
    [run(tap('change_time', 40), typed('call me', 50)), typed('or write', 49), 'rescheduled'],
    [run(tap('change_time', 40), day('2026-11-24', 1, 50)), day('2026-11-23', 1, 49), 'day_chosen'],
  ] as const) {
    const { state, effects, ignored } = step(before.state, late)
    assert.deepEqual(whatShows(state), whatShows(before.state))
    assert.deepEqual(words(effects), [`-${answer}`])
    assert.equal(ignored?.code, 'cod.superseded')
  }
})

test('without a current answer a tap of any time counts', () => {
  for (const before of [states.accepted, states.awaiting_answer, states.no_response, states.failed])
    assert.deepEqual(step(before, tap('confirm', -600)).state.answeredAt, at(-600))
})

test('a tap during the follow-up counts even when reported after the expiry', () => {
  const expired = run(tap('change_time', 10), timer('follow_up_expired')).state
  assert.deepEqual(step(expired, tap('cancel', 20)).state.status, 'cancelled')
  assert.deepEqual(step(expired, day('2026-11-23', 1, 20)).state.chosen, monday)
  assert.equal(step(expired, tap('cancel', 9)).state, expired)
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

const anyMinute = fc.integer({ min: 0, max: 4500 })
const anyFollowUp = fc.integer({ min: 1, max: 3 })
const anyEvent: fc.Arbitrary<ConfirmationEvent> = fc.oneof(
  fc.tuple(anyMinute, fc.option(fc.constant(120))).map(([minute, reminder]) => submitted(minute, reminder)),
  fc.tuple(fc.constantFrom('confirm', 'cancel', 'change_time', 'change_time'), anyMinute).map(([a, m]) => tap(a, m)),
  fc.tuple(fc.constantFrom('2026-11-23', '2026-11-24'), anyFollowUp, anyMinute).map((all) => day(...all)),
  fc.tuple(fc.constantFrom('09:00-12:00', '12:00-18:00'), anyFollowUp, anyMinute).map((all) => range(...all)),
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
  date: string | null = null
  timeRange: string | null = null
  note: string | null = null
  followUps = 0
  reminder = Number.POSITIVE_INFINITY
  deadline = Number.POSITIVE_INFINITY
  lastMessage = 0
  closed = false
  /** The minutes of the tap in force, of each choice, and of whatever the customer answered last. */
  tapped = Number.NEGATIVE_INFINITY
  chosen = { date: Number.NEGATIVE_INFINITY, timeRange: Number.NEGATIVE_INFINITY }
  answered = Number.NEGATIVE_INFINITY

  isOld(event: ConfirmationEvent, minute: number): boolean {
    const following = this.status === 'rescheduling'
    if (event.type === 'tapped')
      return minute < (following && event.answer !== 'change_time' ? this.tapped : this.answered)
    if (event.type === 'typed') return minute < (following ? this.tapped : this.answered)
    return event.type === 'chosen' && minute < Math.max(this.tapped, this.chosen[event.choice])
  }

  setAside(event: ConfirmationEvent, minute: number): string[] {
    if (event.type === 'chosen') return [event.choice === 'date' ? '-day_chosen' : '-range_chosen']
    if (event.type !== 'tapped') return ['-rescheduled']
    if (event.answer !== 'change_time') return [event.answer === 'confirm' ? '-confirmed' : '-cancelled']
    if (this.status.startsWith('resched')) this.tapped = Math.max(this.tapped, minute)
    return ['-reschedule_started']
  }

  read(event: ConfirmationEvent): string[] {
    const minute = (event.at.getTime() - at(0).getTime()) / 60_000
    return this.isOld(event, minute) ? this.setAside(event, minute) : this.readNext(event)
  }

  readNext(event: ConfirmationEvent): string[] {
    const minute = (event.at.getTime() - at(0).getTime()) / 60_000
    const open = this.status === 'accepted' || this.status === 'awaiting_answer'
    const following = this.status === 'rescheduling'
    if (event.type === 'submitted' && this.status === 'accepted') {
      this.status = 'awaiting_answer'
      this.reminder = event.reminderMinutes === null ? Number.POSITIVE_INFINITY : minute + event.reminderMinutes
      this.deadline = minute + event.noResponseMinutes
    } else if (event.type === 'send_failed' && open) return this.end('failed', 'cod.failed')
    else if (event.type === 'reminder_due' && this.status === 'awaiting_answer' && minute >= this.reminder) {
      this.reminder = Number.POSITIVE_INFINITY
      return ['reminder']
    } else if (event.type === 'deadline_passed' && this.status === 'awaiting_answer' && minute >= this.deadline)
      return this.end('no_response', 'cod.no_response')
    else if (event.type === 'follow_up_expired' && following && minute >= this.lastMessage + 23 * 60)
      return this.end('rescheduled', 'cod.reschedule_requested')
    else if (event.type === 'customer_wrote') this.lastMessage = Math.max(this.lastMessage, minute)
    else if (event.type === 'tapped' && event.answer === 'change_time') {
      this.lastMessage = following ? Math.max(this.lastMessage, minute) : minute
      if (!following) this.followUps += 1
      this.forget(minute)
      this.status = 'rescheduling'
      return ['+reschedule_started', 'day_question']
    } else if (event.type === 'tapped') {
      const answer = event.answer === 'confirm' ? 'confirmed' : 'cancelled'
      this.answered = Math.max(this.answered, minute)
      if (this.status === answer) return []
      this.forget(minute)
      return this.reply(answer, `cod.${answer}`)
    } else if (event.type === 'typed' && following) {
      this.note = event.text
      this.answered = Math.max(this.answered, minute)
      return this.reply('rescheduled', 'cod.reschedule_requested')
    } else if (event.type === 'chosen') return this.choose(event, minute)
    return []
  }

  choose(event: ConfirmationEvent & { type: 'chosen' }, minute: number): string[] {
    const [date, timeRange] = [this.date, this.timeRange]
    const late = this.status === 'rescheduled' && event.round === this.followUps
    if (this.status !== 'rescheduling' && !late) return []
    this.chosen[event.choice] = minute
    this.answered = Math.max(this.answered, minute)
    this[event.choice] = event.value
    if (late && date === this.date && timeRange === this.timeRange) return []
    if (late || (this.date && this.timeRange)) return this.reply('rescheduled', 'cod.reschedule_requested')
    this.lastMessage = Math.max(this.lastMessage, minute)
    return event.choice === 'date' ? ['+day_chosen', 'time_question'] : ['+range_chosen', 'day_question']
  }

  forget(minute: number): void {
    this.date = this.timeRange = this.note = null
    this.tapped = this.answered = minute
    this.chosen = { date: Number.NEGATIVE_INFINITY, timeRange: Number.NEGATIVE_INFINITY }
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
      let state = newConfirmation
      for (const event of story) {
        const next = step(state, event)
        assert.deepEqual(words(next.effects), paper.read(event))
        state = next.state
        const known = state.chosen ?? nothing
        assert.deepEqual(
          { status: state.status, ...known },
          { status: paper.status, date: paper.date, timeRange: paper.timeRange, note: paper.note },
        )
      }
    }),
    { numRuns: 1000 },
  )
})

test('after any events the state is consistent with its status', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
      for (const event of story) {
        state = step(state, event).state
        const { status } = state
        const answered = ['confirmed', 'cancelled', 'rescheduled'].includes(status)
        assert.ok(CONFIRMATION_STATUSES.includes(status))
        assert.equal(state.failure !== null, status === 'failed')
        assert.equal(state.chosen !== null, status === 'rescheduling' || status === 'rescheduled')
        assert.equal(state.followUpAt !== null, status === 'rescheduling')
        assert.equal(state.deadlineAt !== null, status === 'awaiting_answer')
        assert.ok(state.reminderAt === null || status === 'awaiting_answer')
        assert.equal(state.answeredAt !== null, answered)
        assert.equal(state.answerTimes !== null, answered || status === 'rescheduling')
      }
    }),
  )
})

test('a repeated event emits nothing, and an ignored one only enters the history', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
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
      for (const once of ['reminder', 'closing', 'cod.no_response', 'cod.failed'])
        assert.ok(all.filter((word) => word === once).length <= 1, once)
    }),
  )
})

test('a status changes only by a row of the table', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
      for (const event of story) {
        const next = step(state, event)
        const [from, to] = [state.status, next.state.status]
        if (from !== to) assert.ok(confirmation.transitions.some((row) => row.from.includes(from) && row.to === to))
        state = next.state
      }
    }),
  )
})

/** Choices of the follow-up, texts that end it, and then taps: each counts if it is processed in this order. */
const anyAnswers = fc
  .record({
    from: fc.constantFrom(...Object.values(states)),
    choices: fc.array(
      fc.oneof(
        fc.constantFrom('2026-11-23', '2026-11-24').map((date) => (minute: number) => day(date, 1, minute)),
        fc.constantFrom('09:00-12:00', '12:00-18:00').map((label) => (minute: number) => range(label, 1, minute)),
      ),
      { maxLength: 5 },
    ),
    text: fc.option(fc.constant((minute: number) => typed('a note', minute))),
    taps: fc.array(
      fc.constantFrom('confirm', 'cancel', 'change_time').map((answer) => (minute: number) => tap(answer, minute)),
      { maxLength: 4 },
    ),
  })
  .map(({ from, choices, text, taps }) => {
    const all = [...choices, ...(text ? [text] : []), ...taps].map((make, index) => make(20 + index))
    return { from, answers: all.filter((event, index) => counts(from, all.slice(0, index), event)) }
  })

/** A choice or text that nothing asks for would be lost in one order and kept in another. */
const counts = (from: Confirmation, before: readonly ConfirmationEvent[], event: ConfirmationEvent): boolean =>
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

const outcomeOf = ({ status, chosen, failure }: Confirmation) => ({ status, chosen, failure })
