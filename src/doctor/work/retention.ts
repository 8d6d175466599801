import { type CodedText, coded } from '../../../locales/text.ts'
import { findUncountedSince } from '../../charts/daily.ts'
import { DAY_MS } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Sql } from '../../db/pool.ts'
import type { ListedNode } from '../../jobs/node.ts'
import { keptByWorkers, readAndJudge } from '../../retention/guard.ts'
import { type Hold, type Keep, keptDays, shorterClasses } from '../../retention/hold.ts'
import type { KeptClass } from '../../retention/kept-since.ts'
import { type Overdue, listOverdue } from '../../retention/overdue.ts'
import { type NewFinding, durationText } from '../finding.ts'

/** The settings are in days. A worker that runs is minutes behind; a day leaves time for an outage or maintenance. */
const MAX_BEHIND_MS = DAY_MS

export const SETTINGS: Readonly<Record<KeptClass, string>> = {
  content: 'DOORCODE_KEEP_CONTENT_DAYS',
  records: 'DOORCODE_KEEP_RECORDS_DAYS',
  audit: 'DOORCODE_KEEP_AUDIT_DAYS',
}

type Retention = { config: Config; nodes: readonly ListedNode[]; now: Date }

/** Uses the settings of the running workers, or of this process if none runs. */
export async function findRetentionProblems(sql: Sql, { config, nodes, now }: Retention): Promise<NewFinding[]> {
  const keep = keptByWorkers(nodes) ?? config.keep
  const { hold, keep: inForce } = await readAndJudge(sql, { now, keep, isWorker: false })
  const shorter = [keep, ...workerSettings(nodes)].flatMap((each) => shorterSettings(each, inForce))
  const waiting = [...new Map(shorter.map((each) => [JSON.stringify(each), each])).values()]
  if (hold) return [heldFinding(hold), ...waiting] // what it does not remove is late too
  return [...waiting, ...judgeOverdue(await listOverdue(sql, { now, keep: inForce, findUncountedSince }))]
}

const workerSettings = (nodes: readonly ListedNode[]): Keep[] =>
  nodes
    .filter(({ isAlive, roles }) => isAlive && roles.includes('worker'))
    .flatMap(({ settings }) => settings.keep ?? [])

export function heldFinding(hold: Hold): NewFinding {
  switch (hold.reason) {
    case 'clocks_differ':
      return { code: 'removal_held_clocks', duration: durationText(hold.aheadMs) }
    case 'time_jumped': {
      const { now, trustedAt } = hold
      const duration = durationText(now.getTime() - trustedAt.getTime())
      return { code: 'removal_held_jump', now: timeText(now), trustedAt: timeText(trustedAt), duration }
    }
    case 'time_set_back':
      return { code: 'removal_held_back', setBackTo: timeText(hold.setBackTo) }
  }
}

/** Settings that are shorter than what is in force, so that they wait for an operator. */
export const shorterSettings = (keep: Keep, inForce: Keep): NewFinding[] =>
  shorterClasses(keep, inForce).map((each) => ({
    code: 'removal_setting_shorter',
    setting: SETTINGS[each],
    days: daysText(keptDays(keep, each)),
    inForce: daysText(keptDays(inForce, each)),
  }))

const daysText = (days: number): CodedText =>
  days === 0 ? coded('doctor.forever') : coded('doctor.days', { value: days })

/** To the minute. */
const timeText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

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
