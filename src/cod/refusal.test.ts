import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { HOUR_MS, later } from '../clock.ts'
import {
  REFUSAL_STATUSES,
  type Refusal,
  type RefusalEffect,
  type RefusalEvent,
  advanceRefusal,
  newRefusal,
  refusalTransitions,
} from './refusal.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))
/** After every timer of the states below. */
const LATE = 5000

const frozen = <T>(value: T): T => {
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
const step = (state: Refusal, event: RefusalEvent) => advanceRefusal(frozen(state), frozen(event))

/** `+` before an answer that goes into the history. */
const words = (effects: readonly RefusalEffect[]): string[] =>
  effects.map((effect) => {
    if (effect.type === 'emit') return effect.event
    return effect.type === 'answered' ? `+${effect.answer}` : effect.type
  })

function run(...events: RefusalEvent[]) {
  let state = newRefusal
  const effects: RefusalEffect[] = []
  for (const event of events) {
    const next = step(state, event)
    state = next.state
    effects.push(...next.effects)
  }
  return { state, effects, words: words(effects) }
}

const submitted = (minute: number, reminderMinutes: number | null = 120): RefusalEvent => ({
  type: 'submitted',
  at: at(minute),
  reminderMinutes,
  noResponseMinutes: 1440,
})
const tap = (answer: 'yes' | 'no', minute = 10): RefusalEvent => ({ type: 'tapped', at: at(minute), answer })
const reason = (reason: string, list = 1, minute = 11): RefusalEvent => ({
  type: 'reason_chosen',
  at: at(minute),
  reason,
  list,
})
const other = (minute = 12): RefusalEvent => ({ type: 'other_chosen', at: at(minute), label: 'Other' })
const typed = (text: string, minute = 13): RefusalEvent => ({ type: 'typed', at: at(minute), text })
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

const asked = { ...newRefusal, list: 1, followUpAt: later(at(10), 23 * HOUR_MS) } as const

const states = {
  accepted: newRefusal,
  awaiting_answer: { ...newRefusal, status: 'awaiting_answer', reminderAt: at(120), deadlineAt: at(1440) },
  awaiting_reason: { ...asked, status: 'awaiting_reason' },
  awaiting_note: { ...asked, status: 'awaiting_note', reason: 'Other' },
  denied: { ...newRefusal, status: 'denied', answeredAt: at(9), list: 1 },
  refusal_confirmed: { ...newRefusal, status: 'refusal_confirmed', answeredAt: at(9), reason: 'Too late', list: 1 },
  no_response: { ...newRefusal, status: 'no_response', list: 1 },
  failed: { ...newRefusal, status: 'failed', failure: { code: 'UNKNOWN', at: at(9) }, list: 1 },
} as const satisfies Record<string, Refusal>

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

const LIST = 'awaiting_reason +refused ask_reasons'
const DENIED = 'denied +denied cod.refusal_denied close'
const REFUSED = 'refusal_confirmed +refusal_confirmed cod.refusal_confirmed close'
const NOTE = 'awaiting_note +other_chosen ask_note'
const EXPIRED = 'refusal_confirmed cod.refusal_confirmed'
const FAILED = 'failed cod.refusal_failed'

/** Contract §4, cell by cell; what a row leaves out is its "–". */
const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', yes: LIST, no: DENIED, 'send fails': FAILED },
  awaiting_answer: {
    yes: LIST,
    no: DENIED,
    reminder: 'awaiting_answer resend_template',
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
  const pairs = refusalTransitions.flatMap(({ on, from }) => from.map((status) => `${status} ${on}`))
  assert.equal(new Set(pairs).size, pairs.length)
})

test('reminder and deadline count from the submission, and without a reminder none is armed', () => {
  const { state } = run(submitted(3))
  assert.deepEqual([state.reminderAt, state.deadlineAt], [at(123), at(1443)])
  assert.equal(run(submitted(3, null)).state.reminderAt, null)
})

test('a tap that comes before the submission is known proves it: the submission then changes nothing', () => {
  for (const answer of ['yes', 'no'] as const) assert.deepEqual(run(tap(answer), submitted(11)), run(tap(answer)))
})

