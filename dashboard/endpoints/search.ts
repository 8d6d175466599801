import { eventTypes, isEventType } from '../../src/events/event-types.ts'
import type { RouterOutputs } from '../api.ts'
import { type SearchOf, dayIn, idIn, oneOf, searchReader, textUpTo, withDaysInOrder } from '../ui/list/list-search.ts'
import { dayAfter } from './zone-time.ts'

export type Delivery = RouterOutputs['endpoints']['deliveries']['rows'][number]
export type EventType = Delivery['type']

export const STATUSES = ['pending', 'succeeded', 'failed', 'held'] as const satisfies readonly Delivery['status'][]

export const EVENT_TYPES = Object.keys(eventTypes).filter(isEventType)

/** The server's limit. */
const MAX_ABOUT = 200

/** The filters, in the page's address: a shared link shows the same. Days are in the delivery zone, inclusive. */
const FILTERS = {
  status: oneOf(STATUSES),
  type: oneOf(EVENT_TYPES),
  from: dayIn,
  to: dayIn,
  /** An id, a reference or a phone number. */
  about: textUpTo(MAX_ABOUT),
  /** The id of the open delivery. */
  delivery: idIn,
}

export type LogSearch = SearchOf<typeof FILTERS>

const read = searchReader(FILTERS)

export const readLogSearch = (raw: Record<string, unknown>): LogSearch => withDaysInOrder(read(raw))

export function isFiltered(search: LogSearch): boolean {
  const { delivery: _, ...filter } = search
  return Object.keys(filter).length > 0
}

export const RESENDABLE = ['failed', 'held', 'succeeded'] as const

type InitialChoice = { statuses: (typeof RESENDABLE)[number][]; type: string; from: string; to: string }

/** What the dialog offers to resend: what the log shows, or all undelivered events. */
export function initialChoice({ status, type, from, to }: LogSearch): InitialChoice {
  const shown = RESENDABLE.find((each) => each === status)
  return {
    statuses: shown ? [shown] : ['failed', 'held'],
    type: type ?? '',
    from: from ? `${from}T00:00` : '',
    to: to ? `${dayAfter(to)}T00:00` : '',
  }
}
