import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { normalizePhone } from '../phone/phone.ts'
import { withLatinDigits } from '../../../locales/typed-digits.ts'

/** Digits and the characters that people write between them. */
const LOOKS_LIKE_A_PART = /^[+\d\s().\-/\u2011\p{Bidi_Control}]{1,40}$/u
const MIN_PHONE_CHARACTERS = 5

/**
 * The E.164 numbers that a search text may mean: written with + or 00, with only the country code, or as dialled in the
 * country of one of the workspace's own numbers. Empty when the text is not a number.
 */
export const phonesMatching = (text: string, ownPhones: readonly string[]): string[] =>
  phonesDialled(text, callingCodesOf(ownPhones))

/** The same for the countries with these calling codes. */
export function phonesDialled(text: string, callingCodes: readonly string[]): string[] {
  const latin = withLatinDigits(text).trim()
  if (latin.length < MIN_PHONE_CHARACTERS || !LOOKS_LIKE_A_PART.test(latin)) return []
  const digits = latin.replaceAll(/\D/g, '')
  if (latin.includes('+')) return candidates([`+${digits}`])
  if (digits.startsWith('00')) return candidates([`+${digits.slice(2)}`])
  return candidates([`+${digits}`, ...callingCodes.map((code) => asDialledWithin(digits, code))])
}

/** The only real number that a text without + and country code can mean. */
export function onlyMeaning(text: string, callingCodes: readonly string[]): string | undefined {
  const [phone, ...others] = phonesDialled(text, callingCodes).filter((each) =>
    parsePhoneNumberFromString(each)?.isValid(),
  )
  return others.length === 0 ? phone : undefined
}

/** Fewer match too many numbers to be of use. */
const MIN_PART_DIGITS = 3

/**
 * The digits of a part of a number, to find inside E.164 numbers: without the leading zeros of a dialled number. Null
 * when the text is no part of a number.
 */
export function partOfPhone(text: string): string | null {
  const latin = withLatinDigits(text).trim()
  if (!LOOKS_LIKE_A_PART.test(latin)) return null
  const digits = latin.replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits.length < MIN_PART_DIGITS ? null : digits
}

const candidates = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.flatMap((each) => (each && normalizePhone(each)) ?? [])),
]

export const callingCodesOf = (phones: readonly string[]): string[] => [
  ...new Set(phones.flatMap((phone) => parsePhoneNumberFromString(phone)?.countryCallingCode ?? [])),
]

const asDialledWithin = (digits: string, defaultCallingCode: string): string | undefined =>
  parsePhoneNumberFromString(digits, { defaultCallingCode, extract: false })?.number
