import { DAY_MS, HOUR_MS, later } from '../clock.ts'
import { FIRST_ID, LAST_ID, firstIdAt } from '../ids.ts'

/** The clock of a workspace: a sandbox's may be ahead, ms. */
export type ListClock = { sandbox: boolean; offsetMs: number }

export type Between = {
  /** In the workspace's time; `until` is the first instant that does not count any more. */
  from: Date | null
  until: Date | null
  clock: ListClock
  /** Only those before this one: where an earlier page ended. */
  before: string | null
}

/** How far the clocks of the machines that gave out ids may be from the database's. */
const CLOCKS_APART_MOST_MS = HOUR_MS
/** A sandbox may have been given a past when it was made. */
export const SANDBOX_BEGAN_EARLIER_MOST_MS = 2 * DAY_MS

/**
 * The ids that a list must look at: before the first of these, from the second on. An id is as old as what it names in
 * real time; `from` and `until` are in the workspace's, which may be ahead by anything between nothing and the present
 * offset.
 */
export function idsBetween({ from, until, clock, before }: Between): [string, string] {
  const behindMs = clock.sandbox ? SANDBOX_BEGAN_EARLIER_MOST_MS : CLOCKS_APART_MOST_MS
  const first = from ? firstIdSince(from, clock.offsetMs) : FIRST_ID
  const ends = [before ?? LAST_ID, until ? firstIdAt(later(until, behindMs)) : LAST_ID].sort()
  return [ends[0] ?? LAST_ID, first]
}

/** What was made at this time of a workspace, or later, has no id before this one. */
export const firstIdSince = (from: Date, offsetMs: number): string =>
  firstIdAt(later(from, -offsetMs - CLOCKS_APART_MOST_MS))
