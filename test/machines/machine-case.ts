import type * as fc from 'fast-check'
import {
  ACCEPTED,
  type CheckEvent,
  type CheckState,
  type Effect,
  type Machine,
  type Types,
  transition,
} from '../../src/cod/conversation/machine.ts'

/** One of the two conversations, as src/cod/conversation/machine.test.ts tests it. Nothing in it is taken from the machine. */
export type MachineCase<T extends Types> = {
  machine: Machine<T>
  statuses: readonly T['status'][]
  states: Readonly<Record<string, CheckState<T>>>
  events: Readonly<Record<string, CheckEvent<T>>>
  /** For each state and event: status, answer (`+`), events and messages. An event that a state leaves out changes nothing. */
  cells: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Each with the minute at which the customer made it. */
  opens: (minute?: number) => CheckEvent<T>
  ends: (minute?: number) => CheckEvent<T>
  /** A choice that leaves the follow-up open, and an answer that completes it. */
  chooses: (minute: number) => CheckEvent<T>
  completes: (minute?: number) => CheckEvent<T>
  /** Changes nothing in the state that completed the follow-up. */
  repeats: readonly CheckEvent<T>[]
  following: readonly T['status'][]
  completed: T['status']
  ended: T['status']
  answered: readonly T['status'][]
  /** A story, a late answer, and what the late answer is in the history. */
  late: readonly (readonly [story: CheckEvent<T>[], late: CheckEvent<T>, answer: string])[]
  names: Record<'failed' | 'no_response' | 'completed', T['outcome']>
  isConsistent(state: CheckState<T>): boolean
  anyEvent: fc.Arbitrary<CheckEvent<T>>
  /** Answers that each count when they are processed in this order. */
  anyAnswers: fc.Arbitrary<{ from: CheckState<T>; answers: CheckEvent<T>[] }>
  nothingChosen: Record<string, null>
  newPaper(): Paper<T>
}

export const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute))
export const order = (minute: number): string => at(minute).toISOString()
export const made = (minute: number) => ({ at: at(minute), order: order(minute) })
/** After every timer of the states. */
export const LATE = 5000

/** Events that both conversations have. */
export const submitted = (minute: number, reminderMinutes: number | null = 120) =>
  ({ type: 'submitted', at: at(minute), reminderMinutes, noResponseMinutes: 1440 }) as const
export const typed = (text: string, minute = 13) => ({ type: 'typed', ...made(minute), text }) as const
type TimerType = 'reminder_due' | 'deadline_passed' | 'follow_up_expired'
export const timer = (type: TimerType, minute = LATE) => ({ type, at: at(minute) })
export const wrote = (minute: number) => ({ type: 'customer_wrote', at: at(minute) }) as const
export const sendFailed = (minute = 5) =>
  ({ type: 'send_failed', at: at(minute), code: 'RECIPIENT_UNREACHABLE' }) as const

type ChosenAt = Partial<Record<'date' | 'timeRange' | 'reason', string>>

export const givenAt = (minute: number, choices: ChosenAt = {}) => ({
  tap: order(minute),
  choices,
  last: order(minute),
  lastAt: at(minute),
})

/** The states that both conversations have before an answer and without one. `round`: not the first, so that a change shows. */
export const states = {
  accepted: ACCEPTED,
  awaiting_answer: { ...ACCEPTED, status: 'awaiting_answer', reminderAt: at(120), deadlineAt: at(1440) },
  no_response: { ...ACCEPTED, status: 'no_response', round: 1 },
  failed: { ...ACCEPTED, status: 'failed', failure: { code: 'UNKNOWN', at: at(9) }, round: 1 },
} as const