test('a timer that rings early, twice or after the answer changes nothing', () => {
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

test('yes, then a listed reason completes with that reason and no note', () => {
  const { state, effects } = run(submitted(0), tap('yes'), reason('Damaged'))
  assert.deepEqual([state.reason, state.note, state.answeredAt], ['Damaged', null, at(11)])
  assert.deepEqual(effects, [
    { type: 'answered', answer: 'refused', reason: null, note: null, at: at(10) },
    { type: 'ask_reasons' },
    { type: 'answered', answer: 'refusal_confirmed', reason: 'Damaged', note: null, at: at(11) },
    { type: 'emit', event: 'cod.refusal_confirmed', at: at(11) },
    { type: 'close' },
  ])
})

test('a note after Other keeps the label as the reason; a note without it has no reason', () => {
  const after = run(tap('yes'), other(), typed('it was wet')).state
  assert.deepEqual([after.reason, after.note], ['Other', 'it was wet'])
  const without = run(tap('yes'), typed('it was wet')).state
  assert.deepEqual([without.reason, without.note], [null, 'it was wet'])
})

test('a listed reason after Other takes the place of the label', () => {
  const { state } = run(tap('yes'), other(), reason('Damaged'))
  assert.deepEqual([state.status, state.reason, state.note], ['refusal_confirmed', 'Damaged', null])
})

test('yes after Other drops the label and offers the list again', () => {
  const { state } = run(tap('yes'), other(), tap('yes'))
  assert.deepEqual([state.status, state.reason, state.list], ['awaiting_reason', null, 2])
})

test('the expiry completes with what is known, at its own time, without an answer or a closing message', () => {
  for (const [before, known] of [
    [states.awaiting_reason, null],
    [states.awaiting_note, 'Other'],
  ] as const) {
    const { state, effects } = step(before, timer('follow_up_expired'))
    assert.deepEqual([state.reason, state.note, state.answeredAt], [known, null, at(LATE)])
    assert.deepEqual(effects, [{ type: 'emit', event: 'cod.refusal_confirmed', at: at(LATE) }])
    assert.equal(state.closingSent, false)
  }
})

test('the follow-up’s expiry moves with every message of the customer and never back', () => {
  const expiry = (...more: RefusalEvent[]) => run(tap('yes', 10), ...more).state.followUpAt
  const after = (minute: number): Date => later(at(minute), 23 * HOUR_MS)
  assert.deepEqual(expiry(), after(10))
  assert.deepEqual(expiry(wrote(30)), after(30))
  assert.deepEqual(expiry(wrote(30), wrote(20)), after(30))
  assert.deepEqual(expiry(wrote(30), other(40)), after(40))
  assert.deepEqual(expiry(wrote(30), tap('yes', 20)), after(30))
})

test('no takes back whatever was said before it', () => {
  for (const before of [states.awaiting_note, { ...states.refusal_confirmed, note: 'it was wet' }]) {
    const { state } = step(before, tap('no', 50))
    assert.deepEqual([state.reason, state.note, state.followUpAt, state.answeredAt], [null, null, null, at(50)])
  }
})

test('another reason of the latest list changes the reason and its time, and keeps the note', () => {
  const { state, words: said } = run(tap('yes'), other(), typed('it was wet'), reason('Damaged', 1, 70))
  assert.deepEqual([state.reason, state.note, state.answeredAt], ['Damaged', 'it was wet', at(70)])
  assert.deepEqual(said.slice(-2), ['+refusal_confirmed', 'cod.refusal_confirmed'])
})

test('a reason of an earlier list counts while one is asked for, and no more afterwards', () => {
  const second = run(tap('yes'), tap('yes')).state
  assert.equal(second.list, 2)
  const done = step(second, reason('Damaged', 1)).state
  assert.equal(done.reason, 'Damaged')
  assert.equal(step(done, reason('Too late', 1)).state, done)
  assert.equal(step(done, reason('Too late', 2)).state.reason, 'Too late')
})

test('the reason in force chosen again changes nothing', () => {
  assert.equal(step(states.refusal_confirmed, reason('Too late')).state, states.refusal_confirmed)
})

test('a tap after a failure takes it back', () => {
  const failed = run(submitted(0), sendFailed(5))
  assert.deepEqual(failed.state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(5) })
  for (const answer of ['yes', 'no'] as const) assert.equal(step(failed.state, tap(answer)).state.failure, null)
})

test('the closing message comes with the first reply that completes the check, and never again', () => {
  const count = (...all: RefusalEvent[]) => run(...all).words.filter((word) => word === 'close').length
  assert.equal(count(tap('no'), tap('yes'), reason('Damaged'), tap('no')), 1)
  assert.equal(count(tap('yes'), timer('follow_up_expired')), 0)
  assert.equal(count(tap('yes'), timer('follow_up_expired'), reason('Damaged')), 1)
  assert.equal(count(submitted(0), timer('deadline_passed'), tap('no')), 1)
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

/** The same conversation told plainly, without the table: what a person would note down on paper. */
class Paper {
  status = 'accepted'
  reason: string | null = null
  note: string | null = null
  lists = 0
  reminder = Number.POSITIVE_INFINITY
  deadline = Number.POSITIVE_INFINITY
  lastMessage = 0
  closed = false

  read(event: RefusalEvent): string[] {
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
      return ['resend_template']
    } else if (event.type === 'deadline_passed' && this.status === 'awaiting_answer' && minute >= this.deadline)
      return this.end('no_response', 'cod.refusal_no_response')
    else if (event.type === 'follow_up_expired' && asking && minute >= this.lastMessage + 23 * 60)
      return this.end('refusal_confirmed', 'cod.refusal_confirmed')
    else if (event.type === 'customer_wrote') this.lastMessage = Math.max(this.lastMessage, minute)
    else if (event.type === 'tapped' && event.answer === 'yes' && this.status !== 'refusal_confirmed') {
      this.lastMessage = asking ? Math.max(this.lastMessage, minute) : minute
      this.reason = null
      this.lists += 1
      this.status = 'awaiting_reason'
      return ['+refused', 'ask_reasons']
    } else if (event.type === 'tapped' && event.answer === 'no' && this.status !== 'denied') {
      this.reason = this.note = null
      return this.reply('denied', 'cod.refusal_denied')
    } else if (event.type === 'other_chosen' && asking) {
      this.lastMessage = Math.max(this.lastMessage, minute)
      this.reason = event.label
      this.status = 'awaiting_note'
      return ['+other_chosen', 'ask_note']
    } else if (event.type === 'typed' && asking) {
      this.note = event.text
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    } else if (event.type === 'reason_chosen') {
      const changes = this.status === 'refusal_confirmed' && event.list === this.lists && event.reason !== this.reason
      if (!asking && !changes) return []
      this.reason = event.reason
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
    const closing = this.closed ? [] : ['close']
    this.closed = true
    return [`+${status}`, event, ...closing]
  }
}

test('whatever happens in whatever order, the machine does what the plainly told conversation does', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const paper = new Paper()
      let state = newRefusal
      for (const event of story) {
        const next = step(state, event)
        assert.deepEqual(words(next.effects), paper.read(event))
        state = next.state
        assert.deepEqual(
          { status: state.status, reason: state.reason, note: state.note },
          { status: paper.status, reason: paper.reason, note: paper.note },
        )
      }
    }),
    { numRuns: 1000 },
  )
})

