import type { FailureCode } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import { ignored } from './ignored.ts'
import { NO_TIMERS, type Timers, afterMinutes, followUpExpiry, whyNotDue } from './timers.ts'

/** spec §3.2. */
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

/** `date` is YYYY-MM-DD in the delivery time zone; each may be null (spec §2.5). */
export type Reschedule = { date: string | null; timeRange: string | null; note: string | null }

export type Confirmation = Timers & {
  status: ConfirmationStatus
  /** The time of the answer in force; null again while rescheduling. */
  answeredAt: Date | null
  /** In force: only while `rescheduled`. */
  reschedule: Reschedule | null
  /** Collected so far: only while `rescheduling`. */
  choices: Reschedule | null
  failure: { code: FailureCode; at: Date } | null
  /** At most once per check (spec §8). */
  closingSent: boolean
  /** Counts the follow-ups; each day and time question carries the number of its own. */
  followUp: number
}

export type ConfirmationEvent =
  /** The initial message went out: reminder and deadline count from here, not from its delivery. */
  | { type: 'submitted'; at: Date; reminderMinutes: number | null; noResponseMinutes: number }
  /** On the original template or its reminder. */
  | { type: 'tapped'; at: Date; answer: 'confirm' | 'cancel' | 'change_time' }
  | { type: 'day_chosen'; at: Date; date: string; followUp: number }
  | { type: 'range_chosen'; at: Date; timeRange: string; followUp: number }
  | { type: 'typed'; at: Date; text: string }
  /** Any message of the customer to this sender, whatever it belongs to. */
  | { type: 'customer_wrote'; at: Date }
  | { type: 'reminder_due'; at: Date }
  | { type: 'deadline_passed'; at: Date }
  | { type: 'follow_up_expired'; at: Date }
  /** Of the initial message or the reminder; other messages that fail change no state. */
  | { type: 'send_failed'; at: Date; code: FailureCode }

export type ConfirmationOutcome =
  | 'cod.confirmed'
  | 'cod.cancelled'
  | 'cod.reschedule_requested'
  | 'cod.no_response'
  | 'cod.failed'

export type ConfirmationAnswer =
  | 'confirmed'
  | 'cancelled'
  | 'reschedule_started'
  | 'day_chosen'
  | 'range_chosen'
  | 'rescheduled'

export type ConfirmationEffect =
  /** One line of the history of answers; `reschedule` is what the customer has chosen with it and before. */
  | { type: 'answered'; answer: ConfirmationAnswer; reschedule: Reschedule | null; at: Date }
  | { type: 'emit'; event: ConfirmationOutcome; at: Date }
  | { type: 'resend_template' }
  | { type: 'ask_day' }
  | { type: 'ask_time' }
  /** The closing message, if the settings have one. */
  | { type: 'close' }

export type ConfirmationStep = {
  state: Confirmation
  effects: readonly ConfirmationEffect[]
  /** Why the event changed nothing; null when it did. */
  ignored: string | null
}

export const newConfirmation: Confirmation = {
  status: 'accepted',
  answeredAt: null,
  reschedule: null,
  choices: null,
  failure: null,
  ...NO_TIMERS,
  closingSent: false,
  followUp: 0,
}

/** What an event can mean to the machine, and what it is as the customer’s answer. */
export const confirmationTriggers = {
  submitted: { means: 'the submission of the initial message completes', answer: null },
  confirm: { means: 'tap on confirm, on the template or its reminder', answer: 'confirmed' },
  cancel: { means: 'tap on cancel, on the template or its reminder', answer: 'cancelled' },
  change_time: { means: 'tap on change time, on the template or its reminder', answer: 'reschedule_started' },
  day: { means: 'a day is chosen while no time range is', answer: 'day_chosen' },
  range: { means: 'a time range is chosen while no day is', answer: 'range_chosen' },
  day_and_range: { means: 'a day or time range is chosen, and now both are', answer: 'rescheduled' },
  other_choice: {
    means: 'another day or time range is chosen, on a question of the latest follow-up',
    answer: 'rescheduled',
  },
  text: { means: 'typed text', answer: 'rescheduled' },
  message: {
    means: 'any other message of the customer to this sender: the follow-up expires 23 hours after the last one',
    answer: null,
  },
  reminder: { means: 'the reminder is due', answer: null },
  deadline: { means: 'the answer deadline passes', answer: null },
  expiry: { means: 'the follow-up expires', answer: null },
  send_failed: { means: 'the initial message or the reminder fails', answer: null },
} as const satisfies Record<string, { means: string; answer: ConfirmationAnswer | null }>
export type ConfirmationTrigger = keyof typeof confirmationTriggers

