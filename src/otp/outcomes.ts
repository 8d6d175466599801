import type { Sql } from '../lib/db/pool.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { newId } from '../lib/ids.ts'
import type { AppliedReport } from '../messages/subscribers.ts'
import { otpView } from './view.ts'

type Outcome = Pick<AppliedReport, 'message' | 'eventAt'> & { event: NewEvent['type'] | null }

/** Records `message.sent`, `message.failed` and `message.undelivered`. */
export const recordOtpEvents = (tx: Sql, now: Date, outcomes: readonly Outcome[]): Promise<void> =>
  recordEvents(tx, now, outcomes.flatMap(eventsOf))

/** Pure: "verify" derives events with it. */
export function eventsOf({ message, event: type, eventAt }: Outcome): NewEvent[] {
  if (!type) return []
  const data = { ...otpView(message), occurredAt: eventAt.toISOString() }
  return [{ id: newId(), workspaceId: message.workspace_id, type, messageId: message.id, data }]
}
