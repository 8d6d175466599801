import { CodedError } from './coded-error.ts'
import type { ApiErrorCode } from './errors.ts'
import type { CodedText } from '../../locales/text.ts'

/** For programs that run the command. */
export type UserErrorCode = Extract<
  ApiErrorCode,
  | 'API_KEY_INVALID'
  | 'EVENT_NOT_FOUND'
  | 'NOT_FOUND'
  | 'COD_NOT_CONFIGURED'
  | 'SERVICE_UNAVAILABLE'
  | 'DEVELOPER_INVALID_INPUT'
>

/** A command that cannot be carried out. The text says what is wrong and what to do. */
export class UserError extends CodedError {
  readonly code: UserErrorCode

  constructor(text: CodedText, code: UserErrorCode = 'DEVELOPER_INVALID_INPUT') {
    super(text)
    this.code = code
  }
}