export type ConfirmationTransition = {
  on: ConfirmationTrigger
  from: readonly ConfirmationStatus[]
  to: ConfirmationStatus
  does?: 'resend_template' | 'ask_day' | 'ask_time'
}

const every = CONFIRMATION_STATUSES
/** A tap that repeats the present answer changes nothing. */
const everyBut = (present: ConfirmationStatus) => every.filter((status) => status !== present)

/** Contract §4. What is not in here changes nothing. */
export const confirmationTransitions: readonly ConfirmationTransition[] = [
  { on: 'submitted', from: ['accepted'], to: 'awaiting_answer' },
  { on: 'confirm', from: everyBut('confirmed'), to: 'confirmed' },
  { on: 'cancel', from: everyBut('cancelled'), to: 'cancelled' },
  { on: 'change_time', from: every, to: 'rescheduling', does: 'ask_day' },
  { on: 'day', from: ['rescheduling'], to: 'rescheduling', does: 'ask_time' },
  { on: 'range', from: ['rescheduling'], to: 'rescheduling', does: 'ask_day' },
  { on: 'day_and_range', from: ['rescheduling'], to: 'rescheduled' },
  { on: 'text', from: ['rescheduling'], to: 'rescheduled' },
  { on: 'message', from: ['rescheduling'], to: 'rescheduling' },
  { on: 'expiry', from: ['rescheduling'], to: 'rescheduled' },
  { on: 'other_choice', from: ['rescheduled'], to: 'rescheduled' },
  { on: 'reminder', from: ['awaiting_answer'], to: 'awaiting_answer', does: 'resend_template' },
  { on: 'deadline', from: ['awaiting_answer'], to: 'no_response' },
  { on: 'send_failed', from: ['accepted', 'awaiting_answer'], to: 'failed' },
]

/** Whatever moves a confirmation into one of these, or changes what it is there, is told to callers by one event. */
export const confirmationOutcomes: Partial<Record<ConfirmationStatus, ConfirmationOutcome>> = {
  confirmed: 'cod.confirmed',
  cancelled: 'cod.cancelled',
  rescheduled: 'cod.reschedule_requested',
  no_response: 'cod.no_response',
  failed: 'cod.failed',
}

/** One event applied to a confirmation. Pure: the state decides, and time comes in with the event. */
export function advanceConfirmation(state: Confirmation, event: ConfirmationEvent): ConfirmationStep {
  const trigger = triggerOf(state, event)
  const transition = confirmationTransitions.find(({ on, from }) => on === trigger && from.includes(state.status))
  if (!transition) return unchanged(state, ignored.changesNothing({ trigger, status: state.status }).en)
  const objection = objectionTo(state, event)
  if (objection !== null) return unchanged(state, objection)

  const next = apply(state, event, transition.to)
  const effects = effectsOf(transition, next, event.at)
  const closingSent = next.closingSent || effects.some(({ type }) => type === 'close')
  return { state: { ...next, closingSent }, effects, ignored: null }
}

function triggerOf(state: Confirmation, event: ConfirmationEvent): ConfirmationTrigger {
  switch (event.type) {
    case 'submitted':
      return 'submitted'
    case 'tapped':
      return event.answer
    case 'day_chosen':
      if (state.status === 'rescheduled') return 'other_choice'
      return state.choices?.timeRange != null ? 'day_and_range' : 'day'
    case 'range_chosen':
      if (state.status === 'rescheduled') return 'other_choice'
      return state.choices?.date != null ? 'day_and_range' : 'range'
    case 'typed':
      return 'text'
    case 'customer_wrote':
      return 'message'
    case 'reminder_due':
      return 'reminder'
    case 'deadline_passed':
      return 'deadline'
    case 'follow_up_expired':
      return 'expiry'
    case 'send_failed':
      return 'send_failed'
  }
}

/** Why an event that the table knows in this state changes nothing all the same. */
function objectionTo(state: Confirmation, event: ConfirmationEvent): string | null {
  switch (event.type) {
    case 'reminder_due':
      return whyNotDue(state.reminderAt, event.at)
    case 'deadline_passed':
      return whyNotDue(state.deadlineAt, event.at)
    case 'follow_up_expired':
      return whyNotDue(state.followUpAt, event.at)
    case 'customer_wrote':
      return followUpExpiry(state.followUpAt, event.at) === state.followUpAt ? ignored.laterIsKnown.en : null
    case 'day_chosen':
    case 'range_chosen':
      return objectionToChoice(state, event)
    case 'submitted':
    case 'tapped':
    case 'typed':
    case 'send_failed':
      return null
  }
}

