/** One thing that a change changed, as text; undefined: it was not there. */
export type Difference = { name: string; from: string | undefined; to: string | undefined }

const DIFFERENCES_MOST = 40
const VALUE_CHARACTERS_MOST = 300

type Facts = Readonly<Record<string, unknown>> | null

/** What is not the same before and after, each by its path: `confirmation › reminderMinutes`. */
export function differences(before: Facts, after: Facts): Difference[] {
  const [from, to] = [flat(before), flat(after)]
  const names = [...new Set([...from.keys(), ...to.keys()])]
  return names
    .map((name) => ({ name, from: from.get(name), to: to.get(name) }))
    .filter((each) => each.from !== each.to)
    .slice(0, DIFFERENCES_MOST)
}

function flat(facts: Facts, into = new Map<string, string>(), path: readonly string[] = []): Map<string, string> {
  for (const [name, value] of Object.entries(facts ?? {})) {
    const here = [...path, name]
    if (isTable(value)) flat(value, into, here)
    else if (value !== null && value !== undefined) into.set(here.join(' › '), asText(value))
  }
  return into
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_CHARACTERS_MOST ? `${text.slice(0, VALUE_CHARACTERS_MOST)}…` : text
}
