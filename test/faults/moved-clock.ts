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

/** Time stands still unless the test moves it, so that events of one instant can be counted. */
export function createStoppedClock(): MovedClock {
  let ms = Date.now()
  return {
    now: () => new Date(ms),
    advance: (byMs) => {
      ms += byMs
    },
  }
}
