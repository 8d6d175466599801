import { type Sql, statement } from './db.ts'

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

const askTheTime = statement<{ now: Date }>('ask_the_time', 'select clock_timestamp() as now')

const ASKED_EVERY_MS = 60_000
/** The quickest answer of these is the least wrong. */
const ASKED_TIMES = 3

/**
 * The database's time, so that nodes with wrong clocks agree on what is due. Carried on by the monotonic clock between
 * two questions: a step of this machine's clock changes nothing. While the database is away the last answer holds.
 */
export async function databaseClock(sql: Sql): Promise<Clock & { stop(): void }> {
  let offsetMs = await measureOffset(sql)
  const measureAgain = async (): Promise<void> => {
    offsetMs = await measureOffset(sql).catch(() => offsetMs)
  }
  const timer = setInterval(() => {
    void measureAgain()
  }, ASKED_EVERY_MS).unref()
  return {
    now: () => new Date(Math.round(performance.now() + offsetMs)),
    stop: () => clearInterval(timer),
  }
}

/** What to add to the monotonic clock, ms. */
async function measureOffset(sql: Sql): Promise<number> {
  let best = { tripMs: Number.POSITIVE_INFINITY, offsetMs: 0 }
  for (let asked = 0; asked < ASKED_TIMES; asked += 1) {
    const from = performance.now()
    const answer = await sql.row(askTheTime)
    const to = performance.now()
    if (answer && to - from < best.tripMs) {
      best = { tripMs: to - from, offsetMs: answer.now.getTime() - (from + to) / 2 }
    }
  }
  return best.offsetMs
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)
export const notBefore = (earliest: Date, at: Date): Date => (at < earliest ? earliest : at)
