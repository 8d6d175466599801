/** docs/cod.md as an independent model, which cod-model.test.ts compares with the program. */

export type Purpose =
  | 'template'
  | 'reminder'
  | 'day_question'
  | 'time_question'
  | 'reasons_question'
  | 'note_prompt'
  | 'closing'

type CheckName = 'confirmation' | 'refusal'
type Reschedule = { date: string | null; timeRange: string | null; note: string | null }
export type Message = { check: CheckName; purpose: Purpose; round: number; failed: boolean }

const MINUTE_MS = 60_000
const EXPIRY_MS = 23 * 60 * MINUTE_MS
const REMINDER_MS = { confirmation: 120 * MINUTE_MS, refusal: 60 * MINUTE_MS }
const DEADLINE_MS = { confirmation: 1_440 * MINUTE_MS, refusal: 300 * MINUTE_MS }

type Flow = {
  status: string
  answered: boolean
  failed: boolean
  reminderAt: number | null
  deadlineAt: number | null
  closed: boolean
  round: number
  /** Rank of the latest question among all questions. */
  askedAt: number
}

const newFlow = (): Flow => ({
  status: 'accepted',
  answered: false,
  failed: false,
  reminderAt: null,
  deadlineAt: null,
  closed: false,
  round: 0,
  askedAt: 0,
})

const nothingChosen = (): Reschedule => ({ date: null, timeRange: null, note: null })

const isOpen = ({ status }: Flow): boolean => ['rescheduling', 'awaiting_reason', 'awaiting_note'].includes(status)

let questions = 0

export class Order {
  readonly confirmationId: string
  readonly confirmation = newFlow()
  refusal: Flow | null = null
  readonly sent: Message[] = []
  readonly events: string[] = []
  expiresAt: { confirmation: number | null; refusal: number | null } = { confirmation: null, refusal: null }
  #reschedule = nothingChosen()
  #reason: string | null = null
  #note: string | null = null
  #isReported = false

  constructor(confirmationId: string) {
    this.confirmationId = confirmationId
    this.#send('confirmation', 'template')
  }

  shown(): object {
    const { confirmation, refusal } = this
    const confirmed = refusal?.status === 'refusal_confirmed'
    return {
      status: confirmation.status,
      answered: confirmation.answered,
      reschedule: confirmation.status === 'rescheduled' ? this.#reschedule : null,
      refusal: refusal && {
        status: refusal.status,
        reason: confirmed || refusal.status === 'awaiting_note' ? this.#reason : null,
        note: confirmed ? this.#note : null,
        answered: refusal.answered,
      },
      failed: confirmation.failed || (refusal?.failed ?? false),
    }
  }

  /** Whether clients see nothing that the last event did not report. */
  isReported = (): boolean => this.#isReported

  mayStartRefusal = (): boolean => !this.refusal && !['accepted', 'failed'].includes(this.confirmation.status)

  startRefusal(): void {
    this.refusal = newFlow()
    this.#send('refusal', 'template')
  }

  submitted(check: CheckName, at: number): void {
    const flow = this.#flow(check)
    this.#isReported = false
    flow.status = 'awaiting_answer'
    flow.reminderAt = at + REMINDER_MS[check]
    flow.deadlineAt = at + DEADLINE_MS[check]
  }

  rejected(check: CheckName): void {
    for (const message of this.sent)
      if (message.check === check && message.purpose === 'template') message.failed = true
    this.#fail(check)
  }

  fails(message: Message): void {
    const first = !message.failed
    message.failed = true
    if (first && (message.purpose === 'template' || message.purpose === 'reminder')) this.#fail(message.check)
  }

