import { type Clock, DAY_MS, later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { UserError } from '../lib/errors.ts'
import { lockWorkspace } from './workspaces.ts'

/** During this time the deletion of a live workspace can be cancelled, and its accepted messages are still sent. */
const GRACE_MS = 7 * DAY_MS

type Deletion = {
  workspaceId: string
  /** The workspace's name as the user typed it; required for a live workspace. */
  name?: string | undefined
}

/**
 * From now on the workspace's keys are rejected, on every node within a second. A sandbox is gone immediately, a live workspace
 * after GRACE_MS. A repeated request changes nothing: `isNew` is false. Throws UserError.
 */
export async function requestDeletion(
  tx: Sql,
  clock: Clock,
  { workspaceId, name: typedName }: Deletion,
): Promise<{ name: string; deletionDueAt: Date; isNew: boolean }> {
  const { name, sandbox, deletionDueAt } = await lockWorkspace(tx, workspaceId)
  if (!sandbox && typedName?.trim() !== name) throw new UserError({ code: 'workspaces.name_differs', name })
  if (deletionDueAt) return { name, deletionDueAt, isNew: false }
  const now = clock.now()
  const dueAt = sandbox ? now : later(now, GRACE_MS)
  await tx.rows(markRequested, [workspaceId, dueAt, sandbox ? now : null])
  return { name, deletionDueAt: dueAt, isNew: true }
}

/**
 * Works until the deletion is due; after that the workspace is unknown. False when no deletion was requested. Throws
 * UserError.
 */
export async function cancelDeletion(tx: Sql, workspaceId: string): Promise<boolean> {
  const { deletionDueAt } = await lockWorkspace(tx, workspaceId)
  if (!deletionDueAt) return false
  await tx.rows(clearAsked, [workspaceId])
  return true
}

/** Database time, which the polls of every node compare with. */
const markRequested = statement(
  'request_workspace_deletion',
  `update workspaces set deletion_requested_at = clock_timestamp(), deletion_due_at = $2, deleted_at = $3 where id = $1`,
)

const clearAsked = statement(
  'cancel_workspace_deletion',
  'update workspaces set deletion_requested_at = null, deletion_due_at = null where id = $1',
)
