import type { FailureCode } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import { ignored } from './ignored.ts'
import { NO_TIMERS, type Timers, afterMinutes, followUpExpiry, whyNotDue } from './timers.ts'

/** spec §3.3. */
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

export type Refusal = Timers & {
  status: RefusalStatus
  /** The time of the answer in force; null again while reason and note are asked for. */
  answeredAt: Date | null
  /** A listed reason, or the Other label: only while `awaiting_note` or `refusal_confirmed`. */
  reason: string | null
  /** Only while `refusal_confirmed`. */
  note: string | null
  failure: { code: FailureCode; at: Date } | null
  /** At most once per check (spec §8). */
  closingSent: boolean
  /** Counts the lists of reasons; each carries its number. */
  list: number
}

export type RefusalEvent =
  /** The initial message went out: reminder and deadline count from here, not from its delivery. */
  | { type: 'submitted'; at: Date; reminderMinutes: number | null; noResponseMinutes: number }
  /** On the template or its reminder. */
  | { type: 'tapped'; at: Date; answer: 'yes' | 'no' }
  | { type: 'reason_chosen'; at: Date; reason: string; list: number }
  /** `label`: what the row of the list said. */
  | { type: 'other_chosen'; at: Date; label: string }
  | { type: 'typed'; at: Date; text: string }
  /** Any message of the customer to this sender, whatever it belongs to. */
  | { type: 'customer_wrote'; at: Date }
  | { type: 'reminder_due'; at: Date }
  | { type: 'deadline_passed'; at: Date }
  | { type: 'follow_up_expired'; at: Date }
  /** Of the initial message or the reminder; other messages that fail change no state. */
  | { type: 'send_failed'; at: Date; code: FailureCode }

export type RefusalOutcome =
  | 'cod.refusal_confirmed'
  | 'cod.refusal_denied'
  | 'cod.refusal_no_response'
  | 'cod.refusal_failed'

export type RefusalAnswer = 'refused' | 'denied' | 'other_chosen' | 'refusal_confirmed'

export type RefusalEffect =
  /** One line of the history of answers, with the reason and note that hold after it. */
  | { type: 'answered'; answer: RefusalAnswer; reason: string | null; note: string | null; at: Date }
  | { type: 'emit'; event: RefusalOutcome; at: Date }
  | { type: 'resend_template' }
  | { type: 'ask_reasons' }
  | { type: 'ask_note' }
  /** The closing message, if the settings have one. */
  | { type: 'close' }

export type RefusalStep = {
  state: Refusal
  effects: readonly RefusalEffect[]
  /** Why the event changed nothing; null when it did. */
  ignored: string | null
}

export const newRefusal: Refusal = {
  status: 'accepted',
  answeredAt: null,
  reason: null,
  note: null,
  failure: null,
  ...NO_TIMERS,
  closingSent: false,
  list: 0,
}

/** What an event can mean to the machine, and what it is as the customer’s answer. */
export const refusalTriggers = {
  submitted: { means: 'the submission of the initial message completes', answer: null },
  yes: { means: 'tap on yes (I refused), on the template or its reminder', answer: 'refused' },
  no: { means: 'tap on no (I did not), on the template or its reminder', answer: 'denied' },
  reason: { means: 'a listed reason is chosen', answer: 'refusal_confirmed' },
  other_reason: { means: 'another listed reason is chosen, on the latest list', answer: 'refusal_confirmed' },
  other: { means: 'the Other row of a list is chosen', answer: 'other_chosen' },
  text: { means: 'typed text', answer: 'refusal_confirmed' },
  message: {
    means: 'any other message of the customer to this sender: the follow-up expires 23 hours after the last one',
    answer: null,
  },
  reminder: { means: 'the reminder is due', answer: null },
  deadline: { means: 'the answer deadline passes', answer: null },
  expiry: { means: 'the follow-up expires', answer: null },
  send_failed: { means: 'the initial message or the reminder fails', answer: null },
} as const satisfies Record<string, { means: string; answer: RefusalAnswer | null }>
export type RefusalTrigger = keyof typeof refusalTriggers

export type RefusalTransition = {
  on: RefusalTrigger
  from: readonly RefusalStatus[]
  to: RefusalStatus
  does?: 'resend_template' | 'ask_reasons' | 'ask_note'
}

const asking = ['awaiting_reason', 'awaiting_note'] as const
/** A tap that repeats the present answer changes nothing. */
const everyBut = (present: RefusalStatus) => REFUSAL_STATUSES.filter((status) => status !== present)

/** Contract §4. What is not in here changes nothing. */
export const refusalTransitions: readonly RefusalTransition[] = [
  { on: 'submitted', from: ['accepted'], to: 'awaiting_answer' },
  { on: 'yes', from: everyBut('refusal_confirmed'), to: 'awaiting_reason', does: 'ask_reasons' },
  { on: 'no', from: everyBut('denied'), to: 'denied' },
  { on: 'reason', from: asking, to: 'refusal_confirmed' },
  { on: 'other', from: asking, to: 'awaiting_note', does: 'ask_note' },
  { on: 'text', from: asking, to: 'refusal_confirmed' },
  { on: 'message', from: ['awaiting_reason'], to: 'awaiting_reason' },
  { on: 'message', from: ['awaiting_note'], to: 'awaiting_note' },
  { on: 'expiry', from: asking, to: 'refusal_confirmed' },
  { on: 'other_reason', from: ['refusal_confirmed'], to: 'refusal_confirmed' },
  { on: 'reminder', from: ['awaiting_answer'], to: 'awaiting_answer', does: 'resend_template' },
  { on: 'deadline', from: ['awaiting_answer'], to: 'no_response' },
  { on: 'send_failed', from: ['accepted', 'awaiting_answer'], to: 'failed' },
]

