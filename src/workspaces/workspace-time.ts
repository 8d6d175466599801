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
