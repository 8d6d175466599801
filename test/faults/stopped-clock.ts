import type { MovedClock } from './moved-clock.ts'

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
