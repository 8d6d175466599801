import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { storableText } from '../db.ts'
import { REASON_MOST } from './blocked.ts'
import { normalizePhone } from './phone.ts'
import { phonesMeantBy } from './searched-phones.ts'

/** A recipient as somebody wrote them down. */
export type WrittenRecipient = { phone: string; reason: string }

export type RecipientFault =
  | { fault: 'no_phone' }
  /** It is one when it begins with + and the country's code. What is meant, if only one number can be. */
  | { fault: 'not_international'; meant: string | null }
  | { fault: 'reason_too_long' }

export type ReadRecipient = { phone: string; reason: string | null } | RecipientFault

/** A number without its country is never guessed, but a guess is offered. */
export function readRecipient({ phone: text, reason }: WrittenRecipient, ownPhones: readonly string[]): ReadRecipient {
  const phone = normalizePhone(text)
  if (phone === undefined) return faultOf(text, ownPhones)
  const note = storableText(reason.trim())
  if (Array.from(note).length > REASON_MOST) return { fault: 'reason_too_long' }
  return { phone, reason: note === '' ? null : note }
}

function faultOf(text: string, ownPhones: readonly string[]): RecipientFault {
  const possible = phonesMeantBy(text, ownPhones)
  if (possible.length === 0) return { fault: 'no_phone' }
  const [meant, ...others] = possible.filter((each) => parsePhoneNumberFromString(each)?.isValid())
  return { fault: 'not_international', meant: others.length === 0 ? (meant ?? null) : null }
}
