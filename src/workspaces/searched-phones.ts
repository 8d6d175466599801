import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { normalizePhone } from './phone.ts'

/** What people write between the digits of a number. */
const LOOKS_LIKE_A_PHONE = /^[+\d\s().\-/\u00a0\u2011\u200e\u200f\u202a-\u202c\u2066-\u2069]{5,40}$/u

/**
 * The E.164 numbers that a searched text may mean: with + or 00 in front, with the country's code alone, or as it is
 * dialled in the country of one of our own numbers. Empty when it is no number.
 */
export function phonesMeantBy(text: string, ownPhones: readonly string[]): string[] {
  const plain = withLatinDigits(text).trim()
  if (!LOOKS_LIKE_A_PHONE.test(plain)) return []
  const digits = plain.replaceAll(/\D/g, '')
  if (plain.includes('+')) return meant([`+${digits}`])
  if (digits.startsWith('00')) return meant([`+${digits.slice(2)}`])
  return meant([`+${digits}`, ...callingCodesOf(ownPhones).map((code) => asDialledWithin(digits, code))])
}

const meant = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.flatMap((each) => (each && normalizePhone(each)) ?? [])),
]

/** Arabic-Indic and Persian digits are in blocks that begin with their zero. */
const withLatinDigits = (text: string): string =>
  text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))

const callingCodesOf = (phones: readonly string[]): string[] => [
  ...new Set(phones.flatMap((phone) => parsePhoneNumberFromString(phone)?.countryCallingCode ?? [])),
]

const asDialledWithin = (digits: string, defaultCallingCode: string): string | undefined =>
  parsePhoneNumberFromString(digits, { defaultCallingCode, extract: false })?.number
