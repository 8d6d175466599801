import { withLatinDigits } from '../../../locales/typed-digits.ts'

/** Parts of leaked passwords of twelve or more characters, without spaces, and with letters in place of digits and signs. */
const COMMON_PARTS = [
  'administrator bienvenue changeme chocolate computer dashboard default doorcode dragon',
  'football iloveyou jetaime letmein login master michael monkey monmotdepasse',
  'motdepasse mynameis passphrase password passwort passwd princess qazwsx secret',
  'shadow soleil starwars sunshine superman test trustno user welcome whatsapp',
  'admin hello bonjour maroc pass root كلمةالسر كلمةالمرور مرحبا محمد',
].flatMap((line) => line.split(' '))

/** Rows of keyboards, the alphabet and the digits: every piece of them, in both directions, is common. */
const ROWS = [
  'qwertyuiop asdfghjkl zxcvbnm azertyuiop qsdfghjklm wxcvbn abcdefghijklmnopqrstuvwxyz',
  '01234567890 1qaz2wsx3edc4rfv5tgb6yhn7ujm 1q2w3e4r5t6y7u8i9o0p 1a2z3e4r5t6y7u8i9o0p',
].flatMap((line) => line.split(' '))
const PIECE = 4

const PIECES = new Set(
  ROWS.flatMap((row) => [row, row.split('').toReversed().join('')]).flatMap((row) =>
    Array.from({ length: row.length - PIECE + 1 }, (_, at) => row.slice(at, at + PIECE)),
  ),
)

const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** A password with fewer is a repeated short word. */
const MIN_DIFFERENT_CHARACTERS = 5
/** Letters outside common parts. With fewer, it is a short name before "123456789". */
const MIN_OWN_LETTERS = 6

/** Whether attackers would try the password early: it consists of common words and sequences, with little else. */
export function isCommonPassword(password: string): boolean {
  const typed = withLatinDigits(password.normalize('NFKC'))
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]/gu, '')
  if (new Set(typed).size < MIN_DIFFERENT_CHARACTERS) return true
  const own = withoutCommonParts(typed)
  return own !== typed && (own.match(/\p{L}/gu) ?? []).length < MIN_OWN_LETTERS
}

function withoutCommonParts(typed: string): string {
  const asLetters = typed.replaceAll(/./gu, (each) => LETTERS[each] ?? each)
  // In place: a request may have a megabyte here.
  const own = typed.split('')
  const blank = (at: number, length: number): unknown => own.fill(' ', at, at + length)
  for (const part of COMMON_PARTS)
    for (let at = asLetters.indexOf(part); at >= 0; at = asLetters.indexOf(part, at + 1)) blank(at, part.length)
  for (let at = 0; at < typed.length; at += 1) if (PIECES.has(typed.slice(at, at + PIECE))) blank(at, PIECE)
  return own.join('')
}
