import type { Sql, Value } from '../lib/db/pool.ts'
import { type ListClock, type TimeRange, idMargin, idRange } from '../lib/lists/id-range.ts'
import {
  BELOW_END,
  type ListSource,
  type ListSpec,
  MAX_SCANNED_ROWS,
  NEWEST_FIRST,
  type Page,
  type PageRequest,
  createListSource,
  createSearchSource,
  type Neighbours,
  type Position,
  readNeighbours,
  readOn,
  readPage,
  readPosition,
} from '../lib/lists/list-pages.ts'
import { type SearchPart, patternsOf } from '../lib/lists/search-part.ts'
import type { MessageStatus } from './status.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import type { MessageKind } from '../providers/provider.ts'
import type { Check, Purpose } from './conversation.ts'

/** Never with the code of an OTP. */
export type ListedMessage = {
  id: string
  kind: MessageKind
  status: MessageStatus
  recipient: string
  senderPhone: string
  /** The client's; for a message of a conversation, that of its confirmation. */
  reference: string | null
  templateName: string | null
  templateLanguage: string | null
  confirmationId: string | null
  check: Check | null
  purpose: Purpose | null
  createdAt: Date
  sentAt: Date | null
  failureCode: FailureCode | null
  /** The status of the verification that began with this message. */
  verification: 'pending' | 'approved' | 'expired' | 'locked' | null
}

/** The possible meanings of a search text. */
export type SearchTerms = {
  /** The id of a message or a confirmation. */
  id: string | null
  /** The exact reference of the client, or the exact id of the provider. */
  text: string
  /** E.164 */
  phones: string[]
  /** What to search for inside numbers, references and ids if no exact match exists. Null: the text is whole. */
  part: SearchPart | null
}

/** What the lists of messages and of confirmations filter by; the times are those at which they were accepted. */
export type SearchFilter = TimeRange & {
  workspaceId: string
  clock: ListClock
  search: SearchTerms | null
  template: string | null
  senderId: string | null
}

export const SEARCH_FILTERS: ListSpec['filters'] = [
  ['text', 'item.template_name ='],
  ['uuid', 'item.sender_id ='],
  ['timestamptz', 'item.created_at >='],
  ['timestamptz', 'item.created_at <'],
]

/**
 * The filter by a part of a number, a reference or an id; its value is `patternsOf(…)`. PostgreSQL and JavaScript lower some
 * letters differently.
 */
export const partFilter = (reference: string): ListSpec['filters'][number] => [
  'text[]',
  (patterns) =>
    `(item.recipient like (${patterns})[1] or lower(${reference}) like lower((${patterns})[2]) or item.id::text like (${patterns})[3])`,
]

/** `partly`: like `all`, with partFilter as its last filter. */
type SearchSources<Row> = { all: ListSource<Row>; searched: ListSource<Row>; partly: ListSource<Row> }

/** `filters`: the values of those that come before SEARCH_FILTERS. */
export async function readSearchPage<Row extends { id: string; createdAt: Date }>(
  sql: Sql,
  { all, searched, partly }: SearchSources<Row>,
  filter: SearchFilter,
  filters: readonly (string | null)[],
): Promise<Page<Row>> {
  const { search, before } = filter
  const read = (source: ListSource<Row>, { before, ...of }: RequestOptions) =>
    readPage(sql, source, requestOf(filter, filters, { before, ...of }))
  if (!search) return read(all, { before })
  const exact = await read(searched, { before, values: exactTerms(search) })
  if (exact.rows.length > 0 || exact.next || !search.part) return exact
  const part = patternsOf(search.part)
  return readOn(before, (before) => read(partly, { before, part }))
}

/** Where the page of `filter.before` is among the rows that the filter matches. */
export async function readSearchPosition<Row>(
  sql: Sql,
  { all, searched, partly }: SearchSources<Row>,
  filter: SearchFilter,
  filters: readonly (string | null)[],
): Promise<Position> {
  const { search, before } = filter
  const read = (source: ListSource<Row>, of: Omit<RequestOptions, 'before'> = {}) =>
    readPosition(sql, source, { ...requestOf(filter, filters, { before: null, ...of }), before })
  if (!search) return read(all)
  const exact = await read(searched, { values: exactTerms(search) })
  if (exact.total > 0 || exact.isMore || !search.part) return exact
  return read(partly, { part: patternsOf(search.part) })
}

/** The rows before and after one among those that the filter matches. */
export async function readSearchNeighbours<Row extends { id: string; createdAt: Date }>(
  sql: Sql,
  { all, searched, partly }: SearchSources<Row>,
  filter: SearchFilter,
  filters: readonly (string | null)[],
  of: string,
): Promise<Neighbours> {
  const { search } = filter
  const read = (source: ListSource<Row>, options: Omit<RequestOptions, 'before'> = {}) =>
    readNeighbours(sql, source, { ...requestOf(filter, filters, { before: null, ...options }), of })
  if (!search) return read(all)
  const values = exactTerms(search)
  const exact = await readPage(sql, searched, requestOf(filter, filters, { before: null, values }))
  if (exact.rows.length > 0 || exact.next || !search.part) return read(searched, { values })
  return read(partly, { part: patternsOf(search.part) })
}

