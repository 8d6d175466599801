import { ControlError, requireRoom } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { Message } from '../messages/messages.ts'
import { parseWaId } from '../messages/phones.ts'
import { byPriority } from '../messages/scripts.ts'
import { type NextIds, SavedMap, type Storage } from '../store/saved-map.ts'
import { NAMED_CUSTOMERS } from './named-customers.ts'
import { type CustomerMatch, type Step, stepMatches, stepSchema } from './steps.ts'

const NAMED = NAMED_CUSTOMERS.map(({ name, ending, steps }) => {
  return { name, ending, steps: steps.map((step) => stepSchema.parse(step)) }
})

export type Customer = {
  id: string
  match: CustomerMatch
  name: string | undefined
  steps: readonly Step[]
  /** How many conversations the customer has begun to answer. */
  used: number
  faults: string[]
}

/** A customer who waits for the answer to the last action. `next`: the saved next action, if the answer never comes. */
type Turn = { customer: Customer; next: () => unknown }

type Place = { customer: Customer; at: number }

type SavedCustomer = Customer & { isListed: boolean }

/** The people behind the phones. A phone without a customer reads and never answers. */
export class Customers {
  readonly #onIdle: () => void
  readonly #storage: Storage
  readonly #nextIds: NextIds
  readonly #byEnding: ReadonlyMap<string, Customer>
  /** The named customers and those that an earlier process saved, by id. */
  readonly #known: Map<string, Customer>
  readonly #added = new Map<string, Customer>()
  readonly #turns: SavedMap<Turn, unknown>
  /** Keys are business number and customer. */
  readonly #places: SavedMap<Place, { customer: string; at: number }>
  #nextTurn = 1

  constructor(byEnding: boolean, storage: Storage, nextIds: NextIds, onIdle: () => void) {
    this.#onIdle = onIdle
    this.#storage = storage
    this.#nextIds = nextIds
    const named = NAMED.map(({ ending, name, steps }): [string, Customer] => {
      return [ending, { id: name, match: {}, name, steps, used: 0, faults: [] }]
    })
    this.#byEnding = new Map(byEnding ? named : [])
    this.#known = new Map(this.named().map((customer) => [customer.id, customer]))
    const saved = storage.rows('customers').map(([, customer]) => customer as SavedCustomer)
    for (const { isListed, ...customer } of saved) {
      const named = this.#known.get(customer.id)
      if (named !== undefined) Object.assign(named, { used: customer.used, faults: customer.faults })
      else this.#known.set(customer.id, customer)
      if (isListed) this.#added.set(customer.id, customer)
    }
    this.#turns = new SavedMap<Turn, unknown>('turns', storage, {
      toRow: ({ next }) => next(),
      fromRow: () => undefined,
    })
    this.#places = new SavedMap('places', storage, {
      toRow: ({ customer, at }) => ({ customer: customer.id, at }),
      fromRow: ({ customer: id, at }) => {
        const customer = this.find(id)
        return customer && { customer, at }
      },
      max: EMULATOR_LIMITS.placesKept,
    })
  }

  /** Turns that idle() waits for. */
  get acting(): number {
    return this.#turns.size
  }

  /** The added customers, in the order in which they are tried. */
  list(): Customer[] {
    return byPriority(this.#added.values())
  }

  named(): Customer[] {
    return [...this.#byEnding.values()]
  }

  /** A named customer, or one that an earlier process saved. */
  find(id: string): Customer | undefined {
    return this.#known.get(id)
  }

  add(match: CustomerMatch, script: string | readonly Step[]): Customer {
    requireRoom(this.#added.size, EMULATOR_LIMITS.customers, 'customers at most; remove some')
    const { name, steps } = typeof script === 'string' ? findNamed(script) : { name: undefined, steps: script }
    const to = match.to === undefined ? undefined : parseWaId(match.to, 'to')
    const id = `customer-${this.#nextIds.customers++}`
    const customer: Customer = { id, match: { ...match, to }, name, steps, used: 0, faults: [] }
    this.#added.set(id, customer)
    this.#save(customer)
    return customer
  }

  /** Ends its conversations and actions. False when there is no such customer. */
  remove(id: string): boolean {
    for (const [pair, { customer }] of this.#places) if (customer.id === id) this.#places.delete(pair)
    for (const [turn, { customer }] of this.#turns) if (customer.id === id) this.end(turn)
    this.#storage.remove('customers', id)
    return this.#added.delete(id)
  }

  clear(): void {
    for (const id of this.#added.keys()) this.#storage.remove('customers', id)
    this.#added.clear()
    this.#places.clear()
    this.#turns.clear()
    for (const customer of this.#byEnding.values()) {
      Object.assign(customer, { used: 0, faults: [] })
      this.#save(customer)
    }
    this.#onIdle()
  }

  /** Customers that are listed, named or in a conversation. */
  inUse(): Customer[] {
    return [...this.list(), ...this.named(), ...this.#places.values().map(({ customer }) => customer)]
  }

  noteFault(customer: Customer, fault: string): void {
    customer.faults.push(fault)
    if (customer.faults.length > EMULATOR_LIMITS.faultsKeptPerCustomer) customer.faults.shift()
    this.#save(customer)
  }

  /** The step for a message that arrived: the one after the last step, else a first step. */
  take(message: Message): { customer: Customer; step: Step } | undefined {
    if (message.waId === undefined) return undefined
    const pair = `${message.phoneNumberId}/${message.waId}`
    const place = this.#next(pair, message) ?? this.#begin(message.waId, message)
    const step = place?.customer.steps[place.at]
    if (place === undefined || step === undefined) return undefined
    this.#places.setLast(pair, place)
    return { customer: place.customer, step }
  }

  begin(turn: Turn): string {
    const key = String(this.#nextTurn++)
    this.#turns.set(key, turn)
    return key
  }

  /** False when the customer was removed meanwhile. */
  isActing(turn: string): boolean {
    return this.#turns.has(turn)
  }

  end(turn: string): void {
    this.#turns.delete(turn)
    this.#onIdle()
  }

  #save(customer: Customer): void {
    const row = (): SavedCustomer => ({ ...customer, isListed: this.#added.has(customer.id) })
    this.#storage.put('customers', customer.id, row)
  }

  #next(pair: string, message: Message): Place | undefined {
    const place = this.#places.get(pair)
    const step = place?.customer.steps[place.at + 1]
    if (place === undefined || step?.follows !== true || !stepMatches(step.when, message)) return undefined
    return { customer: place.customer, at: place.at + 1 }
  }

  /** By priority; the customer of the number's ending comes last. */
  #begin(waId: string, message: Message): Place | undefined {
    const named = this.#byEnding.get(waId.slice(-4))
    for (const customer of [...this.list(), ...(named === undefined ? [] : [named])]) {
      if (customer.match.to !== undefined && customer.match.to !== waId) continue
      const at = customer.steps.findIndex((step) => step.follows !== true && stepMatches(step.when, message))
      if (at === -1) continue
      customer.used++
      if (customer.used === customer.match.times) this.#added.delete(customer.id)
      this.#save(customer)
      return { customer, at }
    }
    return undefined
  }
}

function findNamed(name: string): (typeof NAMED)[number] {
  const named = NAMED.find((named) => named.name === name)
  if (named !== undefined) return named
  const names = NAMED.map((named) => named.name).join(', ')
  throw new ControlError(`script: there is no customer ${JSON.stringify(name)}; choose from ${names}, or give steps`)
}
