/** Units to read, by id: the next ones, or some of them again. */
export type Selected = { after: string; limit: number } | { ids: readonly string[] }

/** The maximum number of facts of one kind per unit. A unit that has more is not verified. */
export const MAX_FACTS = 201

export const isWhole = (...facts: readonly (readonly unknown[] | null)[]): boolean =>
  facts.every((list) => (list?.length ?? 0) < MAX_FACTS)
