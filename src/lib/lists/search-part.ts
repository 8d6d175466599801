import { isUuid } from '../ids.ts'
import { MIN_PART_CHARACTERS } from './min-part-characters.ts'
import { partOfPhone } from './searched-phones.ts'

/** What a text may be a part of. Null: it cannot be a part of one. */
export type SearchPart = { phone: string | null; reference: string | null; id: string | null }

/** Ids are hexadecimal, so a few digits occur in many of them. */
const MIN_ID_CHARACTERS = 6

/** Returns null for a whole id or a whole number with its country code. `phones`: the numbers that the text may mean. */
export function partOf(text: string, phones: readonly string[]): SearchPart | null {
  if (isUuid(text) || (phones.length > 0 && /^(\+|00)/.test(text))) return null
  const lower = text.toLowerCase()
  return {
    phone: partOfPhone(text),
    reference: text.length >= MIN_PART_CHARACTERS ? text : null,
    id: text.length >= MIN_ID_CHARACTERS && /^[0-9a-f-]+$/.test(lower) ? lower : null,
  }
}

/** For `like`: of a number, of a reference in the case as typed, of an id. */
export const patternsOf = ({ phone, reference, id }: SearchPart): (string | null)[] =>
  [phone, reference, id].map((text) => text && `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
