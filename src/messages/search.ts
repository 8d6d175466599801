import { type Sql, type Statement, statement } from '../db.ts'
import { idsBetween } from '../sandbox/ids-between.ts'
import type { OtpStatus } from '../otp/status.ts'
import type { FailureCode, MessageKind } from '../providers/provider.ts'
import type { Check, Purpose } from './conversation.ts'

/** One line of the list of messages. Never what an OTP says. */
export type ListedMessage = {
  id: string
  kind: MessageKind
  status: OtpStatus
  recipient: string
  senderPhone: string
  /** The caller's own; of a message of a conversation that of its confirmation. */
  reference: string | null
  templateName: string | null
  templateLanguage: string | null
  confirmationId: string | null
  check: Check | null
  purpose: Purpose | null
  createdAt: Date
  sentAt: Date | null
  failureCode: FailureCode | null
}

/** What a searched text may mean. */
export type Meant = {
  /** Of a message or a confirmation. */
  id: string | null
  /** The caller's reference, or the provider's id, exactly. */
  text: string
  /** E.164 */
  phones: string[]
}

export type MessageFilter = {
  workspaceId: string
  search: Meant | null
  status: OtpStatus | null
  kind: MessageKind | null
  template: string | null
  senderId: string | null
  /** When it was accepted, in the workspace's time; `until` is the first instant that does not count any more. */
  from: Date | null
  until: Date | null
  /** Of the workspace: a sandbox's clock may be elsewhere than that of the ids. */
  clock: { sandbox: boolean; offsetMs: number }
  /** Only those before this one: where an earlier page ended. */
  before: string | null
}

export type MessagePage = {
  rows: ListedMessage[]
  /** Where the next page begins. `lookedBackTo` is set when this page ended before it was full. Null at the end. */
  next: { before: string; lookedBackTo: Date | null } | null
}

export const MESSAGES_PAGE = 50
/** No page looks through more: what most filters ask for has no index. */
export const MESSAGES_LOOKED_THROUGH_MOST = 10_000
/** Confirmations that one reference may name. */
const CONFIRMATIONS_MOST = 200

const COLUMNS = `m.id, m.kind, m.status, m.recipient, m.template_name as "templateName",
     m.template_language as "templateLanguage", m.confirmation_id as "confirmationId", m.check_kind as "check",
     m.purpose, m.created_at as "createdAt", m.sent_at as "sentAt", m.failure_code as "failureCode",
     (select s.phone from senders s where s.workspace_id = m.workspace_id and s.id = m.sender_id) as "senderPhone",
     coalesce(m.reference, (select c.reference from confirmations c
       where c.workspace_id = m.workspace_id and c.id = m.confirmation_id)) as reference`

/** $1 to $3 are the workspace, and the ids between which to look. */
const BETWEEN = 'm.workspace_id = $1 and m.id < $2 and m.id >= $3'

/** Parameters from the given place on: status, kind, template, sender, from, until. */
const filtersFrom = (first: number): string =>
  [
    ['text', 'm.status ='],
    ['text', 'm.kind ='],
    ['text', 'm.template_name ='],
    ['uuid', 'm.sender_id ='],
    ['timestamptz', 'm.created_at >='],
    ['timestamptz', 'm.created_at <'],
  ]
    .map(([type, holds], place) => `($${first + place}::${type} is null or ${holds} $${first + place})`)
    .join(' and ')

type End = { id: string; createdAt: Date }
type Listing = { page: Statement<ListedMessage>; end: Statement<End> }

/** The inner limit ends the reading whatever matches; the outer one ends it as soon as the page is full. */
const listing = (name: string, condition: string): Listing => ({
  page: statement(
    `list_${name}`,
    `select ${COLUMNS}
     from (
       select * from messages m where ${BETWEEN} ${condition}
       order by m.id desc limit ${MESSAGES_LOOKED_THROUGH_MOST}) m
     where ${filtersFrom(4)}
     order by m.id desc limit ${MESSAGES_PAGE + 1}`,
  ),
  end: statement(
    `end_of_${name}`,
    `select m.id, m.created_at as "createdAt" from messages m where ${BETWEEN} ${condition}
     order by m.id desc offset ${MESSAGES_LOOKED_THROUGH_MOST - 1} limit 1`,
  ),
})

