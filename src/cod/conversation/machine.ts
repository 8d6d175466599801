import { type CodedText, type PlainCode, plainText } from '../../../locales/text.ts'
import { notBefore } from '../../lib/clock.ts'
import type { EventType } from '../../events/event-types.ts'
import type { Purpose } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { type AnswerOrder, type AnswerTimes, completion, isOlder, latest } from './answer-order.ts'
import { NO_TIMERS, type TimerEvent, type Timers, afterMinutes, followUpExpiry, notDueReason } from './timers.ts'

/** `cod.trigger_confirm` → `confirm`: each has a text. */
type CodeWithText<Kind extends string, Code = PlainCode> = Code extends `cod.${Kind}_${infer Word}` ? Word : never

/** What distinguishes the types of the two machines. */
export type Types = {
  status: CodeWithText<'status'>
  /** A button of the template or its reminder. */
  tap: CodeWithText<'trigger'>
  /** A button or row of a question of the follow-up. */
  choice: string
  /** The triggers that choices become. */
  choiceTrigger: CodeWithText<'trigger'>
  /** What a follow-up collects, in addition to the note. */
  field: string
  answer: string
  outcome: EventType
}

type Field<T extends Types> = T['field'] | 'note'
type ChosenValues<T extends Types> = Record<Field<T>, string | null>

export type CheckState<T extends Types> = Timers & {
  status: T['status']
  /** The time of the answer in force; null again while a follow-up runs. */
  answeredAt: Date | null
  /** What the follow-up has collected, while it runs and once it is complete. */
  chosen: ChosenValues<T> | null
  failure: { code: FailureCode; at: Date } | null
  /** At most once per check. */
  closingSent: boolean
  /** Numbers the follow-ups or lists of reasons; each question carries its number. */
  round: number
  /** Null while no answer is in force and no follow-up runs. */
  answerTimes: AnswerTimes<Field<T>> | null
}

/** The state of a check that was accepted and not yet submitted. */
export const ACCEPTED = {
  ...NO_TIMERS,
  status: 'accepted',
  answeredAt: null,
  chosen: null,
  failure: null,
  closingSent: false,
  round: 0,
  answerTimes: null,
} as const

export type CheckEvent<T extends Types> =
  | Answer<T>
  /** The initial message went out: reminder and deadline count from here, not from its delivery. */
  | { type: 'submitted'; at: Date; reminderMinutes: number | null; noResponseMinutes: number }
  /** The customer sent this sender any message, even one that belongs elsewhere. */
  | { type: 'customer_wrote'; at: Date }
  | InternalEvent

/** A timer, a failed message or an erasure. */
export type InternalEvent =
  | TimerEvent
  /** The initial message or the reminder failed; the failure of another message changes no state. */
  | { type: 'send_failed'; at: Date; code: FailureCode }
  /** The customer's data was erased (docs/personal-data.md#erase). */
  | { type: 'recipient_erased'; at: Date }

type Answer<T extends Types> = { at: Date; order: AnswerOrder } & (
  | { type: 'tapped'; answer: T['tap'] }
  | { type: 'chosen'; choice: T['choice']; value: string; round: number }
  | { type: 'typed'; text: string }
)
export type Choice<T extends Types> = Extract<Answer<T>, { type: 'chosen' }>
type Value<T extends Types> = Exclude<Answer<T>, { type: 'tapped' }>

/** The closing message is sent only if the settings have one. */
export type SentPurpose = Exclude<Purpose, 'template'>

export type Effect<T extends Types> =
  /** An entry of the answer history, with what the follow-up has collected by then. Superseded: it changes nothing. */
  | { type: 'answered' | 'superseded'; answer: T['answer']; chosen: ChosenValues<T> | null; at: Date }
  | { type: 'emit'; event: T['outcome']; at: Date }
  | { type: 'send'; purpose: SentPurpose }

/** `ignored`: why the event changed nothing that clients see, or null. */
type TransitionResult<T extends Types> = {
  state: CheckState<T>
  effects: readonly Effect<T>[]
  ignored: CodedText | null
}

type AnswerTrigger<T extends Types> = T['tap'] | T['choiceTrigger'] | 'text' | 'late_text'
type OtherTrigger = keyof typeof commonTriggers
type Trigger<T extends Types> = AnswerTrigger<T> | OtherTrigger

type Transition<T extends Types> = {
  on: Trigger<T>
  from: readonly T['status'][]
  to: T['status']
  sends?: Exclude<SentPurpose, 'closing'>
}

