import { z } from 'zod'
import {
  MAX_REFERENCE_LENGTH,
  boundedText,
  idempotentRequestOf,
  idempotencyHeaders,
  integer,
  sendFields,
  uuid,
} from '../../lib/http/fields.ts'
import { TYPED_DIGIT, withLatinDigits } from '../../../locales/typed-digits.ts'
import { type Route, noBody, noHeaders, noParams, noQuery, route } from '../../lib/http/route.ts'
import type { Parts } from '../../runtime/parts.ts'
import { asIssue } from '../../../locales/text.ts'
import { deliverWithinSeconds, messageId, otpReference } from '../view.ts'
import type { CodeParts } from '../code-message.ts'
import { createVerificationAcceptor } from './accept.ts'
import { createChecker } from './check.ts'
import { notFound } from './errors.ts'
import { createResendAcceptor } from './resend.ts'
import {
  attemptsLeftSchema,
  findVerification,
  verificationId,
  verificationSchema,
  verificationStatus,
  verificationView,
} from './view.ts'

export const CODE_LENGTH = { min: 4, max: 8, unset: 6 } as const
export const TTL_SECONDS = { min: 60, max: 900, unset: 600 } as const
export const MAX_ATTEMPTS = { min: 1, max: 10, unset: 5 } as const

const MUST_BE_OBJECT = { error: asIssue({ code: 'http.must_be_object' }) }

export const verificationBody = z.strictObject(
  {
    ...sendFields,
    length: integer(CODE_LENGTH.min, CODE_LENGTH.max)
      .optional()
      .meta({ description: `How many digits the code has. Default: ${CODE_LENGTH.unset}.` }),
    ttlSeconds: integer(TTL_SECONDS.min, TTL_SECONDS.max)
      .optional()
      .meta({ description: `After how many seconds the code expires. Default: ${TTL_SECONDS.unset}.` }),
    maxAttempts: integer(MAX_ATTEMPTS.min, MAX_ATTEMPTS.max)
      .optional()
      .meta({ description: `The wrong code with this number locks the verification. Default: ${MAX_ATTEMPTS.unset}.` }),
    reference: boundedText(0, MAX_REFERENCE_LENGTH)
      .optional()
      .meta({ description: 'Your own reference; returned in the status and in events.' }),
    deliverWithinSeconds,
  },
  MUST_BE_OBJECT,
)

const DIGITS = asIssue({ code: 'otp.digits', ...CODE_LENGTH })

export const checkBody = z.strictObject(
  {
    code: z
      .string({ error: asIssue({ code: 'http.must_be_text' }) })
      .regex(new RegExp(`^${TYPED_DIGIT}{${CODE_LENGTH.min},${CODE_LENGTH.max}}$`), { error: DIGITS })
      .meta({
        description:
          'The code that the customer typed, also in the digits of Arabic, Persian, Urdu, Hindi or Bengali keyboards. It is never returned.',
      })
      .transform(withLatinDigits),
  },
  MUST_BE_OBJECT,
)

const SEND_ERRORS = [
  'OTP_SENDER_NOT_FOUND',
  'OTP_TEMPLATE_NOT_FOUND',
  'OTP_SENDER_UNAVAILABLE',
  'OTP_TEMPLATE_NOT_USABLE',
  'RECIPIENT_BLOCKED',
  'OTP_QUOTA_EXCEEDED',
] as const

const ID = '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70'
const PATH = { params: z.strictObject({ verificationId: uuid }), query: noQuery }
const TAG = 'Verifications'

export const verificationExample = {
  verificationId: ID,
  status: 'pending' as const,
  reference: 'login-8812',
  to: '+212612345678',
  createdAt: '2026-11-20T10:15:00.000Z',
  expiresAt: '2026-11-20T10:25:00.000Z',
  attemptsLeft: 4,
  resendsLeft: 3,
  nextResendAt: '2026-11-20T10:15:30.000Z',
  endedAt: null,
}

type RouteParts = CodeParts & Pick<Parts, 'db'>

