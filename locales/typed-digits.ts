/** A pattern: 0 to 9, and what the keyboards of Arabic, Persian and Urdu, Hindi and Nepali, and Bengali type for them. */
export const TYPED_DIGIT = String.raw`[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef]`

const ZEROS = ['\u0660', '\u06f0', '\u0966', '\u09e6']

/** The ten digits of a script follow its zero. */
const LATIN: ReadonlyMap<string, string> = new Map(
  ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, n) => [String.fromCharCode(zero.charCodeAt(0) + n), String(n)] as const),
  ),
)

const DIGITS = new RegExp(TYPED_DIGIT, 'g')

/** A number copied from a contact list may have invisible directional marks around it. */
export const plainNumber = (text: string): string =>
  withLatinDigits(text)
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()

export const withLatinDigits = (text: string): string => text.replaceAll(DIGITS, (digit) => LATIN.get(digit) ?? digit)
