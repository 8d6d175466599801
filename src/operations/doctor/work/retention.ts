import { type CodedText, coded } from '../../../../locales/text.ts'
import { findUncountedSince } from '../../../charts/daily.ts'
import { DAY_MS, later } from '../../../lib/clock.ts'
import type { Config } from '../../../lib/config.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import type { ListedNode } from '../../../runtime/jobs/node.ts'
import { keepOfWorkers, keptByWorkers, readAndCheck } from '../../lifecycle/retention/guard.ts'
import { type Hold, type Keep, keptDays, shorterClasses } from '../../lifecycle/retention/hold.ts'
import type { KeptClass } from '../../lifecycle/retention/kept-since.ts'
import { type Overdue, listOverdue } from '../../lifecycle/retention/due.ts'
import { type NewFinding, durationText } from '../finding.ts'
import { hostOf } from '../setup.ts'

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
  const { hold, keep: inForce } = await readAndCheck(sql, { keep, isWorker: false })
  const shorter = [keep, ...keepOfWorkers(nodes)].flatMap((each) => shorterSettings(each, inForce))
  const waiting = [...new Map(shorter.map((each) => [JSON.stringify(each), each])).values()]
  if (hold) return [heldFinding(hold), ...waiting] // what it does not remove is late too
  return [
    ...waiting,
    ...checkOverdue(await listOverdue(sql, { now, keep: inForce, findUncountedSince })),
    ...(await findExpiringEvents(sql, { now, contentDays: inForce.contentDays })),
  ]
}

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
  days === 0 ? coded('doctor.forever') : coded('doctor.days', { count: days })

/** To the minute. */
const timeText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Long enough to repair a receiver. */
const SOON_MS = 7 * DAY_MS
/** Deliveries of one endpoint that are counted. */
const MAX_COUNTED = 1_000
const MAX_ENDPOINTS = 50

type Expiring = { workspace: string; endpointId: string; url: string; number: number; oldestAt: Date }

/** Events that wait for a paused or disabled endpoint, and whose body will soon be removed: they can never be sent then. */
async function findExpiringEvents(sql: Sql, { now, contentDays }: { now: Date; contentDays: number }) {
  if (contentDays === 0) return []
  const from = later(now, -contentDays * DAY_MS)
  const rows = await sql.rows(listExpiring, [from, later(from, SOON_MS)])
  return rows.map(({ workspace, endpointId, url, number, oldestAt }): NewFinding => {
    const duration = durationText(oldestAt.getTime() - from.getTime())
    return { code: 'held_events_expire', workspace, endpointId, host: hostOf(url), number, duration }
  })
}

const listExpiring: Statement<Expiring> = statement(
  'list_held_events_that_expire',
  `select w.name as workspace, e.id as "endpointId", e.url, d.number, d."oldestAt"
   from webhook_endpoints e
   cross join lateral (select name from workspaces where id = e.workspace_id and deleted_at is null limit 1) w
   cross join lateral (
     select (count(*) filter (where status = 'held'))::int as number, min(created_at) filter (where status = 'held') as "oldestAt"
     from (
       select status, created_at from webhook_deliveries
       where endpoint_id = e.id and status in ('failed', 'held') and created_at > $1 and created_at <= $2
       order by created_at limit ${MAX_COUNTED}) next) d
   where e.status <> 'enabled' and e.deleted_at is null and d.number > 0
   order by d."oldestAt" limit ${MAX_ENDPOINTS}`,
)

const checkOverdue = (overdue: readonly Overdue[]): NewFinding[] =>
  overdue.flatMap(({ class: keptClass, behindMs, inUse: { number, id } }): NewFinding[] => {
    const setting = SETTINGS[keptClass]
    return [
      ...(behindMs > MAX_BEHIND_MS
        ? [{ code: 'retention_behind', setting, duration: durationText(behindMs) } as const]
        : []),
      ...(id === null ? [] : [{ code: 'retention_in_use', setting, number, id } as const]),
    ]
  })
