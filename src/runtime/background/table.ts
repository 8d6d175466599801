import { mayNameRecipient } from '../../admin/audit/actions.ts'
import { dailyFiguresLoop, findUncountedSince } from '../../charts/daily.ts'
import { timersLoop } from '../../cod/conversation/timers-loop.ts'
import { overdueLoop } from '../../messages/queue/overdue.ts'
import { undeliveredLoop } from '../../otp/undelivered-loop.ts'
import { expiryLoop } from '../../otp/verifications/expiry-loop.ts'
import { reportsLoop } from '../../messages/reports/process.ts'
import { submitLoop } from '../../messages/queue/submit.ts'
import type { Parts } from '../parts.ts'
import { syncLoop } from '../../accounts/sync/sync.ts'
import { deliverLoop } from '../../webhooks/delivery/deliver.ts'
import { releaseLoop } from '../../webhooks/delivery/release.ts'
import { housekeepingLoop } from './housekeeping.ts'
import { doctorLoop } from '../../operations/doctor/alerts/loop.ts'
import { createRemovalGuard } from '../../operations/lifecycle/retention/guard.ts'
import { retentionLoop } from '../../operations/lifecycle/retention/loop.ts'
import { purgeLoop } from '../../operations/lifecycle/purge.ts'
import { sandboxLoop } from '../../sandbox/work.ts'
import { subscribers } from './subscribers.ts'
import { leasesLoop } from './dead-nodes.ts'
import type { Loop } from '../jobs/loop.ts'

/**
 * While one of them fails, a node is not ready: it would accept codes that it cannot send. Failures of other work leave it ready, because
 * what it accepts is sent, and every node meets them (docs/operations.md#probes).
 */
export const NEEDED_TO_ACCEPT: ReadonlySet<string> = new Set(['submit'])

export function backgroundLoops(parts: Parts): readonly Loop[] {
  const guard = createRemovalGuard(parts)
  return [
    submitLoop({ ...parts, subscribers }),
    overdueLoop({ ...parts, subscribers }),
    reportsLoop({ ...parts, subscribers }),
    timersLoop(parts),
    expiryLoop(parts),
    undeliveredLoop(parts),
    sandboxLoop(parts),
    deliverLoop(parts),
    releaseLoop(parts),
    syncLoop(parts),
    leasesLoop(parts),
    dailyFiguresLoop(parts),
    doctorLoop(parts),
    housekeepingLoop({ ...parts, guard }),
    purgeLoop({ ...parts, guard, mayNameRecipient }),
    retentionLoop({ ...parts, guard, findUncountedSince }),
  ]
}
