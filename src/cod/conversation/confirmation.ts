import { type CheckEvent, type CheckState, type Machine, commonTriggers } from './machine.ts'

/** docs/cod.md#statuses */
export const CONFIRMATION_STATUSES = [
  'accepted',
  'awaiting_answer',
  'confirmed',
  'cancelled',
  'rescheduling',
  'rescheduled',
  'no_response',
  'failed',
] as const
export type ConfirmationStatus = (typeof CONFIRMATION_STATUSES)[number]

/** `date` is YYYY-MM-DD in the delivery time zone. */
export type Reschedule = { date: string | null; timeRange: string | null; note: string | null }

export type ConfirmationTypes = {
  status: ConfirmationStatus
  tap: 'confirm' | 'cancel' | 'change_time'
  choice: 'date' | 'timeRange'
  choiceTrigger: 'day' | 'range' | 'day_and_range' | 'other_choice'
  field: 'date' | 'timeRange'
  answer: 'confirmed' | 'cancelled' | 'reschedule_started' | 'day_chosen' | 'range_chosen' | 'rescheduled'
  outcome: 'cod.confirmed' | 'cod.cancelled' | 'cod.reschedule_requested' | 'cod.no_response' | 'cod.failed'
}
export type Confirmation = CheckState<ConfirmationTypes>
export type ConfirmationEvent = CheckEvent<ConfirmationTypes>

/** A tap that repeats the current answer changes nothing. */
const everyBut = (current: ConfirmationStatus) => CONFIRMATION_STATUSES.filter((status) => status !== current)

/** docs/cod.md#confirmation is drawn from it. */
export const confirmation: Machine<ConfirmationTypes> = {
  transitions: [
    { on: 'submitted', from: ['accepted'], to: 'awaiting_answer' },
    { on: 'confirm', from: everyBut('confirmed'), to: 'confirmed' },
    { on: 'cancel', from: everyBut('cancelled'), to: 'cancelled' },
    { on: 'change_time', from: CONFIRMATION_STATUSES, to: 'rescheduling', sends: 'day_question' },
    { on: 'day', from: ['rescheduling'], to: 'rescheduling', sends: 'time_question' },
    { on: 'range', from: ['rescheduling'], to: 'rescheduling', sends: 'day_question' },
    { on: 'day_and_range', from: ['rescheduling'], to: 'rescheduled' },
    { on: 'text', from: ['rescheduling'], to: 'rescheduled' },
    { on: 'message', from: ['rescheduling'], to: 'rescheduling' },
    { on: 'expiry', from: ['rescheduling'], to: 'rescheduled' },
    { on: 'other_choice', from: ['rescheduled'], to: 'rescheduled' },
    { on: 'late_text', from: ['rescheduled'], to: 'rescheduled' },
    { on: 'reminder', from: ['awaiting_answer'], to: 'awaiting_answer', sends: 'reminder' },
    { on: 'deadline', from: ['awaiting_answer'], to: 'no_response' },
    { on: 'send_failed', from: ['accepted', 'awaiting_answer'], to: 'failed' },
    { on: 'erasure', from: ['accepted', 'awaiting_answer', 'rescheduling'], to: 'failed' },
  ],
  triggers: {
    confirm: { means: 'tap on confirm, on the template or its reminder', answer: 'confirmed' },
    cancel: { means: 'tap on cancel, on the template or its reminder', answer: 'cancelled' },
    change_time: { means: 'tap on change time, on the template or its reminder', answer: 'reschedule_started' },
    day: { means: 'the customer chooses a day, and has not chosen a time range', answer: 'day_chosen' },
    range: { means: 'the customer chooses a time range, and has not chosen a day', answer: 'range_chosen' },
    day_and_range: {
      means: 'the customer chooses a day or time range, and has then chosen both',
      answer: 'rescheduled',
    },
    other_choice: {
      means: 'another day or time range is chosen, on a question of the latest follow-up',
      answer: 'rescheduled',
    },
    text: { means: 'typed text', answer: 'rescheduled' },
    late_text: {
      means: 'text was typed before the reschedule was complete, but is reported afterwards',
      answer: 'rescheduled',
    },
    ...commonTriggers,
  },
  outcomes: {
    confirmed: 'cod.confirmed',
    cancelled: 'cod.cancelled',
    rescheduled: 'cod.reschedule_requested',
    no_response: 'cod.no_response',
    failed: 'cod.failed',
  },
  sentOnlyIn: { reminder: ['awaiting_answer'], day_question: ['rescheduling'], time_question: ['rescheduling'] },
  followUp: { opensOn: 'change_time', runsIn: ['rescheduling'], completes: 'rescheduled' },
  choices: { date: { field: 'date', trigger: 'day' }, timeRange: { field: 'timeRange', trigger: 'range' } },
  nothingChosen: { date: null, timeRange: null, note: null },
  triggerOf({ status, chosen }, { choice }) {
    if (status === 'rescheduled') return 'other_choice'
    const other = choice === 'date' ? chosen?.timeRange : chosen?.date
    if (other != null) return 'day_and_range'
    return choice === 'date' ? 'day' : 'range'
  },
  mayChange: (state, choice) => choice.round === state.round,
  // Tapping change time again during a follow-up asks again in the same round: both day questions stay valid.
  opensRound: ({ status }) => status !== 'rescheduling',
  ignored: { earlierRound: 'cod.earlier_follow_up', inForce: 'cod.present_choice' },
}
