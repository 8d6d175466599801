import { memberOf } from './member.ts'
import type { CodSettings } from './settings.ts'

/** One member that differs, by JSON pointer; undefined where it is absent. Lists are compared as a whole. */
export type SettingsChange = { pointer: string; before?: unknown; after?: unknown }

/** In the order of the members of `after`. */
export const diffSettings = (before: CodSettings | undefined, after: CodSettings): SettingsChange[] =>
  diffMembers('', before ?? NO_SETTINGS, after)

/** Settings that were never set are compared member by member, too. */
const NO_SETTINGS = { deliveryDays: {}, confirmation: {}, refusal: {}, languages: {} }

function diffMembers(pointer: string, before: unknown, after: unknown): SettingsChange[] {
  if (!isObject(before) || !isObject(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ pointer, before, after }]
  }
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap((name) => diffMembers(`${pointer}/${name}`, memberOf(before, name), memberOf(after, name)))
}

/** Both sides of the members that differ, by JSON pointer. */
export function changedMembers(before: CodSettings | undefined, after: CodSettings) {
  const changes = diffSettings(before, after)
  const side = (name: 'before' | 'after'): Record<string, unknown> =>
    Object.fromEntries(
      changes.flatMap((change) => (change[name] === undefined ? [] : [[change.pointer, change[name]]])),
    )
  return { before: side('before'), after: side('after') }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
