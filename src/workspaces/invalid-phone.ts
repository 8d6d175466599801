import type { CodedText } from '../../locales/text.ts'
import { phonesMatching } from './searched-phones.ts'

/** Why a text is no phone number, with the form that it can only mean: the text has a country code, but no +. */
export function phoneFault(text: string): CodedText {
  const written = text.trim()
  if (written === '') return { code: 'http.must_not_be_empty' }
  const [phone] = phonesMatching(written, [])
  if (phone !== undefined) return { code: 'workspaces.phone_without_plus', phone, text: written }
  return { code: 'workspaces.no_phone', example: '+212612345678', text: written }
}
