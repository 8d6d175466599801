import type { NewEvent } from '../../src/events/record.ts'
import { newId } from '../../src/lib/ids.ts'

/** An event to record. */
export const newEvent = (workspaceId: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  workspaceId,
  type: 'message.sent',
  data: { messageId: newId(), occurredAt: '2026-12-01T00:00:00.123Z' },
  ...more,
})
