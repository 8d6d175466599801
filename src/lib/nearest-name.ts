/** A name with more differences, or with differences in more than half of its letters, is another name, not a misspelt one. */
const MAX_DIFFERENCES = 3

/** The name that a misspelt one most likely means; undefined if none is close. */
export function nearestName(misspelt: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, differences: countDifferences(misspelt, name) }))
    .filter(({ name, differences }) => differences <= Math.min(MAX_DIFFERENCES, name.length / 2))
    .toSorted((one, other) => one.differences - other.differences)
  return nearest?.name
}

/** How many letters differ, are missing, are too many, or have changed places with the next one (Damerau). */
function countDifferences(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
