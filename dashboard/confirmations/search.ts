import type { Answers } from '../api.ts'
import { type ListSearch, readListSearch } from '../ui/list-search.ts'

export type Listed = Answers['confirmations']['list']['rows'][number]
export type Status = Listed['status']
export type RefusalStatus = NonNullable<Listed['refusalStatus']>

/** In the order in which a confirmation goes through them. */
export const STATUSES = [
  'accepted',
  'awaiting_answer',
  'confirmed',
  'cancelled',
  'rescheduling',
  'rescheduled',
  'no_response',
  'failed',
] as const satisfies readonly Status[]

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
] as const satisfies readonly (RefusalStatus | 'none')[]

/** What the list shows: who gets the link sees the same. */
export type ConfirmationSearch = ListSearch & { status?: Status; refusal?: (typeof REFUSALS)[number] }

export function readConfirmationSearch(given: Record<string, unknown>): ConfirmationSearch {
  const status = STATUSES.find((each) => each === given['status'])
  const refusal = REFUSALS.find((each) => each === given['refusal'])
  return { ...readListSearch(given), ...(status && { status }), ...(refusal && { refusal }) }
}

/** Another filter begins at the newest again. */
export const withFilter = (search: ConfirmationSearch, change: Record<string, string>): ConfirmationSearch =>
  readConfirmationSearch({ ...search, ...change, before: undefined })