  #fail(check: CheckName): void {
    const flow = this.#flow(check)
    if (flow.status !== 'accepted' && flow.status !== 'awaiting_answer') return
    this.#move(check, 'failed')
    flow.failed = true
    this.#emit(check === 'confirmation' ? 'cod.failed' : 'cod.refusal_failed')
  }

  tap(check: CheckName, button: number): void {
    if (check === 'confirmation') this.#tapConfirmation(button)
    else this.#tapRefusal(button)
  }

  #tapConfirmation(button: number): void {
    const flow = this.confirmation
    if (button === 2) {
      if (flow.status !== 'rescheduling') flow.round += 1
      this.#move('confirmation', 'rescheduling')
      this.#reschedule = nothingChosen()
      this.#ask('confirmation', 'day_question')
      return
    }
    const status = button === 0 ? 'confirmed' : 'cancelled'
    if (flow.status === status) return
    this.#answer('confirmation', status, `cod.${status}`)
  }

  #tapRefusal(button: number): void {
    const flow = this.#flow('refusal')
    if (button === 1) {
      if (flow.status !== 'denied') this.#answer('refusal', 'denied', 'cod.refusal_denied')
      return
    }
    if (flow.status === 'refusal_confirmed') return
    flow.round += 1
    this.#move('refusal', 'awaiting_reason')
    this.#reason = null
    this.#note = null
    this.#ask('refusal', 'reasons_question')
  }

  choose({ purpose, round }: Message, choice: string, isLast: boolean): void {
    if (purpose === 'reasons_question') this.#chooseReason(choice, { round, isOther: isLast })
    else this.#chooseTime(purpose === 'day_question' ? 'date' : 'timeRange', choice, round)
  }

  #chooseTime(what: 'date' | 'timeRange', choice: string, round: number): void {
    const { status } = this.confirmation
    const chosen = { ...this.#reschedule, [what]: choice }
    if (status === 'rescheduled') {
      if (round !== this.confirmation.round || this.#reschedule[what] === choice) return
      this.#reschedule = chosen
      this.#answer('confirmation', 'rescheduled', 'cod.reschedule_requested')
    } else if (status === 'rescheduling') {
      this.#reschedule = chosen
      if (chosen.date !== null && chosen.timeRange !== null)
        this.#answer('confirmation', 'rescheduled', 'cod.reschedule_requested')
      else this.#ask('confirmation', chosen.date === null ? 'day_question' : 'time_question')
    }
  }

  #chooseReason(choice: string, { round, isOther }: { round: number; isOther: boolean }): void {
    const flow = this.#flow('refusal')
    if (isOther) {
      if (!isOpen(flow)) return
      this.#move('refusal', 'awaiting_note')
      this.#reason = choice
      this.#ask('refusal', 'note_prompt')
    } else if (isOpen(flow)) {
      this.#reason = choice
      this.#note = null
      this.#answer('refusal', 'refusal_confirmed', 'cod.refusal_confirmed')
    } else if (flow.status === 'refusal_confirmed' && round === flow.round && choice !== this.#reason) {
      this.#reason = choice
      this.#answer('refusal', 'refusal_confirmed', 'cod.refusal_confirmed')
    }
  }

  type(check: CheckName, text: string): void {
    if (!isOpen(this.#flow(check))) return
    if (check === 'confirmation') {
      this.#reschedule = { ...this.#reschedule, note: text }
      this.#answer('confirmation', 'rescheduled', 'cod.reschedule_requested')
    } else {
      this.#note = text
      this.#answer('refusal', 'refusal_confirmed', 'cod.refusal_confirmed')
    }
  }

  flows(): { order: Order; check: CheckName; flow: Flow }[] {
    const both = [
      { order: this, check: 'confirmation' as const, flow: this.confirmation },
      { order: this, check: 'refusal' as const, flow: this.refusal },
    ]
    return both.flatMap(({ flow, ...rest }) => (flow ? [{ flow, ...rest }] : []))
  }

  fireTimers(check: CheckName, now: number): void {
    const flow = this.#flow(check)
    const expiresAt = this.expiresAt[check]
    if (flow.deadlineAt !== null && flow.deadlineAt <= now) {
      this.#move(check, 'no_response')
      this.#emit(check === 'confirmation' ? 'cod.no_response' : 'cod.refusal_no_response')
    } else if (flow.reminderAt !== null && flow.reminderAt <= now) {
      flow.reminderAt = null
      this.#send(check, 'reminder')
    } else if (isOpen(flow) && expiresAt !== null && expiresAt <= now) {
      this.#move(check, check === 'confirmation' ? 'rescheduled' : 'refusal_confirmed')
      flow.answered = true
      this.#emit(check === 'confirmation' ? 'cod.reschedule_requested' : 'cod.refusal_confirmed')
    }
  }

  #flow(check: CheckName): Flow {
    const flow = check === 'confirmation' ? this.confirmation : this.refusal
    if (!flow) throw new Error('there is no refusal check')
    return flow
  }

  #move(check: CheckName, status: string): void {
    const flow = this.#flow(check)
    this.#isReported = false
    Object.assign(flow, { status, answered: false, failed: false, reminderAt: null, deadlineAt: null })
  }

  #answer(check: CheckName, status: string, event: string): void {
    const flow = this.#flow(check)
    this.#move(check, status)
    flow.answered = true
    this.#emit(event)
    if (!flow.closed) this.#send(check, 'closing')
    flow.closed = true
  }

  #emit(event: string): void {
    this.events.push(event)
    this.#isReported = true
  }

  #ask(check: CheckName, purpose: Purpose): void {
    questions += 1
    this.#flow(check).askedAt = questions
    this.#send(check, purpose)
  }

  #send(check: CheckName, purpose: Purpose): void {
    this.sent.push({ check, purpose, round: this.#flow(check).round, failed: false })
  }
}

export class Model {
  readonly orders: Order[] = []

  begin({ confirmationId }: { confirmationId: string }): Order {
    const order = new Order(confirmationId)
    this.orders.push(order)
    return order
  }

  #flows = () => this.orders.flatMap((order) => order.flows())

  type(text: string, quoted: { order: Order; check: CheckName } | undefined): void {
    const [latest] = this.#flows()
      .filter(({ flow }) => isOpen(flow))
      .sort((one, other) => other.flow.askedAt - one.flow.askedAt)
    const to = quoted ?? latest
    to?.order.type(to.check, text)
  }

  /** Every open follow-up now expires EXPIRY_MS after this message. */
  customerWrote(at: number): void {
    for (const { order, check, flow } of this.#flows()) order.expiresAt[check] = isOpen(flow) ? at + EXPIRY_MS : null
  }

  fireTimers(now: number): void {
    for (const { order, check } of this.#flows()) order.fireTimers(check, now)
  }

  hasTimerWithin(at: number, clearanceMs: number): boolean {
    const timers = this.#flows().flatMap(({ order, check, flow }) => [
      flow.reminderAt,
      flow.deadlineAt,
      order.expiresAt[check],
    ])
    return timers.some((timer) => timer !== null && Math.abs(timer - at) < clearanceMs)
  }
}
