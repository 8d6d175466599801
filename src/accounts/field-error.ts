import { type CodedText, chained } from '../../locales/text.ts'
import { type UserErrorCode, UserError } from '../lib/user-error.ts'

/** `field`: the form's field; null when the fault is in none of them. */
export type FieldFault = { field: string | null; message: CodedText }

/** An account or a template cannot be used with these values. Each fault says what is wrong and what to do. */
export class FieldError extends UserError {
  readonly faults: readonly FieldFault[]

  constructor(faults: readonly FieldFault[], code?: UserErrorCode) {
    const messages = faults.map(({ message }) => message)
    super(chained('words.space', messages), code)
    this.faults = faults
  }
}
