import { isOlder } from './answer-order.ts'
import { type CheckEvent, type CheckState, type Choice, type Machine, commonTriggers } from './machine.ts'

/** docs/cod.md#statuses */
export const REFUSAL_STATUSES = [
  'accepted',
  'awaiting_answer',
  'awaiting_reason',
  'awaiting_note',
  'denied',
  'refusal_confirmed',
  'no_response',
  'failed',
] as const
export type RefusalStatus = (typeof REFUSAL_STATUSES)[number]

export type RefusalTypes = {
  status: RefusalStatus
  tap: 'yes' | 'no'
  /** A listed reason, or the Other row of the list. */
  choice: 'reason' | 'other'
  choiceTrigger: 'reason' | 'other_reason' | 'other' | 'other_before_text'
  /** A listed reason, or the label of the Other row. */
  field: 'reason'
  answer: 'refused' | 'denied' | 'other_chosen' | 'refusal_confirmed'
  outcome: 'cod.refusal_confirmed' | 'cod.refusal_denied' | 'cod.refusal_no_response' | 'cod.refusal_failed'
}
export type RefusalCheck = CheckState<RefusalTypes>
export type RefusalEvent = CheckEvent<RefusalTypes>

const FOLLOW_UP_STATUSES = ['awaiting_reason', 'awaiting_note'] as const
/** A tap that repeats the current answer changes nothing. */
const everyBut = (current: RefusalStatus) => REFUSAL_STATUSES.filter((status) => status !== current)

/** docs/cod.md#refusal-check is drawn from it. */
export const refusal: Machine<RefusalTypes> = {
  transitions: [
    { on: 'submitted', from: ['accepted'], to: 'awaiting_answer' },
    { on: 'yes', from: everyBut('refusal_confirmed'), to: 'awaiting_reason', sends: 'reasons_question' },
    { on: 'no', from: everyBut('denied'), to: 'denied' },
    { on: 'reason', from: FOLLOW_UP_STATUSES, to: 'refusal_confirmed' },
    { on: 'other', from: FOLLOW_UP_STATUSES, to: 'awaiting_note', sends: 'note_prompt' },
    { on: 'text', from: FOLLOW_UP_STATUSES, to: 'refusal_confirmed' },
    { on: 'message', from: ['awaiting_reason'], to: 'awaiting_reason' },
    { on: 'message', from: ['awaiting_note'], to: 'awaiting_note' },
    { on: 'expiry', from: FOLLOW_UP_STATUSES, to: 'refusal_confirmed' },
    { on: 'other_reason', from: ['refusal_confirmed'], to: 'refusal_confirmed' },
    { on: 'other_before_text', from: ['refusal_confirmed'], to: 'refusal_confirmed' },
    { on: 'late_text', from: ['refusal_confirmed'], to: 'refusal_confirmed' },
    { on: 'reminder', from: ['awaiting_answer'], to: 'awaiting_answer', sends: 'reminder' },
    { on: 'deadline', from: ['awaiting_answer'], to: 'no_response' },
    { on: 'send_failed', from: ['accepted', 'awaiting_answer'], to: 'failed' },
    { on: 'erasure', from: ['accepted', 'awaiting_answer', ...FOLLOW_UP_STATUSES], to: 'failed' },
  ],
  triggers: {
    yes: { means: 'tap on yes (I refused), on the template or its reminder', answer: 'refused' },
    no: { means: 'tap on no (I did not), on the template or its reminder', answer: 'denied' },
    reason: { means: 'a listed reason is chosen', answer: 'refusal_confirmed' },
    other_reason: { means: 'another listed reason is chosen, on the latest list', answer: 'refusal_confirmed' },
    other: { means: 'the Other row of a list is chosen', answer: 'other_chosen' },
    other_before_text: {
      means: 'the Other row was chosen before the text that completed the refusal, and is reported after it',
      answer: 'refusal_confirmed',
    },
    text: { means: 'typed text', answer: 'refusal_confirmed' },
    late_text: {
      means: 'text was typed before the refusal was complete, but is reported afterwards',
      answer: 'refusal_confirmed',
    },
    ...commonTriggers,
  },
  outcomes: {
    refusal_confirmed: 'cod.refusal_confirmed',
    denied: 'cod.refusal_denied',
    no_response: 'cod.refusal_no_response',
    failed: 'cod.refusal_failed',
  },
  sentOnlyIn: {
    reminder: ['awaiting_answer'],
    reasons_question: FOLLOW_UP_STATUSES,
    note_prompt: ['awaiting_note'],
  },
  followUp: { opensOn: 'yes', runsIn: FOLLOW_UP_STATUSES, completes: 'refusal_confirmed' },
  choices: { reason: { field: 'reason', trigger: 'reason' }, other: { field: 'reason', trigger: 'other' } },
  nothingChosen: { reason: null, note: null },
  triggerOf(state, choice) {
    if (choice.choice === 'other') return precedesNote(state, choice) ? 'other_before_text' : 'other'
    return state.status === 'refusal_confirmed' ? 'other_reason' : 'reason'
  },
  mayChange: (state, choice) =>
    choice.choice === 'other' ? precedesNote(state, choice) : choice.round === state.round,
  opensRound: () => true,
  ignored: { earlierRound: 'cod.earlier_list', inForce: 'cod.present_reason' },
}

const precedesNote = ({ status, answerTimes }: RefusalCheck, { order }: Choice<RefusalTypes>): boolean =>
  status === 'refusal_confirmed' && isOlder(order, answerTimes?.choices.note)
