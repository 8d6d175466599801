import { coded } from '../../../locales/text.ts'
import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts'
import type { ListedNode } from '../../runtime/jobs/node.ts'
import { type NewFinding, durationText } from './finding.ts'

/** Certificates and signatures of webhooks depend on clocks. */
const MAX_AHEAD_MS = 10 * SECOND_MS
/** Lists look for ids of a time within this margin (src/lib/lists/id-range.ts). */
const MAX_SKEW_MS = HOUR_MS

/** Differences from the database's clock: of this machine, and of each running node. */
export function checkClocks(aheadMs: number, nodes: readonly ListedNode[]): NewFinding[] {
  const machines = [
    { machine: coded('doctor.this_machine'), aheadMs },
    ...nodes
      .filter(({ isAlive }) => isAlive)
      .map(({ nodeId, settings }) => ({
        machine: coded('doctor.machine_of_node', { nodeId }),
        aheadMs: settings.clockAheadMs,
      })),
  ]
  return machines
    .filter(({ aheadMs }) => Math.abs(aheadMs) > MAX_AHEAD_MS)
    .map(({ machine, aheadMs }) => ({
      code: Math.abs(aheadMs) > MAX_SKEW_MS ? 'clock_wrong' : 'clock_differs',
      machine,
      duration: durationText(aheadMs),
    }))
}
