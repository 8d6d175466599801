import type { Sql } from '../lib/db/pool.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { newId } from '../lib/ids.ts'
import type { AppliedReport } from '../messages/subscribers.ts'
import { otpView } from './view.ts'

/** Records `message.sent` and `message.failed`. */
export async function recordOtpEvents(tx: Sql, now: Date, outcomes: readonly AppliedReport[]): Promise<void> {
  const events = outcomes.flatMap(({ message, event, eventAt }): NewEvent[] => {
    if (!event) return []
    const data = { ...otpView(message), occurredAt: eventAt.toISOString() }
    return [{ id: newId(), workspaceId: message.workspace_id, type: event, messageId: message.id, data }]
  })
  if (events.length > 0) await recordEvents(tx, now, events)
}
