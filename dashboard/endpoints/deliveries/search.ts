import { eventTypes, isEventType } from '../../../src/events/event-types.ts'
import { type RouterOutputs, api } from '../../api.ts'
import { dayIn, idIn, textIn } from '../../ui/list/search-params.ts'
import { dayAfter } from './zone-time.ts'

export type Delivery = RouterOutputs['endpoints']['deliveries']['rows'][number]
export type DeliveryStatus = Delivery['status']
export type EventType = Delivery['type']

export const STATUSES = ['pending', 'succeeded', 'failed', 'held'] as const satisfies readonly DeliveryStatus[]

export const EVENT_TYPES = Object.keys(eventTypes).filter(isEventType)

/** The server's limit. */
const MAX_ABOUT = 200

/** The filters, in the page's address: a shared link shows the same. Days are of the delivery zone, inclusive. */
export type LogSearch = {
  status?: DeliveryStatus
  type?: EventType
  from?: string
  to?: string
  /** An id, a reference or a phone number. */
  about?: string
  /** The delivery that is open. */
  delivery?: string
}

/** Leaves out invalid values: an address can hold anything. */
export function readLogSearch(raw: Record<string, unknown>): LogSearch {
  const status = STATUSES.find((each) => each === raw['status'])
  const type = EVENT_TYPES.find((each) => each === raw['type'])
  const [from, to] = [dayIn(raw['from']), dayIn(raw['to'])]
  const [about, delivery] = [textIn(raw['about'], MAX_ABOUT), idIn(raw['delivery'])]
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(from && { from }),
    ...(to && (!from || from <= to) && { to }),
    ...(about && { about }),
    ...(delivery && { delivery }),
  }
}

/** What the log asks for, and what is fetched ahead of it. `from` and `to` are real instants. */
export const deliveryList = (
  workspaceId: string,
  endpointId: string,
  { status, type, about }: { [Name in 'status' | 'type' | 'about']?: LogSearch[Name] | undefined },
  { from, to }: { from?: string | undefined; to?: string | undefined } = {},
) =>
  api.endpoints.deliveries.infiniteQueryOptions(
    {
      workspaceId,
      endpointId,
      ...(status && { status }),
      ...(type && { type }),
      ...(about && { about }),
      ...(from && { from }),
      ...(to && { to }),
    },
    { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
  )

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
