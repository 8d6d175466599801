import type { StatusStep } from './behaviour.ts'
import type { Action } from './customer-steps.ts'
import type { Customer } from './customers.ts'
import type { Inbound, Received } from './inbound.ts'
import type { Message } from './messages.ts'
import type { ReviewPlan } from './review-plan.ts'
import type { Sealed } from './webhooks.ts'

export type TimedStep = StatusStep & { afterMs: number }

/** Something that will happen. It is data, so that it can be shown, and outlives the process. */
export type Plan =
  /** The business is told what became of the message. */
  | { kind: 'status'; message: Message; step: TimedStep }
  /** The message comes to the phone, and nobody is told. */
  | { kind: 'arrival'; message: Message }
  /** The message's time to live is over. */
  | { kind: 'expiry'; message: Message }
  /** A scripted customer does the action at this place with the message. */
  | { kind: 'answer'; customer: Customer; message: Message; actions: readonly Action[]; place: number }
  /** A customer does what was ordered for later. `done` is whoever waits for it, in this process. */
  | { kind: 'inbound'; inbound: Inbound; done?: (received: Promise<Received>) => void }
  | { kind: 'review'; templateId: string; review: ReviewPlan }
  /** The next attempt at a webhook. */
  | { kind: 'webhook'; sealed: Sealed }

export type PlanKind = Plan['kind']
export type PlanOf<Kind extends PlanKind> = Extract<Plan, { kind: Kind }>
