import type { ConfirmationTypes } from '../../src/cod/conversation/confirmation.ts'
import type { CheckEvent, Types } from '../../src/cod/conversation/machine.ts'
import type { RefusalTypes } from '../../src/cod/conversation/refusal.ts'
import { MINUTE_MS } from '../../src/lib/clock.ts'
import { confirmationCase } from '../machines/confirmation-case.ts'
import { type MachineCase, type Paper, EXPIRY_MINUTES, at as ofMinute } from '../machines/machine-case.ts'
import { refusalCase } from '../machines/refusal-case.ts'

export type Purpose =
  | 'template'
  | 'reminder'
  | 'day_question'
  | 'time_question'
  | 'reasons_question'
  | 'note_prompt'
  | 'closing'

type CheckName = 'confirmation' | 'refusal'
export type Message = { check: CheckName; purpose: Purpose; round: number; failed: boolean }

/** The settings under which the model is true. */
export const TIMERS = {
  confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
  refusal: { reminderMinutes: 60, noResponseMinutes: 300 },
} as const

const QUESTIONS: readonly string[] = ['day_question', 'time_question', 'reasons_question', 'note_prompt']
const CONFIRMATION_TAPS = ['confirm', 'cancel', 'change_time'] as const

const when = (now: number) => ({ at: new Date(now), order: new Date(now).toISOString() })

let questions = 0

/** A conversation, as the paper of its machine has it. */
class Flow<T extends Types> {
  readonly check: CheckName
  readonly #answered: MachineCase<T>['answered']
  readonly paper: Paper<T>
  /** Rank of the latest question among all questions. */
  askedAt = 0

  constructor(check: CheckName, { answered, newPaper }: Pick<MachineCase<T>, 'answered' | 'newPaper'>) {
    this.check = check
    this.#answered = answered
    this.paper = newPaper()
  }

  isOpen = (): boolean => this.paper.isFollowing()
  isAnswered = (): boolean => this.#answered.some((status) => status === this.paper.status)

  /** When its timers are due, in milliseconds. */
  timers(): number[] {
    const { status, reminder, deadline, lastMessage } = this.paper
    const minutes = status === 'awaiting_answer' ? [reminder, deadline] : [lastMessage + EXPIRY_MINUTES]
    return this.isOpen() || status === 'awaiting_answer'
      ? minutes.map((minute) => ofMinute(0).getTime() + minute * MINUTE_MS)
      : []
  }
}

export class Order {
  readonly confirmationId: string
  readonly #confirmation = new Flow<ConfirmationTypes>('confirmation', confirmationCase)
  #refusal: Flow<RefusalTypes> | null = null
  readonly sent: Message[] = []
  readonly events: string[] = []
  #isReported = false

  constructor(confirmationId: string) {
    this.confirmationId = confirmationId
    this.#send('confirmation', 'template', 0)
  }

