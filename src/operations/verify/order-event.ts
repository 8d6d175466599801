import { z } from 'zod'
import type { Confirmation } from '../../cod/conversation/confirmation.ts'
import type { CheckState, Types } from '../../cod/conversation/machine.ts'
import type { RefusalTypes } from '../../cod/conversation/refusal.ts'
import { confirmationSchema, confirmationView } from '../../cod/view.ts'
import type { Check } from '../../messages/conversation.ts'
import { anyFailure, failureOf, formOf, wrongMember } from './event-body.ts'
import type { EventFact } from './message-facts.ts'

/** What an event and its confirmation both have. */
export type ViewedOrder = { id: string; reference: string; recipient: string; createdAt: Date }

type OrderOfEvent = {
  order: ViewedOrder
  /** The check that the event belongs to, as it is stored now. */
  part: Check
  stored: { failure_code: string | null }
  hasRefusal: boolean
  /** Of both checks. */
  events: readonly EventFact[]
  aheadMs: number
}

/** `state`: of the event's check, after the event. What the other check was then is not derived: its form is compared. */
export function wrongInOrderEvent<T extends Types>(
  of: OrderOfEvent,
  event: EventFact,
  state: CheckState<T>,
): string | undefined {
  const { order, part, aheadMs } = of
  const seen = { state } as unknown
  const view = confirmationView({
    ...order,
    confirmation: part === 'confirmation' ? (seen as { state: Confirmation }) : NOT_DERIVED,
    refusal: part === 'refusal' ? (seen as { state: CheckState<RefusalTypes> }) : null,
  })
  const { shape } = confirmationSchema
  const other =
    part === 'confirmation'
      ? { refusalCheck: formOf(of.hasRefusal ? shape.refusalCheck : z.null()) }
      : {
          status: formOf(shape.status),
          answeredAt: formOf(shape.answeredAt),
          reschedule: formOf(shape.reschedule),
        }
  const data = { ...view, ...other, failure: failureIn(of, state) }
  return wrongMember(event.body, { type: event.type, at: new Date(event.occurred_at), data }, aheadMs)
}

const NOT_DERIVED = { state: { status: 'accepted', answeredAt: null, chosen: null, failure: null } } as const

/** The latest failure of both checks is shown. A failure that a later answer replaced has left no code. */
function failureIn<T extends Types>({ stored, events, part }: OrderOfEvent, { failure }: CheckState<T>) {
  const failedOther = part === 'confirmation' ? 'cod.refusal_failed' : 'cod.failed'
  if (events.some(({ type }) => type === failedOther)) return formOf(confirmationSchema.shape.failure)
  if (failure === null) return null
  return stored.failure_code === null ? anyFailure : failureOf(stored.failure_code)
}
