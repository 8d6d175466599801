import { phoneForms } from '../../../cod/conversation/customer.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { readOwner, sharesContacts } from '../../../providers/whatsapp/read.ts'
import { anyFormPattern } from './number-patterns.ts'

/** A recipient as a workspace knows them (docs/personal-data.md#how-a-person-is-identified). */
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
export const MAX_USER_IDS = 20

export async function findPerson(
  sql: Sql,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Promise<Person> {
  const phones = [...new Set([phone, ...phoneForms(phone)])]
  const rows = await sql.rows(selectUserIds, [workspaceId, phones])
  return { workspaceId, phones, userIds: rows.map(({ userId }) => userId) }
}

/**
 * The rows `c` of confirmations, or `m` of one-time codes, of a person: $1 is the workspace, $2 the numbers. Each number and sender is
 * a look-up by index with the limit. `and`: more conditions of the table, with this name.
 */
export function rowsOfPerson(
  table: 'confirmations' | 'messages',
  {
    select = 'id',
    and = '',
    order = 'order by id',
    limit,
  }: { select?: string; and?: string; order?: string; limit: number | string },
): string {
  const rows = (of: string, condition: string): string =>
    `cross join unnest($2::text[]) as phone (number)
     cross join lateral (
       select ${select} from ${table} ${of} where recipient = phone.number and ${condition} ${and}
       ${order} limit ${limit}) ${of}`
  return table === 'confirmations'
    ? `select c.* from senders s ${rows('c', 'sender_id = s.id')} where s.workspace_id = $1`
    : `select m.* from (select) one ${rows('m', 'workspace_id = $1 and confirmation_id is null')}`
}

const LATEST = { order: 'order by id desc', limit: MAX_ROWS_READ_FOR_USER_IDS }

const selectUserIds: Statement<{ userId: string }> = statement(
  'find_user_ids_of_recipient',
  `select distinct found.user_id as "userId" from (
     (${rowsOfPerson('confirmations', { ...LATEST, select: 'customer_user_id as user_id' })})
     union all
     (select substring(r.body from '"recipient_user_id":"([^"]+)"') from (${rowsOfPerson('messages', LATEST)}) m
      cross join lateral (
        select body from provider_reports p where p.message_id = m.id limit ${MAX_REPORTS_OF_MESSAGE}) r)) found
   where found.user_id is not null limit ${MAX_USER_IDS}`,
)

/** Rows that an unfinished erasure has erased no longer lead to all user ids of the person. */
export const withUserIds = (person: Person, userIds: readonly string[] = []): Person => ({
  ...person,
  userIds: [...new Set([...person.userIds, ...userIds])],
})

/** Adds user ids that reports contain, up to MAX_USER_IDS of a person. */
export function withLearnedUserIds(person: Person, userIds: readonly string[]): Person {
  const unknown = [...new Set(userIds)].filter((userId) => !person.userIds.includes(userId))
  return withUserIds(person, unknown.slice(0, Math.max(0, MAX_USER_IDS - person.userIds.length)))
}

const digitsOf = (phone: string): string => phone.replace(/\D/g, '')

const inLike = (text: string): string =>
  `%${JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\\%_]/g, String.raw`\$&`)}%`

/** For bodies of reports that contain the number or a user id anywhere. For "like any": a regular expression takes longer. */
export const mentionPatterns = ({ phones, userIds }: Person): string[] =>
  [...phones.map(digitsOf), ...userIds].map(inLike)

/** For bodies of reports of the person's own rows: the number is the sender's or the recipient's. For PostgreSQL. */
export const identityPattern = ({ phones }: Person): string =>
  `"(from|recipient_id)":"[+]?(${phones.map(digitsOf).join('|')})"`

/**
 * Defined if the report is this person's: they sent the message, or the status is about a message to them. What another
 * customer's message says about them is that customer's data. The user ids are those that come with the number.
 */
export function findOwned({ phones, userIds }: Person, body: string): { userIds: string[] } | undefined {
  const owner = readOwner(body)
  if (owner.waIds.some((waId) => phones.map(digitsOf).includes(waId))) return { userIds: owner.userIds }
  return owner.userIds.some((userId) => userIds.includes(userId)) ? { userIds: [] } : undefined
}

/** The body of another customer's message, with the pseudonym in place of the number and user ids in contact cards. */
export function maskContactCard({ phones, userIds }: Person, body: string, pseudonym: string): string {
  if (!sharesContacts(body)) return body // a text may also be the note of that customer's order
  const withoutNumber = body.replaceAll(new RegExp(`[+]?${anyFormPattern(phones)}`, 'g'), pseudonym)
  return userIds.reduce((text, userId) => text.replaceAll(`"${userId}"`, `"${pseudonym}"`), withoutNumber)
}

/** An entry of the audit log does not say whose data it was. */
export const ONE_RECIPIENT = '1 recipient'

/** Up to this many of each. */
export const MAX_COUNTED = 10_000

export type StoredCounts = {
  oneTimeCodes: number
  confirmations: number
  isBlocked: boolean
}

export async function countStored(sql: Sql, { workspaceId, phones }: Person): Promise<StoredCounts> {
  const held = await sql.row(selectHeld, [workspaceId, phones])
  return held ?? { oneTimeCodes: 0, confirmations: 0, isBlocked: false }
}

const COUNTED = { select: '1', order: '', limit: MAX_COUNTED }

const selectHeld: Statement<StoredCounts> = statement(
  'count_rows_of_recipient',
  `select
     (select count(*) from (${rowsOfPerson('messages', COUNTED)} limit ${MAX_COUNTED}) counted) as "oneTimeCodes",
     (select count(*) from (${rowsOfPerson('confirmations', COUNTED)} limit ${MAX_COUNTED}) counted) as confirmations,
     exists (select from blocked_recipients where workspace_id = $1 and phone = any ($2)) as "isBlocked"`,
)
