import type { Behaviour } from './behaviour.ts'

export type MagicNumber = { ending: string; what: string; behaviour: Behaviour }

/** Failures to be had by only choosing the recipient: the last four digits decide. The README repeats this table. */
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  { ending: '1026', what: 'Not on WhatsApp: accepted, then `failed` with 131026', behaviour: { failed: 131026 } },
  { ending: '1049', what: 'Held back by Meta: accepted, then `failed` with 131049', behaviour: { failed: 131049 } },
  { ending: '1056', what: 'Pair limit: refused with 131056', behaviour: { error: 131056 } },
  { ending: '0429', what: 'Throughput limit: refused with 130429', behaviour: { error: 130429 } },
  { ending: '0500', what: 'Provider fault: HTTP 500 with 131000', behaviour: { error: 131000 } },
  { ending: '0502', what: 'Provider fault: HTTP 502 with an HTML page', behaviour: { html: { httpStatus: 502 } } },
  { ending: '0408', what: 'Slow: accepted, but the answer takes 8 s', behaviour: { answerAfterMs: 8_000 } },
  { ending: '0440', what: 'Connection dropped, message not taken', behaviour: { connection: 'drop_before_accepting' } },
  {
    ending: '0441',
    what: 'Connection dropped, message taken: statuses come',
    behaviour: { connection: 'drop_after_accepting' },
  },
  { ending: '0600', what: 'Never delivered: `sent` only', behaviour: { skip: ['delivered', 'read'] } },
  { ending: '0601', what: 'Never read: `sent`, `delivered`', behaviour: { skip: ['read'] } },
  { ending: '0602', what: 'Delivered skipped: `sent`, `read`', behaviour: { skip: ['delivered'] } },
  { ending: '0603', what: 'Every status twice and in the opposite order', behaviour: { copies: 2, reversed: true } },
  {
    ending: '0604',
    what: 'Sent, then `failed` with 131026',
    behaviour: {
      statuses: [
        { status: 'sent', afterMs: 300 },
        { status: 'failed', afterMs: 1_000, errors: [131026] },
      ],
    },
  },
  {
    ending: '0605',
    what: 'User with a username: statuses have no `recipient_id`',
    behaviour: { omit: ['recipient_id', 'wa_id'] },
  },
]

const byEnding = new Map(MAGIC_NUMBERS.map((magic) => [magic.ending, magic.behaviour]))

export function magicBehaviour(digits: string): Behaviour | undefined {
  return byEnding.get(digits.slice(-4))
}
