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
  ping: {
    description: 'A test, sent on request to one endpoint alone.',
    about: 'endpoint',
  },
} as const satisfies Record<string, { description: string; about: 'message' | 'endpoint' }>

export type EventType = keyof typeof eventTypes

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text)
