import { DAY_MS, HOUR_MS, later } from '../clock.ts'
import { FIRST_ID, LAST_ID, firstIdAt } from '../ids.ts'

/** `offsetMs`: how far the workspace's clock is ahead; 0 unless it is a sandbox, negative while a demo month is made. */
export type ListClock = { sandbox: boolean; offsetMs: number }

export type TimeRange = {
  /** Times of the rows' clock; `until` is exclusive. */
  from: Date | null
  until: Date | null
  /** The id at which the previous page ended. */
  before: string | null
}

/** How far the time in an id may be before and after the time of its row. */
export type IdMargin = { earlierMs: number; laterMs: number }

/** Between the clocks of the nodes, which create the ids, and the database's clock. */
const MAX_CLOCK_SKEW_MS = HOUR_MS
/** A demo month lies this far in the past; some hours more for the change of a time zone. */
export const MAX_SANDBOX_BEGAN_EARLIER_MS = 32 * DAY_MS

/** Ids follow real time; rows have the workspace's time, which was ahead by anything up to the current offset, or back in a demo month. */
export const idMargin = ({ sandbox, offsetMs }: ListClock): IdMargin => ({
  earlierMs: Math.max(0, offsetMs) + MAX_CLOCK_SKEW_MS,
  laterMs: sandbox ? MAX_SANDBOX_BEGAN_EARLIER_MS : MAX_CLOCK_SKEW_MS,
})

/** The ids to scan for a time range: [end (exclusive), start (inclusive)]. */
export function idRange({ from, until, before }: TimeRange, { earlierMs, laterMs }: IdMargin): [string, string] {
  const first = from ? firstIdAt(later(from, -earlierMs)) : FIRST_ID
  const ends = [before ?? LAST_ID, until ? firstIdAt(later(until, laterMs)) : LAST_ID].sort()
  return [ends[0] ?? LAST_ID, first]
}

/** A lower bound for the ids of rows created at or after a time of the workspace. */
export const firstIdSince = (from: Date, offsetMs: number): string =>
  firstIdAt(later(from, -Math.max(0, offsetMs) - MAX_CLOCK_SKEW_MS))
