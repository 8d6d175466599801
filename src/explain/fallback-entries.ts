import { type TimelineEntry, entry } from './entry.ts'
import type { MessageFact } from './facts.ts'

/** When `message.undelivered` goes out unless a delivery is reported, or why it went out (docs/otp.md#fallback). */
export function fallbackEntries(message: MessageFact): TimelineEntry[] {
  const { id: messageId, deliverBy, deliverWithinSeconds: seconds, undeliveredEventAt } = message
  if (seconds === null) return []
  if (undeliveredEventAt)
    return [
      entry(
        undeliveredEventAt,
        'timer',
        { code: 'explain.undelivered', seconds },
        { messageId, outcome: 'undelivered' },
      ),
    ]
  return deliverBy ? [entry(deliverBy, 'timer', { code: 'explain.awaits_delivery', seconds }, { messageId })] : []
}
