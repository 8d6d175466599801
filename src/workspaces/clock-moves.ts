import { later } from '../lib/clock.ts'

/** Real time, unless the workspace is a sandbox whose clock was moved. */
export type WorkspaceTime = {
  /** The workspace's time at a real instant. */
  at: (real: Date) => Date
  /** The workspace's time when work is due: due times move with the clock. */
  due: (real: Date) => Date
  /**
   * The real instant at which the workspace's clock showed a time; of a time that a move skipped, the move's instant. Of a time that it
   * showed twice, because a demo month moved it back, the latter.
   */
  realOf: (shown: Date) => Date
}

export type ClockMove = { moved_at: Date; by_ms: number }

/** `moves` are in their order; `baseMs`: the sum of earlier ones. Pure: the dashboard uses it too. */
export function workspaceTime(moves: readonly ClockMove[], baseMs = 0): WorkspaceTime {
  const movedAt = moves.map(({ moved_at }) => moved_at.getTime())
  const offsets = [baseMs]
  for (const { by_ms } of moves) offsets.push((offsets.at(-1) ?? 0) + by_ms)
  const present = offsets.at(-1) ?? baseMs
  return {
    at: (real) => later(real, offsets[countUntil(movedAt, real.getTime())] ?? present),
    due: (real) => later(real, present),
    realOf(shown) {
      for (let span = moves.length; span > 0; span -= 1) {
        const [since, offset] = [movedAt[span - 1] ?? 0, offsets[span] ?? 0]
        if (since + offset <= shown.getTime()) return earliest(later(shown, -offset), movedAt[span])
      }
      return earliest(later(shown, -baseMs), movedAt[0])
    },
  }
}

const earliest = (real: Date, nextMoveAt = Number.POSITIVE_INFINITY): Date =>
  new Date(Math.min(real.getTime(), nextMoveAt))

/** How many of the ascending `times` are at or before `until`. A demo month has a thousand. */
function countUntil(times: readonly number[], until: number): number {
  let [from, to] = [0, times.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((times[middle] ?? 0) <= until) from = middle + 1
    else to = middle
  }
  return from
}
