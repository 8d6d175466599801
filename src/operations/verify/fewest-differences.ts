import type { Difference } from './differences.ts'

/** One fact applied. `difference`: how the stored rows contradict it. */
export type Move<Node> = { node: Node; difference: Difference | null }

type Replay<Node> = {
  starts: readonly Node[]
  /** The facts that may come next; undefined when all are applied. */
  movesOf(node: Node): readonly Move<Node>[] | undefined
  /** How the stored state differs from the end of a replay. */
  differencesAtEnd(node: Node): Difference[]
  /** Equal for nodes from which the same can follow. */
  keyOf(node: Node): string
}

const MAX_STEPS = 20_000
/** Contradictions of one replay, all differences at its end counting as one. */
const MAX_CONTRADICTIONS = 3

/**
 * The order in which facts were processed is not stored: nodes process them in any order, and ids of one millisecond are in
 * none. This finds the order that contradicts the stored rows least. `undefined`: too many orders to try.
 */
export function fewestDifferences<Node>(replay: Replay<Node>): Difference[] | 'none fits' | undefined {
  for (let allowed = 0; allowed <= MAX_CONTRADICTIONS; allowed += 1) {
    const search = { seen: new Set<string>(), steps: 0 }
    for (const start of replay.starts) {
      const found = visit(replay, search, { node: start, path: [], allowed })
      if (found) return found
    }
    if (search.steps > MAX_STEPS) return allowed === 0 ? undefined : 'none fits'
  }
  return 'none fits'
}

type Search = { seen: Set<string>; steps: number }
type Visited<Node> = { node: Node; path: readonly Difference[]; allowed: number }

function visit<Node>(
  replay: Replay<Node>,
  search: Search,
  { node, path, allowed }: Visited<Node>,
): Difference[] | undefined {
  const key = `${path.length} ${replay.keyOf(node)}`
  if (search.seen.has(key) || search.steps > MAX_STEPS) return undefined
  search.seen.add(key)
  search.steps += 1
  const moves = replay.movesOf(node)
  if (!moves) {
    const atEnd = replay.differencesAtEnd(node)
    return path.length + Math.min(atEnd.length, 1) <= allowed ? [...path, ...atEnd] : undefined
  }
  for (const { node: next, difference } of moves) {
    if (difference && path.length === allowed) continue
    const found = visit(replay, search, { node: next, path: difference ? [...path, difference] : path, allowed })
    if (found) return found
  }
  return undefined
}