/** What differs between the two machines. */
export type Machine<T extends Types> = {
  /** An event without a row changes nothing. */
  transitions: readonly Transition<T>[]
  /** What each trigger means, and the customer’s answer that it records. */
  triggers: Readonly<
    Record<AnswerTrigger<T>, { means: string; answer: T['answer'] }> &
      Record<OtherTrigger, { means: string; answer: null }>
  >
  /** Entering one of these, or changing the answer in it, triggers one event. */
  outcomes: Partial<Record<T['status'], T['outcome']>>
  /** A message for one of these purposes makes sense to the customer only in these statuses; any other always does. */
  sentOnlyIn: Partial<Record<SentPurpose, readonly T['status'][]>>
  followUp: { opensOn: T['tap']; runsIn: readonly T['status'][]; completes: T['status'] }
  /** The field that a choice fills, and its trigger while nothing else is chosen. */
  choices: Readonly<Record<T['choice'], { field: T['field']; trigger: T['choiceTrigger'] }>>
  nothingChosen: ChosenValues<T>
  triggerOf(state: CheckState<T>, choice: Choice<T>): T['choiceTrigger']
  /** Whether a choice can change a completed follow-up; not on a question of an earlier round. */
  mayChange(state: CheckState<T>, choice: Choice<T>): boolean
  opensRound(state: CheckState<T>): boolean
  ignored: { earlierRound: PlainCode; inForce: PlainCode }
}

export const commonTriggers = {
  submitted: { means: 'the submission of the initial message completes', answer: null },
  message: {
    means: 'any other message of the customer to this sender: the follow-up expires 23 hours after the last one',
    answer: null,
  },
  reminder: { means: 'the reminder is due', answer: null },
  deadline: { means: 'the answer deadline passes', answer: null },
  expiry: { means: 'the follow-up expires', answer: null },
  send_failed: { means: 'the initial message or the reminder fails', answer: null },
  erasure: { means: 'the customer’s data is erased', answer: null },
} as const

/** Applies one event to a check. Pure: time comes with the event (docs/cod.md). */
export function transition<T extends Types>(
  machine: Machine<T>,
  state: CheckState<T>,
  event: CheckEvent<T>,
): TransitionResult<T> {
  const answer = 'order' in event ? event : null
  if (answer && isSuperseded(machine, state, answer)) return toSuperseded(machine, state, answer)
  const trigger = triggerOf(machine, state, event)
  const row = machine.transitions.find(({ on, from }) => on === trigger && from.includes(state.status))
  const repeats = answer !== null && (answer.type === 'tapped' ? !row : isInForce(machine, state, answer))
  const current = repeats ? toRepeated(machine, state, answer) : state
  if (!row) {
    return toUnchanged(current, {
      code: 'cod.changes_nothing',
      trigger: plainText(`cod.trigger_${trigger}`),
      status: plainText(`cod.status_${state.status}`),
    })
  }
  const reason = reasonIgnored(machine, state, event)
  if (reason !== null) return toUnchanged(current, reason)

  const next = apply(machine, state, event, row.to)
  const effects = effectsOf(machine, row, next, event.at)
  const closingSent =
    next.closingSent || effects.some((effect) => effect.type === 'send' && effect.purpose === 'closing')
  return { state: { ...next, closingSent }, effects, ignored: null }
}

const toUnchanged = <T extends Types>(state: CheckState<T>, ignored: CodedText): TransitionResult<T> => ({
  state,
  effects: [],
  ignored,
})

/** A tap counts from when the customer made it, not from when it is reported (docs/cod.md#late-answers). */
function isSuperseded<T extends Types>(machine: Machine<T>, state: CheckState<T>, answer: Answer<T>): boolean {
  const times = state.answerTimes
  if (!times) return false
  if (answer.type !== 'tapped') {
    const { [fieldOf(machine, answer)]: givenAt } = times.choices
    return isOlder(answer.order, latest(times.tap, givenAt))
  }
  const opens = answer.answer === machine.followUp.opensOn
  return isOlder(answer.order, runsFollowUp(machine, state) && !opens ? times.tap : times.last)
}

const runsFollowUp = <T extends Types>({ followUp }: Machine<T>, { status }: CheckState<T>): boolean =>
  followUp.runsIn.includes(status)

const isComplete = <T extends Types>({ followUp }: Machine<T>, { status }: CheckState<T>): boolean =>
  status === followUp.completes

const fieldOf = <T extends Types>(machine: Machine<T>, answer: Value<T>): Field<T> =>
  answer.type === 'chosen' ? machine.choices[answer.choice].field : 'note'

