import type { RouterOutputs } from '../api.ts'

export type ConfirmationStatus = RouterOutputs['confirmations']['get']['confirmation']['status']

const EVENTS: Partial<Record<ConfirmationStatus, string>> = {
  confirmed: 'cod.confirmed',
  cancelled: 'cod.cancelled',
  rescheduled: 'cod.reschedule_requested',
  no_response: 'cod.no_response',
  failed: 'cod.failed',
}

/** The event that tells the backend how the order ended. Returns undefined while there is none. */
export const eventOf = (status: ConfirmationStatus | undefined): string | undefined => status && EVENTS[status]

const ANSWERS: readonly (ConfirmationStatus | undefined)[] = ['confirmed', 'cancelled', 'rescheduled']

type Received = { delivery: { type: string }; isVerified: boolean | undefined }

/** Which steps are done. Only a customer answers, and only the webhook of the present status counts. Undefined: no order. */
export function progressOf(status: ConfirmationStatus | undefined, received: readonly Received[]) {
  const event = eventOf(status)
  const isOfOutcome = ({ delivery, isVerified }: Received): boolean => isVerified === true && delivery.type === event
  return { send: status !== undefined, answer: ANSWERS.includes(status), webhook: received.some(isOfOutcome) }
}
