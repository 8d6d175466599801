import { receive } from './inbound.ts'
import type { Customer } from './customers.ts'
import type { Parts } from './parts.ts'
import type { PlanOf } from './plans.ts'

type Answer = PlanOf<'answer'>

/** From here on, whoever has a customer behind the phone does what its steps say. */
export function playCustomers(parts: Parts): void {
  parts.timers.handle('answer', (answer) => void perform(parts, answer))
  parts.delivery.onArrival((message) => {
    const cue = parts.customers.take(message)
    if (cue === undefined) return
    const { customer, step } = cue
    if (step.do === 'ignore') message.ignored = true
    else if (step.do !== 'read') planAnswer(parts, { kind: 'answer', customer, message, actions: step.do, place: 0 })
  })
}

/** After the thought that the action takes. */
function planAnswer(parts: Parts, answer: Answer): void {
  const action = answer.actions[answer.place]
  if (action !== undefined) parts.timers.after(action.afterMs, answer)
}

/** One action after the other, each when the one before was answered: posted together they could overtake each other. */
async function perform(parts: Parts, answer: Answer): Promise<void> {
  const isLast = answer.place + 1 >= answer.actions.length
  const performance = { customer: answer.customer, next: isLast ? undefined : { ...answer, place: answer.place + 1 } }
  parts.customers.begin(performance)
  await act(parts, answer)
  if (performance.next !== undefined && parts.customers.isActing(performance)) planAnswer(parts, performance.next)
  parts.customers.end(performance)
}

async function act(parts: Parts, { customer, message, actions, place }: Answer): Promise<void> {
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
    noteFault(parts, customer, `${message.to}: ${fault instanceof Error ? fault.message : String(fault)}`)
  }
}

/** There is no caller to tell: who wonders finds it in the log and in the list of customers. */
function noteFault(parts: Parts, customer: Customer, fault: string): void {
  parts.log(`${customer.id} could not answer as ${fault}`)
  parts.customers.noteFault(customer, fault)
}
