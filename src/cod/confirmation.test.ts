import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { HOUR_MS, later } from '../clock.ts'
import {
  CONFIRMATION_STATUSES,
  type Confirmation,
  type ConfirmationEffect,
  type ConfirmationEvent,
  type Reschedule,
  advanceConfirmation,
  confirmationTransitions,
  newConfirmation,
} from './confirmation.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))
/** After every timer of the states below. */
const LATE = 5000

const frozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
const step = (state: Confirmation, event: ConfirmationEvent) => advanceConfirmation(frozen(state), frozen(event))

/** `+` before an answer that goes into the history. */
const words = (effects: readonly ConfirmationEffect[]): string[] =>
  effects.map((effect) => {
    if (effect.type === 'emit') return effect.event
    return effect.type === 'answered' ? `+${effect.answer}` : effect.type
  })

function run(...events: ConfirmationEvent[]) {
  let state = newConfirmation
  const effects: ConfirmationEffect[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    effects.push(...next.effects)
  }
  return { state, effects, words: words(effects) }
}

const submitted = (minute: number, reminderMinutes: number | null = 120): ConfirmationEvent => ({
  type: 'submitted',
  at: at(minute),
  reminderMinutes,
  noResponseMinutes: 1440,
})
const tap = (answer: 'confirm' | 'cancel' | 'change_time', minute = 10): ConfirmationEvent => ({
  type: 'tapped',
  at: at(minute),
  answer,
})
const day = (date: string, followUp = 1, minute = 11): ConfirmationEvent => ({
  type: 'day_chosen',
  at: at(minute),
  date,
  followUp,
})
const range = (timeRange: string, followUp = 1, minute = 12): ConfirmationEvent => ({
  type: 'range_chosen',
  at: at(minute),
  timeRange,
  followUp,
})
const typed = (text: string, minute = 13): ConfirmationEvent => ({ type: 'typed', at: at(minute), text })
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

const following = (choices: Reschedule): Confirmation => ({
  ...newConfirmation,
  status: 'rescheduling',
  choices,
  followUp: 1,
  followUpAt: later(at(10), 23 * HOUR_MS),
})

const states = {
  accepted: newConfirmation,
  awaiting_answer: { ...newConfirmation, status: 'awaiting_answer', reminderAt: at(120), deadlineAt: at(1440) },
  'rescheduling, nothing chosen': following(nothing),
  'rescheduling, day chosen': following(monday),
  'rescheduling, range chosen': following(morning),
  rescheduled: { ...newConfirmation, status: 'rescheduled', answeredAt: at(9), reschedule: mondayMorning, followUp: 1 },
  confirmed: { ...newConfirmation, status: 'confirmed', answeredAt: at(9), followUp: 1 },
  cancelled: { ...newConfirmation, status: 'cancelled', answeredAt: at(9), followUp: 1 },
  no_response: { ...newConfirmation, status: 'no_response', followUp: 1 },
  failed: { ...newConfirmation, status: 'failed', failure: { code: 'UNKNOWN', at: at(9) }, followUp: 1 },
} as const satisfies Record<string, Confirmation>

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

const CONFIRMED = 'confirmed +confirmed cod.confirmed close'
const CANCELLED = 'cancelled +cancelled cod.cancelled close'
const STARTED = 'rescheduling +reschedule_started ask_day'
const RESCHEDULED = 'rescheduled +rescheduled cod.reschedule_requested close'
const EXPIRED = 'rescheduled cod.reschedule_requested'
const ASK_TIME = 'rescheduling +day_chosen ask_time'
const ASK_DAY = 'rescheduling +range_chosen ask_day'
const MOVED = 'rescheduling'

/** Contract §4, cell by cell; what a row leaves out is its "–". */
const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', C: CONFIRMED, X: CANCELLED, R: STARTED, 'send fails': 'failed cod.failed' },
  awaiting_answer: {
    C: CONFIRMED,
    X: CANCELLED,
    R: STARTED,
    reminder: 'awaiting_answer resend_template',
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

suite('every cell of contract §4', () => {
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
        assert.equal(next, state)
        assert.deepEqual(effects, [])
        assert.equal(typeof ignored, 'string')
      })
    }
  }
})

test('no event in any state has two rows of the table', () => {
  const pairs = confirmationTransitions.flatMap(({ on, from }) => from.map((status) => `${status} ${on}`))
  assert.equal(new Set(pairs).size, pairs.length)
})

test('reminder and deadline count from the submission, and without a reminder none is armed', () => {
  const { state } = run(submitted(3))
  assert.deepEqual([state.reminderAt, state.deadlineAt], [at(123), at(1443)])
  assert.equal(run(submitted(3, null)).state.reminderAt, null)
})

test('a tap that comes before the submission is known proves it: the submission then changes nothing', () => {
  for (const answer of ['confirm', 'cancel', 'change_time'] as const) {
    const tapped = run(tap(answer))
    const known = run(tap(answer), submitted(11))
    assert.deepEqual(known, tapped)
  }
})

