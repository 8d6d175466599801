/** Zero in the scripts of Arabic; Persian and Urdu; Hindi and Nepali; and Bengali. The other nine digits of a script follow it. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6]

const escapeOf = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`

/** A pattern: 0 to 9, and what keyboards of these scripts type for them. */
export const TYPED_DIGIT = `[0-9${ZEROS.map((zero) => `${escapeOf(zero)}-${escapeOf(zero + 9)}`).join('')}]`

const LATIN: ReadonlyMap<string, string> = new Map(
  ZEROS.flatMap((zero) => Array.from({ length: 10 }, (_, n) => [String.fromCharCode(zero + n), String(n)] as const)),
)

const DIGITS = new RegExp(TYPED_DIGIT, 'g')

/** A number copied from a contact list may have invisible directional marks around it. */
export const plainNumber = (text: string): string =>
  withLatinDigits(text)
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()

export const withLatinDigits = (text: string): string => text.replaceAll(DIGITS, (digit) => LATIN.get(digit) ?? digit)
