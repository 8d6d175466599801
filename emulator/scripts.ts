import { type Noting, UNNOTED } from './changes.ts'
import { ControlError } from './control-error.ts'
import { magicBehaviour } from './magic-numbers.ts'
import { digitsOf } from './phones.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { Behaviour, ScriptMatch } from './behaviour.ts'

export type Script = { id: string; match: ScriptMatch; behaviour: Behaviour; used: number }

/** What a send offers to be matched on. */
export type Scene = {
  to: string
  phoneNumberId: string
  fromDigits: string
  template: string | undefined
}

const USUAL: Behaviour = {}

/**
 * Scripts for the next N sends go first, oldest first, so that they make a sequence; then the standing ones, newest first,
 * so that a special case can be laid over a rule; then the magic numbers.
 */
export class Scripts {
  readonly #magic: boolean
  readonly #changes: Noting
  #counted: Script[] = []
  #standing: Script[] = []
  #nextId = 1

  constructor(magic: boolean, changes: Noting = UNNOTED) {
    this.#magic = magic
    this.#changes = changes
  }

  list(): Script[] {
    return [...this.#counted, ...this.#standing]
  }

  add(match: ScriptMatch, behaviour: Behaviour): Script {
    if (this.#counted.length + this.#standing.length >= TWIN_LIMITS.scripts) {
      throw new ControlError(`the twin holds ${TWIN_LIMITS.scripts} scripts at most; remove some`)
    }
    const script = {
      id: `script-${this.#nextId++}`,
      match: { ...match, to: normalised(match.to), from: normalised(match.from) },
      behaviour,
      used: 0,
    }
    if (match.times === undefined) this.#standing.unshift(script)
    else this.#counted.push(script)
    this.#changes.note('scripts', script.id, script)
    return script
  }

  remove(id: string): boolean {
    const before = this.#counted.length + this.#standing.length
    this.#counted = this.#counted.filter((script) => script.id !== id)
    this.#standing = this.#standing.filter((script) => script.id !== id)
    this.#changes.note('scripts', id, undefined)
    return this.#counted.length + this.#standing.length < before
  }

  clear(): void {
    for (const { id } of this.list()) this.#changes.note('scripts', id, undefined)
    this.#counted = []
    this.#standing = []
  }

  get nextId(): number {
    return this.#nextId
  }

  restore(kept: [string, Script][], nextId: number): void {
    this.#nextId = nextId
    const scripts = kept.map(([, script]) => script).toSorted((one, other) => numberOf(one.id) - numberOf(other.id))
    this.#counted = scripts.filter(({ match }) => match.times !== undefined)
    this.#standing = scripts.filter(({ match }) => match.times === undefined).toReversed()
  }

  /** Counts as a use. */
  take(scene: Scene): Behaviour {
    const counted = this.#counted.find((script) => matches(script.match, scene))
    if (counted !== undefined) {
      counted.used++
      this.#changes.note('scripts', counted.id, counted)
      if (counted.used >= (counted.match.times ?? 1)) this.remove(counted.id)
      return counted.behaviour
    }
    const standing = this.#standing.find((script) => matches(script.match, scene))
    if (standing !== undefined) {
      standing.used++
      this.#changes.note('scripts', standing.id, standing)
      return standing.behaviour
    }
    return (this.#magic ? magicBehaviour(scene.to) : undefined) ?? USUAL
  }
}

/** In which order "script-7" or "customer-7" was made. */
export function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1))
}

function matches(match: ScriptMatch, scene: Scene): boolean {
  if (match.to !== undefined && match.to !== scene.to) return false
  if (match.from !== undefined && match.from !== scene.phoneNumberId && match.from !== scene.fromDigits) return false
  return match.template === undefined || match.template === scene.template
}

function normalised(party: string | undefined): string | undefined {
  return party === undefined ? undefined : (digitsOf(party) ?? party)
}
