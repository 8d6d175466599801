import { phoneForms } from '../cod/conversation/customer.ts'
import { type Sql, type Statement, statement } from '../db/pool.ts'

/** A recipient as a workspace knows them (docs/recipients.md#how-a-person-is-identified). */
export type Person = {
  workspaceId: string
  /** E.164: the number, and its other forms for WhatsApp. */
  phones: readonly string[]
  /** Assigned by the provider. */
  userIds: readonly string[]
}

/** Newest first: a person has one user id, or a few after years. */
const MAX_ROWS_READ_FOR_USER_IDS = 200
const MAX_REPORTS_OF_MESSAGE = 10
const MAX_USER_IDS = 20

export async function findPerson(
  sql: Sql,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Promise<Person> {
  const phones = [...new Set([phone, ...phoneForms(phone)])]
  const rows = await sql.rows(selectUserIds, [workspaceId, phones])
  return { workspaceId, phones, userIds: rows.map(({ userId }) => userId) }
}

const selectUserIds: Statement<{ userId: string }> = statement(
  'find_user_ids_of_recipient',
  `select distinct found.user_id as "userId" from (
     (select c.customer_user_id as user_id from senders s cross join unnest($2::text[]) as phone (number)
      cross join lateral (
        select customer_user_id from confirmations where recipient = phone.number and sender_id = s.id
        order by id desc limit ${MAX_ROWS_READ_FOR_USER_IDS}) c
      where s.workspace_id = $1)
     union all
     (select substring(r.body from '"recipient_user_id":"([^"]+)"') from unnest($2::text[]) as phone (number)
      cross join lateral (
        select id from messages where workspace_id = $1 and recipient = phone.number and confirmation_id is null
        order by id desc limit ${MAX_ROWS_READ_FOR_USER_IDS}) m
      cross join lateral (
        select body from provider_reports p where p.message_id = m.id limit ${MAX_REPORTS_OF_MESSAGE}) r)) found
   where found.user_id is not null limit ${MAX_USER_IDS}`,
)

/** Rows that an unfinished erasure has erased no longer lead to all user ids of the person. */
export const withUserIds = (person: Person, userIds: readonly string[] = []): Person => ({
  ...person,
  userIds: [...new Set([...person.userIds, ...userIds])],
})

const digitsOf = (phone: string): string => phone.replace(/\D/g, '')

const anyOf = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/[.*+?^${}()|[\]\\-]/g, String.raw`\$&`)).join('|')

/** For texts that contain the number, also twice in a row. For PostgreSQL and JavaScript. */
export const numberPattern = ({ phones }: Person): string => `(?<![0-9])(?:${anyOf(phones.map(digitsOf))})(?![0-9])`

/**
 * For bodies of reports whose customer is this person. Another customer's text may contain the number: it is that customer's
 * data, and stays.
 */
export const identityPattern = ({ phones, userIds }: Person): string =>
  `"(from|recipient_id|wa_id|from_user_id|recipient_user_id|user_id)":"[+]?(${anyOf([...phones.map(digitsOf), ...userIds])})"`

/** An entry of the audit log does not say whose data it was. */
export const ONE_RECIPIENT = '1 recipient'

/** Up to this many of each. */
export const MAX_COUNTED = 10_000

export type HeldCounts = {
  oneTimeCodes: number
  confirmations: number
  isBlocked: boolean
}

export async function countHeld(sql: Sql, { workspaceId, phones }: Person): Promise<HeldCounts> {
  const held = await sql.row(selectHeld, [workspaceId, phones])
  return held ?? { oneTimeCodes: 0, confirmations: 0, isBlocked: false }
}

const selectHeld: Statement<HeldCounts> = statement(
  'count_rows_of_recipient',
  `select
     (select count(*) from (
        select 1 from unnest($2::text[]) as phone (number) cross join lateral (
          select 1 from messages where workspace_id = $1 and recipient = phone.number and confirmation_id is null
          limit ${MAX_COUNTED}) m limit ${MAX_COUNTED}) counted) as "oneTimeCodes",
     (select count(*) from (
        select 1 from senders s cross join unnest($2::text[]) as phone (number) cross join lateral (
          select 1 from confirmations where recipient = phone.number and sender_id = s.id limit ${MAX_COUNTED}) c
        where s.workspace_id = $1 limit ${MAX_COUNTED}) counted) as confirmations,
     exists (select from blocked_recipients where workspace_id = $1 and phone = any ($2)) as "isBlocked"`,
)
