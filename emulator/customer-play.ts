import { receive } from './inbound.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { Action } from './customer-steps.ts'
import type { Customer, Performance } from './customers.ts'
import type { Message } from './messages.ts'
import type { Parts } from './parts.ts'

/** From here on, whoever has a customer behind the phone does what its steps say. */
export function playCustomers(parts: Parts): void {
  parts.delivery.onArrival((message) => {
    const cue = parts.customers.take(message)
    if (cue === undefined || cue.step.do === 'read') return
    if (cue.step.do === 'ignore') message.ignored = true
    else void perform(parts, cue.customer, message, cue.step.do)
  })
}

/** One action after the other, each when the one before was answered: posted together they could overtake each other. */
async function perform(parts: Parts, customer: Customer, message: Message, actions: readonly Action[]): Promise<void> {
  const performance = parts.customers.begin(customer)
  for (const action of actions) {
    await think(parts, performance, action.afterMs)
    await act(parts, customer, message, action)
    if (!parts.customers.isActing(performance)) return
  }
  parts.customers.end(performance)
}

/** Never over when the customer is removed meanwhile. */
function think(parts: Parts, performance: Performance, ms: number): Promise<void> {
  return new Promise((resolve) => {
    performance.cancel = parts.timers.after(ms, resolve)
  })
}

async function act(parts: Parts, customer: Customer, message: Message, action: Action): Promise<void> {
  const { afterMs: _thought, quote, tap, choose, ...rest } = action
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
  customer.faults.push(fault)
  if (customer.faults.length > TWIN_LIMITS.faultsKeptPerCustomer) customer.faults.shift()
}
