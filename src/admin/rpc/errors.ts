import { TRPCError } from '@trpc/server'
import { inEnglish } from '../../../locales/resources.ts'
import { type CodedText, type PlainCode, plainText } from '../../../locales/text.ts'

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

type ResourceOf<Code> = Code extends `admin.missing_${infer Resource}` ? Resource : never
type Resource = ResourceOf<PlainCode>

/** The resource, if there is one. Another workspace's resource gets the same answer as a missing one. */
export function found<Value>(value: Value | undefined | null | false, resource: Resource): Value {
  if (value) return value
  throw new CallError('NOT_FOUND', plainText(`admin.missing_${resource}`))
}
