import * as fc from 'fast-check'
import { ACCEPTED } from '../../src/cod/conversation/machine.ts'
import {
  REFUSAL_STATUSES,
  type RefusalCheck,
  type RefusalEvent,
  type RefusalTypes,
  refusal,
} from '../../src/cod/conversation/refusal.ts'
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

export const tap = (answer: 'yes' | 'no', minute = 10) => ({ type: 'tapped', ...made(minute), answer }) as const
export const reason = (reason: string, round = 1, minute = 11) =>
  ({ type: 'chosen', choice: 'reason', ...made(minute), value: reason, round }) as const
export const other = (minute = 12) =>
  ({ type: 'chosen', choice: 'other', ...made(minute), value: 'Other', round: 1 }) as const

export const nothing = { reason: null, note: null }
const withReason = givenAt(9, { reason: order(9) })
const asked = { ...ACCEPTED, round: 1, followUpAt: later(at(10), 23 * HOUR_MS), answerTimes: givenAt(9) } as const

const states = {
  ...commonStates,
  awaiting_reason: { ...asked, status: 'awaiting_reason', chosen: nothing },
  awaiting_note: {
    ...asked,
    status: 'awaiting_note',
    chosen: { ...nothing, reason: 'Other' },
    answerTimes: withReason,
  },
  denied: { ...ACCEPTED, status: 'denied', answeredAt: at(9), round: 1, answerTimes: givenAt(9) },
  refusal_confirmed: {
    ...ACCEPTED,
    status: 'refusal_confirmed',
    answeredAt: at(9),
    chosen: { ...nothing, reason: 'Too late' },
    round: 1,
    answerTimes: withReason,
  },
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

const yes = 'awaiting_reason +refused reasons_question'
const no = 'denied +denied cod.refusal_denied closing'
const REFUSED = 'refusal_confirmed +refusal_confirmed cod.refusal_confirmed closing'
const FAILED = 'failed cod.refusal_failed'
const FOLLOWING = {
  yes,
  no,
  'listed reason': REFUSED,
  text: REFUSED,
  other: 'awaiting_note +other_chosen note_prompt',
  expiry: 'refusal_confirmed cod.refusal_confirmed',
}

const cells: Record<keyof typeof states, Partial<Record<keyof typeof events, string>>> = {
  accepted: { submitted: 'awaiting_answer', yes, no, 'send fails': FAILED },
  awaiting_answer: {
    yes,
    no,
    'send fails': FAILED,
    reminder: 'awaiting_answer reminder',
    deadline: 'no_response cod.refusal_no_response',
  },
  awaiting_reason: { ...FOLLOWING, message: 'awaiting_reason' },
  awaiting_note: { ...FOLLOWING, message: 'awaiting_note' },
  denied: { yes },
  refusal_confirmed: { no, 'listed reason': REFUSED },
  no_response: { yes, no },
  failed: { yes, no },
}

const followUp = {
  names: { failed: 'cod.refusal_failed', no_response: 'cod.refusal_no_response', completed: 'cod.refusal_confirmed' },
  following: ['awaiting_reason', 'awaiting_note'],
  completed: 'refusal_confirmed',
} as const

const anyMinute = fc.integer({ min: 0, max: 4500 })
const anyReason = fc.constantFrom('Too late', 'Damaged')

/** Reasons of the list, a text among them, and then a denial or, where no reason was given, any taps. */
const anyAnswers = fc
  .record({
    from: fc.constantFrom<RefusalCheck[]>(...Object.values(states)),
    reasons: fc.array(
      fc.oneof(
        fc.constant(other),
        anyReason.map((each) => (minute: number) => reason(each, 1, minute)),
      ),
      { maxLength: 4 },
    ),
    text: fc.option(fc.constant((minute: number) => typed('a note', minute))),
    place: fc.nat({ max: 4 }),
    taps: fc.array(
      fc.constantFrom('yes', 'no').map((answer) => (minute: number) => tap(answer, minute)),
      { maxLength: 4 },
    ),
  })
  .map(({ from, reasons, text, place, taps }) => {
    const texts = text ? [text] : []
    const makers = [...reasons.slice(0, place), ...texts, ...reasons.slice(place), ...taps]
    const all = makers.map((make, index) => make(20 + index))
    const answers = withoutLost(refusal, from, all)
    const hasReason = answers.some(({ type }) => type !== 'tapped') || from.status === 'refusal_confirmed'
    return {
      from,
      answers: hasReason ? answers.filter((event) => event.type !== 'tapped' || event.answer === 'no') : answers,
    }
  })

class RefusalPaper extends Paper<RefusalTypes> {
  reason: string | null = null
  note: string | null = null
  reasoned: number = NEVER
  noted: number = NEVER

  constructor() {
    super(followUp)
  }

  chosen = () => ({ reason: this.reason, note: this.note })

  isOld(event: RefusalEvent, minute: number): boolean {
    if (event.type === 'tapped')
      return minute < (this.isFollowing() && event.answer === 'no' ? this.tapped : this.answered)
    if (event.type === 'typed') return minute < Math.max(this.tapped, this.noted)
    return event.type === 'chosen' && minute < Math.max(this.tapped, this.reasoned)
  }

  setAside(event: RefusalEvent, minute: number): string[] {
    if (event.type === 'chosen' && event.choice === 'other') return ['-other_chosen']
    if (event.type !== 'tapped') return ['-refusal_confirmed']
    if (event.answer === 'no') return ['-denied']
    if (this.status !== 'denied') this.tapped = Math.max(this.tapped, minute)
    return ['-refused']
  }

  /** A tap begins again. */
  tap(minute: number): void {
    this.tapped = this.answered = minute
    this.reasoned = this.noted = NEVER
  }

  readAnswer(event: RefusalEvent, minute: number): string[] {
    if (event.type === 'tapped' && event.answer === 'yes' && this.status !== 'refusal_confirmed') {
      this.lastMessage = this.isFollowing() ? Math.max(this.lastMessage, minute) : minute
      this.reason = null
      this.tap(minute)
      this.rounds += 1
      this.status = 'awaiting_reason'
      return ['+refused', 'reasons_question']
    }
    if (event.type === 'tapped' && event.answer === 'no' && this.status !== 'denied') {
      this.reason = this.note = null
      this.tap(minute)
      return this.reply('denied', 'cod.refusal_denied')
    }
    if (event.type === 'tapped') this.answered = Math.max(this.answered, minute)
    if (event.type === 'typed' && (this.isFollowing() || this.precedesEnd(minute, this.noted))) {
      this.note = event.text
      this.noted = minute
      this.answered = Math.max(this.answered, minute)
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    }
    if (event.type !== 'chosen') return []
    return event.choice === 'other' ? this.chooseOther(event.value, minute) : this.choose(event, minute)
  }

  chooseOther(label: string, minute: number): string[] {
    if (this.status === 'refusal_confirmed' && minute < this.noted) {
      this.reasoned = minute
      if (label === this.reason) return []
      this.reason = label
      return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
    }
    if (!this.isFollowing()) return []
    this.reasoned = minute
    this.answered = Math.max(this.answered, minute)
    this.lastMessage = Math.max(this.lastMessage, minute)
    this.reason = label
    this.status = 'awaiting_note'
    return ['+other_chosen', 'note_prompt']
  }

  choose({ value, round }: { value: string; round: number }, minute: number): string[] {
    const late = this.status === 'refusal_confirmed' && round === this.rounds
    if (!this.isFollowing() && !late) return []
    this.reasoned = minute
    this.answered = Math.max(this.answered, minute)
    if (late && value === this.reason) return []
    this.reason = value
    return this.reply('refusal_confirmed', 'cod.refusal_confirmed')
  }
}

export const refusalCase: MachineCase<RefusalTypes> = {
  ...followUp,
  machine: refusal,
  statuses: REFUSAL_STATUSES,
  states,
  events,
  cells,
  opens: (minute) => tap('yes', minute),
  ends: (minute) => tap('no', minute),
  chooses: other,
  completes: (minute) => reason('Damaged', 1, minute),
  repeats: [reason('Too late')],
  ended: 'denied',
  answered: ['denied', 'refusal_confirmed'],
  late: [
    [[tap('no', 50)], tap('yes', 49), 'refused'],
    [[tap('no', 50)], reason('Damaged', 1, 49), 'refusal_confirmed'],
    [[tap('yes', 50)], tap('no', 49), 'denied'],
    [[tap('yes', 50)], reason('Damaged', 1, 49), 'refusal_confirmed'],
    [[tap('yes', 50)], other(49), 'other_chosen'],
    [[tap('yes', 50)], typed('wet', 49), 'refusal_confirmed'],
    [[tap('yes', 40), reason('Damaged', 1, 50)], tap('no', 49), 'denied'],
    [[tap('yes', 40), reason('Damaged', 1, 50)], reason('Too late', 1, 49), 'refusal_confirmed'],
    [[tap('yes', 40), typed('broken', 50)], typed('wet', 49), 'refusal_confirmed'],
    [[tap('yes', 40), other(50)], tap('yes', 49), 'refused'],
    [[tap('yes', 40), other(50)], reason('Damaged', 1, 49), 'refusal_confirmed'],
  ],
  isConsistent: ({ status, chosen }) =>
    (status !== 'awaiting_reason' || chosen?.reason === null) &&
    (chosen === null || chosen.note === null || status === 'refusal_confirmed'),
  anyEvent: fc.oneof(
    fc.tuple(anyMinute, fc.option(fc.constant(120))).map((all) => submitted(...all)),
    fc.tuple(fc.constantFrom('yes', 'yes', 'no'), anyMinute).map((all) => tap(...all)),
    fc.tuple(anyReason, fc.integer({ min: 1, max: 4 }), anyMinute).map((all) => reason(...all)),
    anyMinute.map(other),
    anyMinute.map((minute) => typed('a note', minute)),
    anyMinute.map(wrote),
    fc
      .tuple(fc.constantFrom('reminder_due', 'deadline_passed', 'follow_up_expired'), anyMinute)
      .map((all) => timer(...all)),
    anyMinute.map(sendFailed),
  ),
  anyAnswers,
  nothingChosen: nothing,
  newPaper: () => new RefusalPaper(),
}
