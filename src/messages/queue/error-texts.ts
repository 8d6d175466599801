/**
 * What the provider wrote about failed attempts may repeat the customer's values. Of these texts only our own title of a
 * known error is kept, without which `explain` would show only the number of the error.
 */

/** The code of a text whose words are not ours. */
const FREE_TEXT = `('words.quoted', 'text')`
/** A condition of a column `detail`. */
export const HAS_TEXT = `(detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ${FREE_TEXT})`

/** What is kept of such a detail. */
export const WITHOUT_TEXT = `case when detail #>> '{title,code}' not in ${FREE_TEXT} then detail -> 'title' end`
