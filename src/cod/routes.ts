import { z } from 'zod'
import { Refusal } from '../errors.ts'
import { boundedText, idempotencyHeaders, must, phone, uuid } from '../http/fields.ts'
import { type Route, noHeaders, noParams, noQuery, route } from '../http/route.ts'
import { templateReference } from '../otp/routes.ts'
import type { Parts } from '../parts.ts'
import { keptSentences } from '../sentences.ts'
import { confirmationAccepting } from './accept.ts'
import { noConfirmation, refusalCheckAccepting } from './accept-refusal.ts'
import { CONFIRMATION_STATUSES } from './confirmation.ts'
import { findConfirmation } from './find.ts'
import { REFUSAL_STATUSES } from './refusal.ts'

const REFERENCE_LENGTH_MOST = 128

const text = z.string({ error: must.beText.en })

/** zod’s record passes over this one name in silence, which would take a wrong name for none. */
const withoutPassedOver = (values: unknown): boolean =>
  typeof values !== 'object' || values === null || !Object.hasOwn(values, '__proto__')

const values = keptSentences({
  form: {
    en: 'must be an array of strings, or an object whose values are strings',
    ar: 'يجب أن يكون قائمة نصوص، أو كائنًا قيمه نصوص',
  },
  nothing: { en: 'must be absent or an empty JSON object', ar: 'يجب أن يُترك أو أن يكون كائنًا فارغًا' },
  passedOver: { en: 'must not have the name __proto__', ar: 'فيه اسم لا يُسمح به' },
})

const bodyValues = z.union([z.array(text), z.record(z.string(), text)], {
  error: values.form.en,
})

/** spec §2.7. Whether they fit the template, only the template shows. */
const parameters = z
  .strictObject(
    {
      header: text.optional().meta({ description: 'Present exactly when the text header has a parameter.' }),
      body: z
        .unknown()
        .refine(withoutPassedOver, { error: values.passedOver.en })
        .pipe(bodyValues)
        .optional()
        .meta({
          ...bodyValues.toJSONSchema(), // the reference would show nothing of what is behind the pipe
          description: 'An array for numbered parameters, an object for named ones.',
        }),
    },
    { error: must.beObject.en },
  )
  .optional()
  .meta({ description: 'Leave out when the template needs none.' })

/** spec §4.4 */
export const confirmationBody = z.strictObject(
  {
    to: phone.meta({ description: 'Recipient in international format with a leading +.' }),
    senderId: uuid.meta({ description: 'Sender ID of this service, not the phone number ID of the provider.' }),
    template: templateReference,
    parameters,
    reference: boundedText(1, REFERENCE_LENGTH_MOST).meta({ description: 'Your order reference; need not be unique.' }),
  },
  { error: must.beObject.en },
)

/** spec §4.6 */
export const refusalCheckBody = z.strictObject({ template: templateReference, parameters }, { error: must.beObject.en })