test('a timer that rings early, twice or after the answer changes nothing', () => {
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

test('day, then range: both are asked for, and the second completes the reschedule', () => {
  const done = run(submitted(0), tap('change_time'), day('2026-11-23'), range('09:00-12:00'))
  assert.deepEqual(done.state.reschedule, mondayMorning)
  assert.deepEqual(done.state.answeredAt, at(12))
  assert.deepEqual(done.words, [
    '+reschedule_started',
    'ask_day',
    '+day_chosen',
    'ask_time',
    '+rescheduled',
    'cod.reschedule_requested',
    'close',
  ])
})

test('change time tapped again drops the choices, and a range from the first question is kept until a day comes', () => {
  const again = run(tap('change_time'), day('2026-11-23'), tap('change_time'))
  assert.deepEqual([again.state.choices, again.state.followUp], [nothing, 1])
  const rangeFirst = step(again.state, range('09:00-12:00')).state
  assert.deepEqual(rangeFirst.choices, morning)
  assert.deepEqual(step(rangeFirst, day('2026-11-24')).state.reschedule, { ...morning, date: '2026-11-24' })
})

test('typed text completes with the choices so far', () => {
  for (const [choices, expected] of [
    [nothing, { ...nothing, note: 'call me' }],
    [monday, { ...monday, note: 'call me' }],
    [morning, { ...morning, note: 'call me' }],
  ] as const) {
    assert.deepEqual(step(following(choices), typed('call me')).state.reschedule, expected)
  }
})

test('the expiry completes with the choices so far, at its own time, without an answer or a closing message', () => {
  for (const choices of [nothing, monday, morning]) {
    const { state, effects } = step(following(choices), timer('follow_up_expired'))
    assert.deepEqual([state.reschedule, state.answeredAt], [choices, at(LATE)])
    assert.deepEqual(effects, [{ type: 'emit', event: 'cod.reschedule_requested', at: at(LATE) }])
    assert.equal(state.closingSent, false)
  }
})

test('the follow-up’s expiry moves with every message of the customer and never back', () => {
  const expiry = (...more: ConfirmationEvent[]) => run(tap('change_time', 10), ...more).state.followUpAt
  const after = (minute: number): Date => later(at(minute), 23 * HOUR_MS)
  assert.deepEqual(expiry(), after(10))
  assert.deepEqual(expiry(wrote(30)), after(30))
  assert.deepEqual(expiry(wrote(30), wrote(20)), after(30))
  assert.deepEqual(expiry(wrote(30), day('2026-11-23', 1, 40)), after(40))
  assert.deepEqual(expiry(wrote(30), tap('change_time', 20)), after(30))
})

test('confirm or cancel during a follow-up drops its choices, and after a reschedule the reschedule', () => {
  for (const before of [states['rescheduling, day chosen'], states.rescheduled]) {
    const { state } = step(before, tap('confirm', 50))
    assert.deepEqual([state.choices, state.reschedule, state.followUpAt, state.answeredAt], [null, null, null, at(50)])
  }
})

test('another day of the latest follow-up changes the reschedule and its time, and keeps the rest', () => {
  const before = { ...states.rescheduled, reschedule: { ...mondayMorning, note: 'ring twice' } }
  const { state, effects } = step(before, day('2026-11-25', 1, 70))
  const reschedule = { ...mondayMorning, date: '2026-11-25', note: 'ring twice' }
  assert.deepEqual([state.reschedule, state.answeredAt], [reschedule, at(70)])
  assert.deepEqual(effects[0], { type: 'answered', answer: 'rescheduled', reschedule, at: at(70) })
})

test('the day or range in force chosen again changes nothing', () => {
  for (const event of [day('2026-11-23'), range('09:00-12:00')])
    assert.equal(step(states.rescheduled, event).state, states.rescheduled)
})

test('a choice on an earlier follow-up’s question counts while another runs, and no more once that is over', () => {
  const second = run(tap('change_time'), typed('later'), tap('change_time')).state
  assert.equal(second.followUp, 2)
  assert.deepEqual(step(second, day('2026-11-23', 1)).state.choices, monday)
  const over = step(second, typed('never mind')).state
  assert.equal(step(over, day('2026-11-23', 1)).state, over)
  assert.equal(step(over, day('2026-11-23', 2)).state.reschedule?.date, '2026-11-23')
})

test('a tap after a failure takes it back', () => {
  const failed = run(submitted(0), sendFailed(5))
  assert.deepEqual(failed.state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(5) })
  for (const answer of ['confirm', 'cancel', 'change_time'] as const)
    assert.equal(step(failed.state, tap(answer)).state.failure, null)
})

test('the closing message comes with the first reply that completes the conversation, and never again', () => {
  const count = (...all: ConfirmationEvent[]) => run(...all).words.filter((word) => word === 'close').length
  assert.equal(count(tap('confirm'), tap('cancel'), tap('change_time'), typed('x'), tap('confirm')), 1)
  assert.equal(count(tap('change_time'), timer('follow_up_expired')), 0)
  assert.equal(count(tap('change_time'), timer('follow_up_expired'), range('09:00-12:00')), 1)
  assert.equal(count(submitted(0), timer('deadline_passed'), tap('confirm')), 1)
})

test('whichever time stamps the events carry, the order they come in decides', () => {
  const { state } = run(tap('confirm', 50), tap('cancel', 10))
  assert.deepEqual([state.status, state.answeredAt], ['cancelled', at(10)])
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

/** The same conversation told plainly, without the table: what a person would note down on paper. */
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

  read(event: ConfirmationEvent): string[] {
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
      return ['resend_template']
    } else if (event.type === 'deadline_passed' && this.status === 'awaiting_answer' && minute >= this.deadline)
      return this.end('no_response', 'cod.no_response')
    else if (event.type === 'follow_up_expired' && following && minute >= this.lastMessage + 23 * 60)
      return this.end('rescheduled', 'cod.reschedule_requested')
    else if (event.type === 'customer_wrote') this.lastMessage = Math.max(this.lastMessage, minute)
    else if (event.type === 'tapped' && event.answer === 'change_time') {
      this.lastMessage = following ? Math.max(this.lastMessage, minute) : minute
      if (!following) this.followUps += 1
      this.forget()
      this.status = 'rescheduling'
      return ['+reschedule_started', 'ask_day']
    } else if (event.type === 'tapped') {
      const answer = event.answer === 'confirm' ? 'confirmed' : 'cancelled'
      if (this.status === answer) return []
      this.forget()
      return this.reply(answer, `cod.${answer}`)
    } else if (event.type === 'typed' && following) {
      this.note = event.text
      return this.reply('rescheduled', 'cod.reschedule_requested')
    } else if (event.type === 'day_chosen' || event.type === 'range_chosen') return this.choose(event, minute)
    return []
  }

  choose(event: ConfirmationEvent & { type: 'day_chosen' | 'range_chosen' }, minute: number): string[] {
    const [date, timeRange] = [this.date, this.timeRange]
    const late = this.status === 'rescheduled' && event.followUp === this.followUps
    if (this.status !== 'rescheduling' && !late) return []
    if (event.type === 'day_chosen') this.date = event.date
    else this.timeRange = event.timeRange
    if (late && date === this.date && timeRange === this.timeRange) return []
    if (late || (this.date && this.timeRange)) return this.reply('rescheduled', 'cod.reschedule_requested')
    this.lastMessage = Math.max(this.lastMessage, minute)
    return event.type === 'day_chosen' ? ['+day_chosen', 'ask_time'] : ['+range_chosen', 'ask_day']
  }

  forget(): void {
    this.date = this.timeRange = this.note = null
  }

  end(status: string, event: string): string[] {
    this.status = status
    return [event]
  }

  reply(status: string, event: string): string[] {
    this.status = status
    const closing = this.closed ? [] : ['close']
    this.closed = true
    return [`+${status}`, event, ...closing]
  }
}

test('whatever happens in whatever order, the machine does what the plainly told conversation does', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const paper = new Paper()
      let state = newConfirmation
      for (const event of story) {
        const next = step(state, event)
        assert.deepEqual(words(next.effects), paper.read(event))
        state = next.state
        const known = state.reschedule ?? state.choices ?? nothing
        assert.deepEqual(
          { status: state.status, ...known },
          { status: paper.status, date: paper.date, timeRange: paper.timeRange, note: paper.note },
        )
      }
    }),
    { numRuns: 1000 },
  )
})

