import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'

const selectTime = statement<{ now: Date }>('select_time', 'select clock_timestamp() as now')

const MEASURE_INTERVAL_MS = 60_000
/** The fastest round trip of these has the smallest error. */
const SAMPLES = 3
/** From the clock to a time that the database has just reported. The rest is the way of the report. */
const MAX_DIFFERENCE_MS = 1_000
/** A restored connection may be lost again, or the server may still reject others. After these tries the interval measures. */
const MAX_TRIES = 5
const RETRY_MS = 1_000

/**
 * The database's time, so that nodes with wrong clocks agree on what is due. The monotonic clock carries it between two
 * measurements, so changes of this machine's clock have no effect. During an outage the last measurement is used.
 * `follow` takes each time that the database reports, and measures again if its clock was set or another server answers: until then,
 * nodes would disagree on what is due. `measureAgain` never fails.
 */
export async function createDatabaseClock(
  sql: Sql,
  { retryMs = RETRY_MS }: { retryMs?: number } = {}, // set by tests
): Promise<Clock & { measureAgain(): Promise<void>; follow: (databaseNow: Date) => void; stop(): void }> {
  let offsetMs = await measureOffset(sql)
  const stopping = new AbortController()
  const { signal } = stopping
  const measureAgain = async (): Promise<void> => {
    for (let tries = 1; !signal.aborted; tries += 1) {
      const measured = await measureOffset(sql).catch(() => undefined)
      offsetMs = measured ?? offsetMs
      if (measured !== undefined || tries === MAX_TRIES) return
      await wait(retryMs, undefined, { signal }).catch(() => undefined)
    }
  }
  const timer = setInterval(() => void measureAgain(), MEASURE_INTERVAL_MS).unref()
  const now = (): Date => new Date(Math.round(performance.now() + offsetMs))
  let measuring: Promise<void> | undefined
  return {
    now,
    measureAgain,
    follow(databaseNow) {
      if (Math.abs(databaseNow.getTime() - now().getTime()) <= MAX_DIFFERENCE_MS) return
      measuring ??= measureAgain().finally(() => (measuring = undefined))
    },
    stop() {
      clearInterval(timer)
      stopping.abort()
    },
  }
}

/** What to add to the monotonic clock, ms. */
async function measureOffset(sql: Sql): Promise<number> {
  let best = { tripMs: Number.POSITIVE_INFINITY, offsetMs: 0 }
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const from = performance.now()
    const answer = await sql.row(selectTime)
    const to = performance.now()
    if (answer && to - from < best.tripMs) {
      best = { tripMs: to - from, offsetMs: answer.now.getTime() - (from + to) / 2 }
    }
  }
  return best.offsetMs
}