/** Clients see no change; the answer goes into the history. */
function toSuperseded<T extends Types>(
  machine: Machine<T>,
  state: CheckState<T>,
  answer: Answer<T>,
): TransitionResult<T> {
  const { answerTimes: times } = state
  const isOpening = answer.type === 'tapped' && answer.answer === machine.followUp.opensOn
  const hasFollowUp = runsFollowUp(machine, state) || isComplete(machine, state)
  // The tap would have reopened the follow-up: choices made after it stay, and those before it are superseded.
  const reopens = times && isOpening && hasFollowUp && isOlder(times.tap, answer.order)
  const chosen = answer.type === 'tapped' ? null : withAnswer(machine, machine.nothingChosen, answer)
  return {
    state: reopens ? { ...state, answerTimes: reopened(machine, state, times, answer.order) } : state,
    effects: [
      { type: 'superseded', answer: machine.triggers[plainTrigger(machine, answer)].answer, chosen, at: answer.at },
    ],
    ignored: { code: 'cod.superseded' },
  }
}

function plainTrigger<T extends Types>(machine: Machine<T>, answer: Answer<T>): AnswerTrigger<T> {
  if (answer.type === 'tapped') return answer.answer
  return answer.type === 'chosen' ? machine.choices[answer.choice].trigger : 'text'
}

function triggerOf<T extends Types>(machine: Machine<T>, state: CheckState<T>, event: CheckEvent<T>): Trigger<T> {
  if (event.type === 'tapped') return event.answer
  if (event.type === 'chosen') return machine.triggerOf(state, event)
  const isLate = event.type === 'typed' && isComplete(machine, state) && precedesCompletion(state, event)
  return isLate ? 'late_text' : TRIGGERS[event.type]
}

/** Only if there is no note: a note would have completed the follow-up before this text. */
const precedesCompletion = <T extends Types>({ answerTimes: times }: CheckState<T>, { order }: Answer<T>): boolean =>
  times !== null && times.choices.note === undefined && isOlder(order, completion(times))

const TRIGGERS = {
  submitted: 'submitted',
  typed: 'text',
  customer_wrote: 'message',
  reminder_due: 'reminder',
  deadline_passed: 'deadline',
  follow_up_expired: 'expiry',
  send_failed: 'send_failed',
  recipient_erased: 'erasure',
} as const

const isInForce = <T extends Types>(machine: Machine<T>, state: CheckState<T>, answer: Answer<T>): boolean =>
  answer.type === 'chosen' &&
  isComplete(machine, state) &&
  machine.mayChange(state, answer) &&
  state.chosen?.[fieldOf(machine, answer)] === answer.value

/** The answer in force keeps its time, but answers from before its repetition can no longer replace it. */
function toRepeated<T extends Types>(machine: Machine<T>, state: CheckState<T>, answer: Answer<T>): CheckState<T> {
  const times = state.answerTimes
  if (!times) return state
  const choices =
    answer.type === 'tapped' ? times.choices : { ...times.choices, [fieldOf(machine, answer)]: answer.order }
  return { ...state, answerTimes: { ...times, choices, last: latest(answer.order, times.last) } }
}

/** Why an event changes nothing although the table has a row for it. */
function reasonIgnored<T extends Types>(
  machine: Machine<T>,
  state: CheckState<T>,
  event: CheckEvent<T>,
): CodedText | null {
  switch (event.type) {
    case 'reminder_due':
    case 'deadline_passed':
    case 'follow_up_expired':
      return notDueReason(state, event)
    case 'customer_wrote':
      return followUpExpiry(state.followUpAt, event.at) === state.followUpAt ? { code: 'cod.later_is_known' } : null
    case 'chosen':
      // While a follow-up runs, a choice counts on any of its questions.
      if (!isComplete(machine, state)) return null
      if (!machine.mayChange(state, event)) return plainText(machine.ignored.earlierRound)
      return isInForce(machine, state, event) ? plainText(machine.ignored.inForce) : null
    case 'submitted':
    case 'tapped':
    case 'typed':
    case 'send_failed':
    case 'recipient_erased':
      return null
  }
}

