import { findUncountedSince } from '../../charts/daily.ts'
import { DAY_MS } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/pool.ts'
import type { ListedNode } from '../../jobs/node.ts'
import type { KeptClass } from '../../retention/kept-since.ts'
import { type Overdue, listOverdue } from '../../retention/overdue.ts'
import { type NewFinding, durationText } from '../finding.ts'
import { keptByWorkers } from '../nodes.ts'

/** The settings are in days. A worker that runs is minutes behind; a day leaves time for an outage or maintenance. */
const MAX_BEHIND_MS = DAY_MS

const SETTINGS: Readonly<Record<KeptClass, string>> = {
  content: 'DOORCODE_KEEP_CONTENT_DAYS',
  records: 'DOORCODE_KEEP_RECORDS_DAYS',
  audit: 'DOORCODE_KEEP_AUDIT_DAYS',
}

type Retention = { config: Config; nodes: readonly ListedNode[]; now: Date }

/** Uses the settings of the running workers, or of this process if none runs. */
export async function findOverdueRemoval(sql: Sql, { config, nodes, now }: Retention): Promise<NewFinding[]> {
  const keep = keptByWorkers(nodes) ?? config.keep
  return judgeOverdue(await listOverdue(sql, { now, keep, findUncountedSince }))
}

const judgeOverdue = (overdue: readonly Overdue[]): NewFinding[] =>
  overdue.flatMap(({ class: keptClass, behindMs, inUse: { number, id } }): NewFinding[] => {
    const setting = SETTINGS[keptClass]
    return [
      ...(behindMs > MAX_BEHIND_MS
        ? [{ code: 'retention_behind', setting, duration: durationText(behindMs) } as const]
        : []),
      ...(id === null ? [] : [{ code: 'retention_in_use', setting, number, id } as const]),
    ]
  })
