import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { storableText } from '../lib/db/pool.ts'
import { MAX_REASON_LENGTH } from './blocked.ts'
import { normalizePhone } from '../lib/phone/phone.ts'
import { phonesMatching } from '../lib/lists/searched-phones.ts'

/** A recipient as a person typed it. */
export type RecipientInput = { phone: string; reason: string }

export type RecipientFault =
  | { fault: 'no_phone' }
  /** Lacks + and the country code. `suggestion`: the number that it can only mean, if there is exactly one. */
  | { fault: 'not_international'; suggestion: string | null }
  | { fault: 'reason_too_long' }

export type ReadRecipient = { phone: string; reason: string | null } | RecipientFault

/** A number without a country code is rejected, with a suggestion. */
export function readRecipient({ phone: text, reason }: RecipientInput, ownPhones: readonly string[]): ReadRecipient {
  const phone = normalizePhone(text)
  if (phone === undefined) return phoneFault(text, ownPhones)
  const note = storableText(reason.trim())
  if (Array.from(note).length > MAX_REASON_LENGTH) return { fault: 'reason_too_long' }
  return { phone, reason: note === '' ? null : note }
}

function phoneFault(text: string, ownPhones: readonly string[]): RecipientFault {
  const candidates = phonesMatching(text, ownPhones)
  if (candidates.length === 0) return { fault: 'no_phone' }
  const [suggestion, ...others] = candidates.filter((each) => parsePhoneNumberFromString(each)?.isValid())
  return { fault: 'not_international', suggestion: others.length === 0 ? (suggestion ?? null) : null }
}
