import { type CodedText, chained, plainText } from '../../locales/text.ts'

type Row = {
  owner: 'client' | 'operator'
  /**
   * Whether a backend should use another channel, such as SMS (docs/otp.md#fallback). yes: now, because WhatsApp will not take
   * the message soon · later: if the recipient still waits after another message, or did not get this one · no: send nothing.
   */
  anotherChannel: 'yes' | 'later' | 'no'
}

/** The source of the pages under /problems and the OpenAPI document, with the texts of `failures`; a test compares docs/failure-codes.md with it. */
export const failureCodes = {
  RECIPIENT_UNREACHABLE: { owner: 'client', anotherChannel: 'yes' },
  RECIPIENT_NOT_ALLOWED: { owner: 'operator', anotherChannel: 'yes' },
  RECIPIENT_RATE_LIMITED: { owner: 'client', anotherChannel: 'yes' },
  SENDER_RATE_LIMITED: { owner: 'client', anotherChannel: 'yes' },
  SENDER_UNAVAILABLE: { owner: 'operator', anotherChannel: 'yes' },
  PROVIDER_CREDENTIALS_INVALID: { owner: 'operator', anotherChannel: 'yes' },
  TEMPLATE_NOT_FOUND: { owner: 'operator', anotherChannel: 'yes' },
  TEMPLATE_PAUSED: { owner: 'operator', anotherChannel: 'yes' },
  TEMPLATE_DISABLED: { owner: 'operator', anotherChannel: 'yes' },
  TEMPLATE_PARAMETERS_REJECTED: { owner: 'operator', anotherChannel: 'yes' },
  POLICY_VIOLATION: { owner: 'operator', anotherChannel: 'yes' },
  WINDOW_CLOSED: { owner: 'client', anotherChannel: 'later' },
  PROVIDER_UNAVAILABLE: { owner: 'client', anotherChannel: 'later' },
  SUBMISSION_EXPIRED: { owner: 'client', anotherChannel: 'later' },
  RECIPIENT_ERASED: { owner: 'client', anotherChannel: 'no' },
  UNKNOWN: { owner: 'operator', anotherChannel: 'yes' },
} as const satisfies Record<string, Row>

export type FailureCode = keyof typeof failureCodes

export const isFailureCode = (text: string): text is FailureCode => Object.hasOwn(failureCodes, text)
export const FAILURE_CODES = Object.keys(failureCodes).filter(isFailureCode)

/** `short`: a title · `cause`: why it happens · `fix`: what to do, and who must do it. */
export const failurePart = (code: FailureCode, part: 'short' | 'cause' | 'fix'): CodedText =>
  plainText(`failures.${code.toLowerCase() as Lowercase<FailureCode>}_${part}`)

/** The `failure.message` of the API: safe to show, and names who must act. */
export const failureText = (code: FailureCode): CodedText =>
  chained('words.space', [failurePart(code, 'cause'), failurePart(code, 'fix')])