const all = listing('messages', '')
/** Written out, so that the index of the failed ones serves. */
const failed = listing('failed_messages', `and m.status = 'failed'`)

const NEWEST = `order by m.id desc limit ${MESSAGES_LOOKED_THROUGH_MOST}`

/** No confirmation has a first message before the millisecond of its own id: ids of one millisecond have no order. */
const LAST_ID_OF_ITS_MILLISECOND = `(left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid`

/**
 * Each way by an index of its own. $4: an id, $5: the text, $6: numbers. Messages of conversations are found by their
 * customer's confirmations, so that they need no entry of their own in the index of recipients.
 */
const FOUND = `(select m.id from messages m where ${BETWEEN} and m.id = $4)
       union
       (select m.id from messages m where ${BETWEEN} and m.reference = $5 ${NEWEST})
       union
       (select m.id from unnest($6::text[]) as wanted (phone) cross join lateral (
          select m.id from messages m
          where ${BETWEEN} and m.confirmation_id is null and m.recipient = wanted.phone ${NEWEST}) m)
       union
       (select m.id from (
          (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
          union
          (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
           order by c.id desc limit ${CONFIRMATIONS_MOST})
          union
          (select c.id from senders s cross join unnest($6::text[]) as wanted (phone) cross join lateral (
             select c.id, c.workspace_id from confirmations c
             where c.sender_id = s.id and c.recipient = wanted.phone and c.id <= ${LAST_ID_OF_ITS_MILLISECOND}
             order by c.id desc limit ${MESSAGES_LOOKED_THROUGH_MOST}) c
           where s.workspace_id = $1 and c.workspace_id = $1
           order by c.id desc limit ${MESSAGES_LOOKED_THROUGH_MOST})) c
        cross join lateral (
          select * from messages m where m.confirmation_id = c.id order by m.id desc
          limit ${MESSAGES_LOOKED_THROUGH_MOST}) m
        where ${BETWEEN})
       union
       (select m.id from (select * from messages m where m.provider_message_id = $5 offset 0) m where ${BETWEEN})`

const LOOKED_THROUGH = `(select found.id from (${FOUND}) found order by found.id desc limit ${MESSAGES_LOOKED_THROUGH_MOST})`

const searched: Listing = {
  page: statement(
    'search_messages',
    `select ${COLUMNS}
     from ${LOOKED_THROUGH} found
     cross join lateral (select * from messages m where m.workspace_id = $1 and m.id = found.id limit 1) m
     where ${filtersFrom(7)}
     order by found.id desc limit ${MESSAGES_PAGE + 1}`,
  ),
  end: statement(
    'end_of_searched_messages',
    `select found.id, m.created_at as "createdAt"
     from (select id from ${LOOKED_THROUGH} found order by id desc offset ${MESSAGES_LOOKED_THROUGH_MOST - 1} limit 1) found
     cross join lateral (select m.created_at from messages m where m.workspace_id = $1 and m.id = found.id limit 1) m`,
  ),
}

/** Newest first. Ids rise with time, so that what comes in meanwhile neither hides nor repeats any. */
export async function listMessages(sql: Sql, filter: MessageFilter): Promise<MessagePage> {
  const { workspaceId, search, status, kind, template, senderId, from, until } = filter
  const { page, end } = search ? searched : status === 'failed' ? failed : all
  const between = [workspaceId, ...idsBetween(filter)]
  const filters = [status, kind, template, senderId, from, until]
  const meant = search ? [search.id, search.text, search.phones] : []
  const rows = await sql.rows(page, [...between, ...meant, ...filters])
  const last = rows[MESSAGES_PAGE - 1]
  if (last && rows.length > MESSAGES_PAGE) {
    return { rows: rows.slice(0, MESSAGES_PAGE), next: { before: last.id, lookedBackTo: null } }
  }
  const reached = await sql.row(end, [...between, ...meant])
  return { rows, next: reached ? { before: reached.id, lookedBackTo: reached.createdAt } : null }
}
