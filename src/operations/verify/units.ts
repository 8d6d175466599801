import { MINUTE_MS } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { type QuotaKind, quotaMonth } from '../../workspaces/quota.ts'
import { type Difference, compared } from './differences.ts'

/** No request is stored this long after its id was created. */
const MAX_ACCEPTING_MS = 5 * MINUTE_MS

const keyOf = (kind: string, month: string): string => `${kind} ${month}`
const monthIn = (key: string): string => key.slice(key.indexOf(' ') + 1)

/** Accepted requests by kind and month, as they are walked. Those from the id `until` are counted together with the counters. */
export type WalkedUnits = { until: string; counts: Map<string, number> }

/** Ids are created with the system's clock. */
export const noUnits = (): WalkedUnits => ({
  until: firstIdAt(new Date(Date.now() - MAX_ACCEPTING_MS)),
  counts: new Map(),
})

/** The month counts in the workspace's time, which a sandbox may have moved. */
export function countUnit({ until, counts }: WalkedUnits, kind: QuotaKind, unit: { id: string; at: Date }): void {
  const key = keyOf(kind, quotaMonth(unit.at))
  if (unit.id < until) counts.set(key, (counts.get(key) ?? 0) + 1)
}

type Units = { kind: QuotaKind; month: string; units: number }

const readUsage: Statement<Units> = statement(
  'read_quota_usage_to_verify',
  'select kind, month::text as month, used as units from quota_usage where workspace_id = $1',
)

const MONTH = `date_trunc('month', created_at at time zone 'UTC')::date::text as month`

/**
 * Codes and confirmations from the id $2, in one snapshot with the counters: the walk has counted the earlier ones. Refusal
 * checks, which have no ids in the order of time, from the month $3.
 */
const countRecent: Statement<Units> = statement(
  'count_recent_units_to_verify',
  `select 'otp' as kind, ${MONTH}, count(*) as units from messages
   where workspace_id = $1 and id >= $2 and kind = 'otp' group by 2
   union all
   select 'cod_confirmation', ${MONTH}, count(*) from confirmations where workspace_id = $1 and id >= $2 group by 2
   union all
   select 'cod_refusal', ${MONTH}, count(*) from refusal_checks
   where workspace_id = $1 and created_at > '-infinity' and created_at >= coalesce($3::date, '-infinity'::date) at time zone 'UTC'
   group by 2`,
)

/**
 * Compares the counters with the accepted requests of each kind and month. `firstMonth`: the first month of which all records were
 * walked; null: all months.
 */
export async function checkUnits(
  tx: Sql,
  workspaceId: string,
  { walked, firstMonth }: { walked: WalkedUnits; firstMonth: string | null },
): Promise<{ checked: number; differences: Difference[] }> {
  const used = new Map<string, number>()
  for (const { kind, month, units } of await tx.rows(readUsage, [workspaceId])) used.set(keyOf(kind, month), units)
  const accepted = new Map(walked.counts)
  for (const { kind, month, units } of await tx.rows(countRecent, [workspaceId, walked.until, firstMonth]))
    accepted.set(keyOf(kind, month), (accepted.get(keyOf(kind, month)) ?? 0) + units)
  const keys = [...new Set([...used.keys(), ...accepted.keys()])]
  const whole = keys.filter((key) => firstMonth === null || monthIn(key) >= firstMonth)
  const differences = whole.flatMap((key) => {
    const of = { kind: key.slice(0, key.indexOf(' ')), month: monthIn(key) }
    const values = { stored: used.get(key) ?? 0, derived: accepted.get(key) ?? 0 }
    return compared(workspaceId, { code: 'verify.units', ...of }, values)
  })
  return { checked: whole.length, differences }
}
