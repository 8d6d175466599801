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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
