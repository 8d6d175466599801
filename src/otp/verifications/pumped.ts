import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { MAX_COUNTED_OF_PREFIX, PREFIX_WINDOW_MS, type PrefixCounts, VARIABLE_DIGITS, isPumped } from './limits.ts'

export const prefixOf = (recipient: string): string => `left(${recipient}, -${VARIABLE_DIGITS})`

/** The PrefixCounts of a prefix, as a JSON object. `now`: in the workspace's time. */
export const countsOfPrefix = (of: { workspaceId: string; prefix: string; now: string }): string =>
  `(select jsonb_build_object('started', count(*), 'approved', count(*) filter (where status = 'approved')) from (
     select status from otp_verifications
     where workspace_id = ${of.workspaceId} and ${prefixOf('recipient')} = ${of.prefix} and recipient like '+%'
       and created_at > ${of.now} - ${PREFIX_WINDOW_MS} * interval '1 ms'
     order by created_at desc limit ${MAX_COUNTED_OF_PREFIX}) v)`

/** `prefix`: how its numbers begin. */
export type PumpedPrefix = PrefixCounts & { workspaceId: string; prefix: string }

/** The newest pending verifications of the instance, and the most frequent prefixes among them. */
const MAX_PENDING = 300
const MAX_PREFIXES = 20

const countPrefixes: Statement<Omit<PumpedPrefix, keyof PrefixCounts> & { counts: PrefixCounts }> = statement(
  'count_verifications_by_prefix',
  `with pending as materialized (
     select workspace_id, ${prefixOf('recipient')} as prefix from otp_verifications
     where due_at is not null and recipient like '+%' order by due_at desc limit ${MAX_PENDING}
   ), frequent as materialized (
     select workspace_id, prefix from pending where workspace_id = coalesce($2, workspace_id)
     group by 1, 2 having count(*) > 1 order by count(*) desc limit ${MAX_PREFIXES}
   )
   select p.workspace_id as "workspaceId", p.prefix, ${countsOfPrefix({
     workspaceId: 'p.workspace_id',
     prefix: 'p.prefix',
     now: `$1::timestamptz + w.clock_offset_ms * interval '1 ms'`,
   })} as counts
   from frequent p join workspaces w on w.id = p.workspace_id`,
)

/**
 * Prefixes that get OTP_PUMPING_SUSPECTED, while verifications of them are pending. Without a workspace, those of all workspaces.
 */
export async function listPumpedPrefixes(
  sql: Sql,
  { workspaceId = null, now }: { workspaceId?: string | null; now: Date },
): Promise<PumpedPrefix[]> {
  const counted = await sql.rows(countPrefixes, [now, workspaceId])
  return counted.flatMap(({ counts, ...prefix }) => (isPumped(counts) ? { ...prefix, ...counts } : []))
}