/** spec §2.5 */
export const confirmationSchema = z.strictObject({
  confirmationId: z.uuid(),
  reference: z.string(),
  to: z.string(),
  status: z.enum(CONFIRMATION_STATUSES),
  answeredAt: z.iso.datetime().nullable(),
  reschedule: z
    .strictObject({ date: z.iso.date().nullable(), timeRange: z.string().nullable(), note: z.string().nullable() })
    .nullable(),
  refusalCheck: z
    .strictObject({
      status: z.enum(REFUSAL_STATUSES),
      reason: z.string().nullable(),
      note: z.string().nullable(),
      answeredAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
})

const CONFIRMATION_ID = '01994f60-91d2-7e08-b1c4-5f7a2d3c8e10'
const SENDER_ID = '01994f5e-0b7e-7d0a-8a55-6a1f0e0b9c11'

export const confirmationExample = {
  confirmationId: CONFIRMATION_ID,
  reference: 'order-5521',
  to: '+212612345678',
  status: 'rescheduled',
  answeredAt: '2026-11-20T10:21:40.000Z',
  reschedule: { date: '2026-11-22', timeRange: '12:00-18:00', note: null },
  refusalCheck: null,
  failure: null,
  createdAt: '2026-11-20T10:15:00.000Z',
} as const satisfies z.input<typeof confirmationSchema>

/** What either check may be refused for, beyond what belongs to one of them. */
const CHECK_REFUSALS = [
  'COD_SENDER_NOT_FOUND',
  'COD_TEMPLATE_NOT_FOUND',
  'COD_NOT_CONFIGURED',
  'COD_LANGUAGE_NOT_CONFIGURED',
  'COD_SENDER_UNAVAILABLE',
  'COD_TEMPLATE_NOT_USABLE',
  'IDEMPOTENCY_KEY_REUSED',
  'COD_TEMPLATE_PARAMETERS_INVALID',
  'RECIPIENT_BLOCKED',
  'COD_QUOTA_EXCEEDED',
] as const

const confirmationParams = z.strictObject({ confirmationId: uuid })

export function codRoutes(parts: Pick<Parts, 'db' | 'clock' | 'wake' | 'live'>): Route[] {
  const acceptConfirmation = confirmationAccepting(parts)
  const acceptRefusalCheck = refusalCheckAccepting(parts)
  return [
    route({
      method: 'POST',
      path: '/cod-confirmations',
      operationId: 'createConfirmation',
      tag: 'Cash on delivery',
      summary: 'Ask a customer to confirm an order',
      description:
        'Sends the confirmation template, whose three quick replies are by their position confirm, cancel and change time. The customer’s answer comes as an event and shows in the confirmation.',
      refusals: CHECK_REFUSALS,
      schemas: {
        params: noParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: confirmationBody,
        bodyExample: {
          to: '+212612345678',
          senderId: SENDER_ID,
          template: { name: 'order_confirmation', language: 'ar' },
          parameters: { body: ['5521', '349 MAD'] },
          reference: 'order-5521',
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same answer.',
        schema: z.strictObject({ confirmationId: z.uuid(), status: z.literal('accepted'), reference: z.string() }),
        example: { confirmationId: CONFIRMATION_ID, status: 'accepted', reference: 'order-5521' },
      },
      handler: ({ workspaceId, apiKeyId, correlationId, headers, body }) =>
        acceptConfirmation({
          workspaceId,
          apiKeyId,
          correlationId,
          idempotencyKey: headers['idempotency-key'] ?? null,
          recipient: body.to,
          senderId: body.senderId,
          template: body.template,
          parameters: body.parameters ?? {},
          reference: body.reference,
        }),
    }),
    route({
      method: 'GET',
      path: '/cod-confirmations/:confirmationId',
      operationId: 'getConfirmation',
      tag: 'Cash on delivery',
      summary: 'Read a confirmation',
      description: 'The state of a confirmation and of its refusal check.',
      refusals: ['COD_CONFIRMATION_NOT_FOUND'],
      schemas: {
        params: confirmationParams,
        query: noQuery,
        headers: noHeaders,
        body: z.strictObject({}, { error: values.nothing.en }).optional(),
      },
      success: {
        status: 200,
        description: 'The confirmation.',
        schema: confirmationSchema,
        example: confirmationExample,
      },
      async handler({ workspaceId, params }) {
        const confirmation = await findConfirmation(parts.db, workspaceId, params.confirmationId)
        if (!confirmation) throw new Refusal('COD_CONFIRMATION_NOT_FOUND', noConfirmation)
        return confirmation
      },
    }),
    route({
      method: 'POST',
      path: '/cod-confirmations/:confirmationId/refusal-check',
      operationId: 'startRefusalCheck',
      tag: 'Cash on delivery',
      summary: 'Ask a customer whether they refused the parcel',
      description:
        'Sends the refusal template, whose two quick replies are by their position yes (I refused) and no (I did not). At most one per confirmation, to its sender and recipient.',
      refusals: [
        'COD_CONFIRMATION_NOT_FOUND',
        'COD_CONFIRMATION_NOT_ELIGIBLE',
        'COD_REFUSAL_CHECK_EXISTS',
        ...CHECK_REFUSALS,
      ],
      schemas: {
        params: confirmationParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: refusalCheckBody,
        bodyExample: { template: { name: 'delivery_refusal', language: 'ar' }, parameters: { body: ['5521'] } },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same answer.',
        schema: z.strictObject({
          confirmationId: z.uuid(),
          refusalCheck: z.strictObject({ status: z.literal('accepted') }),
        }),
        example: { confirmationId: CONFIRMATION_ID, refusalCheck: { status: 'accepted' } },
      },
      handler: ({ workspaceId, apiKeyId, correlationId, headers, params, body }) =>
        acceptRefusalCheck({
          workspaceId,
          apiKeyId,
          correlationId,
          idempotencyKey: headers['idempotency-key'] ?? null,
          confirmationId: params.confirmationId,
          template: body.template,
          parameters: body.parameters ?? {},
        }),
    }),
  ]
}
