import { z } from 'zod'
import type { RefusalStatus } from '../cod/conversation/refusal.ts'
import { confirmationExample } from '../cod/routes.ts'
import { confirmationSchema, refusalCheckSchema, rescheduleSchema } from '../cod/view.ts'
import { type EventType, eventTypes, isEventType } from '../events/event-types.ts'
import { otpStatusSchema } from '../otp/view.ts'
import { failureSchema, failureView } from '../providers/failure-schema.ts'

/** An event in the API document. */
export type DocumentedEvent = ReturnType<typeof document>

const occurredAt = z.iso.datetime().meta({ description: 'When it happened; equals `timestamp`.' })

const OCCURRED_AT = '2026-11-20T10:15:01.000Z'
const MESSAGE = {
  messageId: '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70',
  reference: 'login-8812',
  to: '+212612345678',
  createdAt: '2026-11-20T10:15:00.000Z',
  occurredAt: OCCURRED_AT,
}

const instant = z.iso.datetime()
const message = otpStatusSchema.extend({ occurredAt })
const confirmation = confirmationSchema.extend({ occurredAt })
const answered = (status: 'confirmed' | 'cancelled' | 'rescheduled') =>
  confirmation.extend({ status: z.literal(status), answeredAt: instant })
const refusal = (status: RefusalStatus, answer: { answeredAt?: typeof instant } = {}) =>
  refusalCheckSchema
    .extend({ status: z.literal(status), ...answer })
    .meta({ id: `RefusalCheck${nameOf(status.replace('refusal_', ''))}` })

/** `data` per type, narrowed to what events of that type always contain. */
const dataSchemas: Record<EventType, z.ZodType> = {
  'message.sent': message.extend({ status: z.enum(['sent', 'delivered', 'read', 'played']), sentAt: instant }),
  'message.failed': message.extend({ status: z.literal('failed'), failure: failureSchema }),
  'cod.confirmed': answered('confirmed'),
  'cod.cancelled': answered('cancelled'),
  'cod.reschedule_requested': answered('rescheduled').extend({ reschedule: rescheduleSchema }),
  'cod.no_response': confirmation.extend({ status: z.literal('no_response') }),
  'cod.failed': confirmation.extend({ status: z.literal('failed'), failure: failureSchema }),
  'cod.refusal_confirmed': confirmation.extend({ refusalCheck: refusal('refusal_confirmed', { answeredAt: instant }) }),
  'cod.refusal_denied': confirmation.extend({ refusalCheck: refusal('denied', { answeredAt: instant }) }),
  'cod.refusal_no_response': confirmation.extend({ refusalCheck: refusal('no_response') }),
  'cod.refusal_failed': confirmation.extend({ refusalCheck: refusal('failed'), failure: failureSchema }),
  ping: z.strictObject({ endpointId: z.uuid(), occurredAt }),
}

/** Answered one second after the request. */
const CONFIRMATION = { ...confirmationExample, answeredAt: OCCURRED_AT, reschedule: null, occurredAt: OCCURRED_AT }
const CHECK = { reason: null, note: null, answeredAt: OCCURRED_AT }
const UNREACHABLE = failureView('RECIPIENT_UNREACHABLE')
const refusalCheck = (check: object) => ({ ...CONFIRMATION, status: 'confirmed', refusalCheck: { ...CHECK, ...check } })

const examples: Record<EventType, object> = {
  'message.sent': { ...MESSAGE, status: 'sent', sentAt: OCCURRED_AT, failure: null },
  'message.failed': { ...MESSAGE, status: 'failed', sentAt: null, failure: UNREACHABLE },
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

function document(type: EventType) {
  const name = nameOf(type)
  const data = dataSchemas[type].meta({ id: `${name}Data` })
  return {
    type,
    /** The name of the body's schema. */
    name: `${name}Event`,
    description: eventTypes[type],
    body: z.strictObject({ type: z.literal(type), timestamp: instant, data }),
    example: { type, timestamp: OCCURRED_AT, data: examples[type] },
  }
}

/** `CodRefusalDenied` of `cod.refusal_denied`. */
function nameOf(type: string): string {
  return type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** For the `webhooks` section of the OpenAPI document. */
export const documentedEvents: readonly DocumentedEvent[] = Object.keys(eventTypes).filter(isEventType).map(document)
