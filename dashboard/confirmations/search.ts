import type { RouterOutputs } from '../api.ts'
import { LIST_FILTERS, oneOf, searchReader } from '../ui/list/list-search.ts'

export type ListedConfirmation = RouterOutputs['confirmations']['list']['rows'][number]

/** In the order in which a confirmation can reach them. */
export const STATUSES = [
  'accepted',
  'awaiting_answer',
  'confirmed',
  'cancelled',
  'rescheduling',
  'rescheduled',
  'no_response',
  'failed',
] as const satisfies readonly ListedConfirmation['status'][]

export const REFUSALS = [
  'none',
  'accepted',
  'awaiting_answer',
  'awaiting_reason',
  'awaiting_note',
  'denied',
  'refusal_confirmed',
  'no_response',
  'failed',
] as const satisfies readonly (ListedConfirmation['refusalStatus'] | 'none')[]

/** The filters: a shared link shows the same list. */
export const readConfirmationSearch = searchReader({
  ...LIST_FILTERS,
  status: oneOf(STATUSES),
  refusal: oneOf(REFUSALS),
})

export type ConfirmationSearch = ReturnType<typeof readConfirmationSearch>

/** A changed filter starts at the newest again. */
export const withFilter = (search: ConfirmationSearch, change: Record<string, string>): ConfirmationSearch =>
  readConfirmationSearch({ ...search, ...change, before: undefined })
