import { FAILURE_CODES } from '../../src/providers/failure-codes.ts'
import type { RouterOutputs } from '../api.ts'
import { LIST_FILTERS, oneOf, searchReader } from '../ui/list/list-search.ts'
import { statusesOf } from '../ui/state/status.ts'

export type ListedMessage = RouterOutputs['messages']['list']['rows'][number]

/** The statuses that our messages can have. They are never `accepted` or `received`. */
export const STATUSES = statusesOf('message').filter((status) => status !== 'accepted' && status !== 'received')

export const KINDS = ['otp', 'cod'] as const satisfies readonly ListedMessage['kind'][]

export const VERIFICATIONS = ['pending', 'approved', 'expired', 'locked'] as const satisfies readonly NonNullable<
  ListedMessage['verification']
>[]

/** The filters: a shared link shows the same list. */
export const readMessageSearch = searchReader({
  ...LIST_FILTERS,
  status: oneOf(STATUSES),
  kind: oneOf(KINDS),
  failureCode: oneOf(FAILURE_CODES),
  verification: oneOf(VERIFICATIONS),
})

export type MessageSearch = ReturnType<typeof readMessageSearch>

/** A changed filter starts at the newest again. */
export const withFilter = (search: MessageSearch, change: Record<string, string>): MessageSearch =>
  readMessageSearch({ ...search, ...change, before: undefined })
