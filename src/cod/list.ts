import type { Sql } from '../lib/db/pool.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import {
  type SearchFilter,
  SEARCH_FILTERS,
  partFilter,
  readSearchNeighbours,
  readSearchPage,
  readSearchPosition,
} from '../messages/search.ts'
import {
  BELOW_END,
  type ListSpec,
  NEWEST_FIRST,
  type Neighbours,
  type Page,
  type Position,
  createListSource,
  createSearchSource,
} from '../lib/lists/list-pages.ts'
import type { ConfirmationStatus, Reschedule } from './conversation/confirmation.ts'
import type { RefusalStatus } from './conversation/refusal.ts'

export type ListedConfirmation = {
  id: string
  reference: string
  recipient: string
  senderPhone: string
  templateName: string
  templateLanguage: string
  createdAt: Date
  status: ConfirmationStatus
  answeredAt: Date | null
  reschedule: Reschedule | null
  failureCode: FailureCode | null
  refusalStatus: RefusalStatus | null
  refusalReason: string | null
}

export type ListFilter = SearchFilter & {
  status: ConfirmationStatus | null
  /** `none`: there is no refusal check. */
  refusal: RefusalStatus | 'none' | null
}

const list: ListSpec = {
  table: 'confirmations',
  columns: `item.id, item.reference, item.recipient, item.template_name as "templateName",
     item.template_language as "templateLanguage", item.created_at as "createdAt", item.status,
     item.answered_at as "answeredAt", item.reschedule, item.failure_code as "failureCode",
     (select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
     f.status as "refusalStatus", f.reason as "refusalReason"`,
  joins: `left join lateral (
     select f.status, f.reason from refusal_checks f
     where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true`,
  filters: [['text', 'item.status ='], ['text', `coalesce(f.status, 'none') =`], ...SEARCH_FILTERS],
}

const all = createListSource<ListedConfirmation>(list, { name: 'confirmations' })
const partly = createListSource<ListedConfirmation>(
  { ...list, filters: [...list.filters, partFilter('item.reference')] },
  { name: 'confirmations_by_part' },
)

/** $4: the id, $5: the reference, $6: numbers. */
const searched = createSearchSource<ListedConfirmation>(list, {
  name: 'confirmations',
  values: 3,
  ids: `(select item.id from confirmations item where ${BELOW_END} and item.id = $4)
     union
     (select item.id from confirmations item where ${BELOW_END} and item.reference = $5 and item.reference <> '' ${NEWEST_FIRST})
     union
     (select item.id from senders s
      cross join unnest($6::text[]) as searched (phone)
      cross join lateral (
        select item.id from confirmations item
        where ${BELOW_END} and item.sender_id = s.id and item.recipient = searched.phone ${NEWEST_FIRST}) item
      where s.workspace_id = $1 ${NEWEST_FIRST})`,
})

const sources = { all, searched, partly }

export const listConfirmations = (sql: Sql, filter: ListFilter): Promise<Page<ListedConfirmation>> =>
  readSearchPage(sql, sources, filter, [filter.status, filter.refusal])

export const countConfirmations = (sql: Sql, filter: ListFilter): Promise<Position> =>
  readSearchPosition(sql, sources, filter, [filter.status, filter.refusal])

/** The confirmations before and after one in the list, for a page that leads from one to the next. */
export const findNeighbours = (sql: Sql, filter: ListFilter, confirmationId: string): Promise<Neighbours> =>
  readSearchNeighbours(sql, sources, filter, [filter.status, filter.refusal], confirmationId)
