import { type NewEvent, recordEvents } from '../../src/events/record.ts'
import { newId } from '../../src/lib/ids.ts'
import type { World } from '../world/world.ts'

/** An event to record. */
export const newEvent = (workspaceId: string, more: Partial<NewEvent> = {}): NewEvent => ({
  id: newId(),
  workspaceId,
  type: 'message.sent',
  data: { messageId: newId(), occurredAt: '2026-12-01T00:00:00.123Z' },
  ...more,
})

/** Creates events for every endpoint of the workspace and returns their ids. */
export async function record(
  { parts, workspaceId }: World,
  count: number,
  type: 'message.sent' | 'message.failed' = 'message.sent',
): Promise<string[]> {
  const now = parts.clock.now()
  const at = now.toISOString()
  const known =
    type === 'message.sent'
      ? { status: 'sent', sentAt: at, failure: null }
      : { status: 'failed', sentAt: null, failure: { code: 'UNKNOWN', message: 'It failed.' } }
  const events = Array.from({ length: count }, () => ({
    id: newId(),
    workspaceId,
    type,
    data: {
      messageId: newId(),
      reference: null,
      to: '+212600000000',
      createdAt: at,
      ...known,
      deliverWithinSeconds: null,
      undeliveredAt: null,
      occurredAt: at,
    },
  }))
  await parts.db.transaction((tx) => recordEvents(tx, now, events))
  parts.wake('deliver')
  return events.map(({ id }) => id)
}
