import type { Message } from '../messages/messages.ts'
import type { Customer } from '../customers/customers.ts'
import { receive } from './inbound.ts'
import type { Parts } from '../parts.ts'
import type { Action } from '../customers/steps.ts'

/** `place`: the index of the customer's next action. */
type Answer = { customer: Customer; message: Message; actions: readonly Action[]; place: number }
type SavedAnswer = { customer: string; message: string; actions: readonly Action[]; place: number }

/** Answers messages by the customers' scripts. */
export function defineAnswers(parts: Parts): void {
  const { customers, messages } = parts
  parts.timers.define<Answer, SavedAnswer>('answer', {
    run: (answer) => void act(parts, answer),
    due: ({ customer, message: { waId, phoneNumberId: number } }) => {
      return { kind: 'answer', what: customer.id, phone: waId === undefined ? null : `+${waId}`, number }
    },
    toRow: (answer) => savedAnswer(parts, answer),
    fromRow: ({ customer: id, ...row }) => {
      const [answer, customer] = [messages.fromRow(row), customers.find(id)]
      return answer && customer && { ...answer, customer }
    },
  })
  parts.delivery.onArrival((message) => {
    const cue = parts.customers.take(message)
    if (cue === undefined) return
    const { customer, step } = cue
    if (step.do === 'ignore') message.ignored = true
    else if (step.do !== 'read') planAnswer(parts, { customer, message, actions: step.do, place: 0 })
  })
}

/** Plans the answer after the customer's thinking time. */
function planAnswer(parts: Parts, answer: Answer): void {
  const action = answer.actions[answer.place]
  if (action !== undefined) parts.timers.after(action.afterMs, { kind: 'answer', data: answer })
}

function savedAnswer({ messages }: Parts, { customer, ...answer }: Answer): SavedAnswer | undefined {
  const row = messages.toRow(answer)
  return row && { ...row, customer: customer.id }
}

/** Each action waits for the answer to the previous one: posted together they could overtake each other. */
async function act(parts: Parts, answer: Answer): Promise<void> {
  const { customers, timers } = parts
  const { customer, actions, place } = answer
  const next = place + 1 < actions.length ? { ...answer, place: place + 1 } : undefined
  const turn = customers.begin({
    customer,
    next: () => {
      const data = next && savedAnswer(parts, next)
      return data && { afterMs: timers.scaled(actions[next.place]?.afterMs ?? 0), plan: { kind: 'answer', data } }
    },
  })
  await write(parts, answer)
  if (next !== undefined && customers.isActing(turn)) planAnswer(parts, next)
  customers.end(turn)
}

async function write(parts: Parts, { customer, message, actions, place }: Answer): Promise<void> {
  const { afterMs: _thought, quote, tap, choose, ...rest } = actions[place] ?? { afterMs: 0 }
  try {
    const seed = {
      ...rest,
      from: message.waId ?? '',
      to: message.phoneNumberId,
      tap: tap && { ...tap, message: message.id },
      choose: choose && { ...choose, message: message.id },
      quote: quote && message.id,
    }
    await receive(parts, seed, customer.id)
  } catch (fault) {
    // No caller waits: the fault goes to the log and to the list of customers.
    const what = `${message.to}: ${fault instanceof Error ? fault.message : String(fault)}`
    parts.log(`${customer.id} could not answer as ${what}`)
    parts.customers.noteFault(customer, what)
  }
}
