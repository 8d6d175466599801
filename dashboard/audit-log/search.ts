import { api } from '../api.ts'
import { RESOURCES, type Resource } from '../../src/admin/audit/actions.ts'
import { dayIn, idIn, textIn } from '../ui/list/search-params.ts'

/** The filters and the open entry, in the page's address. Days are of the delivery zone, inclusive. */
export type AuditSearch = {
  of?: 'instance'
  action?: string
  who?: string
  resource?: Resource
  from?: string
  to?: string
  entry?: string
}

const MAX_TEXT = 300

/** Leaves out invalid values: an address can hold anything. */
export function readAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const [action, who] = [textIn(raw['action'], MAX_TEXT), textIn(raw['who'], MAX_TEXT)]
  const resource = RESOURCES.find((each) => each === raw['resource'])
  const [from, to, entry] = [dayIn(raw['from']), dayIn(raw['to']), idIn(raw['entry'])]
  return {
    ...(raw['of'] === 'instance' && { of: 'instance' }),
    ...(action && { action }),
    ...(who && { who }),
    ...(resource && { resource }),
    ...(from && { from }),
    ...(to && (!from || from <= to) && { to }),
    ...(entry && { entry }),
  }
}

/** What the page asks for, and what is fetched ahead of it. */
export const auditList = (workspaceId: string, filter: Omit<AuditSearch, 'entry'>) =>
  api.auditLog.list.infiniteQueryOptions(
    { workspaceId, ...filter },
    { getNextPageParam: ({ next }) => next ?? undefined },
  )
