/** A seeded generator (mulberry32), so that a run's plan of faults and answers can be repeated from its seed. */
export type Random = {
  /** From 0 to 1, without 1. */
  next(): number
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return { next, between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}
