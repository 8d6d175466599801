import { type Sql, statement } from '../../lib/db/pool.ts'

/**
 * What the provider wrote about failed attempts may repeat the customer's values. Of these texts only our own title of a
 * known error is kept, without which `explain` would show only the number of the error.
 */
export async function removeErrorTexts(sql: Sql, messageIds: readonly string[]): Promise<void> {
  await sql.rows(removeTexts, [messageIds])
}

/** The code of a text whose words are not ours. */
const FREE_TEXT = `('words.quoted', 'text')`
/** A condition of a column `detail`. */
export const HAS_TEXT = `(detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ${FREE_TEXT})`

/** What is kept of such a detail. */
export const WITHOUT_TEXT = `case when detail #>> '{title,code}' not in ${FREE_TEXT} then detail -> 'title' end`

const removeTexts = statement(
  'remove_error_texts_of_attempts',
  `update message_attempts set detail = ${WITHOUT_TEXT}
   where message_id = any ($1::uuid[]) and ${HAS_TEXT}`,
)

/** A condition of `messages`. A limited look-up: for `exists` PostgreSQL may read all attempts. */
export const HAS_ERROR_TEXT = `coalesce((
  select true from message_attempts where message_id = messages.id and ${HAS_TEXT} limit 1), false)`
