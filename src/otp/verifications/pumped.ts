import { workspaceStatement } from '../../lib/db/workspace-batch.ts'
import type { Sql, Statement } from '../../lib/db/pool.ts'
import {
  MAX_COUNTED_OF_PREFIX,
  MIN_SUSPICIOUS,
  PREFIX_WINDOW_MS,
  type PrefixCounts,
  VARIABLE_DIGITS,
  isPumped,
} from './limits.ts'

export const prefixOf = (recipient: string): string => `left(${recipient}, -${VARIABLE_DIGITS})`

/** The PrefixCounts of a prefix, as a JSON object. `now`: in the workspace's time. */
export const countsOfPrefix = (of: { workspaceId: string; prefix: string; now: string }): string =>
  `(select jsonb_build_object('started', count(*), 'approved', count(*) filter (where status = 'approved')) from (
     select status from otp_verifications
     where workspace_id = ${of.workspaceId} and ${prefixOf('recipient')} = ${of.prefix} and recipient like '+%'
       and created_at > ${of.now} - ${PREFIX_WINDOW_MS} * interval '1 ms'
     order by created_at desc limit ${MAX_COUNTED_OF_PREFIX}) v)`

/** `prefix`: how its numbers begin. */
export type PumpedPrefix = PrefixCounts & { prefix: string }

const NOW = `($2::timestamptz + w.clock_offset_ms * interval '1 ms')`

/** Each is one of MIN_SUSPICIOUS verifications of its prefix. The most frequent of them are counted. */
const MAX_FREQUENT = 300
const MAX_PREFIXES = 20

const countPrefixes: Statement<Omit<PumpedPrefix, keyof PrefixCounts> & { counts: PrefixCounts }> = workspaceStatement(
  'count_verifications_by_prefix',
  `select p.prefix, ${countsOfPrefix({ workspaceId: 'w.id', prefix: 'p.prefix', now: NOW })} as counts
   from workspaces w cross join lateral (
     select prefix from (
       select ${prefixOf('recipient')} as prefix from otp_verifications
       where workspace_id = w.id and prefix_number % ${MIN_SUSPICIOUS} = 0 and recipient like '+%'
         and created_at > ${NOW} - ${PREFIX_WINDOW_MS} * interval '1 ms'
       order by created_at desc limit ${MAX_FREQUENT}) frequent
     group by prefix order by count(*) desc limit ${MAX_PREFIXES}) p
   where w.id = $1`,
)

/** Prefixes of a workspace that get OTP_PUMPING_SUSPECTED. */
export async function listPumpedPrefixes(sql: Sql, workspaceId: string, now: Date): Promise<PumpedPrefix[]> {
  const counted = await sql.rows(countPrefixes, [workspaceId, now])
  return counted.flatMap(({ counts, ...prefix }) => (isPumped(counts) ? { ...prefix, ...counts } : []))
}
