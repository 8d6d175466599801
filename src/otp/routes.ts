import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { boundedText, idempotencyHeaders, must, phone, uuid } from '../http/fields.ts'
import { type Route, noBody, noHeaders, noParams, noQuery, route } from '../http/route.ts'
import type { Parts } from '../parts.ts'
import { asWritten, keptSentences } from '../sentences.ts'
import { otpAccepting } from './accept.ts'
import { findOtp } from './find.ts'
import { OTP_STATUSES } from './status.ts'
import { otpView } from './view.ts'

const REFERENCE_LENGTH_MOST = 128

/** spec §2.1 */
export const templateReference = z.strictObject({
  name: filled().meta({ description: 'Exact template name.' }),
  language: filled().meta({ description: 'Exact template language code: `en` and `en_US` are two languages.' }),
})

/** A template name of the provider has at most 512 characters; a longer one is not found rather than refused. */
function filled() {
  return z.string({ error: must.beText.en }).min(1, { error: must.notBeEmpty.en })
}

const code = keptSentences({
  form: {
    en: 'must be 1 to 15 ASCII letters or digits',
    ar: 'يجب أن يكون من 1 إلى 15 من الأحرف اللاتينية أو الأرقام',
  },
})

/** spec §4.2 */
export const otpBody = z.strictObject(
  {
    to: phone.meta({ description: 'Recipient in international format with a leading +.' }),
    senderId: uuid.meta({ description: 'Sender ID of this service, not the phone number ID of the provider.' }),
    template: templateReference,
    code: z
      .string({ error: must.beText.en })
      .regex(/^[A-Za-z0-9]{1,15}$/, { error: code.form.en })
      .meta({ description: 'The code that your backend made. It is never returned.' }),
    reference: boundedText(0, REFERENCE_LENGTH_MOST)
      .optional()
      .meta({ description: 'Your own reference; comes back in status and events.' }),
  },
  { error: must.beObject.en },
)

const acceptance = z.strictObject({
  messageId: z.uuid(),
  status: z.literal('queued'),
  reference: z.string().nullable(),
})

/** spec §2.3 */
export const otpStatusSchema = z.strictObject({
  messageId: z.uuid(),
  status: z.enum(OTP_STATUSES),
  reference: z.string().nullable(),
  to: z.string(),
  createdAt: z.iso.datetime(),
  sentAt: z.iso.datetime().nullable(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
})

/** The API speaks English, and no page meets this. */
const NO_MESSAGE = asWritten('No OTP message of this workspace has this id.')

const MESSAGE_ID = '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70'
const SENDER_ID = '01994f5e-0b7e-7d0a-8a55-6a1f0e0b9c11'

export function otpRoutes(parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'wake' | 'live' | 'metrics'>): Route[] {
  const accept = otpAccepting(parts)
  return [
    route({
      method: 'POST',
      path: '/otp/messages',
      operationId: 'sendOtp',
      tag: 'One-time codes',
      summary: 'Send a one-time code',
      description:
        'Sends a code that your backend made, through an approved authentication template. The answer says that the message is accepted and will not be lost; what becomes of it is told by its status and by webhooks. No status means that the customer has verified the code.',
      refusals: [
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
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same answer.',
        schema: acceptance,
        example: { messageId: MESSAGE_ID, status: 'queued', reference: 'login-8812' },
      },
      handler: ({ workspaceId, apiKeyId, correlationId, headers, body }) =>
        accept({
          workspaceId,
          apiKeyId,
          correlationId,
          idempotencyKey: headers['idempotency-key'] ?? null,
          recipient: body.to,
          senderId: body.senderId,
          template: body.template,
          code: body.code,
          reference: body.reference ?? null,
        }),
    }),
    route({
      method: 'GET',
      path: '/otp/messages/:messageId',
      operationId: 'getOtp',
      tag: 'One-time codes',
      summary: 'Read the status of a one-time code',
      description:
        'The delivery status as the provider has reported it so far. Webhooks tell the same without polling.',
      refusals: ['NOT_FOUND'],
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
          failure: null,
        },
      },
      async handler({ workspaceId, params }) {
        const message = await findOtp(parts.db, workspaceId, params.messageId)
        if (!message) throw new Refusal('NOT_FOUND', NO_MESSAGE)
        return otpView(message)
      },
    }),
  ]
}
