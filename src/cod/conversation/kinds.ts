import { type TextValue, plainText } from '../../../locales/text.ts'

/** The provider's names for what a customer can send instead of text. */
const KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'reaction'] as const

export function kindText(kind: string): TextValue {
  const known = KINDS.find((each) => each === kind)
  return known ? plainText(`cod.kind_${known}`) : kind
}
