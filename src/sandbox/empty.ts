import { SECOND_MS } from '../lib/clock.ts'
import { type ReportWalk, firstWalk, removeSent, walkReports } from '../operations/lifecycle/purge.ts'
import { forgetPaces } from '../messages/queue/pair-slots.ts'
import { forgetChecks } from '../otp/verifications/check-counts.ts'
import type { Parts } from '../runtime/parts.ts'
import { resetUsage } from '../workspaces/quota.ts'
import { resetClock } from '../workspaces/workspace-time.ts'
import { lockWorkspace } from '../workspaces/workspaces.ts'
import { resetEmulator } from './emulator.ts'
import { type SandboxWork, endWork, renewWork } from './work-lease.ts'

/** After this, the loop takes the next sandbox, or ends with its process. */
const SLICE_MS = SECOND_MS

/**
 * Removes what a sandbox has sent and received, a batch in each transaction, and how often its clock was moved. Accounts, keys,
 * endpoints, settings, quotas and the audit log stay. The function returns whether the sandbox is empty.
 */
export function createEmptier({ db, clock, live }: Pick<Parts, 'db' | 'clock' | 'live'>) {
  /** How far the reports were read: a new one begins from the start. */
  let walk: ReportWalk | undefined
  return async (work: SandboxWork): Promise<boolean> => {
    const { workspaceId, untilOffsetMs } = work
    if (walk?.workspaceId !== workspaceId) walk = firstWalk(workspaceId)
    for (const endsAt = performance.now() + SLICE_MS; performance.now() < endsAt; ) {
      const sent = await db.transaction(async (tx) => {
        const now = clock.now()
        await renewWork(tx, work, now)
        const removed = await removeSent(tx, workspaceId)
        if (removed !== 'none') return removed
        walk = await walkReports(tx, walk ?? firstWalk(workspaceId))
        return 'none'
      })
      if (sent === 'left') return false
      if (sent === 'removed' || !walk.isOver) continue
      await resetEmulator(db, workspaceId)
      await db.transaction(async (tx) => {
        await lockWorkspace(tx, workspaceId)
        await resetUsage(tx, workspaceId)
        await forgetChecks(tx, workspaceId)
        await forgetPaces(tx, workspaceId)
        await resetClock(tx, workspaceId, { moved_at: clock.now(), by_ms: untilOffsetMs })
        await endWork(tx, work)
      })
      walk = undefined
      live.changed([workspaceId])
      return true
    }
    return false
  }
}
