import type { CodSettings } from './settings.ts'

/** One member that differs, by JSON pointer. Undefined: it is not there. Lists are compared as wholes. */
export type SettingsChange = { pointer: string; before?: unknown; after?: unknown }

/** What of the settings is different, in the order of the members of the later ones. */
export const changesOf = (before: CodSettings | undefined, after: CodSettings): SettingsChange[] =>
  changesBelow('', before ?? NOTHING, after)

/** Settings that were never set are told member by member as well. */
const NOTHING = { deliveryDays: {}, confirmation: {}, refusal: {}, languages: {} }

function changesBelow(pointer: string, before: unknown, after: unknown): SettingsChange[] {
  if (!isMembers(before) || !isMembers(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ pointer, before, after }]
  }
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap((name) => changesBelow(`${pointer}/${name}`, memberOf(before, name), memberOf(after, name)))
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const memberOf = (members: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined
