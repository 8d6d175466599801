import type { z } from 'zod'
import { ControlError, requireRoom } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { type NextIds, SavedMap, type Storage } from '../store/saved-map.ts'
import { type AddressedMessage, type Message, isAddressed, isReply } from './messages.ts'
import { CUSTOMERS, FAILURES } from './presets.ts'
import { type Behaviour, type MESSAGE_KINDS, type ScriptMatch, type Step, scriptSchema } from './script.ts'

/** What WhatsApp does with the matching sends (`behaviour`), or the customer with the messages that arrive (`steps`). */
export type Script = {
  readonly id: string
  readonly match: ScriptMatch
  readonly preset?: string | undefined
  readonly behaviour?: Behaviour | undefined
  readonly steps?: readonly Step[] | undefined
  /** How many sends it applied to, or how many conversations the customer has begun to answer. */
  used: number
  /** What the customer could not do. */
  faults: string[]
}

type Preset = Pick<Script, 'behaviour' | 'steps'>

const PRESETS = [...FAILURES, ...CUSTOMERS].map(({ name, ending, ...script }) => {
  const { behaviour, steps }: Preset = scriptSchema.parse(script)
  return { name, ending, behaviour, steps }
})

/** A customer who waits for the answer to the last action. `next`: the saved next action, if the answer never comes. */
type Turn = { script: Script; next: () => unknown }

type Place = { script: Script; at: number }

/** Without a matching script a message is delivered and read, and its customer never answers. */
export class Scripts {
  readonly #onIdle: () => void
  readonly #nextIds: NextIds
  readonly #added: SavedMap<Script>
  readonly #presets: readonly Script[]
  readonly #turns: SavedMap<Turn, unknown>
  /** The latest step of each conversation. Keys are business number and customer. */
  readonly #places: SavedMap<Place>
  #nextTurn = 1

  /** `presets`: whether the last four digits of a recipient can choose a script. */
  constructor(presets: boolean, storage: Storage, nextIds: NextIds, onIdle: () => void) {
    this.#onIdle = onIdle
    this.#nextIds = nextIds
    this.#presets = (presets ? PRESETS : []).map(({ name, ending, ...preset }) => {
      return { id: name, match: { ending }, ...preset, used: 0, faults: [] }
    })
    this.#added = new SavedMap('scripts', storage)
    this.#turns = new SavedMap<Turn, unknown>('turns', storage, {
      toRow: ({ next }) => next(),
      fromRow: () => undefined,
    })
    this.#places = new SavedMap('places', storage, {
      fromRow: ({ script, at }) => ({ script: this.restored(script), at }),
      max: EMULATOR_LIMITS.placesKept,
    })
  }

  /** The turns that idle() waits for. */
  get acting(): number {
    return this.#turns.size
  }

  /** The added scripts, without the presets. */
  get size(): number {
    return this.#added.size
  }

  /**
   * In the order in which they are tried: first those for the next N uses, oldest first, so that they form a sequence; then
   * those without a number, newest first, so that a special case can override a rule; then the presets.
   */
  list(): Script[] {
    const { counted = [], permanent = [] } = Object.groupBy(this.#added.values(), ({ match }) =>
      match.times === undefined ? 'permanent' : 'counted',
    )
    return [...counted, ...permanent.toReversed(), ...this.#presets]
  }

  /** The script of a saved conversation: the saved copy if it was used up. */
  restored(saved: Script): Script {
    return this.#added.get(saved.id) ?? this.#presets.find(({ id }) => id === saved.id) ?? saved
  }

  add({ match, preset, ...seed }: z.output<typeof scriptSchema>): Script {
    requireRoom(this.#added.size, EMULATOR_LIMITS.scripts, 'scripts at most; remove some')
    const { behaviour, steps } = preset === undefined ? seed : findPreset(preset)
    const id = `script-${this.#nextIds.scripts++}`
    const script: Script = { id, match, preset, behaviour, steps, used: 0, faults: [] }
    this.#added.set(id, script)
    return script
  }

  /** Ends its conversations and actions. Returns false if the script does not exist. */
  remove(id: string): boolean {
    for (const [pair, { script }] of this.#places) if (script.id === id) this.#places.delete(pair)
    for (const [turn, { script }] of this.#turns) if (script.id === id) this.end(turn)
    return this.#added.delete(id)
  }

  clear(): void {
    for (const entries of [this.#added, this.#places, this.#turns]) entries.clear()
    for (const preset of this.#presets) Object.assign(preset, { used: 0, faults: [] })
    this.#onIdle()
  }

  noteFault(script: Script, fault: string): void {
    script.faults.push(fault)
    if (script.faults.length > EMULATOR_LIMITS.faultsKeptPerScript) script.faults.shift()
    this.#added.changed(script.id)
  }

  /** Uses and returns the behaviour for a send. Empty without a matching script. */
  takeBehaviour(send: AddressedMessage): Behaviour {
    const script = this.list().find(({ match, behaviour }) => behaviour !== undefined && isAddressed(send, match))
    if (script !== undefined) this.#use(script)
    return script?.behaviour ?? {}
  }

  /** Uses and returns the step for a message that arrived: the one after the last step, or else a first step. */
  takeStep(message: Message): { script: Script; step: Step } | undefined {
    if (message.waId === undefined) return undefined
    const pair = `${message.phoneNumberId}/${message.waId}`
    const place = this.#next(pair, message) ?? this.#begin(message)
    const step = place?.script.steps?.[place.at]
    if (place === undefined || step === undefined) return undefined
    this.#places.setLast(pair, place)
    return { script: place.script, step }
  }

  begin(turn: Turn): string {
    const key = String(this.#nextTurn++)
    this.#turns.set(key, turn)
    return key
  }

  /** Returns false if the script was removed meanwhile. */
  isActing(turn: string): boolean {
    return this.#turns.has(turn)
  }

  end(turn: string): void {
    this.#turns.delete(turn)
    this.#onIdle()
  }

  #use(script: Script): void {
    script.used++
    if (script.used === script.match.times) this.#added.delete(script.id)
    else this.#added.changed(script.id)
  }

  #next(pair: string, message: Message): Place | undefined {
    const place = this.#places.get(pair)
    const step = place?.script.steps?.[place.at + 1]
    if (place === undefined || step?.follows !== true || !stepMatches(step, message)) return undefined
    return { script: place.script, at: place.at + 1 }
  }

  #begin(message: Message): Place | undefined {
    for (const script of this.list()) {
      if (script.steps === undefined || !isAddressed(message, script.match)) continue
      const at = script.steps.findIndex((step) => step.follows !== true && stepMatches(step, message))
      if (at === -1) continue
      this.#use(script)
      return { script, at }
    }
    return undefined
  }
}

function findPreset(name: string): Preset {
  const preset = PRESETS.find((preset) => preset.name === name)
  if (preset !== undefined) return preset
  const names = PRESETS.map((preset) => preset.name).join(', ')
  throw new ControlError(`there is no preset ${JSON.stringify(name)}; choose from ${names}`)
}

function stepMatches({ when: { kind, replyButtons, template } }: Step, message: Message): boolean {
  return (
    (kind === undefined || kind === kindOf(message)) &&
    (replyButtons === undefined || replyButtons === message.shown.buttons.filter(isReply).length) &&
    (template === undefined || template === message.template?.name)
  )
}

function kindOf({ type, shown }: Message): (typeof MESSAGE_KINDS)[number] {
  if (type === 'template') return 'template'
  if (shown.list !== undefined) return 'list'
  return shown.buttons.length > 0 ? 'buttons' : 'text'
}
