import { later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db/pool.ts'

/** Real time, unless the workspace is a sandbox whose clock was moved forward. */
export type WorkspaceTime = {
  /** The workspace's time at a real instant. */
  at: (real: Date) => Date
  /** The workspace's time when work is due: due times move with the clock. */
  due: (real: Date) => Date
}

export type ClockMove = { moved_at: Date; by_ms: number }

const selectMoves: Statement<ClockMove> = statement(
  'list_clock_moves',
  'select moved_at, by_ms from clock_moves where workspace_id = $1 order by moved_at',
)

export const listClockMoves = (sql: Sql, workspaceId: string): Promise<ClockMove[]> =>
  sql.rows(selectMoves, [workspaceId])

export const findWorkspaceTime = async (sql: Sql, workspaceId: string): Promise<WorkspaceTime> =>
  workspaceTime(await listClockMoves(sql, workspaceId))

export function workspaceTime(moves: readonly ClockMove[]): WorkspaceTime {
  const offset = (made: readonly ClockMove[]): number => made.reduce((sum, { by_ms }) => sum + by_ms, 0)
  const present = offset(moves)
  return {
    at: (real) => later(real, offset(moves.filter(({ moved_at }) => moved_at <= real))),
    due: (real) => later(real, present),
  }
}
