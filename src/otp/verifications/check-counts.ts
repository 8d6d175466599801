import { workspaceStatement } from '../../lib/db/workspace-batch.ts'
import { type Sql, type Statement, batch, statement } from '../../lib/db/pool.ts'
import { CHECKS_STEP_MS, type CheckCounts, isGuessed } from './limits.ts'

export type NewChecks = CheckCounts & {
  workspaceId: string
  /** In the workspace's time. */
  at: Date
}

/** Adds checks to those of their workspaces, in the transaction that stores them. Locks the rows in one order. */
export async function countChecks(tx: Sql, checks: readonly NewChecks[]): Promise<void> {
  if (checks.length === 0) return
  const rows = checks
    .toSorted((one, other) => (one.workspaceId < other.workspaceId ? -1 : 1))
    .map(({ workspaceId: workspace_id, at, right, wrong }) => ({ workspace_id, begins_at: stepOf(at), right, wrong }))
  await tx.rows(add, [batch(rows)])
}

const stepOf = (at: Date): Date => new Date(Math.floor(at.getTime() / CHECKS_STEP_MS) * CHECKS_STEP_MS)

/** A node whose group is slow may add to a step that is over: those checks count in the present one. */
const add = statement(
  'count_otp_checks',
  `insert into otp_checks as c (workspace_id, begins_at, right_codes, wrong_codes, earlier_right_codes, earlier_wrong_codes)
   select workspace_id, begins_at, "right", wrong, 0, 0
   from jsonb_to_recordset($1) as r (workspace_id uuid, begins_at timestamptz, "right" integer, wrong integer)
   on conflict (workspace_id) do update set
     (begins_at, right_codes, wrong_codes, earlier_right_codes, earlier_wrong_codes) = (
       select greatest(c.begins_at, excluded.begins_at),
         excluded.right_codes + case when steps <= 0 then c.right_codes else 0 end,
         excluded.wrong_codes + case when steps <= 0 then c.wrong_codes else 0 end,
         case when steps <= 0 then c.earlier_right_codes when steps = 1 then c.right_codes else 0 end,
         case when steps <= 0 then c.earlier_wrong_codes when steps = 1 then c.wrong_codes else 0 end
       from (select extract(epoch from excluded.begins_at - c.begins_at) * 1000 / ${CHECKS_STEP_MS} as steps) s)`,
)

/** The CheckCounts of a workspace, as a JSON object; null if no code was checked lately. `now`: in the workspace's time. */
export const checkCountsOf = ({ workspaceId, now }: { workspaceId: string; now: string }): string =>
  `(select jsonb_build_object(
       'right', right_codes + case when begins_at > ${now} - ${STEP} then earlier_right_codes else 0 end,
       'wrong', wrong_codes + case when begins_at > ${now} - ${STEP} then earlier_wrong_codes else 0 end)
     from otp_checks where workspace_id = ${workspaceId} and begins_at > ${now} - 2 * ${STEP} limit 1)`

const STEP = `${CHECKS_STEP_MS} * interval '1 ms'`

const find: Statement<{ checks: CheckCounts | null }> = workspaceStatement(
  'find_guessed_otp_checks',
  `select ${checkCountsOf({ workspaceId: 'w.id', now: `($2::timestamptz + w.clock_offset_ms * interval '1 ms')` })} as checks
   from workspaces w where w.id = $1`,
)

/** The checks of a workspace that gets OTP_GUESSING_SUSPECTED. */
export async function findGuessing(sql: Sql, workspaceId: string, now: Date): Promise<CheckCounts | undefined> {
  const checks = (await sql.row(find, [workspaceId, now]))?.checks
  return checks && isGuessed(checks) ? checks : undefined
}

/** For a workspace that begins again, and whose clock may be set back. */
export const forgetChecks = async (tx: Sql, workspaceId: string): Promise<void> => {
  await tx.rows(remove, [workspaceId])
}

const remove = statement('forget_otp_checks', 'delete from otp_checks where workspace_id = $1')
