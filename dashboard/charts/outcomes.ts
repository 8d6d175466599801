import type { RouterOutputs } from '../api.ts'
import type { T } from '../texts/use-texts.ts'
import type { ChartColour } from '../ui/state/status.ts'

export type Charts = RouterOutputs['charts']['all']
type Confirmations = Charts['confirmations']
type Codes = Charts['funnel']

/** Each code or confirmation has exactly one outcome, so the outcomes add up. Only a failure is red. */
export type Outcome<Status extends string> = {
  label: string
  count: number
  colour: ChartColour
  /** Absent if several statuses are combined. */
  status: Status | undefined
}

export const codeOutcomes = (t: T, { sent, delivered, read, failed, open }: Codes) =>
  [
    { status: 'read', label: t('statuses.message_read'), count: read, colour: 'success' },
    { status: 'delivered', label: t('statuses.message_delivered'), count: delivered - read, colour: 'success_weak' },
    { status: 'sent', label: t('statuses.message_sent'), count: sent - delivered, colour: 'progress' },
    { status: 'failed', label: t('statuses.message_failed'), count: failed, colour: 'failure' },
    { status: undefined, label: t('page_charts.open'), count: open, colour: 'neutral' },
  ] as const satisfies Outcome<string>[]

/** `name`: its figures in the charts. */
export const confirmationOutcomes = (t: T, confirmations: Confirmations) =>
  (
    [
      { name: 'confirmed', status: 'confirmed', label: t('page_charts.confirmed'), colour: 'success' },
      { name: 'rescheduled', status: 'rescheduled', label: t('page_charts.rescheduled'), colour: 'progress' },
      { name: 'cancelled', status: 'cancelled', label: t('page_charts.cancelled'), colour: 'neutral_strong' },
      { name: 'noResponse', status: 'no_response', label: t('page_charts.no_response'), colour: 'warning' },
      { name: 'failed', status: 'failed', label: t('page_charts.failed'), colour: 'failure' },
      { name: 'open', status: undefined, label: t('page_charts.confirmations_open'), colour: 'neutral' },
    ] as const satisfies (Omit<Outcome<string>, 'count'> & { name: keyof Confirmations })[]
  ).map((each) => ({ ...each, count: confirmations[each.name] }))
