import { type CodedText, plainText } from '../../locales/text.ts'

type Row = {
  owner: 'client' | 'operator'
  /**
   * Whether a backend should use another channel, such as SMS (docs/otp.md#fallback). yes: now, because WhatsApp will not take
   * the message soon · later: if the recipient still waits after another message, or did not get this one · no: send nothing.
   */
  anotherChannel: 'yes' | 'later' | 'no'
  cause: string
  fix: string
}

/** The source of the pages under /problems and the OpenAPI document; a test compares docs/failure-codes.md with it. */
export const failureCodes = {
  RECIPIENT_UNREACHABLE: {
    owner: 'client',
    anotherChannel: 'yes',
    cause:
      'WhatsApp could not deliver to this number. The number may have no WhatsApp account, the recipient may have an outdated app or may not have accepted WhatsApp’s terms, or the number may be part of a WhatsApp experiment.',
    fix: 'Check the number with the recipient, or use another channel.',
  },
  RECIPIENT_NOT_ALLOWED: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause:
      'WhatsApp does not let this sender write to this recipient. The business has blocked the recipient, or the recipient opted out of the business’s marketing, is the sender itself, has a changed identity, is not on the test number’s list, or is in a country that the account may not write to.',
    fix: 'Do not repeat the request. The operator finds the reason with `npm run -s doorcode -- explain <id>`, and checks blocked users and restrictions in WhatsApp Manager.',
  },
  RECIPIENT_RATE_LIMITED: {
    owner: 'client',
    anotherChannel: 'yes',
    cause: 'This recipient has received too many messages recently.',
    fix: 'Wait before you send to this number again.',
  },
  SENDER_RATE_LIMITED: {
    owner: 'client',
    anotherChannel: 'yes',
    cause: 'The sender reached one of WhatsApp’s sending limits.',
    fix: 'Spread messages over time or use another sender, and send again. The operator checks the number’s limits and quality in WhatsApp Manager.',
  },
  SENDER_UNAVAILABLE: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'The sender’s number or its WhatsApp account currently cannot send.',
    fix: 'Check the number’s registration, display name, payment method and restrictions in WhatsApp Manager.',
  },
  PROVIDER_CREDENTIALS_INVALID: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'WhatsApp rejected the account’s access token, or the token lacks a permission.',
    fix: 'Connect the account again with a working token: on the Senders page, or with `npm run -s doorcode -- account connect`.',
  },
  TEMPLATE_NOT_FOUND: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'WhatsApp has no approved template with this name in exactly this language.',
    fix: 'Check the template’s name, language and approval in WhatsApp Manager. Then sync the account: on the Senders page, or with `npm run -s doorcode -- account sync <accountId>`.',
  },
  TEMPLATE_PAUSED: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause:
      'WhatsApp is not sending this template at present, or held this message back: the template is paused, or its quality or health is poor.',
    fix: 'Check the template in WhatsApp Manager. Until WhatsApp sends it again, your backend must use another template.',
  },
  TEMPLATE_DISABLED: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'WhatsApp disabled the template.',
    fix: 'Create another template. Your backend must use that one.',
  },
  TEMPLATE_PARAMETERS_REJECTED: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'WhatsApp rejected the template’s parameter values.',
    fix: 'Sync the account: on the Senders page, or with `npm run -s doorcode -- account sync <accountId>`. If that does not help, the template in WhatsApp Manager differs from the one that Doorcode read.',
  },
  POLICY_VIOLATION: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'WhatsApp restricted this account or its content for violating a policy.',
    fix: 'Read the notice in WhatsApp Manager, and appeal or wait until the restriction ends.',
  },
  WINDOW_CLOSED: {
    owner: 'client',
    anotherChannel: 'later',
    cause: 'More than 24 hours have passed since the recipient’s last message.',
    fix: 'Send a template instead.',
  },
  PROVIDER_UNAVAILABLE: {
    owner: 'client',
    anotherChannel: 'later',
    cause:
      'WhatsApp failed, could not be reached, or never reported what happened to the message. In the last case the message may have arrived.',
    fix: 'Send the message again if the recipient has not received it.',
  },
  SUBMISSION_EXPIRED: {
    owner: 'client',
    anotherChannel: 'later',
    cause:
      'The message could not be submitted to WhatsApp before its submission window closed: 10 minutes for a one-time code, 24 hours for any other message.',
    fix: 'Send again.',
  },
  RECIPIENT_ERASED: {
    owner: 'client',
    anotherChannel: 'no',
    cause:
      'The recipient’s data was erased while the message waited to be sent or the conversation was running. Nothing more is sent.',
    fix: 'Do not repeat the request, unless the recipient asks for it.',
  },
  UNKNOWN: {
    owner: 'operator',
    anotherChannel: 'yes',
    cause: 'The message was not delivered, for a reason that has no failure code.',
    fix: 'Find the reason with `npm run -s doorcode -- explain <id>`.',
  },
} as const satisfies Record<string, Row>

export type FailureCode = keyof typeof failureCodes

export const isFailureCode = (text: string): text is FailureCode => Object.hasOwn(failureCodes, text)
export const FAILURE_CODES = Object.keys(failureCodes).filter(isFailureCode)

/** The `failure.message` of the API: safe to show, and names who must act. */
export const failureText = (code: FailureCode): CodedText =>
  plainText(`failures.${code.toLowerCase() as Lowercase<FailureCode>}`)