  flows = () => (this.#refusal ? [this.#confirmation, this.#refusal] : [this.#confirmation])

  shown(): object {
    const [{ paper }, refusal] = [this.#confirmation, this.#refusal]
    return {
      status: paper.status,
      answered: this.#confirmation.isAnswered(),
      reschedule: paper.status === 'rescheduled' ? paper.chosen() : null,
      refusal: refusal && { status: refusal.paper.status, ...refusal.paper.chosen(), answered: refusal.isAnswered() },
      failed: this.flows().some((flow) => flow.paper.status === 'failed'),
    }
  }

  /** Whether clients see nothing that the last event did not report. */
  isReported = (): boolean => this.#isReported

  mayStartRefusal = (): boolean => !this.#refusal && !['accepted', 'failed'].includes(this.#confirmation.paper.status)

  startRefusal(): void {
    this.#refusal = new Flow<RefusalTypes>('refusal', refusalCase)
    this.#send('refusal', 'template', 0)
  }

  submitted(check: CheckName, now: number): void {
    this.#readInternal(check, { type: 'submitted', at: new Date(now), ...TIMERS[check] })
  }

  rejected(check: CheckName, now: number): void {
    for (const message of this.sent) if (message.check === check) this.fails(message, now)
  }

  fails(message: Message, now: number): void {
    const counts = !message.failed && (message.purpose === 'template' || message.purpose === 'reminder')
    message.failed = true
    if (counts) this.#readInternal(message.check, { type: 'send_failed', at: new Date(now), code: 'UNKNOWN' })
  }

  tap(check: CheckName, button: number, now: number): void {
    const tapped = { type: 'tapped', ...when(now) } as const
    if (check === 'refusal') this.#read(this.#started(), { ...tapped, answer: button === 0 ? 'yes' : 'no' })
    else this.#read(this.#confirmation, { ...tapped, answer: CONFIRMATION_TAPS[button] ?? 'change_time' })
  }

  choose({ purpose, round }: Message, value: string, { isLast, now }: { isLast: boolean; now: number }): void {
    const chosen = { type: 'chosen', value, round, ...when(now) } as const
    if (purpose === 'reasons_question') this.#read(this.#started(), { ...chosen, choice: isLast ? 'other' : 'reason' })
    else this.#read(this.#confirmation, { ...chosen, choice: purpose === 'day_question' ? 'date' : 'timeRange' })
  }

  type(check: CheckName, text: string, now: number): void {
    const typed = { type: 'typed', text, ...when(now) } as const
    if (check === 'refusal') this.#read(this.#started(), typed)
    else this.#read(this.#confirmation, typed)
  }

  customerWrote(now: number): void {
    for (const { check } of this.flows()) this.#readInternal(check, { type: 'customer_wrote', at: new Date(now) })
  }

  fireTimers(now: number): void {
    for (const { check } of this.flows())
      for (const type of ['deadline_passed', 'reminder_due', 'follow_up_expired'] as const)
        this.#readInternal(check, { type, at: new Date(now) })
  }

  #started = (): Flow<RefusalTypes> => {
    if (!this.#refusal) throw new Error('there is no refusal check')
    return this.#refusal
  }

  #readInternal(check: CheckName, event: Exclude<CheckEvent<Types>, { type: 'tapped' | 'chosen' | 'typed' }>): void {
    if (check === 'refusal') this.#read(this.#started(), event)
    else this.#read(this.#confirmation, event)
  }

  #read<T extends Types>(flow: Flow<T>, event: CheckEvent<T>): void {
    const before = flow.paper.status
    const words = flow.paper.read(event).filter((word) => !/^[+-]/.test(word))
    const events = words.filter((word) => word.startsWith('cod.'))
    if (events.length > 0) this.#isReported = true
    else if (flow.paper.status !== before) this.#isReported = false
    this.events.push(...events)
    for (const purpose of words.filter((word) => !word.startsWith('cod.'))) {
      this.#send(flow.check, purpose as Purpose, flow.paper.rounds)
      if (QUESTIONS.includes(purpose)) flow.askedAt = questions += 1
    }
  }

  #send(check: CheckName, purpose: Purpose, round: number): void {
    this.sent.push({ check, purpose, round, failed: false })
  }
}

/** The orders of one customer, written down with the papers of test/machines. cod-model.test.ts compares them with the program. */
export class Model {
  readonly orders: Order[] = []

  begin({ confirmationId }: { confirmationId: string }): Order {
    const order = new Order(confirmationId)
    this.orders.push(order)
    return order
  }

  #flows = () => this.orders.flatMap((order) => order.flows().map((flow) => ({ order, flow })))

  type(text: string, quoted: { order: Order; check: CheckName } | undefined, now: number): void {
    const [latest] = this.#flows()
      .filter(({ flow }) => flow.isOpen())
      .sort((one, other) => other.flow.askedAt - one.flow.askedAt)
    const to = quoted ?? (latest && { order: latest.order, check: latest.flow.check })
    to?.order.type(to.check, text, now)
  }

  /** Postpones the expiry of every open follow-up. */
  customerWrote(now: number): void {
    for (const order of this.orders) order.customerWrote(now)
  }

  fireTimers(now: number): void {
    for (const order of this.orders) order.fireTimers(now)
  }

  hasTimerWithin(at: number, clearanceMs: number): boolean {
    return this.#flows().some(({ flow }) => flow.timers().some((timer) => Math.abs(timer - at) < clearanceMs))
  }
}
