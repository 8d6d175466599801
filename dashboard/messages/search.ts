import type { Answers } from '../api.ts'
import { type ListSearch, readListSearch } from '../ui/list-search.ts'

export type Listed = Answers['messages']['list']['rows'][number]
export type Status = Listed['status']

/** Those that a message of ours can have; `accepted` and `received` are of the vocabulary only. */
export const STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
] as const satisfies readonly Status[]

export const KINDS = ['otp', 'cod'] as const satisfies readonly Listed['kind'][]

/** What the list shows: who gets the link sees the same. */
export type MessageSearch = ListSearch & { status?: Status; kind?: Listed['kind'] }

export function readMessageSearch(given: Record<string, unknown>): MessageSearch {
  const status = STATUSES.find((each) => each === given['status'])
  const kind = KINDS.find((each) => each === given['kind'])
  return { ...readListSearch(given), ...(status && { status }), ...(kind && { kind }) }
}

/** Another filter begins at the newest again. */
export const withFilter = (search: MessageSearch, change: Record<string, string>): MessageSearch =>
  readMessageSearch({ ...search, ...change, before: undefined })