/** Whatever moves a check into one of these, or changes what it is there, is told to callers by one event. */
export const refusalOutcomes: Partial<Record<RefusalStatus, RefusalOutcome>> = {
  refusal_confirmed: 'cod.refusal_confirmed',
  denied: 'cod.refusal_denied',
  no_response: 'cod.refusal_no_response',
  failed: 'cod.refusal_failed',
}

/** One event applied to a refusal check. Pure: the state decides, and time comes in with the event. */
export function advanceRefusal(state: Refusal, event: RefusalEvent): RefusalStep {
  const trigger = triggerOf(state, event)
  const transition = refusalTransitions.find(({ on, from }) => on === trigger && from.includes(state.status))
  if (!transition) return unchanged(state, ignored.changesNothing({ trigger, status: state.status }).en)
  const objection = objectionTo(state, event)
  if (objection !== null) return unchanged(state, objection)

  const next = apply(state, event, transition.to)
  const effects = effectsOf(transition, next, event.at)
  const closingSent = next.closingSent || effects.some(({ type }) => type === 'close')
  return { state: { ...next, closingSent }, effects, ignored: null }
}

function triggerOf(state: Refusal, event: RefusalEvent): RefusalTrigger {
  switch (event.type) {
    case 'submitted':
      return 'submitted'
    case 'tapped':
      return event.answer
    case 'reason_chosen':
      return state.status === 'refusal_confirmed' ? 'other_reason' : 'reason'
    case 'other_chosen':
      return 'other'
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
function objectionTo(state: Refusal, event: RefusalEvent): string | null {
  switch (event.type) {
    case 'reminder_due':
      return whyNotDue(state.reminderAt, event.at)
    case 'deadline_passed':
      return whyNotDue(state.deadlineAt, event.at)
    case 'follow_up_expired':
      return whyNotDue(state.followUpAt, event.at)
    case 'customer_wrote':
      return followUpExpiry(state.followUpAt, event.at) === state.followUpAt ? ignored.laterIsKnown.en : null
    case 'reason_chosen':
      if (state.status !== 'refusal_confirmed') return null
      if (event.list !== state.list) return notes.earlierList.en
      return event.reason === state.reason ? notes.presentReason.en : null
    case 'submitted':
    case 'tapped':
    case 'other_chosen':
    case 'typed':
    case 'send_failed':
      return null
  }
}

function apply(state: Refusal, event: RefusalEvent, status: RefusalStatus): Refusal {
  /** Nothing runs, nothing is known, nobody answered: what every new answer and every end begins with. */
  const bare = { ...state, ...NO_TIMERS, status, answeredAt: null, reason: null, note: null, failure: null }
  const { at } = event
  switch (event.type) {
    case 'submitted': {
      const reminderAt = event.reminderMinutes === null ? null : afterMinutes(at, event.reminderMinutes)
      return { ...bare, reminderAt, deadlineAt: afterMinutes(at, event.noResponseMinutes) }
    }
    case 'tapped':
      return event.answer === 'yes'
        ? { ...bare, list: state.list + 1, followUpAt: followUpExpiry(state.followUpAt, at) }
        : { ...bare, answeredAt: at }
    case 'reason_chosen':
      return { ...bare, reason: event.reason, note: state.note, answeredAt: at }
    case 'other_chosen':
      return { ...bare, reason: event.label, followUpAt: followUpExpiry(state.followUpAt, at) }
    case 'typed':
      return { ...bare, reason: state.reason, note: event.text, answeredAt: at }
    case 'customer_wrote':
      return { ...state, followUpAt: followUpExpiry(state.followUpAt, at) }
    case 'reminder_due':
      return { ...state, reminderAt: null }
    case 'deadline_passed':
      return bare
    case 'follow_up_expired':
      return { ...bare, reason: state.reason, answeredAt: at }
    case 'send_failed':
      return { ...bare, failure: { code: event.code, at } }
  }
}

function effectsOf({ on, to, does }: RefusalTransition, next: Refusal, at: Date): RefusalEffect[] {
  const { answer } = refusalTriggers[on]
  const outcome = refusalOutcomes[to]
  const effects: RefusalEffect[] = []
  if (answer) effects.push({ type: 'answered', answer, reason: next.reason, note: next.note, at })
  if (outcome) effects.push({ type: 'emit', event: outcome, at })
  if (does) effects.push({ type: does })
  // A timer completes a conversation without a closing message (spec §8).
  if (answer && outcome && !next.closingSent) effects.push({ type: 'close' })
  return effects
}

const notes = keptSentences({
  earlierList: { en: 'the reason belongs to an earlier list', ar: 'السبب من قائمة سابقة' },
  presentReason: { en: 'that is the present reason', ar: 'هذا هو السبب الحالي' },
})

const unchanged = (state: Refusal, why: string): RefusalStep => ({ state, effects: [], ignored: why })
