/** One changed value, as text; undefined: there was none. */
export type Difference = { name: string; from: string | undefined; to: string | undefined }

const MAX_DIFFERENCES = 40
const MAX_VALUE_CHARACTERS = 300

type Facts = Readonly<Record<string, unknown>> | null

/** The values that differ before and after, each with its path: `confirmation › reminderMinutes`. */
export function differences(before: Facts, after: Facts): Difference[] {
  const [from, to] = [flat(before), flat(after)]
  const names = [...new Set([...from.keys(), ...to.keys()])]
  return names
    .map((name) => ({ name, from: from.get(name), to: to.get(name) }))
    .filter((each) => each.from !== each.to)
    .slice(0, MAX_DIFFERENCES)
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
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}
