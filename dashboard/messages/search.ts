import type { RouterOutputs } from '../api.ts'
import { type ListSearch, readListSearch } from '../ui/list/list-search.ts'

export type ListedMessage = RouterOutputs['messages']['list']['rows'][number]
export type Status = ListedMessage['status']

/** The statuses that our messages can have. They are never `accepted` or `received`. */
export const STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
] as const satisfies readonly Status[]

export const KINDS = ['otp', 'cod'] as const satisfies readonly ListedMessage['kind'][]

/** The filters: a shared link shows the same list. */
export type MessageSearch = ListSearch & { status?: Status; kind?: ListedMessage['kind'] }

export function readMessageSearch(raw: Record<string, unknown>): MessageSearch {
  const status = STATUSES.find((each) => each === raw['status'])
  const kind = KINDS.find((each) => each === raw['kind'])
  return { ...readListSearch(raw), ...(status && { status }), ...(kind && { kind }) }
}

/** What the list's page asks for, and what is fetched ahead of it. */
export const listInput = (workspaceId: string, { before, ...filter }: MessageSearch) => ({
  workspaceId,
  ...filter,
  ...(before && { cursor: before }),
})

/** A changed filter starts at the newest again. */
export const withFilter = (search: MessageSearch, change: Record<string, string>): MessageSearch =>
  readMessageSearch({ ...search, ...change, before: undefined })
