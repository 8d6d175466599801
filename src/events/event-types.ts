/** Event types with the descriptions that the API's documentation and docs/webhooks.md show. */
export const eventTypes = {
  'message.sent':
    'The first sent, delivered, read or played outcome of a one-time code was reported. `data.status` is the outcome that was reported. At most once per message.',
  'message.failed':
    'The first failure of a one-time code was reported. `data.failure` says what happened and who must act. At most once per message; a message may have both events.',
  'message.undelivered':
    'No delivery of a one-time code was reported within the `deliverWithinSeconds` of its request: use another channel. At most once per message, and not after `message.failed`. Doorcode still sends the message, so a delivery may be reported later.',
  'otp.verified': 'The right code of a verification was checked. At most once per verification.',
  'otp.verification_failed':
    'A verification ended without the right code. `data.status` says why: `expired`, or `locked` after too many wrong codes. At most once per verification, and never after `otp.verified`.',
  'cod.confirmed': 'The customer confirmed the order.',
  'cod.cancelled': 'The customer cancelled the order.',
  'cod.reschedule_requested':
    'The customer asked for another delivery time. `data.reschedule` holds what was chosen; after an expired follow-up, day and time range may be null.',
  'cod.no_response': 'The answer deadline passed without an answer.',
  'cod.failed':
    'The confirmation message or its reminder could not be delivered, or the customer’s data was erased. `data.failure` says why and who must act.',
  'cod.refusal_confirmed':
    'The customer said that they refused the parcel. `data.refusalCheck` holds the reason and note, which may be null.',
  'cod.refusal_denied': 'The customer said that they did not refuse the parcel.',
  'cod.refusal_no_response': 'The deadline of the refusal check passed without an answer.',
  'cod.refusal_failed':
    'The refusal message or its reminder could not be delivered, or the customer’s data was erased. `data.failure` says why and who must act.',
  ping: 'A test, sent on request to one endpoint only.',
} as const satisfies Record<string, string>

export type EventType = keyof typeof eventTypes

export type ChosenEventType = Exclude<EventType, 'ping'>

/** The types that an endpoint can be limited to. */
export const chosenEventTypes = (Object.keys(eventTypes) as EventType[]).filter((type) => type !== 'ping')

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text)
