import type { World } from '../world/world.ts'

/** Nothing of one run may fire or be sent in the next one. */
export async function silence(world: World): Promise<void> {
  for (const text of [
    'update confirmations set reminder_at = null, deadline_at = null, follow_up_at = null where workspace_id = $1',
    'update refusal_checks set reminder_at = null, deadline_at = null, follow_up_at = null where workspace_id = $1',
    'update messages set due_at = null where workspace_id = $1 and due_at is not null and lease is null',
  ])
    await world.query(text, [world.workspaceId])
}
