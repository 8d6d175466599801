import { z } from 'zod'
import { type Day, addDays, startOfDay } from '../charts/days.ts'
import type { Sql } from '../lib/db/pool.ts'
import { isUuid } from '../lib/ids.ts'
import { type FailureCode, failureText } from '../providers/failure-codes.ts'
import type { Page } from '../lib/lists/list-pages.ts'
import { partOf } from '../lib/lists/search-part.ts'
import { phonesMatching } from '../lib/lists/searched-phones.ts'
import { asIssue } from '../../locales/text.ts'
import type { Membership } from './auth/members.ts'
import { dayInput, limitedText, orNull, trimmedText } from './inputs.ts'
import { listSenders } from '../accounts/senders.ts'

/** What the lists of messages and of confirmations share. */
export const listFilter = {
  /** A phone number in any common form, a reference or an id. */
  text: trimmedText(200).default(''),
  template: orNull(limitedText(512)),
  senderId: orNull(z.uuid(asIssue({ code: 'admin.messages_sender_id' }))),
  /** Days in the delivery time zone, inclusive. */
  from: dayInput.optional(),
  to: dayInput.optional(),
  cursor: orNull(z.uuid()),
}

type Filter = { workspaceId: string; text: string; cursor: string | null; from?: Day | undefined; to?: Day | undefined }

/** The part of a list's query that the shared filters give. */
export async function listQuery(
  sql: Sql,
  { timeZone, sandbox, clockOffsetMs }: Pick<Membership, 'timeZone' | 'sandbox' | 'clockOffsetMs'>,
  { workspaceId, text, cursor, from, to }: Filter,
) {
  const phones = text === '' ? [] : phonesMatching(text, await listOwnPhones(sql, workspaceId))
  return {
    // A reference may look like an id.
    search: text === '' ? null : { id: isUuid(text) ? text : null, text, phones, part: partOf(text, phones) },
    from: from === undefined ? null : startOfDay(from, timeZone),
    until: to === undefined ? null : startOfDay(addDays(to, 1), timeZone),
    clock: { sandbox, offsetMs: clockOffsetMs },
    before: cursor,
  }
}

export const listOwnPhones = async (sql: Sql, workspaceId: string): Promise<string[]> =>
  (await listSenders(sql, workspaceId)).map(({ phoneNumber }) => phoneNumber)

export const pageOf = <Row>({ rows, next }: Page<Row>) => ({
  rows,
  nextCursor: next?.before ?? null,
  searchedBackTo: next?.searchedBackTo ?? null,
})

export const failureOf = (code: FailureCode | null | undefined) => (code ? { code, text: failureText(code) } : null)
