import type { Clock } from '../../src/lib/clock.ts'

/** The real time plus an offset. */
export type MovedClock = Clock & { advance(ms: number): void }

export function createMovedClock(): MovedClock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance: (ms) => {
      offset += ms
    },
  }
}
