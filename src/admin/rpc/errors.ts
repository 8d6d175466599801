import { TRPCError } from '@trpc/server'
import { inEnglish } from '../../../locales/resources.ts'
import type { CodedText } from '../../../locales/text.ts'

/** A rejected call, with a text that the page shows in its language. */
export class CallError extends TRPCError {
  readonly text: CodedText

  constructor(code: TRPCError['code'], text: CodedText, cause?: unknown) {
    super({ code, message: inEnglish(text), cause })
    this.text = text
  }
}

/** An error that a form shows next to the field. */
export type InputFault = { path: string; text: CodedText }
