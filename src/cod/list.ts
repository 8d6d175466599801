import { type Sql, statement } from '../db.ts'
import type { FailureCode } from '../providers/provider.ts'
import { type ListClock, idsBetween } from '../sandbox/ids-between.ts'
import type { ConfirmationStatus, Reschedule } from './confirmation.ts'
import type { RefusalStatus } from './refusal.ts'

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

/** What a searched text may mean. */
export type Meant = {
  id: string | null
  /** The caller's, exactly. */
  reference: string
  /** E.164 */
  phones: string[]
}

export type Wanted = {
  workspaceId: string
  /** Null: whichever there are. */
  search: Meant | null
  status: ConfirmationStatus | null
  /** `none`: there is no refusal check. */
  refusal: RefusalStatus | 'none' | null
  template: string | null
  senderId: string | null
  /** When it was created; `until` is the first instant that does not count any more. */
  from: Date | null
  until: Date | null
  clock: ListClock
  /** Only those before this one: where an earlier page ended. */
  before: string | null
}

/** `next` is where the next page begins; null at the end. `lookedBackTo` is set when this page may be short of some. */
export type Page = { rows: ListedConfirmation[]; next: { before: string; lookedBackTo: Date | null } | null }

export const PAGE_SIZE = 50
/** No page looks through more: what most filters ask for has no index. Takes some 50 ms. */
export const LOOKED_THROUGH_MOST = 10_000

const COLUMNS = `c.id, c.reference, c.recipient, c.template_name as "templateName",
     c.template_language as "templateLanguage", c.created_at as "createdAt", c.status, c.answered_at as "answeredAt",
     c.reschedule, c.failure_code as "failureCode",
     (select s.phone from senders s where s.workspace_id = c.workspace_id and s.id = c.sender_id) as "senderPhone",
     f.status as "refusalStatus", f.reason as "refusalReason"`

const REFUSAL = `left join lateral (
     select f.status, f.reason from refusal_checks f
     where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true`

/** $1 to $3: the workspace and the ids between which to look. */
const FILTERS = `($4::text is null or c.status = $4)
     and ($5::text is null or coalesce(f.status, 'none') = $5)
     and ($6::text is null or c.template_name = $6)
     and ($7::uuid is null or c.sender_id = $7)
     and ($8::timestamptz is null or c.created_at >= $8)
     and ($9::timestamptz is null or c.created_at < $9)`

/** The inner limit ends the reading, and the outer one as soon as the page is full. */
const selectAll = statement<ListedConfirmation>(
  'list_confirmations',
  `select ${COLUMNS}
   from (
     select * from confirmations c where c.workspace_id = $1 and c.id < $2 and c.id >= $3
     order by c.id desc limit ${LOOKED_THROUGH_MOST}) c
   ${REFUSAL}
   where ${FILTERS}
   order by c.id desc limit ${PAGE_SIZE + 1}`,
)

const endOfAll = statement<{ id: string; createdAt: Date }>(
  'end_of_looked_through_confirmations',
  `select id, created_at as "createdAt" from confirmations where workspace_id = $1 and id < $2 and id >= $3
   order by id desc offset ${LOOKED_THROUGH_MOST - 1} limit 1`,
)

/** $4: the id, $5: the reference, $6: numbers. */
const FOUND = `(select c.id from confirmations c
      where c.workspace_id = $1 and c.id = $4 and c.id < $2 and c.id >= $3)
     union
     (select c.id from confirmations c
      where c.workspace_id = $1 and c.reference = $5 and c.reference <> '' and c.id < $2 and c.id >= $3
      order by c.id desc limit ${LOOKED_THROUGH_MOST})
     union
     (select c.id from senders s
      cross join unnest($6::text[]) as wanted (phone)
      cross join lateral (
        select c.id from confirmations c
        where c.workspace_id = $1 and c.sender_id = s.id and c.recipient = wanted.phone and c.id < $2 and c.id >= $3
        order by c.id desc limit ${LOOKED_THROUGH_MOST}) c
      where s.workspace_id = $1
      order by c.id desc limit ${LOOKED_THROUGH_MOST})`

const shifted = (filters: string, by: number): string =>
  filters.replaceAll(/\$(\d)/g, (_, place: string) => `$${Number(place) + by}`)

const selectFound = statement<ListedConfirmation>(
  'search_confirmations',
  `select ${COLUMNS}
   from (select id from (${FOUND}) found order by id desc limit ${LOOKED_THROUGH_MOST}) found
   cross join lateral (select * from confirmations c where c.workspace_id = $1 and c.id = found.id limit 1) c
   ${REFUSAL}
   where ${shifted(FILTERS, 3)}
   order by found.id desc limit ${PAGE_SIZE + 1}`,
)

const endOfFound = statement<{ id: string; createdAt: Date }>(
  'end_of_searched_confirmations',
  `select found.id, c.created_at as "createdAt"
   from (select id from (${FOUND}) found order by id desc offset ${LOOKED_THROUGH_MOST - 1} limit 1) found
   cross join lateral (select created_at from confirmations c where c.workspace_id = $1 and c.id = found.id limit 1) c`,
)

/** Newest first. Ids rise with time, so that what comes in meanwhile neither hides nor repeats any. */
export async function listConfirmations(sql: Sql, wanted: Wanted): Promise<Page> {
  const { workspaceId, search, status, refusal, template, senderId, from, until } = wanted
  const between = [workspaceId, ...idsBetween(wanted)]
  const meant = search ? [search.id, search.reference, search.phones] : []
  const filters = [status, refusal, template, senderId, from, until]
  const rows = await sql.rows(search ? selectFound : selectAll, [...between, ...meant, ...filters])
  const last = rows[PAGE_SIZE - 1]
  if (last && rows.length > PAGE_SIZE) {
    return { rows: rows.slice(0, PAGE_SIZE), next: { before: last.id, lookedBackTo: null } }
  }
  const end = await sql.row(search ? endOfFound : endOfAll, [...between, ...meant])
  return { rows, next: end ? { before: end.id, lookedBackTo: end.createdAt } : null }
}
