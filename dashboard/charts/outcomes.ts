import type { RouterOutputs } from '../api.ts'
import type { T } from '../texts/use-texts.ts'
import { type Colour, STATUS_COLOURS } from '../ui/state/status.ts'

export type Charts = RouterOutputs['charts']['all']
type Confirmations = Charts['confirmations']
type Codes = Charts['funnel']

/** Each code or confirmation has exactly one outcome, so the outcomes add up. */
export type Outcome<Status extends string> = {
  label: string
  count: number
  colour: Colour
  /** Absent if several statuses are combined. */
  status: Status | undefined
}

const MESSAGE = STATUS_COLOURS.message
const CONFIRMATION = STATUS_COLOURS.confirmation

export const codeOutcomes = (t: T, { sent, delivered, read, failed, open }: Codes) =>
  [
    { status: 'read', label: t('page_charts.read'), count: read, colour: MESSAGE.read },
    { status: 'delivered', label: t('page_charts.delivered'), count: delivered - read, colour: MESSAGE.delivered },
    { status: 'sent', label: t('page_charts.sent'), count: sent - delivered, colour: MESSAGE.sent },
    { status: 'failed', label: t('page_charts.failed'), count: failed, colour: MESSAGE.failed },
    { status: undefined, label: t('page_charts.open'), count: open, colour: MESSAGE.queued },
  ] as const satisfies Outcome<string>[]

/** `name`: its figures in the charts. */
export const confirmationOutcomes = (t: T, confirmations: Confirmations) =>
  (
    [
      { name: 'confirmed', status: 'confirmed', label: t('page_charts.confirmed'), colour: CONFIRMATION.confirmed },
      {
        name: 'rescheduled',
        status: 'rescheduled',
        label: t('page_charts.rescheduled'),
        colour: CONFIRMATION.rescheduled,
      },
      { name: 'cancelled', status: 'cancelled', label: t('page_charts.cancelled'), colour: CONFIRMATION.cancelled },
      {
        name: 'noResponse',
        status: 'no_response',
        label: t('page_charts.no_response'),
        colour: CONFIRMATION.no_response,
      },
      { name: 'failed', status: 'failed', label: t('page_charts.failed'), colour: CONFIRMATION.failed },
      {
        name: 'open',
        status: undefined,
        label: t('page_charts.confirmations_open'),
        colour: CONFIRMATION.awaiting_answer,
      },
    ] as const satisfies (Omit<Outcome<string>, 'count'> & { name: keyof Confirmations })[]
  ).map((each) => ({ ...each, count: confirmations[each.name] }))
