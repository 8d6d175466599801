/** Units to read, by id: the next ones, or some of them again. */
export type Selected = { after: string; limit: number } | { ids: readonly string[] }

/** Facts of one kind per unit. A unit that has more is not verified. */
const MAX_FACTS = 200
/** For queries. One more fact shows that there are too many. */
export const FACT_LIMIT = MAX_FACTS + 1

export const isWhole = (...facts: readonly (readonly unknown[] | null)[]): boolean =>
  facts.every((list) => (list?.length ?? 0) <= MAX_FACTS)
