import { type Clock, later, systemClock } from '../../lib/clock.ts'

export type DayClock = ReturnType<typeof createDayClock>

/** The real clock, except while the demo's first day is simulated in seconds. */
export function createDayClock() {
  let real = systemClock
  let simulated: { shownMs: number; sinceMs: number; rate: number } | undefined
  const realMs = (): number => real.now().getTime()
  const now = (): Date =>
    simulated ? new Date(Math.round(simulated.shownMs + (realMs() - simulated.sinceMs) * simulated.rate)) : real.now()
  return {
    now,
    /** Takes the database's clock as the real one. */
    follow(clock: Clock): Clock {
      real = clock
      return { now }
    },
    /** Sets the clock back by `byMs`, and then runs it `rate` times as fast. */
    goBack(byMs: number, rate: number): void {
      simulated = { shownMs: later(real.now(), -byMs).getTime(), sinceMs: realMs(), rate }
    },
    /** Jumps forward; never back. */
    skipTo(instant: Date): void {
      if (simulated)
        simulated = { ...simulated, shownMs: Math.max(now().getTime(), instant.getTime()), sinceMs: realMs() }
    },
    returnToRealTime(): void {
      simulated = undefined
    },
    /** Multiply a delay by this to make it last as long by this clock. */
    speed: () => 1 / (simulated?.rate ?? 1),
  }
}
