import type { RouterOutputs } from '../api.ts'
import { type ListSearch, readListSearch } from '../ui/list/list-search.ts'

export type ListedConfirmation = RouterOutputs['confirmations']['list']['rows'][number]
export type Status = ListedConfirmation['status']
export type RefusalStatus = NonNullable<ListedConfirmation['refusalStatus']>

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

/** The filters: a shared link shows the same list. */
export type ConfirmationSearch = ListSearch & { status?: Status; refusal?: (typeof REFUSALS)[number] }

export function readConfirmationSearch(raw: Record<string, unknown>): ConfirmationSearch {
  const status = STATUSES.find((each) => each === raw['status'])
  const refusal = REFUSALS.find((each) => each === raw['refusal'])
  return { ...readListSearch(raw), ...(status && { status }), ...(refusal && { refusal }) }
}

/** What the list's page asks for, and what is fetched ahead of it. */
export const listInput = (workspaceId: string, { before, ...filter }: ConfirmationSearch) => ({
  workspaceId,
  ...filter,
  ...(before && { cursor: before }),
})

/** A changed filter starts at the newest again. */
export const withFilter = (search: ConfirmationSearch, change: Record<string, string>): ConfirmationSearch =>
  readConfirmationSearch({ ...search, ...change, before: undefined })
