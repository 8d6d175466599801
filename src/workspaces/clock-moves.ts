import { later } from '../lib/clock.ts'

/** Real time, unless the workspace is a sandbox whose clock was moved forward. */
export type WorkspaceTime = {
  /** The workspace's time at a real instant. */
  at: (real: Date) => Date
  /** The workspace's time when work is due: due times move with the clock. */
  due: (real: Date) => Date
  /** The real instant at which the workspace's clock showed a time; of a time that a move skipped, the move's instant. */
  realOf: (shown: Date) => Date
}

export type ClockMove = { moved_at: Date; by_ms: number }

/** `moves` are in their order; `baseMs`: the sum of earlier ones. Pure: the dashboard uses it too. */
export function workspaceTime(moves: readonly ClockMove[], baseMs = 0): WorkspaceTime {
  const offset = (made: readonly ClockMove[]): number => made.reduce((sum, { by_ms }) => sum + by_ms, baseMs)
  const present = offset(moves)
  return {
    at: (real) => later(real, offset(moves.filter(({ moved_at }) => moved_at <= real))),
    due: (real) => later(real, present),
    realOf(shown) {
      let before = baseMs
      for (const { moved_at, by_ms } of moves) {
        const skipsFrom = later(moved_at, before)
        if (shown < skipsFrom) return later(shown, -before)
        if (shown < later(skipsFrom, by_ms)) return moved_at
        before += by_ms
      }
      return later(shown, -before)
    },
  }
}
