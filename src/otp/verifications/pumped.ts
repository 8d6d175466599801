import { later } from '../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { firstIdAt } from '../../lib/ids.ts'
import { PREFIX_WINDOW_MS, type PrefixCounts, VARIABLE_DIGITS, isPumped } from './limits.ts'

/** Numbers that begin with `prefix`. */
export type PumpedPrefix = PrefixCounts & { workspaceId: string; prefix: string }

/** The newest verifications of the instance that are looked at. */
const MAX_ROWS = 20_000

const countPrefixes: Statement<PumpedPrefix> = statement(
  'count_verifications_by_prefix',
  `select workspace_id as "workspaceId", left(recipient, -${VARIABLE_DIGITS}) as prefix, count(*)::int as started,
     (count(*) filter (where status = 'approved'))::int as approved
   from (select workspace_id, recipient, status from otp_verifications where id >= $1 order by id desc limit ${MAX_ROWS}) v
   where recipient like '+%' and workspace_id = coalesce($2, workspace_id)
   group by 1, 2`,
)

/** The prefixes that get OTP_PUMPING_SUSPECTED. Without a workspace, those of all workspaces. */
export async function listPumpedPrefixes(
  sql: Sql,
  { workspaceId = null, now }: { workspaceId?: string | null; now: Date },
): Promise<PumpedPrefix[]> {
  const counted = await sql.rows(countPrefixes, [firstIdAt(later(now, -PREFIX_WINDOW_MS)), workspaceId])
  return counted.filter(isPumped)
}
