import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

/**
 * The E.164 form; undefined unless the text is a phone number and nothing else, with a leading + and a length that its
 * country's plan knows (contract §2). Fictional and newly allotted ranges pass: the provider judges the rest.
 */
export function normalizePhone(text: string): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('+')) return undefined
  const phone = parsePhoneNumberFromString(trimmed, { extract: false })
  if (!phone || phone.ext || !phone.isPossible()) return undefined
  return phone.number === trimmed || isStable(phone.number) ? phone.number : undefined
}

/** A number of zeros loses one each time it is read; what has no form to keep is no number. */
const isStable = (number: string): boolean => normalizePhone(number) === number
