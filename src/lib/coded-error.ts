import { inEnglish } from '../../locales/resources.ts'
import type { CodedText } from '../../locales/text.ts'

/** An error for people to read. `message` is English, for logs. */
export class CodedError extends Error {
  readonly text: CodedText

  constructor(text: CodedText) {
    super(inEnglish(text))
    this.name = new.target.name
    this.text = text
  }
}
