import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** What people write between digits. */
const SEPARATORS = '[ ./()\u00A0\u202F\u2011-]{0,3}'
/** A shorter national number is found only with its country code: the same digits could be anything else. */
const MIN_NATIONAL_DIGITS = 7

/** For texts that contain any number. A number with + or 00 may have separators: other groups of digits are rarely numbers. */
export const ANY_NUMBER = `(?:[+]|(?<![0-9])00)(?:${SEPARATORS}[0-9]){7,15}(?![0-9])|(?<![0-9])[0-9]{7,15}(?![0-9])`

const separated = (digits: string): string => digits.split('').join(SEPARATORS)

/** Matches none inside a longer number. For PostgreSQL and JavaScript. */
const anyOf = (patterns: readonly string[]): string => `(?<![0-9])(?:${[...new Set(patterns)].join('|')})(?![0-9])`

/** For texts that contain one of the E.164 numbers, also twice in a row: with 00 or without, and with separators. */
export const internationalPattern = (phones: readonly string[]): string => anyOf(phones.flatMap(internationalForms))

/** Also matches numbers as dialled within the country. Only for the person's texts: elsewhere it could be another country's number. */
export const anyFormPattern = (phones: readonly string[]): string =>
  anyOf(phones.flatMap((phone) => [...internationalForms(phone), ...nationalForms(phone)]))

function internationalForms(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone)
  const plain = `(?:00${SEPARATORS})?${separated(phone.replaceAll(/\D/g, ''))}`
  if (!parsed) return [plain]
  const { countryCallingCode, nationalNumber } = parsed
  // +212 (0)6…
  const withZero = `(?:00${SEPARATORS})?${separated(`${countryCallingCode}0${nationalNumber}`)}`
  return [plain, withZero]
}

/** Bare, with the usual 0, and as the country writes it: a Russian number begins with 8, an Argentine mobile number contains 15. */
function nationalForms(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone)
  const national = parsed?.nationalNumber ?? ''
  if (!parsed || national.length < MIN_NATIONAL_DIGITS) return []
  return [national, `0${national}`, parsed.formatNational().replaceAll(/\D/g, '')].map(separated)
}
