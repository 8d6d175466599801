import type { Behaviour } from './behaviour.ts'

const magic = <Ending extends string>(ending: Ending, what: string, behaviour: Behaviour) => ({
  ending,
  what,
  behaviour,
})

/** Failures that a sender gets by choosing the recipient: the last four digits decide. The README repeats this table. */
export const MAGIC_NUMBERS = [
  magic('1026', 'Not on WhatsApp: accepted, then `failed` with 131026', { failed: 131026 }),
  magic('1049', 'Held back by Meta: accepted, then `failed` with 131049', { failed: 131049 }),
  magic('1056', 'Pair limit: rejected with 131056', { error: 131056 }),
  magic('0429', 'Throughput limit: rejected with 130429', { error: 130429 }),
  magic('0500', 'Provider fault: HTTP 500 with 131000', { error: 131000 }),
  magic('0502', 'Provider fault: HTTP 502 with an HTML page', { html: { httpStatus: 502 } }),
  magic('0408', 'Slow: accepted, but the answer takes 8 s', { answerAfterMs: 8_000 }),
  magic('0440', 'Connection dropped, message not taken', { connection: 'drop_before_accepting' }),
  magic('0441', 'Connection dropped, message taken: statuses come', { connection: 'drop_after_accepting' }),
  magic('0600', 'Never delivered: `sent` only', { skip: ['delivered', 'read'] }),
  magic('0601', 'Never read: `sent`, `delivered`', { skip: ['read'] }),
  magic('0602', 'Delivered skipped: `sent`, `read`', { skip: ['delivered'] }),
  magic('0603', 'Every status twice and in the opposite order', { copies: 2, reversed: true }),
  magic('0604', 'Sent, then `failed` with 131026', {
    statuses: [
      { status: 'sent', afterMs: 300 },
      { status: 'failed', afterMs: 1_000, errors: [131026] },
    ],
  }),
  magic('0605', 'User with a username: statuses have no `recipient_id`', { omit: ['recipient_id', 'wa_id'] }),
] as const

const byEnding = new Map<string, Behaviour>(MAGIC_NUMBERS.map(({ ending, behaviour }) => [ending, behaviour]))

export function magicBehaviour(digits: string): Behaviour | undefined {
  return byEnding.get(digits.slice(-4))
}
