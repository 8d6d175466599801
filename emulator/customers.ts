import { type Noting, UNNOTED } from './changes.ts'
import { ControlError } from './control-error.ts'
import { fits } from './customer-steps.ts'
import { TWIN_LIMITS } from './limits.ts'
import { NAMED_CUSTOMERS, stepsOf } from './named-customers.ts'
import { digitsOf, forgetOldest, waIdOf } from './phones.ts'
import { numberOf } from './scripts.ts'
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

export type Place = { customer: Customer; at: number }

type KeptCustomers = {
  customers: [string, Customer & { isListed: boolean }][]
  places: [string, { customer: string; at: number }][]
}

/** The people behind the phones. Whoever has no customer here reads and never answers. */
export class Customers {
  readonly #onIdle: () => void
  readonly #byEnding: ReadonlyMap<string, Customer>
  readonly #changes: Noting
  /** Each with a number of its own. */
  readonly #acting = new Map<Performance, string>()
  /** The step that each conversation has come to. */
  readonly #places = new Map<string, Place>()
  #counted: Customer[] = []
  #standing: Customer[] = []
  #nextId = 1
  #nextPerformance = 1

  constructor(byEnding: boolean, onIdle: () => void, changes: Noting = UNNOTED) {
    this.#onIdle = onIdle
    this.#changes = changes
    this.#byEnding = new Map(byEnding ? NAMED_CUSTOMERS.map((named) => [named.ending, makeNamed(named)]) : [])
  }

  /** Performances that idle() waits for. */
  get acting(): number {
    return this.#acting.size
  }

  performances(): [string, Performance][] {
    return Array.from(this.#acting, ([performance, key]) => [key, performance])
  }

  places(): Iterable<[string, Place]> {
    return this.#places
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
    this.#changes.note('customers', id, customer)
    return customer
  }

  /** It goes on with nothing, either. False when it was gone before. */
  remove(id: string): boolean {
    const before = this.list().length
    this.#retire(id)
    for (const [pair, place] of this.#places) if (place.customer.id === id) this.#forgetPlace(pair)
    for (const performance of this.#acting.keys()) if (performance.customer.id === id) this.end(performance)
    this.#changes.note('customers', id, undefined)
    return this.list().length < before
  }

  clear(): void {
    for (const customer of this.list()) this.#changes.note('customers', customer.id, undefined)
    this.#counted = []
    this.#standing = []
    for (const pair of this.#places.keys()) this.#forgetPlace(pair)
    for (const performance of this.#acting.keys()) this.end(performance)
    for (const customer of this.#byEnding.values()) {
      Object.assign(customer, { used: 0, faults: [] })
      this.#changes.note('customers', customer.id, customer)
    }
    this.#onIdle()
  }

  get nextId(): number {
    return this.#nextId
  }

  /** `busy`: those whom a plan names, be they listed still or used up. */
  known(busy: readonly Customer[]): Customer[] {
    const placed = [...this.#places.values()].map(({ customer }) => customer)
    return [...new Set([...this.list(), ...this.named(), ...busy, ...placed])]
  }

  isListed(customer: Customer): boolean {
    return (customer.match.times === undefined ? this.#standing : this.#counted).includes(customer)
  }

  /** Gives them by their ids. */
  restore({ customers, places }: KeptCustomers, nextId: number): ReadonlyMap<string, Customer> {
    this.#nextId = nextId
    const known = new Map(this.named().map((customer) => [customer.id, customer]))
    for (const [id, { used, faults }] of customers) Object.assign(known.get(id) ?? {}, { used, faults })
    const added = customers.filter(([id]) => !known.has(id))
    for (const [id, { isListed, ...customer }] of added.toSorted(([one], [other]) => numberOf(one) - numberOf(other))) {
      known.set(id, customer)
      if (!isListed) continue
      if (customer.match.times === undefined) this.#standing.unshift(customer)
      else this.#counted.push(customer)
    }
    for (const [pair, { customer: id, at }] of places) {
      const customer = known.get(id)
      if (customer !== undefined) this.#places.set(pair, { customer, at })
    }
    return known
  }

  /** To be told to whoever asks for the customers. */
  noteFault(customer: Customer, fault: string): void {
    customer.faults.push(fault)
    if (customer.faults.length > TWIN_LIMITS.faultsKeptPerCustomer) customer.faults.shift()
    this.#changes.note('customers', customer.id, customer)
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
    this.#changes.note('places', pair, place)
    const forgotten = forgetOldest(this.#places, TWIN_LIMITS.placesKept)
    if (forgotten !== undefined) this.#forgetPlace(forgotten)
    return { customer: place.customer, step }
  }

  begin(performance: Performance): void {
    const key = String(this.#nextPerformance++)
    this.#acting.set(performance, key)
    this.#changes.note('performances', key, performance)
  }

  /** False when the customer was removed meanwhile. */
  isActing(performance: Performance): boolean {
    return this.#acting.has(performance)
  }

  end(performance: Performance): void {
    const key = this.#acting.get(performance)
    this.#acting.delete(performance)
    if (key !== undefined) this.#changes.note('performances', key, undefined)
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
      this.#changes.note('customers', customer.id, customer)
      return { customer, at }
    }
    return undefined
  }

  #forgetPlace(pair: string): void {
    this.#places.delete(pair)
    this.#changes.note('places', pair, undefined)
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
