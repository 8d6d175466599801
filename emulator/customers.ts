import { ControlError } from './control-error.ts'
import { fits } from './customer-steps.ts'
import { TWIN_LIMITS } from './limits.ts'
import { NAMED_CUSTOMERS, stepsOf } from './named-customers.ts'
import { digitsOf, forgetOldest, waIdOf } from './phones.ts'
import type { CustomerMatch, Step } from './customer-steps.ts'
import type { Message } from './messages.ts'
import type { PlanOf } from './plans.ts'

export type Customer = {
  /** The name of a named one. */
  id: string
  match: CustomerMatch
  /** What it was made from, when that is a name. */
  name: string | undefined
  steps: readonly Step[]
  /** How many conversations it began to answer. */
  used: number
  /** What it could not do, and why: the latest ones. */
  faults: string[]
}

export type Cue = { customer: Customer; step: Step }
/** A customer who waits for the answer to what it has just done, and what it does then. */
export type Performance = { customer: Customer; next: PlanOf<'answer'> | undefined }

type Place = { customer: Customer; at: number }

/** The people behind the phones. Whoever has no customer here reads and never answers. */
export class Customers {
  readonly #onIdle: () => void
  readonly #byEnding: ReadonlyMap<string, Customer>
  readonly #acting = new Set<Performance>()
  /** The step that each conversation has come to. */
  readonly #places = new Map<string, Place>()
  #counted: Customer[] = []
  #standing: Customer[] = []
  #nextId = 1

  constructor(byEnding: boolean, onIdle: () => void) {
    this.#onIdle = onIdle
    this.#byEnding = new Map(byEnding ? NAMED_CUSTOMERS.map((named) => [named.ending, makeNamed(named)]) : [])
  }

  /** Performances that idle() waits for. */
  get acting(): number {
    return this.#acting.size
  }

