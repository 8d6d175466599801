import { DAY_MS, later } from '../clock.ts'

/** What was used lately, and over how long. */
export type Pace = { units: number; overMs: number }

/** What becomes of a month's allowance at the pace of the last days. `runs_out` and `lasts` are of this month. */
export type Forecast =
  | { will: 'is_out' }
  | { will: 'is_unused' }
  /** Less than a day is known: nothing can be said yet. */
  | { will: 'is_too_early' }
  | { will: 'runs_out'; at: Date }
  | { will: 'lasts' }

/** The days by which the pace is judged: a week has its busy days and its quiet ones. */
export const PACE_DAYS = 7

export type Allowance = { monthlyUnits: number; used: number; now: Date }

export function forecast({ monthlyUnits, used, now }: Allowance, { units, overMs }: Pace): Forecast {
  const left = monthlyUnits - used
  if (left <= 0) return { will: 'is_out' }
  if (units <= 0) return { will: 'is_unused' }
  if (overMs < DAY_MS) return { will: 'is_too_early' }
  const at = later(now, Math.min((left / units) * overMs, LONGEST_MS))
  return at < endOfMonth(now) ? { will: 'runs_out', at } : { will: 'lasts' }
}

/** Beyond any month, and still an instant that a date can hold. */
const LONGEST_MS = 100 * DAY_MS

/** Allowances are of calendar months in UTC (contract §8). */
export const endOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))

export type Used = {
  /** Of the present month and of the one before it. */
  used: number
  usedLastMonth: number
  /** Whether anything was used before the present month. */
  usedEarlier: boolean
  /** The first of the last days' uses: the unit that it took of its month. */
  first: { unit: number; at: Date } | undefined
}

/** Units are numbered within their month: the first one's number tells how many came after it. */
export function paceOf({ used, usedLastMonth, usedEarlier, first }: Used, now: Date): Pace {
  const since = later(now, -PACE_DAYS * DAY_MS)
  if (!first) return { units: 0, overMs: PACE_DAYS * DAY_MS }
  const isOfThisMonth = first.at >= beginOfMonth(now)
  const units = (isOfThisMonth ? used : usedLastMonth + used) - first.unit + 1
  const isTheVeryFirst = first.unit === 1 && !(isOfThisMonth && usedEarlier)
  const from = isTheVeryFirst && first.at > since ? first.at : since
  return { units, overMs: now.getTime() - from.getTime() }
}

const beginOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()))