function apply<T extends Types>(
  machine: Machine<T>,
  state: CheckState<T>,
  event: CheckEvent<T>,
  status: T['status'],
): CheckState<T> {
  // A state without timers, choices or an answer, from which every new answer and every end starts.
  const cleared = { ...state, ...NO_TIMERS, status, answeredAt: null, chosen: null, failure: null, answerTimes: null }
  const { at } = event
  switch (event.type) {
    case 'submitted': {
      const reminderAt = event.reminderMinutes === null ? null : afterMinutes(at, event.reminderMinutes)
      return { ...cleared, reminderAt, deadlineAt: afterMinutes(at, event.noResponseMinutes) }
    }
    case 'tapped': {
      const answerTimes = { tap: event.order, choices: {}, last: event.order, lastAt: at }
      if (event.answer !== machine.followUp.opensOn) return { ...cleared, answeredAt: at, answerTimes }
      return {
        ...cleared,
        answerTimes,
        chosen: machine.nothingChosen,
        round: machine.opensRound(state) ? state.round + 1 : state.round,
        followUpAt: followUpExpiry(state.followUpAt, at),
      }
    }
    case 'chosen':
    case 'typed': {
      const answerTimes = withTimeOf(machine, state.answerTimes, event)
      const chosen = withAnswer(machine, state.chosen ?? machine.nothingChosen, event)
      return status === machine.followUp.completes
        ? { ...cleared, chosen, answeredAt: lastAnsweredAt(state, answerTimes), answerTimes: asCompleted(answerTimes) }
        : { ...cleared, chosen, followUpAt: followUpExpiry(state.followUpAt, at), answerTimes }
    }
    case 'customer_wrote':
      return { ...state, followUpAt: followUpExpiry(state.followUpAt, at) }
    case 'reminder_due':
      return { ...state, reminderAt: null }
    case 'deadline_passed':
      return cleared
    case 'follow_up_expired':
      return { ...cleared, chosen: state.chosen, answeredAt: at, answerTimes: withExpiry(state.answerTimes, at) }
    case 'send_failed':
      return { ...cleared, failure: { code: event.code, at } }
    case 'recipient_erased':
      return { ...cleared, failure: { code: 'RECIPIENT_ERASED', at } }
  }
}

const withAnswer = <T extends Types>(
  machine: Machine<T>,
  chosen: ChosenValues<T>,
  answer: Value<T>,
): ChosenValues<T> => ({ ...chosen, [fieldOf(machine, answer)]: answer.type === 'chosen' ? answer.value : answer.text })

const withTimeOf = <T extends Types>(
  machine: Machine<T>,
  times: AnswerTimes<Field<T>> | null,
  answer: Value<T>,
): AnswerTimes<Field<T>> => ({
  ...times,
  tap: times?.tap ?? answer.order,
  choices: { ...times?.choices, [fieldOf(machine, answer)]: answer.order },
  last: latest(answer.order, times?.last),
  lastAt: times ? notBefore(times.lastAt, answer.at) : answer.at,
})

const asCompleted = <Choice extends string>(times: AnswerTimes<Choice>): AnswerTimes<Choice> =>
  times.expired === undefined ? { completed: times.last, ...times } : times

/** A complete follow-up was completed again by the latest answer, which was given after this tap. */
const reopened = <T extends Types>(
  machine: Machine<T>,
  state: CheckState<T>,
  { choices, last, lastAt }: AnswerTimes<Field<T>>,
  tap: AnswerOrder,
): AnswerTimes<Field<T>> => ({ tap, choices, last, lastAt, ...(isComplete(machine, state) && { completed: last }) })

const withExpiry = <Choice extends string>(times: AnswerTimes<Choice> | null, at: Date): AnswerTimes<Choice> | null =>
  times && { ...times, expired: at.toISOString() }

/** Choices may be reported out of order: the latest one gives the time. The time of an expiry is always replaced. */
function lastAnsweredAt<T extends Types>(before: CheckState<T>, { lastAt }: AnswerTimes<Field<T>>): Date {
  const { answeredAt, answerTimes: times } = before
  return answeredAt && times && times.expired === undefined && lastAt <= times.lastAt ? answeredAt : lastAt
}

function effectsOf<T extends Types>(
  machine: Machine<T>,
  { on, to, sends }: Transition<T>,
  { chosen, closingSent }: CheckState<T>,
  at: Date,
): Effect<T>[] {
  const { answer } = machine.triggers[on]
  const outcome = machine.outcomes[to]
  const effects: Effect<T>[] = []
  if (answer) effects.push({ type: 'answered', answer, chosen, at })
  if (outcome) effects.push({ type: 'emit', event: outcome, at })
  if (sends) effects.push({ type: 'send', purpose: sends })
  // A timer completes a conversation without a closing message (docs/cod.md#closing-messages).
  if (answer && outcome && !closingSent) effects.push({ type: 'send', purpose: 'closing' })
  return effects
}
