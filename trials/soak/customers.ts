import { setTimeout as wait } from 'node:timers/promises'
import type { Emulator, Message } from '@doorcode/whatsapp-emulator'
import type { ConfirmationStatus } from '../../src/cod/conversation/confirmation.ts'

/** What a customer does with an order, and the state in which the confirmation must end. */
type Plan = {
  name: string
  /** Taps on the template by button (0 confirm, 1 cancel, 2 change time), one after the other. */
  taps: readonly number[]
  /** What the customer does after the last tap: chooses day and time range, or types text after the day question. */
  inTheEnd?: 'chooses' | 'types'
  ends: ConfirmationStatus
}

const PLANS: readonly [Plan, ...Plan[]] = [
  { name: 'confirms', taps: [0], ends: 'confirmed' },
  { name: 'cancels', taps: [1], ends: 'cancelled' },
  { name: 'confirms, then cancels', taps: [0, 1], ends: 'cancelled' },
  { name: 'cancels, then confirms', taps: [1, 0], ends: 'confirmed' },
  { name: 'cancels, confirms, cancels', taps: [1, 0, 1], ends: 'cancelled' },
  { name: 'changes the time', taps: [2], inTheEnd: 'chooses', ends: 'rescheduled' },
  { name: 'cancels, then changes the time', taps: [1, 2], inTheEnd: 'chooses', ends: 'rescheduled' },
  { name: 'changes the time, then confirms', taps: [2, 0], ends: 'confirmed' },
  { name: 'changes the time in words', taps: [2], inTheEnd: 'types', ends: 'rescheduled' },
  { name: 'never answers', taps: [], ends: 'awaiting_answer' },
]

/** The provider dates answers in whole seconds: two answers must not fall into the same one. */
const BETWEEN_ANSWERS_MS = 2_100

type Customer = {
  plan: Plan
  /** What the customer waits for next. After a `pause` the customer answers. */
  waitsFor: 'template' | 'day question' | 'time question' | 'pause' | 'nothing'
  dayQuestion: string | undefined
  /** Each answer, and Unix milliseconds just before it. */
  answers: { what: string; at: number }[]
}

export type Customers = ReturnType<typeof startCustomers>

export function startCustomers(emulator: Emulator) {
  const all = new Map<string, Customer>()
  const faults: string[] = []
  emulator.onMessage((message) => {
    const customer = all.get(message.to)
    if (!customer) return
    answer(emulator, customer, message).catch((error: unknown) => faults.push(`${message.to}: ${String(error)}`))
  })
  return {
    /** The customer behind this number, with the next plan. */
    expect(phone: string): void {
      const plan = PLANS[all.size % PLANS.length] ?? PLANS[0]
      all.set(phone, { plan, waitsFor: 'template', dayQuestion: undefined, answers: [] })
    },
    all,
    /** How many customers wait for a message. */
    waiting: () => [...all.values()].filter(({ waitsFor }) => waitsFor !== 'nothing').length,
    /** Faults of this side of the test. */
    faults,
  }
}

/** Only the first copy of each message is answered: a message sent twice after an unknown outcome changes nothing. */
async function answer(emulator: Emulator, customer: Customer, message: Message): Promise<void> {
  const { plan, waitsFor } = customer
  const respond = async (seed: { tap: { button: number; message: string } } | { text: string; quote: string }) => {
    customer.answers.push({ what: 'tap' in seed ? `${seed.tap.message} ${seed.tap.button}` : 'text', at: Date.now() })
    await emulator.inbound({ from: message.to, to: message.phoneNumberId, ...seed })
  }
  if (message.type === 'template') {
    if (waitsFor !== 'template') return
    customer.waitsFor = plan.inTheEnd ? 'day question' : 'pause'
    for (const button of plan.taps) {
      await wait(BETWEEN_ANSWERS_MS)
      await respond({ tap: { button, message: message.id } })
    }
    if (!plan.inTheEnd) customer.waitsFor = 'nothing'
    return
  }
  if (message.shown.buttons.length === 0) return
  if (waitsFor === 'day question') {
    customer.dayQuestion = message.shown.body
    customer.waitsFor = plan.inTheEnd === 'types' ? 'pause' : 'time question'
    await wait(BETWEEN_ANSWERS_MS)
    await respond(
      plan.inTheEnd === 'types'
        ? { text: 'Thursday after six', quote: message.id }
        : { tap: { button: 0, message: message.id } },
    )
    if (plan.inTheEnd === 'types') customer.waitsFor = 'nothing'
  } else if (waitsFor === 'time question' && message.shown.body !== customer.dayQuestion) {
    customer.waitsFor = 'pause'
    await wait(BETWEEN_ANSWERS_MS)
    await respond({ tap: { button: 1, message: message.id } })
    customer.waitsFor = 'nothing'
  }
}