test('whatever happens, the state says nothing that contradicts its status', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
      for (const event of story) {
        state = step(state, event).state
        const { status } = state
        const answered = ['confirmed', 'cancelled', 'rescheduled'].includes(status)
        assert.ok(CONFIRMATION_STATUSES.includes(status))
        assert.equal(state.failure !== null, status === 'failed')
        assert.equal(state.reschedule !== null, status === 'rescheduled')
        assert.equal(state.choices !== null, status === 'rescheduling')
        assert.equal(state.followUpAt !== null, status === 'rescheduling')
        assert.equal(state.deadlineAt !== null, status === 'awaiting_answer')
        assert.ok(state.reminderAt === null || status === 'awaiting_answer')
        assert.equal(state.answeredAt !== null, answered)
      }
    }),
  )
})

test('whatever happens, the same event at once again emits nothing, and what is ignored leaves no trace', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
      for (const event of story) {
        const next = step(state, event)
        if (next.ignored !== null) {
          assert.equal(next.state, state)
          assert.deepEqual(next.effects, [])
        }
        const again = step(next.state, event)
        assert.ok(!again.effects.some(({ type }) => type === 'emit' || type === 'resend_template' || type === 'close'))
        state = next.state
      }
    }),
  )
})

test('whatever happens, the template is sent again once at most, and so is the closing message', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const all = run(...story).words
      for (const once of ['resend_template', 'close', 'cod.no_response', 'cod.failed'])
        assert.ok(all.filter((word) => word === once).length <= 1, once)
    }),
  )
})

test('whatever happens, a status is only left by a row of the table', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newConfirmation
      for (const event of story) {
        const next = step(state, event)
        const [from, to] = [state.status, next.state.status]
        if (from !== to) assert.ok(confirmationTransitions.some((row) => row.from.includes(from) && row.to === to))
        state = next.state
      }
    }),
  )
})
