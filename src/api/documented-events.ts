import { z } from 'zod'
import type { ConfirmationStatus } from '../cod/conversation/confirmation.ts'
import type { RefusalStatus } from '../cod/conversation/refusal.ts'
import { confirmationExample } from '../cod/routes.ts'
import { confirmationSchema, refusalCheckSchema, rescheduleSchema } from '../cod/view.ts'
import { type EventType, eventTypes, isEventType } from '../events/event-types.ts'
import { verificationExample } from '../otp/verifications/routes.ts'
import { verificationSchema } from '../otp/verifications/view.ts'
import { otpStatusSchema } from '../otp/view.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'

/** An event in the API document. */
export type DocumentedEvent = ReturnType<typeof document>

const occurredAt = z.iso.datetime().meta({
  description:
    'When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.',
})

const OCCURRED_AT = '2026-11-20T10:15:01.000Z'
const UNDELIVERED_AT = '2026-11-20T10:16:00.000Z'
const MESSAGE = {
  messageId: '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70',
  reference: 'login-8812',
  to: '+212612345678',
  createdAt: '2026-11-20T10:15:00.000Z',
  deliverWithinSeconds: null,
  undeliveredAt: null,
  occurredAt: OCCURRED_AT,
}

const instant = z.iso.datetime()
const message = otpStatusSchema.extend({ occurredAt })
const verification = verificationSchema.extend({ occurredAt })
const confirmation = confirmationSchema.extend({ occurredAt })

/** Fields keep their descriptions. */
function narrow(schema: z.ZodObject, fields: Record<string, z.ZodType>): z.ZodObject {
  const described = Object.entries(fields).map(([name, field]) => {
    const { description } = schema.shape[name] as z.ZodType
    return [name, field.meta({ description })]
  })
  return schema.extend(Object.fromEntries(described))
}

const answered = (status: ConfirmationStatus, fields: Record<string, z.ZodType> = {}) =>
  narrow(confirmation, { status: z.literal(status), answeredAt: instant, ...fields })

function refusal(status: RefusalStatus, fields: { answeredAt?: z.ZodType } = {}, failure?: { failure: z.ZodType }) {
  const refusalCheck = narrow(refusalCheckSchema, { status: z.literal(status), ...fields })
  return narrow(confirmation, {
    refusalCheck: refusalCheck.meta({ id: `RefusalCheck${pascalCase(status.replace('refusal_', ''))}` }),
    ...failure,
  })
}

/** `data` per type, narrowed to what events of that type always contain. */
const dataSchemas: Record<EventType, z.ZodType> = {
  'message.sent': narrow(message, { status: z.enum(['sent', 'delivered', 'read', 'played']), sentAt: instant }),
  'message.failed': narrow(message, { status: z.literal('failed'), failure: failureSchema }),
  'message.undelivered': narrow(message, {
    status: z.enum(['queued', 'sending', 'sent']),
    deliverWithinSeconds: z.int(),
    undeliveredAt: instant,
    failure: z.null(),
  }),
  'otp.verified': narrow(verification, { status: z.literal('approved'), endedAt: instant }),
  'otp.verification_failed': narrow(verification, { status: z.enum(['expired', 'locked']), endedAt: instant }),
  'cod.confirmed': answered('confirmed'),
  'cod.cancelled': answered('cancelled'),
  'cod.reschedule_requested': answered('rescheduled', { reschedule: rescheduleSchema }),
  'cod.no_response': narrow(confirmation, { status: z.literal('no_response') }),
  'cod.failed': narrow(confirmation, { status: z.literal('failed'), failure: failureSchema }),
  'cod.refusal_confirmed': refusal('refusal_confirmed', { answeredAt: instant }),
  'cod.refusal_denied': refusal('denied', { answeredAt: instant }),
  'cod.refusal_no_response': refusal('no_response'),
  'cod.refusal_failed': refusal('failed', {}, { failure: failureSchema }),
  ping: z.strictObject({
    endpointId: z.uuid().meta({ description: 'The endpoint that was tested.' }),
    occurredAt,
  }),
}

