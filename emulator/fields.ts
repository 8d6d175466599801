import { refuse } from './errors.ts'

/** How one kind of object is read: each field by name. The table is also what decides whether a field exists. */
export type Fields<Row> = Record<string, (row: Row) => unknown>

/** Graph sends only the fields asked for, always with the id, and fails the whole call on one it does not know. */
export function readFields<Row>(
  kind: string,
  fields: Fields<Row>,
  usual: readonly string[],
  asked: unknown,
): (row: Row) => Record<string, unknown> {
  const names = askedNames(asked) ?? usual
  const unknown = names.find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) refuse(100, `there is no field ${unknown} on ${kind}`)
  const all = names.includes('id') ? names : [...names, 'id']
  return (row) => {
    const picked: Record<string, unknown> = {}
    for (const name of all) {
      const value = fields[name]?.(row)
      if (value !== undefined) picked[name] = value
    }
    return picked
  }
}

function askedNames(asked: unknown): string[] | undefined {
  if (asked === undefined || asked === '') return undefined
  if (typeof asked !== 'string') refuse(100, 'fields must be a comma-separated list')
  return asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
