import { type Clock, later, systemClock } from '../clock.ts'

/** The real clock, but for a day in the past that is lived through in seconds before anybody looks. */
export type DayClock = Clock & {
  /** The clock that is the real one, once there is a database to ask. */
  follow(real: Clock): Clock
  /** Goes back by as much, and runs so many times faster from there on. */
  goBack(byMs: number, rate: number): void
  /** Jumps forward; at an instant that is past already it stays. */
  skipTo(instant: Date): void
  /** From here on the real time again. */
  letGo(): void
  /** What a delay in real time is multiplied by, so that it takes as long by this clock as it says. */
  speed(): number
}

export function dayClock(): DayClock {
  let real = systemClock
  let past: { shownMs: number; sinceMs: number; rate: number } | undefined
  const realMs = (): number => real.now().getTime()
  const now = (): Date =>
    past ? new Date(Math.round(past.shownMs + (realMs() - past.sinceMs) * past.rate)) : real.now()
  return {
    now,
    follow(clock) {
      real = clock
      return { now }
    },
    goBack(byMs, rate) {
      past = { shownMs: later(real.now(), -byMs).getTime(), sinceMs: realMs(), rate }
    },
    skipTo(instant) {
      if (past) past = { ...past, shownMs: Math.max(now().getTime(), instant.getTime()), sinceMs: realMs() }
    },
    letGo() {
      past = undefined
    },
    speed: () => 1 / (past?.rate ?? 1),
  }
}
