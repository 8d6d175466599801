import { workspaceStatement } from '../lib/db/workspace-batch.ts'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { type ClockMove, type WorkspaceTime, workspaceTime } from './clock-moves.ts'

const selectMoves: Statement<ClockMove> = workspaceStatement(
  'list_clock_moves',
  'select moved_at, by_ms from clock_moves where workspace_id = $1 order by moved_at',
)

export const listClockMoves = (sql: Sql, workspaceId: string): Promise<ClockMove[]> =>
  sql.rows(selectMoves, [workspaceId])

export const findWorkspaceTime = async (sql: Sql, workspaceId: string): Promise<WorkspaceTime> =>
  workspaceTime(await listClockMoves(sql, workspaceId))

const selectClockBehind = statement<{ backMs: number }>(
  'find_clock_behind',
  'select clock_back_ms as "backMs" from workspaces where id = $1',
)

/** How far the clock of a workspace was behind the real time in its demo month. */
export const findClockBehindMs = async (sql: Sql, workspaceId: string): Promise<number> =>
  (await sql.row(selectClockBehind, [workspaceId]))?.backMs ?? 0

/** Moves the workspace's clock. The caller must have locked the workspace, and must move what is due. */
export async function recordClockMove(tx: Sql, workspaceId: string, { moved_at, by_ms }: ClockMove): Promise<void> {
  await tx.rows(insertMove, [workspaceId, moved_at, by_ms])
  await tx.rows(addToOffset, [workspaceId, by_ms])
}

const insertMove = statement(
  'record_clock_move',
  `insert into clock_moves as m (workspace_id, moved_at, by_ms) values ($1, $2, $3)
   on conflict (workspace_id, moved_at) do update set by_ms = m.by_ms + excluded.by_ms`,
)

const addToOffset = statement(
  'move_workspace_clock',
  `update workspaces set clock_offset_ms = clock_offset_ms + $2, clock_back_ms = greatest(clock_back_ms, -$2::bigint)
   where id = $1 returning id as workspace_id`,
)

/** Forgets how the clock came where it is: for a workspace without rows that need it. The caller must have locked the workspace. */
export async function resetClock(tx: Sql, workspaceId: string, { moved_at, by_ms }: ClockMove): Promise<void> {
  await tx.rows(deleteMoves, [workspaceId])
  await tx.rows(zeroOffset, [workspaceId])
  if (by_ms > 0) await recordClockMove(tx, workspaceId, { moved_at, by_ms })
}

const deleteMoves = statement('delete_clock_moves', 'delete from clock_moves where workspace_id = $1')

const zeroOffset = statement(
  'reset_workspace_clock',
  'update workspaces set clock_offset_ms = 0, clock_back_ms = 0 where id = $1 returning id as workspace_id',
)
