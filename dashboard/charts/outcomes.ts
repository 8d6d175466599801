import type { RouterOutputs } from '../api.ts'
import type { T } from '../texts/use-texts.ts'

type Charts = RouterOutputs['charts']['all']
export type Orders = Charts['orders']
export type Codes = Charts['funnel']

/** Exactly one for each code or order, so that they add up. Colours are the theme's; only a failure is red. */
export type Outcome<Status extends string> = {
  label: string
  count: number
  colour: string
  /** Undefined: several statuses together. */
  status: Status | undefined
}

export const codeOutcomes = (t: T, { sent, delivered, read, failed, open }: Codes) =>
  [
    { status: 'read', label: t('statuses.message_read'), count: read, colour: 'success.8' },
    { status: 'delivered', label: t('statuses.message_delivered'), count: delivered - read, colour: 'success.5' },
    { status: 'sent', label: t('statuses.message_sent'), count: sent - delivered, colour: 'progress.5' },
    { status: 'failed', label: t('statuses.message_failed'), count: failed, colour: 'failure.7' },
    { status: undefined, label: t('page_charts.open'), count: open, colour: 'neutral.5' },
  ] as const satisfies Outcome<string>[]

export const orderOutcomes = (t: T, orders: Orders) =>
  [
    {
      status: 'confirmed',
      label: t('page_charts.confirmed'),
      count: orders.confirmed,
      colour: ORDER_COLOURS.confirmed,
    },
    {
      status: 'rescheduled',
      label: t('page_charts.rescheduled'),
      count: orders.rescheduled,
      colour: ORDER_COLOURS.rescheduled,
    },
    {
      status: 'cancelled',
      label: t('page_charts.cancelled'),
      count: orders.cancelled,
      colour: ORDER_COLOURS.cancelled,
    },
    {
      status: 'no_response',
      label: t('page_charts.no_response'),
      count: orders.noResponse,
      colour: ORDER_COLOURS.noResponse,
    },
    { status: 'failed', label: t('page_charts.failed'), count: orders.failed, colour: ORDER_COLOURS.failed },
    { status: undefined, label: t('page_charts.orders_open'), count: orders.open, colour: ORDER_COLOURS.open },
  ] as const satisfies Outcome<string>[]

export const ORDER_COLOURS = {
  confirmed: 'success.7',
  rescheduled: 'progress.5',
  cancelled: 'grape.5',
  noResponse: 'yellow.5',
  failed: 'failure.7',
  open: 'neutral.5',
} as const
