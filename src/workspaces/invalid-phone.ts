import type { CodedText } from '../../locales/text.ts'
import { phonesMatching } from './searched-phones.ts'

/** Why a text is not a valid phone number. If it has a country code but no +, with the form to write. */
export function explainInvalidPhone(text: string): CodedText {
  const written = text.trim()
  if (written === '') return { code: 'http.must_not_be_empty' }
  const [phone] = phonesMatching(written, [])
  if (phone !== undefined) return { code: 'workspaces.phone_without_plus', phone, text: written }
  return { code: 'workspaces.phone_invalid', example: '+212612345678', text: written }
}
