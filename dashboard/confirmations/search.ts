import type { RouterOutputs } from '../api.ts'
import { LIST_FILTERS, oneOf, searchReader } from '../ui/list/list-search.ts'
import { statusesOf } from '../ui/state/status.ts'

export type ListedConfirmation = RouterOutputs['confirmations']['list']['rows'][number]

export const STATUSES = statusesOf('confirmation')
export const REFUSALS = ['none' as const, ...statusesOf('refusal')]

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
