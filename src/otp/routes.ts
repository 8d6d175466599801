import { z } from 'zod'
import { ApiError } from '../lib/errors.ts'
import {
  MAX_REFERENCE_LENGTH,
  boundedText,
  idempotentRequestOf,
  idempotencyHeaders,
  sendFields,
  uuid,
} from '../lib/http/fields.ts'
import { type Route, noBody, noHeaders, noParams, noQuery, route } from '../lib/http/route.ts'
import type { Parts } from '../runtime/parts.ts'
import { asWritten, asIssue } from '../../locales/text.ts'
import { createOtpAcceptor } from './accept.ts'
import type { CodeParts } from './code-message.ts'
import { deliverWithinSeconds, findOtp, messageId, otpReference, otpStatusSchema } from './view.ts'

export const otpBody = z.strictObject(
  {
    ...sendFields,
    code: z
      .string({ error: asIssue({ code: 'http.must_be_text' }) })
      .regex(/^[A-Za-z0-9]{1,15}$/, { error: asIssue({ code: 'otp.form' }) })
      .meta({ description: 'The code that your backend generated. It is never returned.' }),
    reference: boundedText(0, MAX_REFERENCE_LENGTH)
      .optional()
      .meta({ description: 'Your own reference; returned in the status and in events.' }),
    deliverWithinSeconds,
  },
  { error: asIssue({ code: 'http.must_be_object' }) },
)

/** Only the API returns this, and the API is English. */
const NO_MESSAGE = asWritten('No OTP message of this workspace has this id.')

const MESSAGE_ID = '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70'
const SENDER_ID = '01994f5e-0b7e-7d0a-8a55-6a1f0e0b9c11'

export function otpRoutes(parts: CodeParts & Pick<Parts, 'db'>): Route[] {
  const accept = createOtpAcceptor(parts)
  return [
    route({
      method: 'POST',
      path: '/otp/messages',
      operationId: 'sendOtpMessage',
      tag: 'One-time codes',
      summary: 'Send a one-time code',
      description:
        'Sends a code that your backend generated, with an approved authentication template. The response means that the message is accepted and will not be lost; its status and webhooks report its delivery. None of the statuses means that the customer has verified the code. A repeat must be identical except for the code: the code is not compared, and a different code under the same Idempotency-Key does not replace the first.',
      errors: [
        'OTP_SENDER_NOT_FOUND',
        'OTP_TEMPLATE_NOT_FOUND',
        'OTP_SENDER_UNAVAILABLE',
        'OTP_TEMPLATE_NOT_USABLE',
        'IDEMPOTENCY_KEY_REUSED',
        'RECIPIENT_BLOCKED',
        'OTP_QUOTA_EXCEEDED',
      ],
      schemas: {
        params: noParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: otpBody,
        bodyExample: {
          to: '+212612345678',
          senderId: SENDER_ID,
          template: { name: 'login_code', language: 'ar' },
          code: '493817',
          reference: 'login-8812',
          deliverWithinSeconds: 60,
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same response.',
        schema: z
          .strictObject({
            messageId,
            status: z.literal('queued').meta({ description: 'The message waits to be sent.' }),
            reference: otpReference,
          })
          .meta({ id: 'OtpMessageAccepted' }),
        example: { messageId: MESSAGE_ID, status: 'queued', reference: 'login-8812' },
      },
      handler: ({ body: { to, reference = null, ...body }, ...request }) =>
        accept({ ...idempotentRequestOf(request), recipient: to, ...body, reference }),
    }),
    route({
      method: 'GET',
      path: '/otp/messages/:messageId',
      operationId: 'getOtpMessage',
      tag: 'One-time codes',
      summary: 'Read the status of a one-time code',
      description:
        'The delivery status as the provider has reported it so far. Webhooks report the same, so you need not poll.',
      errors: ['NOT_FOUND'],
      schemas: { params: z.strictObject({ messageId: uuid }), query: noQuery, headers: noHeaders, body: noBody },
      success: {
        status: 200,
        description: 'The message.',
        schema: otpStatusSchema,
        example: {
          messageId: MESSAGE_ID,
          status: 'delivered',
          reference: 'login-8812',
          to: '+212612345678',
          createdAt: '2026-11-20T10:15:00.000Z',
          sentAt: '2026-11-20T10:15:01.000Z',
          deliverWithinSeconds: 60,
          undeliveredAt: null,
          failure: null,
        },
      },
      async handler({ workspaceId, params }) {
        const message = await findOtp(parts.db, workspaceId, params.messageId)
        if (!message) throw new ApiError('NOT_FOUND', NO_MESSAGE)
        return message
      },
    }),
  ]
}
