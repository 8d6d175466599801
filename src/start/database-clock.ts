import type { Clock } from '../clock.ts'
import { type Sql, statement } from '../db/pool.ts'

const selectTime = statement<{ now: Date }>('select_time', 'select clock_timestamp() as now')

const MEASURE_INTERVAL_MS = 60_000
/** The fastest round trip of these has the smallest error. */
const SAMPLES = 3

/**
 * The database's time, so that nodes with wrong clocks agree on what is due. The monotonic clock carries it between two
 * measurements, so changes of this machine's clock have no effect. During an outage the last measurement is used.
 * `measureAgain` is for a connection that is back: it may lead to another server, with another clock. It never fails.
 */
export async function createDatabaseClock(sql: Sql): Promise<Clock & { measureAgain(): Promise<void>; stop(): void }> {
  let offsetMs = await measureOffset(sql)
  const measureAgain = async (): Promise<void> => {
    offsetMs = await measureOffset(sql).catch(() => offsetMs)
  }
  const timer = setInterval(() => void measureAgain(), MEASURE_INTERVAL_MS).unref()
  return {
    now: () => new Date(Math.round(performance.now() + offsetMs)),
    measureAgain,
    stop: () => clearInterval(timer),
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
