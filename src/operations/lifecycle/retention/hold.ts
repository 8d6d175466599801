import { DAY_MS, HOUR_MS, MINUTE_MS, later } from '../../../lib/clock.ts'
import type { Config } from '../../../lib/config.ts'
import { KEPT_CLASSES, type KeptClass } from './kept-since.ts'

/** A step of a badly synchronized clock is smaller, and removes nothing visibly too early. */
export const MAX_DIFFERENCE_MS = 5 * MINUTE_MS
/** An instance may be off for a weekend. A longer jump of the time is confirmed by an operator. */
const MAX_OFF_MS = 3 * DAY_MS
/** So that not each turn writes the row. */
const TRUST_STEP_MS = HOUR_MS

export type Keep = Config['keep']

/** The stored row. `trustedAt`: the database's time when it was last plausible. `keep`: what is in force. */
export type GuardState = {
  trustedAt: Date
  /** The earliest time that new rows got from a clock that was far behind. */
  setBackTo: Date | null
  keep: Keep
}

/** Why nothing is removed. */
export type Hold =
  | { reason: 'clocks_differ'; aheadMs: number }
  | { reason: 'time_jumped'; trustedAt: Date; now: Date }
  | { reason: 'time_set_back'; setBackTo: Date }

export type GuardFacts = {
  /** The database's time. */
  now: Date
  /** How far the clocks of the running nodes are ahead of the database's. */
  machinesAheadMs: readonly number[]
  keep: Keep
  /** Undefined if no worker of this release has run yet. */
  state: GuardState | undefined
  /** Without a state: when the instance last worked, as far as its rows show. Undefined if it is new. */
  lastActiveAt?: Date | undefined
}

export type Removal = {
  hold: Hold | undefined
  /** How long data is kept now. */
  keep: Keep
  /** What to store. Undefined if nothing has changed. */
  next: GuardState | undefined
}

/**
 * Decides whether old data may be removed now. Removal cannot be undone, so an implausible time holds it: a row's age is measured
 * by the clocks of the database and of the node that wrote it.
 */
export function checkRemoval({ now, machinesAheadMs, keep, state: stored, lastActiveAt }: GuardFacts): Removal {
  const worst = machinesAheadMs.toSorted((one, other) => Math.abs(other) - Math.abs(one))[0] ?? 0
  const differs: Hold | undefined =
    Math.abs(worst) > MAX_DIFFERENCE_MS ? { reason: 'clocks_differ', aheadMs: worst } : undefined
  if (!stored && !lastActiveAt && differs) return { hold: differs, keep, next: undefined }

  const state = stored ?? { trustedAt: lastActiveAt ?? now, setBackTo: null, keep }
  const sinceMs = now.getTime() - state.trustedAt.getTime()
  const isPlausible = Math.abs(sinceMs) <= MAX_OFF_MS
  // New rows get the time of their node, or the database's.
  const writtenAt = [now, ...machinesAheadMs.map((aheadMs) => later(now, aheadMs))]
  const farBehind = writtenAt.filter((at) => at < later(state.trustedAt, -MAX_OFF_MS))
  const setBackTo = earliest([...farBehind, ...(state.setBackTo ? [state.setBackTo] : [])])
  const inForce = longestKeep(state.keep, keep)
  const next: GuardState = {
    trustedAt: isPlausible && Math.abs(sinceMs) >= TRUST_STEP_MS ? now : state.trustedAt,
    setBackTo,
    keep: inForce,
  }
  const jumped: Hold | undefined =
    sinceMs > MAX_OFF_MS ? { reason: 'time_jumped', trustedAt: state.trustedAt, now } : undefined
  const wentBack: Hold | undefined = setBackTo ? { reason: 'time_set_back', setBackTo } : undefined
  return { hold: differs ?? jumped ?? wentBack, keep: inForce, next: stored && isSame(stored, next) ? undefined : next }
}

const earliest = (times: readonly Date[]): Date | null =>
  times.reduce<Date | null>((first, at) => (first === null || at < first ? at : first), null)

const isSame = (one: GuardState, other: GuardState): boolean =>
  one.trustedAt.getTime() === other.trustedAt.getTime() &&
  one.setBackTo?.getTime() === other.setBackTo?.getTime() &&
  shorterClasses(one.keep, other.keep).length === 0

/** 0 is forever. */
const longest = (days: number, others: number): number => (days === 0 || others === 0 ? 0 : Math.max(days, others))

export const longestKeep = (one: Keep, other: Keep): Keep => ({
  contentDays: longest(one.contentDays, other.contentDays),
  recordsDays: longest(one.recordsDays, other.recordsDays),
  auditDays: longest(one.auditDays, other.auditDays),
})

/** The classes that `keep` would remove earlier than `inForce`. */
export const shorterClasses = (keep: Keep, inForce: Keep): KeptClass[] =>
  KEPT_CLASSES.filter((each) => {
    const days = keptDays(keep, each)
    return days !== longest(days, keptDays(inForce, each))
  })

/** 0 keeps the class forever. */
export const keptDays = (keep: Keep, keptClass: KeptClass): number => keep[`${keptClass}Days`]
