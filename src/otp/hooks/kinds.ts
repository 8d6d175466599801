import { randomBytes } from 'node:crypto'
import { type SignatureCheck, headerCheck, standardWebhookCheck, zitadelCheck } from './signature.ts'

/** Where the body has the parts of a code: JSON Pointers (RFC 6901). */
export type Pointers = { phone: string; code: string; language: string }

/** The first pointer of a part that leads to a text counts. */
type Places = { [Part in keyof Pointers]: readonly string[] }

/** `http`: the status of the response. `body` is text for a product that shows the whole body. */
export type HookResponse = { http: number; body: object | string }

type Kind = {
  /** Undefined for a hook whose own pointers say it. */
  places?: Places
  signatureCheck(secret: string): SignatureCheck
  newSecret(): string
  /** Whether the product makes the secret when it gets the URL: then one that Doorcode made is of no use. */
  hasOwnSecret?: true
  accepted(messageId: string, body: unknown): HookResponse
  /** `sentence`: for the developer of the product; most products show it or write it to their log. */
  rejected(rejection: Rejection, body: unknown): HookResponse
}

/** `mayRetry`: it is not the request's fault, so the same one may be accepted later. */
export type Rejection = { status: number; code: string; sentence: string; mayRetry: boolean }

export const HOOK_KINDS = ['supabase', 'zitadel', 'logto', 'generic'] as const
export type HookKind = (typeof HOOK_KINDS)[number]

const SECRET_BYTES = 32
const newToken = (): string => randomBytes(SECRET_BYTES).toString('base64url')

/**
 * What each product sends, and which response it understands: docs/auth-hooks.md
 * Never a number of the account, such as Supabase's `/user/phone`: the code may be for another one, which the user adds.
 */
export const kinds: Readonly<Record<HookKind, Kind>> = {
  supabase: {
    places: {
      phone: ['/sms/phone'],
      code: ['/sms/otp'],
      language: ['/user/user_metadata/locale', '/user/user_metadata/language', '/user/user_metadata/lang'],
    },
    signatureCheck: standardWebhookCheck,
    newSecret: () => `v1,whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
    accepted: () => ({ http: 200, body: {} }),
    // With another status Supabase shows a sentence of its own, and tries again after 429 and 503.
    rejected: ({ status, sentence, mayRetry }) => ({
      http: mayRetry ? status : 200,
      body: { error: { http_code: status, message: sentence } },
    }),
  },
  zitadel: {
    places: {
      phone: ['/contextInfo/recipientPhoneNumber'],
      code: ['/args/code', '/args/oTP', '/args/otp'], // ZITADEL only makes the first letter of its names small: OTP
      language: ['/args/preferredLanguage', '/contextInfo/preferredLanguage'],
    },
    signatureCheck: zitadelCheck,
    newSecret: newToken,
    hasOwnSecret: true,
    accepted: (messageId) => ({ http: 200, body: { messageId } }),
    rejected: ({ status, code, sentence }) => ({ http: status, body: { code, message: sentence } }),
  },
  logto: {
    places: { phone: ['/to'], code: ['/payload/code'], language: ['/payload/locale', '/payload/uiLocales'] },
    signatureCheck: headerCheck,
    newSecret: newToken,
    accepted: (messageId) => ({ http: 200, body: { messageId } }),
    // Logto shows the whole body.
    rejected: ({ status, sentence }) => ({ http: status, body: sentence }),
  },
  generic: {
    signatureCheck: headerCheck,
    newSecret: newToken,
    accepted: (messageId, body) => ({ http: 200, body: isFromOkta(body) ? oktaSent(messageId) : { messageId } }),
    rejected: ({ status, code, sentence }, body) => ({
      http: status,
      body: isFromOkta(body)
        ? { error: { errorSummary: sentence, errorCauses: [{ errorSummary: sentence, reason: code }] } }
        : { code, message: sentence },
    }),
  },
}

export const DEFAULT_POINTERS: Pointers = { phone: '/to', code: '/code', language: '/language' }

export const placesOf = ({ kind, pointers }: { kind: HookKind; pointers: Pointers | null }): Places => {
  const { phone, code, language } = pointers ?? DEFAULT_POINTERS
  return kinds[kind].places ?? { phone: [phone], code: [code], language: [language] }
}

const isFromOkta = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'eventType' in body && body.eventType === 'com.okta.telephony.provider'

/** Okta takes any other body for a failure. */
const oktaSent = (messageId: string): object => ({
  commands: [
    {
      type: 'com.okta.telephony.action',
      value: [{ status: 'SUCCESSFUL', provider: 'Doorcode', transactionId: messageId }],
    },
  ],
})
