import type { CodedText } from '../../../locales/text.ts'
import { phonesMatching } from '../lists/searched-phones.ts'
import { withLatinDigits } from '../../../locales/typed-digits.ts'

/**
 * Why a text is not a valid phone number, with the form to write if it begins with 00. Any other digits could be a national
 * number, which with a + is the number of another person in another country.
 */
export function explainInvalidPhone(text: string): CodedText {
  const written = text.trim()
  if (written === '') return { code: 'http.must_not_be_empty' }
  const [phone] = withLatinDigits(written).startsWith('00') ? phonesMatching(written, []) : []
  if (phone !== undefined) return { code: 'workspaces.phone_without_plus', phone, text: written }
  return { code: 'workspaces.phone_invalid', example: '+212612345678', text: written }
}
