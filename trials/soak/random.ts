import { seededNumbers } from '../../src/lib/random.ts'

/** A seeded generator, so that a run's plan of faults and answers can be repeated from its seed. */
export type Random = {
  /** From 0 to 1, without 1. */
  next(): number
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

export function seededRandom(seed: number): Random {
  const next = seededNumbers(seed)
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return { next, between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}
