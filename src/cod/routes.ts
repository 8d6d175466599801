import { z } from 'zod'
import {
  MAX_REFERENCE_LENGTH,
  boundedText,
  idempotentRequestOf,
  idempotencyHeaders,
  sendFields,
  uuid,
} from '../lib/http/fields.ts'
import { type Route, noHeaders, noParams, noQuery, route } from '../lib/http/route.ts'
import type { Parts } from '../runtime/parts.ts'
import { asIssue } from '../../locales/text.ts'
import { createConfirmationAcceptor } from './accept.ts'
import { confirmationNotFound, createRefusalCheckAcceptor } from './accept-refusal.ts'
import { confirmationId, confirmationSchema, findConfirmation, orderReference } from './view.ts'

const MUST_BE_OBJECT = { error: asIssue({ code: 'http.must_be_object' }) }

const text = z.string({ error: asIssue({ code: 'http.must_be_text' }) })

/** zod’s record silently drops this name, so a wrong name would look like a missing one. */
const hasNoProto = (values: unknown): boolean =>
  typeof values !== 'object' || values === null || !Object.hasOwn(values, '__proto__')

const bodyValues = z.union([z.array(text), z.record(z.string(), text)])

/** Before zod, which makes an issue of each wrong value: 20 requests a second with 30,000 of them would keep a node busy. */
const areTexts = (values: unknown): boolean =>
  typeof values === 'object' && values !== null && Object.values(values).every((value) => typeof value === 'string')

/** `$schema` belongs only at the top of a document. */
const { $schema: _, ...bodyShape } = bodyValues.toJSONSchema()

/** Whether they fit the template is checked later, against the template (docs/api.md#input). */
const parameters = z
  .strictObject(
    {
      header: text.optional().meta({ description: 'Present exactly when the text header has a parameter.' }),
      body: z
        .unknown()
        .refine(hasNoProto, { error: asIssue({ code: 'cod.passed_over' }), abort: true })
        .refine(areTexts, { error: asIssue({ code: 'cod.form' }) })
        .pipe(bodyValues)
        .optional()
        .meta({
          ...bodyShape, // the API reference does not show what is behind the pipe
          description: 'An array for numbered parameters, an object for named ones.',
        }),
    },
    MUST_BE_OBJECT,
  )
  .meta({ id: 'TemplateParameters' })
  .optional()
  .meta({ description: 'Leave out when the template needs none.' })

export const confirmationBody = z.strictObject(
  {
    ...sendFields,
    parameters,
    reference: boundedText(1, MAX_REFERENCE_LENGTH).meta({ description: 'Your order reference; need not be unique.' }),
  },
  MUST_BE_OBJECT,
)

export const refusalCheckBody = z.strictObject({ template: sendFields.template, parameters }, MUST_BE_OBJECT)

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

/** The errors that both checks have. */
const CHECK_ERRORS = [
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
  const acceptConfirmation = createConfirmationAcceptor(parts)
  const acceptRefusalCheck = createRefusalCheckAcceptor(parts)
  return [
    route({
      method: 'POST',
      path: '/cod-confirmations',
      operationId: 'createConfirmation',
      tag: 'Cash on delivery',
      summary: 'Ask a customer to confirm an order',
      description:
        'Sends the confirmation template, whose three quick replies are, by position: confirm, cancel, change time. The customer’s answer triggers an event and is part of the confirmation.',
      errors: CHECK_ERRORS,
      schemas: {
        params: noParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: confirmationBody,
        bodyExample: {
          to: '+212612345678',
          senderId: SENDER_ID,
          template: { name: 'order_confirmation', language: 'ar' },
          parameters: { body: ['Amina', '5521', '349 MAD'] },
          reference: 'order-5521',
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same response.',
        schema: z
          .strictObject({
            confirmationId,
            status: z.literal('accepted').meta({ description: 'The question waits to be sent.' }),
            reference: orderReference,
          })
          .meta({ id: 'ConfirmationAccepted' }),
        example: { confirmationId: CONFIRMATION_ID, status: 'accepted', reference: 'order-5521' },
      },
      handler: ({ body: { to, parameters = {}, ...body }, ...request }) =>
        acceptConfirmation({ ...idempotentRequestOf(request), recipient: to, ...body, parameters }),
    }),
    route({
      method: 'GET',
      path: '/cod-confirmations/:confirmationId',
      operationId: 'getConfirmation',
      tag: 'Cash on delivery',
      summary: 'Read a confirmation',
      description: 'The state of a confirmation and of its refusal check.',
      errors: ['COD_CONFIRMATION_NOT_FOUND'],
      schemas: {
        params: confirmationParams,
        query: noQuery,
        headers: noHeaders,
        body: z.strictObject({}, { error: asIssue({ code: 'http.nothing' }) }).optional(),
      },
      success: {
        status: 200,
        description: 'The confirmation.',
        schema: confirmationSchema,
        example: confirmationExample,
      },
      async handler({ workspaceId, params }) {
        const confirmation = await findConfirmation(parts.db, workspaceId, params.confirmationId)
        if (!confirmation) throw confirmationNotFound()
        return confirmation
      },
    }),
    route({
      method: 'POST',
      path: '/cod-confirmations/:confirmationId/refusal-check',
      operationId: 'createRefusalCheck',
      tag: 'Cash on delivery',
      summary: 'Ask a customer whether they refused the parcel',
      description:
        'Sends the refusal template, whose two quick replies are, by position: yes (I refused), no (I did not). A confirmation can have at most one refusal check, which goes from the same sender to the same recipient.',
      errors: [
        'COD_CONFIRMATION_NOT_FOUND',
        'COD_CONFIRMATION_NOT_ELIGIBLE',
        'COD_REFUSAL_CHECK_EXISTS',
        ...CHECK_ERRORS,
      ],
      schemas: {
        params: confirmationParams,
        query: noQuery,
        headers: idempotencyHeaders,
        body: refusalCheckBody,
        bodyExample: {
          template: { name: 'delivery_refusal', language: 'en' },
          parameters: { body: ['Amina', '5521'] },
        },
      },
      success: {
        status: 202,
        description: 'Accepted. A repeat with the same Idempotency-Key gets the same response.',
        schema: z
          .strictObject({
            confirmationId,
            refusalCheck: z
              .strictObject({ status: z.literal('accepted').meta({ description: 'The question waits to be sent.' }) })
              .meta({ id: 'AcceptedRefusalCheck', description: 'The new refusal check.' }),
          })
          .meta({ id: 'RefusalCheckAccepted' }),
        example: { confirmationId: CONFIRMATION_ID, refusalCheck: { status: 'accepted' } },
      },
      handler: ({ params, body: { template, parameters = {} }, ...request }) =>
        acceptRefusalCheck({ ...idempotentRequestOf(request), ...params, template, parameters }),
    }),
  ]
}