type RequestOptions = { before: string | null; values?: readonly Value[]; part?: readonly Value[] }

const requestOf = (
  { workspaceId, template, senderId, clock, from, until }: SearchFilter,
  filters: readonly (string | null)[],
  { before, values = [], part }: RequestOptions,
): PageRequest => ({
  workspaceId,
  ids: idRange({ from, until, before }, idMargin(clock)),
  values,
  filters: [...filters, template, senderId, from, until, ...(part ? [part] : [])],
  clock,
})

const exactTerms = ({ id, text, phones }: SearchTerms): Value[] => [id, text, phones]

export type MessageFilter = SearchFilter & {
  status: MessageStatus | null
  kind: MessageKind | null
  failureCode: FailureCode | null
  verification: ListedMessage['verification']
}

/** Confirmations that one reference may name. */
const MAX_CONFIRMATIONS = 200

const REFERENCE = `coalesce(item.reference, (select c.reference from confirmations c
       where c.workspace_id = item.workspace_id and c.id = item.confirmation_id))`

const VERIFICATION = `(select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id)`

const list: ListSpec = {
  table: 'messages',
  columns: `item.id, item.kind, item.status, item.recipient, item.template_name as "templateName",
     item.template_language as "templateLanguage", item.confirmation_id as "confirmationId",
     item.check_kind as "check", item.purpose, item.created_at as "createdAt", item.sent_at as "sentAt",
     item.failure_code as "failureCode",
     (select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
     ${REFERENCE} as reference, ${VERIFICATION} as verification`,
  filters: [
    ['text', 'item.status ='],
    ['text', 'item.kind ='],
    ['text', 'item.failure_code ='],
    ['text', `${VERIFICATION} =`],
    ...SEARCH_FILTERS,
  ],
}

const all = createListSource<ListedMessage>(list, { name: 'messages' })
const partly = createListSource<ListedMessage>(
  { ...list, filters: [...list.filters, partFilter(REFERENCE)] },
  { name: 'messages_by_part' },
)
/** The condition of the partial index of failed messages: exactly these have a failure. */
const failed = createListSource<ListedMessage>(list, {
  name: 'failed_messages',
  condition: 'and item.failure_code is not null',
})

/** No confirmation has a first message before the millisecond of its own id: ids of one millisecond have no order. */
const LAST_ID_OF_ITS_MILLISECOND = `(left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid`

/**
 * Each branch uses its own index. $4: an id, $5: the text, $6: numbers. Messages of conversations are found through the
 * confirmations of their customer, which keeps them out of the index of recipients.
 */
const searched = createSearchSource<ListedMessage>(list, {
  name: 'messages',
  values: 3,
  ids: `(select item.id from messages item where ${BELOW_END} and item.id = $4)
     union
     (select item.id from messages item where ${BELOW_END} and item.reference = $5 ${NEWEST_FIRST})
     union
     (select item.id from unnest($6::text[]) as searched (phone) cross join lateral (
        select item.id from messages item
        where ${BELOW_END} and item.confirmation_id is null and item.recipient = searched.phone ${NEWEST_FIRST}) item)
     union
     (select item.id from (
        (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
        union
        (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
         order by c.id desc limit ${MAX_CONFIRMATIONS})
        union
        (select c.id from senders s cross join unnest($6::text[]) as searched (phone) cross join lateral (
           select c.id, c.workspace_id from confirmations c
           where c.sender_id = s.id and c.recipient = searched.phone and c.id <= ${LAST_ID_OF_ITS_MILLISECOND}
           order by c.id desc limit ${MAX_SCANNED_ROWS}) c
         where s.workspace_id = $1 and c.workspace_id = $1
         order by c.id desc limit ${MAX_SCANNED_ROWS})) c
      cross join lateral (select * from messages item where item.confirmation_id = c.id ${NEWEST_FIRST}) item
      where ${BELOW_END})
     union
     (select item.id from messages item where item.provider_message_id = $5 and ${BELOW_END})`,
})

const sourcesOf = ({ status, failureCode }: MessageFilter): SearchSources<ListedMessage> => ({
  all: status === 'failed' || failureCode !== null ? failed : all,
  searched,
  partly,
})

const filtersOf = ({ status, kind, failureCode, verification }: MessageFilter) => [
  status,
  kind,
  failureCode,
  verification,
]

export const listMessages = (sql: Sql, filter: MessageFilter): Promise<Page<ListedMessage>> =>
  readSearchPage(sql, sourcesOf(filter), filter, filtersOf(filter))

export const countMessages = (sql: Sql, filter: MessageFilter): Promise<Position> =>
  readSearchPosition(sql, sourcesOf(filter), filter, filtersOf(filter))
