import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { type ClockMove, type WorkspaceTime, workspaceTime } from './clock-moves.ts'

const selectMoves: Statement<ClockMove> = statement(
  'list_clock_moves',
  'select moved_at, by_ms from clock_moves where workspace_id = $1 order by moved_at',
)

export const listClockMoves = (sql: Sql, workspaceId: string): Promise<ClockMove[]> =>
  sql.rows(selectMoves, [workspaceId])

export const findWorkspaceTime = async (sql: Sql, workspaceId: string): Promise<WorkspaceTime> =>
  workspaceTime(await listClockMoves(sql, workspaceId))

/** Moves the workspace's clock forward. The caller must have locked the workspace, and must move what is due. */
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
  'update workspaces set clock_offset_ms = clock_offset_ms + $2 where id = $1 returning id as workspace_id',
)