type Choice = Extract<ConfirmationEvent, { type: 'day_chosen' | 'range_chosen' }>

/** While a follow-up runs, a choice counts on whichever question it is made; afterwards only the latest one's can be changed. */
function objectionToChoice({ status, followUp, reschedule }: Confirmation, event: Choice): string | null {
  if (status !== 'rescheduled') return null
  if (event.followUp !== followUp) return notes.earlierFollowUp.en
  const repeats =
    event.type === 'day_chosen' ? event.date === reschedule?.date : event.timeRange === reschedule?.timeRange
  return repeats ? notes.presentChoice.en : null
}

function apply(state: Confirmation, event: ConfirmationEvent, status: ConfirmationStatus): Confirmation {
  /** Nothing runs, nothing is chosen, nobody answered: what every new answer and every end begins with. */
  const bare = { ...state, ...NO_TIMERS, status, answeredAt: null, reschedule: null, choices: null, failure: null }
  const { at } = event
  switch (event.type) {
    case 'submitted': {
      const reminderAt = event.reminderMinutes === null ? null : afterMinutes(at, event.reminderMinutes)
      return { ...bare, reminderAt, deadlineAt: afterMinutes(at, event.noResponseMinutes) }
    }
    case 'tapped':
      return event.answer === 'change_time' ? startFollowUp(state, at, bare) : { ...bare, answeredAt: at }
    case 'day_chosen':
    case 'range_chosen':
    case 'typed': {
      const chosen = addTo(state.choices ?? state.reschedule ?? NOTHING_CHOSEN, event)
      return status === 'rescheduled'
        ? { ...bare, reschedule: chosen, answeredAt: at }
        : { ...bare, choices: chosen, followUpAt: followUpExpiry(state.followUpAt, at) }
    }
    case 'customer_wrote':
      return { ...state, followUpAt: followUpExpiry(state.followUpAt, at) }
    case 'reminder_due':
      return { ...state, reminderAt: null }
    case 'deadline_passed':
      return bare
    case 'follow_up_expired':
      return { ...bare, reschedule: state.choices, answeredAt: at }
    case 'send_failed':
      return { ...bare, failure: { code: event.code, at } }
  }
}

const NOTHING_CHOSEN: Reschedule = { date: null, timeRange: null, note: null }

/** Change time tapped again while a follow-up runs asks again in the same one: both its day questions stay good. */
const startFollowUp = (before: Confirmation, at: Date, bare: Confirmation): Confirmation => ({
  ...bare,
  choices: NOTHING_CHOSEN,
  followUp: before.status === 'rescheduling' ? before.followUp : before.followUp + 1,
  followUpAt: followUpExpiry(before.followUpAt, at),
})

function addTo(chosen: Reschedule, event: Choice | Extract<ConfirmationEvent, { type: 'typed' }>): Reschedule {
  switch (event.type) {
    case 'day_chosen':
      return { ...chosen, date: event.date }
    case 'range_chosen':
      return { ...chosen, timeRange: event.timeRange }
    case 'typed':
      return { ...chosen, note: event.text }
  }
}

function effectsOf({ on, to, does }: ConfirmationTransition, next: Confirmation, at: Date): ConfirmationEffect[] {
  const { answer } = confirmationTriggers[on]
  const outcome = confirmationOutcomes[to]
  const effects: ConfirmationEffect[] = []
  if (answer) effects.push({ type: 'answered', answer, reschedule: next.reschedule ?? next.choices, at })
  if (outcome) effects.push({ type: 'emit', event: outcome, at })
  if (does) effects.push({ type: does })
  // A timer completes a conversation without a closing message (spec §8).
  if (answer && outcome && !next.closingSent) effects.push({ type: 'close' })
  return effects
}

const notes = keptSentences({
  earlierFollowUp: { en: 'the question belongs to an earlier follow-up', ar: 'السؤال من متابعة سابقة' },
  presentChoice: { en: 'that is the present choice', ar: 'هذا هو الاختيار الحالي' },
})

const unchanged = (state: Confirmation, why: string): ConfirmationStep => ({ state, effects: [], ignored: why })