export function verificationRoutes(parts: RouteParts): Route[] {
  const accept = createVerificationAcceptor(parts)
  const check = createChecker(parts)
  const resend = createResendAcceptor(parts)
  return [
    route({
      method: 'POST',
      path: '/otp/verifications',
      operationId: 'startVerification',
      tag: TAG,
      summary: 'Start a verification',
      description:
        'Makes a code of digits, sends it with an approved authentication template, and keeps what is needed to check it until it is approved, locked or expired. One verification takes one unit of the quota of one-time codes, as sending a code does.',
      errors: [
        ...SEND_ERRORS,
        'IDEMPOTENCY_KEY_REUSED',
        'OTP_GUESSING_SUSPECTED',
        'OTP_RECIPIENT_LIMITED',
        'OTP_PUMPING_SUSPECTED',
      ],
      schemas: {
        params: noParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: verificationBody,
        bodyExample: {
          to: '+212612345678',
          senderId: '01994f5e-0b7e-7d0a-8a55-6a1f0e0b9c11',
          template: { name: 'login_code', language: 'ar' },
          length: 6,
          ttlSeconds: 600,
          maxAttempts: 5,
          reference: 'login-8812',
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same response.',
        schema: z
          .strictObject({
            verificationId,
            status: z.literal('pending').meta({ description: 'The code waits to be sent, and can be checked.' }),
            reference: otpReference,
          })
          .meta({ id: 'OtpVerificationAccepted' }),
        example: { verificationId: ID, status: 'pending', reference: 'login-8812' },
      },
      handler: ({ body: { to, reference = null, ...body }, ...request }) => {
        const { length = CODE_LENGTH.unset, ttlSeconds = TTL_SECONDS.unset, maxAttempts = MAX_ATTEMPTS.unset } = body
        return accept({
          ...idempotentRequestOf(request),
          ...body,
          recipient: to,
          length,
          ttlSeconds,
          maxAttempts,
          reference,
        })
      },
    }),
    route({
      method: 'GET',
      path: '/otp/verifications/:verificationId',
      operationId: 'getVerification',
      tag: TAG,
      summary: 'Read a verification',
      description:
        'The state of the verification, for example to show how long a customer must wait. Only the response of a check with the status `approved` proves that the customer who is signing in typed the code.',
      errors: ['OTP_VERIFICATION_NOT_FOUND'],
      schemas: { ...PATH, headers: noHeaders, body: noBody },
      success: {
        status: 200,
        description: 'The verification.',
        schema: verificationSchema,
        example: verificationExample,
      },
      async handler({ workspaceId, params }) {
        const verification = await findVerification(parts.db, workspaceId, params.verificationId)
        if (!verification) throw notFound()
        return verificationView(verification)
      },
    }),
    route({
      method: 'POST',
      path: '/otp/verifications/:verificationId/check',
      operationId: 'checkVerification',
      tag: TAG,
      summary: 'Check a code',
      description:
        'Compares the code that the customer typed. The first check with the right code gets `approved`, and no other check ever does: later ones get OTP_VERIFICATION_ENDED. A wrong code gets `pending` with the attempts that are left, or `locked` if it was the last one. Every check with a wrong code counts, so do not repeat one whose response was lost: read the verification.',
      errors: ['OTP_VERIFICATION_NOT_FOUND', 'OTP_VERIFICATION_ENDED'],
      schemas: { ...PATH, headers: noHeaders, body: checkBody, bodyExample: { code: '493817' } },
      success: {
        status: 200,
        description: 'The code was checked.',
        schema: z
          .strictObject({ verificationId, status: verificationStatus, attemptsLeft: attemptsLeftSchema })
          .meta({ id: 'OtpVerificationChecked' }),
        example: { verificationId: ID, status: 'approved', attemptsLeft: 0 },
      },
      handler: ({ workspaceId, params, body }) => check({ workspaceId, ...params, ...body }),
    }),
    route({
      method: 'POST',
      path: '/otp/verifications/:verificationId/resend',
      operationId: 'resendVerification',
      tag: TAG,
      summary: 'Send the same code again',
      description:
        'Sends the code of a pending verification in another message, which takes another unit of the quota. The code, its time and its attempts stay the same.',
      errors: ['OTP_VERIFICATION_NOT_FOUND', 'OTP_VERIFICATION_ENDED', ...SEND_ERRORS, 'OTP_RESEND_LIMITED'],
      schemas: {
        ...PATH,
        headers: idempotencyHeaders,
        body: z.strictObject({}, { error: asIssue({ code: 'http.nothing' }) }).optional(),
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same response.',
        schema: z
          .strictObject({
            verificationId,
            messageId,
            status: z.literal('pending').meta({ description: 'The code waits to be sent, and can be checked.' }),
          })
          .meta({ id: 'OtpResendAccepted' }),
        example: { verificationId: ID, messageId: '01994f61-0c44-7b1f-8a77-5d1d3c0a9e21', status: 'pending' },
      },
      handler: ({ params, ...request }) => resend({ ...idempotentRequestOf(request), ...params }),
    }),
  ]
}
