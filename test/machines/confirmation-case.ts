import * as fc from 'fast-check'
import {
  CONFIRMATION_STATUSES,
  type Confirmation,
  type ConfirmationEvent,
  type ConfirmationTypes,
  type Reschedule,
  confirmation,
} from '../../src/cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../src/cod/conversation/machine.ts'
import { HOUR_MS, later } from '../../src/lib/clock.ts'
import {
  type MachineCase,
  NEVER,
  Paper,
  at,
  givenAt,
  made,
  order,
  sendFailed,
  states as commonStates,
  submitted,
  timer,
  typed,
  withoutLost,
  wrote,
} from './machine-case.ts'

export const tap = (answer: 'confirm' | 'cancel' | 'change_time', minute = 10) =>
  ({ type: 'tapped', ...made(minute), answer }) as const
export const day = (date: string, round = 1, minute = 11) =>
  ({ type: 'chosen', choice: 'date', ...made(minute), value: date, round }) as const
export const range = (timeRange: string, round = 1, minute = 12) =>
  ({ type: 'chosen', choice: 'timeRange', ...made(minute), value: timeRange, round }) as const

export const nothing: Reschedule = { date: null, timeRange: null, note: null }
export const monday: Reschedule = { ...nothing, date: '2026-11-23' }
export const morning: Reschedule = { ...nothing, timeRange: '09:00-12:00' }
export const mondayMorning: Reschedule = { ...monday, timeRange: '09:00-12:00' }

export const following = (choices: Reschedule): Confirmation => ({
  ...ACCEPTED,
  status: 'rescheduling',
  chosen: choices,
  round: 1,
  followUpAt: later(at(10), 23 * HOUR_MS),
  answerTimes: givenAt(9, {
    ...(choices.date !== null && { date: order(9) }),
    ...(choices.timeRange !== null && { timeRange: order(9) }),
  }),
})

const answered = { ...ACCEPTED, answeredAt: at(9), round: 1 }

export const states = {
  ...commonStates,
  'rescheduling, nothing chosen': following(nothing),
  'rescheduling, day chosen': following(monday),
  'rescheduling, range chosen': following(morning),
  rescheduled: {
    ...answered,
    status: 'rescheduled',
    chosen: mondayMorning,
    answerTimes: givenAt(9, { date: order(9), timeRange: order(9) }),
  },
  confirmed: { ...answered, status: 'confirmed', answerTimes: givenAt(9) },
  cancelled: { ...answered, status: 'cancelled', answerTimes: givenAt(9) },
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

const C = 'confirmed +confirmed cod.confirmed closing'
const X = 'cancelled +cancelled cod.cancelled closing'
const R = 'rescheduling +reschedule_started day_question'
const RESCHEDULED = 'rescheduled +rescheduled cod.reschedule_requested closing'
const ASK_TIME = 'rescheduling +day_chosen time_question'
const ASK_DAY = 'rescheduling +range_chosen day_question'
const FAILED = 'failed cod.failed'
/** In a follow-up, with any choices. */
const FOLLOWING = {
  C,
  X,
  R,
  text: RESCHEDULED,
  message: 'rescheduling',
  expiry: 'rescheduled cod.reschedule_requested',
}

const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', C, X, R, 'send fails': FAILED },
  awaiting_answer: {
    C,
    X,
    R,
    'send fails': FAILED,
    reminder: 'awaiting_answer reminder',
    deadline: 'no_response cod.no_response',
  },
  'rescheduling, nothing chosen': { ...FOLLOWING, day: ASK_TIME, range: ASK_DAY },
  'rescheduling, day chosen': { ...FOLLOWING, day: ASK_TIME, range: RESCHEDULED },
  'rescheduling, range chosen': { ...FOLLOWING, day: RESCHEDULED, range: ASK_DAY },
  rescheduled: { C, X, R, day: RESCHEDULED, range: RESCHEDULED },
  confirmed: { X, R },
  cancelled: { C, R },
  no_response: { C, X, R },
  failed: { C, X, R },
}

const followUp = {
  names: { failed: 'cod.failed', no_response: 'cod.no_response', completed: 'cod.reschedule_requested' },
  following: ['rescheduling'],
  completed: 'rescheduled',
} as const

const anyMinute = fc.integer({ min: 0, max: 4500 })
const anyRound = fc.integer({ min: 1, max: 3 })
const anyDate = fc.constantFrom('2026-11-23', '2026-11-24')
const anyRange = fc.constantFrom('09:00-12:00', '12:00-18:00')

/** Choices of the follow-up, a text among them, and then taps. */
const anyAnswers = fc
  .record({
    from: fc.constantFrom<Confirmation[]>(...Object.values(states)),
    choices: fc.array(
      fc.oneof(
        anyDate.map((date) => (minute: number) => day(date, 1, minute)),
        anyRange.map((label) => (minute: number) => range(label, 1, minute)),
      ),
      { maxLength: 5 },
    ),
    text: fc.option(fc.constant((minute: number) => typed('a note', minute))),
    place: fc.nat({ max: 5 }),
    taps: fc.array(
      fc.constantFrom('confirm', 'cancel', 'change_time').map((answer) => (minute: number) => tap(answer, minute)),
      { maxLength: 4 },
    ),
  })
  .map(({ from, choices, text, place, taps }) => {
    const texts = text ? [text] : []
    const makers = [...choices.slice(0, place), ...texts, ...choices.slice(place), ...taps]
    const all = makers.map((make, index) => make(20 + index))
    return { from, answers: withoutLost(confirmation, from, all) }
  })

