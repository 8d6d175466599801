/** Times as milliseconds. */
export type SortValue = string | number | null

/** Texts as the language sorts them, with their numbers by value. Rows without a value come last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  direction: 'asc' | 'desc',
  language: string,
): Row[] {
  const { compare } = new Intl.Collator(language, { numeric: true })
  return rows.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b))
    return direction === 'asc' ? order : -order
  })
}

/** For `sortBy`: the instant of a time that a row may lack. */
export const instantOf = (at: string | null | undefined): number | null => (at ? Date.parse(at) : null)
