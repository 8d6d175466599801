import type { Answers } from '../api.ts'
import { idIn, instantIn } from '../ui/in-address.ts'

export type Delivery = Answers['endpoints']['deliveries']['deliveries'][number]
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['type']

export const STATUSES = ['pending', 'succeeded', 'failed', 'held'] as const satisfies readonly DeliveryStatus[]

export const EVENT_TYPES = [
  'message.sent',
  'message.failed',
  'cod.confirmed',
  'cod.cancelled',
  'cod.reschedule_requested',
  'cod.no_response',
  'cod.failed',
  'cod.refusal_confirmed',
  'cod.refusal_denied',
  'cod.refusal_no_response',
  'cod.refusal_failed',
  'ping',
] as const satisfies readonly EventType[]

/** What the log shows, in the page's address: who gets the link sees the same. Times are ISO. */
export type LogSearch = {
  status?: DeliveryStatus
  type?: EventType
  from?: string
  to?: string
  about?: string
  /** The delivery that is open. */
  delivery?: string
}

/** Whatever stands in an address: what makes no sense is left out. */
export function readLogSearch(given: Record<string, unknown>): LogSearch {
  const status = STATUSES.find((each) => each === given['status'])
  const type = EVENT_TYPES.find((each) => each === given['type'])
  const [from, to] = [instantIn(given['from']), instantIn(given['to'])]
  const [about, delivery] = [idIn(given['about']), idIn(given['delivery'])]
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(from && { from }),
    ...(to && (!from || from < to) && { to }),
    ...(about && { about }),
    ...(delivery && { delivery }),
  }
}

export function isFiltered(search: LogSearch): boolean {
  const { delivery: _, ...filter } = search
  return Object.keys(filter).length > 0
}
