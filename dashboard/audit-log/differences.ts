/** One value of an entry; undefined if there was none. */
export type Difference = { field: string; before: unknown; after: unknown }

const MAX_DIFFERENCES = 40

type Entry = {
  target: string
  name: string | null
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
}

/**
 * The values that differ. Leaves out the ids of the entry's target, and empty values of a target that was created or
 * deleted.
 */
export function differences({ target, name, before, after }: Entry): Difference[] {
  const [from, to] = [before ?? {}, after ?? {}]
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((field) => !IDS.has(field))
  const isChange = before !== null && after !== null
  const isTarget = (value: unknown): boolean => value === target || (value === name && name !== null)
  return fields
    .map((field) => ({ field, before: from[field], after: to[field] }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
    .filter((each) => isChange || !isEmpty(each.after ?? each.before))
    .filter((each) => isChange || !isTarget(each.after ?? each.before))
    .slice(0, MAX_DIFFERENCES)
}

const IDS: ReadonlySet<string> = new Set(['accountId'])

export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
