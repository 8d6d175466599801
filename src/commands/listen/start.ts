/** The event with which `listen` begins. */
export type Start = { from: 'now' } | { from: 'start' } | { from: 'event'; id: string }
