import { z } from 'zod'
import { type EventType, eventTypes, isEventType } from '../events/event-types.ts'
import { confirmationExample, confirmationSchema } from '../cod/routes.ts'
import { otpStatusSchema } from '../otp/routes.ts'
import { failures } from '../providers/failures.ts'

/** An event as the API's documentation describes it. */
export type DocumentedEvent = { type: string; description: string; data: z.ZodType; example: unknown }

const occurredAt = z.iso.datetime().meta({ description: 'When it happened; equals `timestamp`.' })

const OCCURRED_AT = '2026-11-20T10:15:01.000Z'
const MESSAGE = {
  messageId: '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70',
  reference: 'login-8812',
  to: '+212612345678',
  createdAt: '2026-11-20T10:15:00.000Z',
  occurredAt: OCCURRED_AT,
}

const dataSchemas = {
  message: otpStatusSchema.extend({ occurredAt }),
  confirmation: confirmationSchema.extend({ occurredAt }),
  endpoint: z.strictObject({ endpointId: z.uuid(), occurredAt }),
}

/** Answered a second after it was asked for. */
const CONFIRMATION = { ...confirmationExample, answeredAt: OCCURRED_AT, reschedule: null, occurredAt: OCCURRED_AT }
const CHECK = { reason: null, note: null, answeredAt: OCCURRED_AT }
const UNREACHABLE = { code: 'RECIPIENT_UNREACHABLE', message: failures.RECIPIENT_UNREACHABLE.en }
const refusalCheck = (check: object) => ({ ...CONFIRMATION, status: 'confirmed', refusalCheck: { ...CHECK, ...check } })

const examples: Record<EventType, object> = {
  'message.sent': { ...MESSAGE, status: 'sent', sentAt: OCCURRED_AT, failure: null },
  'message.failed': {
    ...MESSAGE,
    status: 'failed',
    sentAt: null,
    failure: UNREACHABLE,
  },
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

/** Every event of the table, as the `webhooks` section of the OpenAPI document shows it. */
export const documentedEvents: readonly DocumentedEvent[] = Object.keys(eventTypes)
  .filter(isEventType)
  .map((type) => ({
    type,
    description: eventTypes[type].description,
    data: dataSchemas[eventTypes[type].about],
    example: { type, timestamp: OCCURRED_AT, data: examples[type] },
  }))