test('whatever happens, the state says nothing that contradicts its status', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
      for (const event of story) {
        state = step(state, event).state
        const { status } = state
        const asking = status === 'awaiting_reason' || status === 'awaiting_note'
        assert.ok(REFUSAL_STATUSES.includes(status))
        assert.equal(state.failure !== null, status === 'failed')
        assert.ok(state.reason === null || status === 'awaiting_note' || status === 'refusal_confirmed')
        assert.ok(state.note === null || status === 'refusal_confirmed')
        assert.equal(state.followUpAt !== null, asking)
        assert.equal(state.deadlineAt !== null, status === 'awaiting_answer')
        assert.ok(state.reminderAt === null || status === 'awaiting_answer')
        assert.equal(state.answeredAt !== null, status === 'denied' || status === 'refusal_confirmed')
      }
    }),
  )
})

test('whatever happens, the same event at once again emits nothing, and what is ignored leaves no trace', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
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
      for (const once of ['resend_template', 'close', 'cod.refusal_no_response', 'cod.refusal_failed'])
        assert.ok(all.filter((word) => word === once).length <= 1, once)
    }),
  )
})

test('whatever happens, a status is only left by a row of the table', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      let state = newRefusal
      for (const event of story) {
        const next = step(state, event)
        const [from, to] = [state.status, next.state.status]
        if (from !== to) assert.ok(refusalTransitions.some((row) => row.from.includes(from) && row.to === to))
        state = next.state
      }
    }),
  )
})