  /** What is done when what is being done was answered. */
  goesOn(): PlanOf<'answer'>[] {
    return [...this.#acting].flatMap(({ next }) => next ?? [])
  }

  /** Those that were added, in the order in which they are tried. */
  list(): Customer[] {
    return [...this.#counted, ...this.#standing]
  }

  named(): Customer[] {
    return [...this.#byEnding.values()]
  }

  add(match: CustomerMatch, plays: string | readonly Step[]): Customer {
    if (this.#counted.length + this.#standing.length >= TWIN_LIMITS.customers) {
      throw new ControlError(`the twin holds ${TWIN_LIMITS.customers} customers at most; remove some`)
    }
    const { name, steps } = typeof plays === 'string' ? stepsByName(plays) : { name: undefined, steps: plays }
    const to = match.to === undefined ? undefined : waIdOfRecipient(match.to)
    const id = `customer-${this.#nextId++}`
    const customer: Customer = { id, match: { ...match, to }, name, steps, used: 0, faults: [] }
    if (match.times === undefined) this.#standing.unshift(customer)
    else this.#counted.push(customer)
    return customer
  }

  /** It goes on with nothing, either. False when it was gone before. */
  remove(id: string): boolean {
    const before = this.list().length
    this.#retire(id)
    for (const [pair, place] of this.#places) if (place.customer.id === id) this.#places.delete(pair)
    for (const performance of this.#acting) if (performance.customer.id === id) this.end(performance)
    return this.list().length < before
  }

  clear(): void {
    this.#counted = []
    this.#standing = []
    this.#places.clear()
    this.#acting.clear()
    for (const customer of this.#byEnding.values()) Object.assign(customer, { used: 0, faults: [] })
    this.#onIdle()
  }

  /** `busy`: those whom a plan names, be they listed still or used up. */
  keep(busy: readonly Customer[]) {
    const known = new Set([...this.list(), ...busy, ...[...this.#places.values()].map(({ customer }) => customer)])
    return {
      nextId: this.#nextId,
      customers: [...known].filter((customer) => !this.#isNamed(customer)),
      counted: this.#counted.map(({ id }) => id),
      standing: this.#standing.map(({ id }) => id),
      named: this.named().map(({ id, used, faults }) => ({ id, used, faults })),
      places: [...this.#places].map(([pair, { customer, at }]) => ({ pair, customer: customer.id, at })),
    }
  }

  /** Gives them by their ids. */
  restore(kept: ReturnType<Customers['keep']>): ReadonlyMap<string, Customer> {
    const known = new Map([...kept.customers, ...this.named()].map((customer) => [customer.id, customer]))
    const found = (ids: readonly string[]): Customer[] => ids.flatMap((id) => known.get(id) ?? [])
    this.#nextId = kept.nextId
    this.#counted = found(kept.counted)
    this.#standing = found(kept.standing)
    for (const { id, used, faults } of kept.named) Object.assign(known.get(id) ?? {}, { used, faults })
    for (const { pair, customer, at } of kept.places) {
      const [known] = found([customer])
      if (known !== undefined) this.#places.set(pair, { customer: known, at })
    }
    return known
  }

  #isNamed(customer: Customer): boolean {
    return this.named().includes(customer)
  }

  /** What to do with a message that has come: the step that follows the last one, else one that begins anew. */
  take(message: Message): Cue | undefined {
    if (message.waId === undefined) return undefined
    const pair = `${message.phoneNumberId}/${message.waId}`
    const place = this.#next(pair, message) ?? this.#begin(message.waId, message)
    const step = place?.customer.steps[place.at]
    if (place === undefined || step === undefined) return undefined
    this.#places.delete(pair)
    this.#places.set(pair, place)
    forgetOldest(this.#places, TWIN_LIMITS.placesKept)
    return { customer: place.customer, step }
  }

  begin(performance: Performance): void {
    this.#acting.add(performance)
  }

  /** False when the customer was removed meanwhile. */
  isActing(performance: Performance): boolean {
    return this.#acting.has(performance)
  }

  end(performance: Performance): void {
    this.#acting.delete(performance)
    this.#onIdle()
  }

  #next(pair: string, message: Message): Place | undefined {
    const place = this.#places.get(pair)
    const step = place?.customer.steps[place.at + 1]
    if (place === undefined || step === undefined || step.follows !== true || !fits(step.when, message))
      return undefined
    return { customer: place.customer, at: place.at + 1 }
  }

  /** Tried as scripts are: counted ones first, oldest first; then standing ones, newest first; then by the number's ending. */
  #begin(waId: string, message: Message): Place | undefined {
    const named = this.#byEnding.get(waId.slice(-4))
    for (const customer of [...this.#counted, ...this.#standing, ...(named === undefined ? [] : [named])]) {
      if (customer.match.to !== undefined && customer.match.to !== waId) continue
      const at = customer.steps.findIndex((step) => step.follows !== true && fits(step.when, message))
      if (at === -1) continue
      customer.used++
      if (customer.used === customer.match.times) this.#retire(customer.id)
      return { customer, at }
    }
    return undefined
  }

  #retire(id: string): void {
    this.#counted = this.#counted.filter((customer) => customer.id !== id)
    this.#standing = this.#standing.filter((customer) => customer.id !== id)
  }
}

function makeNamed(named: (typeof NAMED_CUSTOMERS)[number]): Customer {
  return { id: named.name, match: {}, name: named.name, steps: stepsOf(named), used: 0, faults: [] }
}

function stepsByName(name: string): { name: string; steps: Step[] } {
  const named = NAMED_CUSTOMERS.find((named) => named.name === name)
  if (named !== undefined) return { name, steps: stepsOf(named) }
  const names = NAMED_CUSTOMERS.map((named) => named.name).join(', ')
  throw new ControlError(`plays: there is no customer ${JSON.stringify(name)}; choose from ${names}, or give steps`)
}

function waIdOfRecipient(to: string): string {
  const digits = digitsOf(to)
  if (digits === undefined) throw new ControlError(`to: ${to} is no phone number`)
  return waIdOf(digits)
}
