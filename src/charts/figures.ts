/** What was counted, by what it is: see count.ts for the names. Days add up by adding these. */
export type Counts = Readonly<Record<string, number>>

/** One sender, template and language on one day. Questions of a conversation have no template: its name is empty. */
export type Group = { day: string; senderId: string; template: string; language: string; counts: Counts }

/** Only of these; an empty choice is all. */
export type Choice = { senderId?: string | undefined; template?: string | undefined; language?: string | undefined }

export const chosen = (groups: readonly Group[], { senderId, template, language }: Choice): Group[] =>
  groups.filter(
    (group) =>
      (senderId === undefined || group.senderId === senderId) &&
      (template === undefined || group.template === template) &&
      (language === undefined || group.language === language),
  )

export function sumOf(groups: readonly Group[]): Counts {
  const sum: Record<string, number> = {}
  for (const { counts } of groups)
    for (const [what, count] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + count
  return sum
}

export const countOf = (counts: Counts, ...names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)

/** The counts whose names begin so, by what follows. */
export const countsBehind = (counts: Counts, beginning: string): [string, number][] =>
  Object.entries(counts).flatMap(([name, count]) =>
    name.startsWith(beginning) ? [[name.slice(beginning.length), count] as [string, number]] : [],
  )

/** `took.sent.12` and its like as the spread that they are. */
export function spreadOf(counts: Counts, beginning: string, bounds: readonly number[]): number[] {
  const spread = Array.from({ length: bounds.length + 1 }, () => 0)
  for (const [bucket, count] of countsBehind(counts, beginning)) spread[Number(bucket)] = count
  return spread
}
