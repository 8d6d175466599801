import { RESOURCES } from '../../src/admin/audit/actions.ts'
import { type SearchOf, dayIn, idIn, oneOf, searchReader, textUpTo, withDaysInOrder } from '../ui/list/list-search.ts'

const MAX_TEXT = 300

/** The filters and the open entry, in the page's address. Days are of the delivery zone, inclusive. */
const FILTERS = {
  of: oneOf(['instance']),
  action: textUpTo(MAX_TEXT),
  who: textUpTo(MAX_TEXT),
  resource: oneOf(RESOURCES),
  from: dayIn,
  to: dayIn,
  entry: idIn,
}

export type AuditSearch = SearchOf<typeof FILTERS>

const read = searchReader(FILTERS)

export const readAuditSearch = (raw: Record<string, unknown>): AuditSearch => withDaysInOrder(read(raw))