/** Answered one second after the request. */
const CONFIRMATION = { ...confirmationExample, answeredAt: OCCURRED_AT, reschedule: null, occurredAt: OCCURRED_AT }
const ENDED = { attemptsLeft: 0, resendsLeft: 0, nextResendAt: null, endedAt: OCCURRED_AT, occurredAt: OCCURRED_AT }
const CHECK = { reason: null, note: null, answeredAt: OCCURRED_AT }
const UNREACHABLE = failureView('RECIPIENT_UNREACHABLE')
const refusalCheck = (check: object) => ({ ...CONFIRMATION, status: 'confirmed', refusalCheck: { ...CHECK, ...check } })

const examples: Record<EventType, { occurredAt: string; [member: string]: unknown }> = {
  'message.sent': { ...MESSAGE, status: 'sent', sentAt: OCCURRED_AT, failure: null },
  'message.failed': { ...MESSAGE, status: 'failed', sentAt: null, failure: UNREACHABLE },
  'message.undelivered': {
    ...MESSAGE,
    status: 'sending',
    sentAt: null,
    deliverWithinSeconds: 60,
    undeliveredAt: UNDELIVERED_AT,
    failure: null,
    occurredAt: UNDELIVERED_AT,
  },
  'otp.verified': { ...verificationExample, ...ENDED, status: 'approved' },
  'otp.verification_failed': { ...verificationExample, ...ENDED, status: 'locked' },
  'cod.confirmed': { ...CONFIRMATION, status: 'confirmed' },
  'cod.cancelled': { ...CONFIRMATION, status: 'cancelled' },
  'cod.reschedule_requested': { ...CONFIRMATION, reschedule: confirmationExample.reschedule },
  'cod.no_response': { ...CONFIRMATION, status: 'no_response', answeredAt: null },
  'cod.failed': { ...CONFIRMATION, status: 'failed', answeredAt: null, failure: UNREACHABLE },
  'cod.refusal_confirmed': refusalCheck({ status: 'refusal_confirmed', reason: 'Damaged' }),
  'cod.refusal_denied': refusalCheck({ status: 'denied' }),
  'cod.refusal_no_response': refusalCheck({ status: 'no_response', answeredAt: null }),
  'cod.refusal_failed': { ...refusalCheck({ status: 'failed', answeredAt: null }), failure: UNREACHABLE },
  ping: { endpointId: '01994f5e-7c52-7b66-9a0f-2f0d7f6a3d54', occurredAt: OCCURRED_AT },
}

const DATA: Record<string, string> = {
  message: 'The message as it was right after the event, as `GET` returns it, and `occurredAt`.',
  otp: 'The verification as it was right after the event, as `GET` returns it, and `occurredAt`.',
  cod: 'The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`.',
  ping: 'Which endpoint was tested, and when.',
}

function document(type: EventType) {
  const name = pascalCase(type)
  const data = dataSchemas[type].meta({ id: `${name}Data`, description: DATA[type.split('.')[0] ?? ''] })
  return {
    type,
    /** The name of the body's schema. */
    name: `${name}Event`,
    description: eventTypes[type],
    body: z.strictObject({
      type: z.literal(type).meta({ description: 'The type of the event.' }),
      timestamp: instant.meta({ description: 'When it happened; equals `data.occurredAt`.' }),
      data,
    }),
    example: { type, timestamp: examples[type].occurredAt, data: examples[type] },
  }
}

/** `CodRefusalDenied` of `cod.refusal_denied`. */
export function pascalCase(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** For the `webhooks` section of the OpenAPI document. */
export const documentedEvents: readonly DocumentedEvent[] = Object.keys(eventTypes).filter(isEventType).map(document)
