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
  #counted: Script[] = []
  #standing: Script[] = []
  #nextId = 1

  constructor(magic: boolean) {
    this.#magic = magic
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
    return script
  }

  remove(id: string): boolean {
    const before = this.#counted.length + this.#standing.length
    this.#counted = this.#counted.filter((script) => script.id !== id)
    this.#standing = this.#standing.filter((script) => script.id !== id)
    return this.#counted.length + this.#standing.length < before
  }

  clear(): void {
    this.#counted = []
    this.#standing = []
  }

  keep() {
    return { nextId: this.#nextId, counted: this.#counted, standing: this.#standing }
  }

  restore({ nextId, counted, standing }: ReturnType<Scripts['keep']>): void {
    this.#nextId = nextId
    this.#counted = counted
    this.#standing = standing
  }

  /** Counts as a use. */
  take(scene: Scene): Behaviour {
    const counted = this.#counted.find((script) => matches(script.match, scene))
    if (counted !== undefined) {
      counted.used++
      if (counted.used >= (counted.match.times ?? 1)) this.remove(counted.id)
      return counted.behaviour
    }
    const standing = this.#standing.find((script) => matches(script.match, scene))
    if (standing !== undefined) {
      standing.used++
      return standing.behaviour
    }
    return (this.#magic ? magicBehaviour(scene.to) : undefined) ?? USUAL
  }
}

function matches(match: ScriptMatch, scene: Scene): boolean {
  if (match.to !== undefined && match.to !== scene.to) return false
  if (match.from !== undefined && match.from !== scene.phoneNumberId && match.from !== scene.fromDigits) return false
  return match.template === undefined || match.template === scene.template
}

function normalised(party: string | undefined): string | undefined {
  return party === undefined ? undefined : (digitsOf(party) ?? party)
}
