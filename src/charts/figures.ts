/** Counts by name (see count.ts). Days are combined by adding them. */
export type Counts = Readonly<Record<string, number>>

/** One sender, template and language on one day. Conversation questions have no template: its name is empty. */
export type Group = { day: string; senderId: string; template: string; language: string; counts: Counts }

const FILTERS = ['senderId', 'template', 'language'] as const

/** A missing member of the filter matches all. */
export const filterGroups = (
  groups: readonly Group[],
  filter: { [Name in (typeof FILTERS)[number]]?: string | undefined },
): Group[] => groups.filter((group) => FILTERS.every((name) => (filter[name] ?? group[name]) === group[name]))

export function sumOf(groups: readonly Group[]): Counts {
  const sum: Record<string, number> = {}
  for (const { counts } of groups)
    for (const [what, count] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + count
  return sum
}

/** One group for each day, sender, template and language. */
export function merged(groups: readonly Group[]): Group[] {
  const alike = Map.groupBy(groups, ({ day, senderId, template, language }) =>
    JSON.stringify([day, senderId, template, language]),
  )
  return Array.from(alike.values(), (each) => ({ ...(each[0] as Group), counts: sumOf(each) }))
}

export const countOf = (counts: Counts, ...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)

/** Counts with this prefix, by the rest of their names. */
export const countsByPrefix = (counts: Counts, prefix: string): [string, number][] =>
  Object.entries(counts)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, count]) => [name.slice(prefix.length), count])

export const totalOf = (counts: Counts, prefix: string): number =>
  countsByPrefix(counts, prefix).reduce((sum, [, count]) => sum + count, 0)

/** The histogram of counts such as `took.sent.12`. */
export function histogramOf(counts: Counts, prefix: string, bounds: readonly number[]): number[] {
  const histogram = Array.from({ length: bounds.length + 1 }, () => 0)
  for (const [bucket, count] of countsByPrefix(counts, prefix)) histogram[Number(bucket)] = count
  return histogram
}