class ConfirmationPaper extends Paper<ConfirmationTypes> {
  date: string | null = null
  timeRange: string | null = null
  note: string | null = null
  chosenAt: { date: number; timeRange: number } = { date: NEVER, timeRange: NEVER }
  noted: number = NEVER

  constructor() {
    super(followUp)
  }

  chosen = () => ({ date: this.date, timeRange: this.timeRange, note: this.note })

  isOld(event: ConfirmationEvent, minute: number): boolean {
    if (event.type === 'tapped')
      return minute < (this.isFollowing() && event.answer !== 'change_time' ? this.tapped : this.answered)
    if (event.type === 'typed') return minute < Math.max(this.tapped, this.noted)
    return event.type === 'chosen' && minute < Math.max(this.tapped, this.chosenAt[event.choice])
  }

  setAside(event: ConfirmationEvent, minute: number): string[] {
    if (event.type === 'chosen') return [event.choice === 'date' ? '-day_chosen' : '-range_chosen']
    if (event.type !== 'tapped') return ['-rescheduled']
    if (event.answer !== 'change_time') return [event.answer === 'confirm' ? '-confirmed' : '-cancelled']
    if (this.status.startsWith('resched')) this.tapped = Math.max(this.tapped, minute)
    return ['-reschedule_started']
  }

  readAnswer(event: ConfirmationEvent, minute: number): string[] {
    if (event.type === 'tapped' && event.answer === 'change_time') {
      this.lastMessage = this.isFollowing() ? Math.max(this.lastMessage, minute) : minute
      if (!this.isFollowing()) this.rounds += 1
      this.forget(minute)
      this.status = 'rescheduling'
      return ['+reschedule_started', 'day_question']
    }
    if (event.type === 'tapped') {
      const answer = event.answer === 'confirm' ? 'confirmed' : 'cancelled'
      this.answered = Math.max(this.answered, minute)
      if (this.status === answer) return []
      this.forget(minute)
      return this.reply(answer, `cod.${answer}`)
    }
    if (event.type === 'typed' && (this.isFollowing() || this.precedesEnd(minute, this.noted))) {
      this.note = event.text
      this.noted = minute
      this.answered = Math.max(this.answered, minute)
      return this.reply('rescheduled', 'cod.reschedule_requested')
    }
    return event.type === 'chosen' ? this.choose(event, minute) : []
  }

  choose(event: ConfirmationEvent & { type: 'chosen' }, minute: number): string[] {
    const [date, timeRange] = [this.date, this.timeRange]
    const late = this.status === 'rescheduled' && event.round === this.rounds
    if (!this.isFollowing() && !late) return []
    this.chosenAt[event.choice] = minute
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
    this.noted = NEVER
    this.chosenAt = { date: NEVER, timeRange: NEVER }
  }
}

export const confirmationCase: MachineCase<ConfirmationTypes> = {
  ...followUp,
  machine: confirmation,
  statuses: CONFIRMATION_STATUSES,
  states,
  events,
  cells,
  opens: (minute) => tap('change_time', minute),
  ends: (minute) => tap('confirm', minute),
  chooses: (minute) => day('2026-11-23', 1, minute),
  completes: (minute) => typed('x', minute),
  repeats: [day('2026-11-23'), range('09:00-12:00')],
  ended: 'confirmed',
  answered: ['confirmed', 'cancelled', 'rescheduled'],
  late: [
    [[tap('cancel', 50)], tap('confirm', 49), 'confirmed'],
    [[tap('confirm', 50)], tap('change_time', 49), 'reschedule_started'],
    [[tap('confirm', 50)], day('2026-11-24', 1, 49), 'day_chosen'],
    [[tap('confirm', 50)], typed('call me', 49), 'rescheduled'],
    [[tap('change_time', 50)], tap('confirm', 49), 'confirmed'],
    [[tap('change_time', 50)], day('2026-11-24', 1, 49), 'day_chosen'],
    [[tap('change_time', 50)], range('09:00-12:00', 1, 49), 'range_chosen'],
    [[tap('change_time', 50)], typed('call me', 49), 'rescheduled'],
    [[tap('change_time', 40), typed('call me', 50)], tap('confirm', 49), 'confirmed'],
    [[tap('change_time', 40), typed('call me', 50)], typed('or write', 49), 'rescheduled'],
    [[tap('change_time', 40), day('2026-11-24', 1, 50)], day('2026-11-23', 1, 49), 'day_chosen'],
  ],
  isConsistent: () => true,
  anyEvent: fc.oneof(
    fc.tuple(anyMinute, fc.option(fc.constant(120))).map((all) => submitted(...all)),
    fc.tuple(fc.constantFrom('confirm', 'cancel', 'change_time', 'change_time'), anyMinute).map((all) => tap(...all)),
    fc.tuple(anyDate, anyRound, anyMinute).map((all) => day(...all)),
    fc.tuple(anyRange, anyRound, anyMinute).map((all) => range(...all)),
    anyMinute.map((minute) => typed('a note', minute)),
    anyMinute.map(wrote),
    fc
      .tuple(fc.constantFrom('reminder_due', 'deadline_passed', 'follow_up_expired'), anyMinute)
      .map((all) => timer(...all)),
    anyMinute.map(sendFailed),
  ),
  anyAnswers,
  nothingChosen: { date: null, timeRange: null, note: null },
  newPaper: () => new ConfirmationPaper(),
}
