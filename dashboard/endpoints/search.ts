import type { Answers } from '../api.ts'

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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

export const isId = (text: string): boolean => UUID.test(text)

const idIn = (value: unknown): string | undefined => (typeof value === 'string' && isId(value) ? value : undefined)

const instantIn = (value: unknown): string | undefined =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

export function isFiltered(search: LogSearch): boolean {
  const { delivery: _, ...filter } = search
  return Object.keys(filter).length > 0
}