const frozen = <Value>(value: Value): Value => {
  if (value !== null && typeof value === 'object' && !(value instanceof Date)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

/** `+` before an answer that goes into the history, `-` before one that is superseded. */
export const words = <T extends Types>(effects: readonly Effect<T>[]): string[] =>
  effects.map((effect) => {
    if (effect.type === 'emit') return effect.event
    if (effect.type === 'send') return effect.purpose
    return `${effect.type === 'superseded' ? '-' : '+'}${effect.answer}`
  })

/** The machine with inputs that it cannot change. */
export function runnerOf<T extends Types>(machine: Machine<T>) {
  const step = (state: CheckState<T>, event: CheckEvent<T>) => transition(machine, frozen(state), frozen(event))
  const runFrom = (initial: CheckState<T>, events: readonly CheckEvent<T>[]) => {
    let state = initial
    const effects: Effect<T>[] = []
    const ignored: string[] = []
    for (const event of events) {
      const next = step(state, event)
      state = next.state
      effects.push(...next.effects)
      if (next.ignored !== null) ignored.push(next.ignored.code)
    }
    return { state, effects, ignored, words: words(effects) }
  }
  return { step, runFrom, run: (...events: CheckEvent<T>[]) => runFrom(ACCEPTED, events) }
}

/** Removes answers that nothing asks for: they would be lost in one order and kept in another. */
export function withoutLost<T extends Types>(machine: Machine<T>, from: CheckState<T>, answers: CheckEvent<T>[]) {
  const { step, runFrom } = runnerOf(machine)
  return answers.filter((event, index) => {
    if (event.type === 'tapped') return true
    return step(runFrom(from, answers.slice(0, index)).state, event).ignored?.code !== 'cod.changes_nothing'
  })
}

export const NEVER: number = Number.NEGATIVE_INFINITY
const ALWAYS = Number.POSITIVE_INFINITY
/** Of a follow-up, after the customer's last message. */
export const EXPIRY_MINUTES = 23 * 60

/** The same conversation without the table, as a person would write it down on paper. Here: all but the answers. */
export abstract class Paper<T extends Types> {
  status = 'accepted'
  rounds = 0
  reminder: number = ALWAYS
  deadline: number = ALWAYS
  lastMessage = 0
  closed = false
  /** The minutes of the tap in force, and of whatever the customer answered last. */
  tapped: number = NEVER
  answered: number = NEVER
  /** When the follow-up was complete for the first time, while it is. */
  ended: number = NEVER
  readonly of: Pick<MachineCase<T>, 'names' | 'following' | 'completed'>

  constructor(of: Pick<MachineCase<T>, 'names' | 'following' | 'completed'>) {
    this.of = of
  }

  abstract chosen(): Record<string, string | null>
  /** Whether a later answer is in force. */
  abstract isOld(event: CheckEvent<T>, minute: number): boolean
  /** What goes into the history of an old answer. */
  abstract setAside(event: CheckEvent<T>, minute: number): string[]
  abstract readAnswer(event: CheckEvent<T>, minute: number): string[]

  isFollowing(): boolean {
    return this.of.following.some((status) => status === this.status)
  }

  read(event: CheckEvent<T>): string[] {
    const minute = (event.at.getTime() - at(0).getTime()) / 60_000
    const reopens = minute > this.tapped
    const isOld = this.isOld(event, minute)
    const words = isOld ? this.setAside(event, minute) : this.readNext(event, minute)
    if (this.status !== this.of.completed) this.ended = NEVER
    else if (this.ended === NEVER) this.ended = event.type === 'follow_up_expired' ? minute : this.answered
    // Its completion counts from the answer that supersedes this tap.
    else if (isOld && reopens && this.tapped === minute) this.ended = this.answered
    return words
  }

  readNext(event: CheckEvent<T>, minute: number): string[] {
    const { names, completed } = this.of
    const isAwaiting = this.status === 'awaiting_answer'
    if (event.type === 'submitted' && this.status === 'accepted') {
      this.status = 'awaiting_answer'
      this.reminder = event.reminderMinutes === null ? ALWAYS : minute + event.reminderMinutes
      this.deadline = minute + event.noResponseMinutes
    } else if (event.type === 'send_failed' && (isAwaiting || this.status === 'accepted'))
      return this.end('failed', names.failed)
    else if (event.type === 'reminder_due' && isAwaiting && minute >= this.reminder) {
      this.reminder = ALWAYS
      return ['reminder']
    } else if (event.type === 'deadline_passed' && isAwaiting && minute >= this.deadline)
      return this.end('no_response', names.no_response)
    else if (event.type === 'follow_up_expired' && this.isFollowing() && minute >= this.lastMessage + EXPIRY_MINUTES)
      return this.end(completed, names.completed)
    if (event.type === 'customer_wrote') this.lastMessage = Math.max(this.lastMessage, minute)
    return this.readAnswer(event, minute)
  }

  /** Whether a text at this minute would have completed the follow-up, which is complete now. */
  precedesEnd(minute: number, noted: number): boolean {
    return this.status === this.of.completed && noted === NEVER && minute < this.ended
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
