/** Every type of event (spec §6): what the API's documentation says of it, and what its `data` is about. */
export const eventTypes = {
  'message.sent': {
    description:
      'The first sent, delivered, read or played outcome of a one-time code was reported. `data.status` is the outcome that was reported. At most once per message.',
    about: 'message',
  },
  'message.failed': {
    description:
      'The first failure of a one-time code was reported. `data.failure` says what happened and who must act. At most once per message; a message may have both events.',
    about: 'message',
  },
  'cod.confirmed': { description: 'The customer confirmed the order.', about: 'confirmation' },
  'cod.cancelled': { description: 'The customer cancelled the order.', about: 'confirmation' },
  'cod.reschedule_requested': {
    description:
      'The customer asked for another delivery time. `data.reschedule` holds what was chosen; after an expired follow-up, day and time range may be null.',
    about: 'confirmation',
  },
  'cod.no_response': { description: 'The answer deadline passed without an answer.', about: 'confirmation' },
  'cod.failed': {
    description:
      'The confirmation message or its reminder could not be delivered. `data.failure` says why and who must act.',
    about: 'confirmation',
  },
  'cod.refusal_confirmed': {
    description:
      'The customer said that they refused the parcel. `data.refusalCheck` holds the reason and note, which may be null.',
    about: 'confirmation',
  },
  'cod.refusal_denied': {
    description: 'The customer said that they did not refuse the parcel.',
    about: 'confirmation',
  },
  'cod.refusal_no_response': {
    description: 'The deadline of the refusal check passed without an answer.',
    about: 'confirmation',
  },
  'cod.refusal_failed': {
    description:
      'The refusal message or its reminder could not be delivered. `data.failure` says why and who must act.',
    about: 'confirmation',
  },
  ping: {
    description: 'A test, sent on request to one endpoint alone.',
    about: 'endpoint',
  },
} as const satisfies Record<string, { description: string; about: 'message' | 'confirmation' | 'endpoint' }>

export type EventType = keyof typeof eventTypes

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text)
