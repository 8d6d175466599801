import { later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db.ts'

/** The time of a workspace: the real one, but in a sandbox whose clock was moved forward. */
export type WorkspaceTime = {
  /** What its clock showed at a real instant. */
  at: (real: Date) => Date
  /** What its clock will show when work is due: what was due moved along with the clock. */
  due: (real: Date) => Date
}

export type Move = { moved_at: Date; by_ms: number }

const selectMoves: Statement<Move> = statement(
  'list_clock_moves',
  'select moved_at, by_ms from clock_moves where workspace_id = $1 order by moved_at',
)

/** How the clock of a workspace was moved, in the order of real time. */
export const listClockMoves = (sql: Sql, workspaceId: string): Promise<Move[]> => sql.rows(selectMoves, [workspaceId])

export const findWorkspaceTime = async (sql: Sql, workspaceId: string): Promise<WorkspaceTime> =>
  workspaceTime(await listClockMoves(sql, workspaceId))

export function workspaceTime(moves: readonly Move[]): WorkspaceTime {
  const offset = (made: readonly Move[]): number => made.reduce((sum, { by_ms }) => sum + by_ms, 0)
  const present = offset(moves)
  return {
    at: (real) => later(real, offset(moves.filter(({ moved_at }) => moved_at <= real))),
    due: (real) => later(real, present),
  }
}
