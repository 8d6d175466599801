import type { FailureCode } from './provider.ts'

/** What a caller reads as `failure.message` (contract §6): our own words, safe to show, naming who must act. */
export const failures = {
  RECIPIENT_UNREACHABLE: {
    message:
      'WhatsApp could not deliver to this number: it may have no WhatsApp account, an outdated app, or terms that were not accepted. Check the number with the recipient or use another channel.',
  },
  RECIPIENT_NOT_ALLOWED: {
    message:
      'WhatsApp does not let this sender write to this recipient: the recipient blocked or opted out of it, is not on the test number’s list, or is in a country that the account may not write to. Do not repeat it; the operator checks the sender’s restrictions in WhatsApp Manager.',
  },
  RECIPIENT_RATE_LIMITED: {
    message: 'This recipient has had too many messages lately. The caller waits before sending to this number again.',
  },
  SENDER_RATE_LIMITED: {
    message:
      'The sender reached a sending limit of WhatsApp. The caller spreads messages over time or uses another sender; the operator checks the number’s limits and quality in WhatsApp Manager.',
  },
  SENDER_UNAVAILABLE: {
    message:
      'The sender’s number or its WhatsApp account cannot send at present. The operator checks registration, payment method and restrictions in WhatsApp Manager.',
  },
  PROVIDER_CREDENTIALS_INVALID: {
    message:
      'WhatsApp refused the account’s access token or its permissions. The operator connects the account again with a working token.',
  },
  TEMPLATE_NOT_FOUND: {
    message:
      'WhatsApp has no approved template of this name in exactly this language. The operator checks the template in WhatsApp Manager and syncs the account.',
  },
  TEMPLATE_PAUSED: {
    message:
      'WhatsApp paused the template or held this message back for its quality. The operator checks the template in WhatsApp Manager; until then the caller uses another template.',
  },
  TEMPLATE_DISABLED: {
    message: 'WhatsApp disabled the template. The operator creates another one, and the caller uses that.',
  },
  TEMPLATE_PARAMETERS_REJECTED: {
    message:
      'WhatsApp refused the values for the template. The operator syncs the account; if that does not help, the template in WhatsApp Manager is not of the form that Doorcode read.',
  },
  POLICY_VIOLATION: {
    message:
      'WhatsApp restricted this account or content for its policies. The operator reads the notice in WhatsApp Manager and appeals or waits until the restriction ends.',
  },
  WINDOW_CLOSED: {
    message: 'More than 24 hours have passed since the recipient’s last message. The caller sends a template instead.',
  },
  PROVIDER_UNAVAILABLE: {
    message: 'WhatsApp was not available until the time to send had passed. The caller sends again.',
  },
  SUBMISSION_EXPIRED: {
    message: 'The message could not be handed to WhatsApp in the time allowed for it. The caller sends again.',
  },
  UNKNOWN: {
    message:
      'WhatsApp refused the message and gave no reason that Doorcode knows. The operator finds WhatsApp’s code with "explain".',
  },
} as const satisfies Record<FailureCode, { message: string }>
