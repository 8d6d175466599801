import { requireRoom } from '../errors.ts'
import { type NextIds, SavedMap, type Storage } from '../store/saved-map.ts'
import { magicBehaviour } from './magic-numbers.ts'
import { normalised } from './phones.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { Behaviour, ScriptMatch } from './behaviour.ts'

export type Script = { id: string; match: ScriptMatch; behaviour: Behaviour; used: number }

/** What scripts match on. */
export type SendContext = {
  to: string
  phoneNumberId: string
  fromDigits: string
  template: string | undefined
}

/** Tried by priority; magic numbers come last. */
export class Scripts {
  readonly #magic: boolean
  readonly #nextIds: NextIds
  readonly #byId: SavedMap<Script>

  constructor(magic: boolean, storage: Storage, nextIds: NextIds) {
    this.#magic = magic
    this.#nextIds = nextIds
    this.#byId = new SavedMap('scripts', storage)
  }

  list(): Script[] {
    return byPriority(this.#byId.values())
  }

  add(match: ScriptMatch, behaviour: Behaviour): Script {
    requireRoom(this.#byId.size, EMULATOR_LIMITS.scripts, 'scripts at most; remove some')
    const script = {
      id: `script-${this.#nextIds.scripts++}`,
      match: { ...match, to: normalised(match.to), from: normalised(match.from) },
      behaviour,
      used: 0,
    }
    this.#byId.set(script.id, script)
    return script
  }

  /** False when there is no such script. */
  remove(id: string): boolean {
    return this.#byId.delete(id)
  }

  clear(): void {
    this.#byId.clear()
  }

  /** Takes the behaviour of the matching script and counts the use. Empty without a matching script. */
  take(scene: SendContext): Behaviour {
    const script = this.list().find(({ match }) => matches(match, scene))
    if (script === undefined) return (this.#magic ? magicBehaviour(scene.to) : undefined) ?? {}
    script.used++
    this.#byId.changed(script.id)
    if (script.used === script.match.times) this.remove(script.id)
    return script.behaviour
  }
}

function matches(match: ScriptMatch, scene: SendContext): boolean {
  if (match.to !== undefined && match.to !== scene.to) return false
  if (match.from !== undefined && match.from !== scene.phoneNumberId && match.from !== scene.fromDigits) return false
  return match.template === undefined || match.template === scene.template
}

type Prioritised = { readonly match: { readonly times?: number | undefined } }

/**
 * Sorts entries from their order of age to the order in which they are tried: first the entries for the next N uses,
 * oldest first, so that they form a sequence; then entries without a number, newest first, so that a special case can
 * override a rule.
 */
export function byPriority<Entry extends Prioritised>(entries: Iterable<Entry>): Entry[] {
  const { counted = [], standing = [] } = Object.groupBy(entries, ({ match }) =>
    match.times === undefined ? 'standing' : 'counted',
  )
  return [...counted, ...standing.toReversed()]
}
