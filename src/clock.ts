/** The one source of "now" inside the program; tests move it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

/** For tests: the real time plus what it was moved by. */
export type MovedClock = Clock & { advance(ms: number): void }

export function movedClock(): MovedClock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance: (ms) => {
      offset += ms
    },
  }
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)
