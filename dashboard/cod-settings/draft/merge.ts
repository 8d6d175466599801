import { type SettingsChange, diffSettings } from '../../../src/cod/settings/settings-changes.ts'
import type { CodSettings } from '../../../src/cod/settings/settings.ts'

/** The merge of two concurrent edits. */
export type Merge = {
  /** The other person's settings with my changes. */
  settings: CodSettings
  theirs: SettingsChange[]
  /** Settings that both changed: mine would replace theirs. */
  both: string[]
}

/** `base` is what both started from, or undefined when there was nothing. */
export function merge(base: CodSettings | undefined, mine: CodSettings, theirs: CodSettings): Merge {
  const myChanges = diffSettings(base, mine)
  const theirChanges = diffSettings(base, theirs)
  const both = theirChanges.filter(({ pointer, after }) =>
    myChanges.some((change) => touch(change.pointer, pointer) && !isSame(change.after, after)),
  )
  const settings = myChanges.reduce<unknown>((result, change) => withChange(result, change, mine), theirs)
  return { settings: settings as CodSettings, theirs: theirChanges, both: both.map(({ pointer }) => pointer) }
}

const touch = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** If the other person removed the object that contains my value, my object is restored as a whole. */
function withChange(settings: unknown, { pointer, after }: SettingsChange, mine: unknown): unknown {
  const [name, ...rest] = pointer.slice(1).split('/')
  if (name === undefined || !isMembers(settings)) return settings
  const { [name]: present, ...others } = settings
  const ofMine = isMembers(mine) ? mine[name] : undefined
  if (rest.length > 0 && isMembers(present)) {
    return { ...settings, [name]: withChange(present, { pointer: `/${rest.join('/')}`, after }, ofMine) }
  }
  return ofMine === undefined ? others : { ...settings, [name]: ofMine }
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
