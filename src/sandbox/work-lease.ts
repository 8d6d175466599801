import { SECOND_MS, later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'

/** What is being done to a whole sandbox. `untilOffsetMs`: how far its clock is ahead at the end. */
export type SandboxWork = { workspaceId: string; lease: string; untilOffsetMs: number } & (
  | { kind: 'fill'; fromAt: Date; doneUntil: Date }
  | { kind: 'empty' }
)
export type FillWork = Extract<SandboxWork, { kind: 'fill' }>

/** A node that makes no step for this long has died: another one continues. Longer than any step. */
export const WORK_LEASE_MS = 15 * SECOND_MS

/** Another node does the work now, or it was replaced: this one must change nothing more. */
export class LostLease extends Error {}

const renew = statement<{ workspaceId: string }>(
  'renew_sandbox_work',
  `update sandbox_work set due_at = $3, done_until = case when kind = 'fill' then coalesce($4, done_until) end
   where workspace_id = $1 and lease = $2 returning workspace_id as "workspaceId"`,
)

type Held = Pick<SandboxWork, 'workspaceId' | 'lease'>

/** In the transaction of each step. Throws LostLease. */
export async function renewWork(tx: Sql, { workspaceId, lease }: Held, now: Date, doneUntil?: Date): Promise<void> {
  const held = await tx.row(renew, [workspaceId, lease, later(now, WORK_LEASE_MS), doneUntil ?? null])
  if (!held) throw new LostLease(`the sandbox ${workspaceId} belongs to another node`)
}

const end = statement<{ workspaceId: string }>(
  'end_sandbox_work',
  'delete from sandbox_work where workspace_id = $1 and lease = $2 returning workspace_id as "workspaceId"',
)

/** Throws LostLease. */
export async function endWork(tx: Sql, { workspaceId, lease }: Held): Promise<void> {
  if (!(await tx.row(end, [workspaceId, lease])))
    throw new LostLease(`the sandbox ${workspaceId} belongs to another node`)
}
