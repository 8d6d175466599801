/** A number, or a part of a whole. */
export type Value = number | { part: number; whole: number }

/** A number changes by a percentage of the earlier number, a share by percentage points. */
export type Change = { kind: 'percent' | 'points'; by: number }

/** Undefined if the earlier span has nothing to compare with. */
export function changeOf(now: Value, before: Value | undefined): Change | undefined {
  if (before === undefined) return undefined
  if (typeof now === 'number' || typeof before === 'number')
    return typeof now === 'number' && typeof before === 'number' && before > 0
      ? { kind: 'percent', by: now / before - 1 }
      : undefined
  if (now.whole === 0 || before.whole === 0) return undefined
  return { kind: 'points', by: (now.part / now.whole - before.part / before.whole) * 100 }
}
