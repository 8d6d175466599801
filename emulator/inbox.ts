import { type Noting, UNNOTED } from './changes.ts'
import { TWIN_LIMITS } from './limits.ts'
import { forgetOldest } from './phones.ts'
import type { Account, Accounts } from './accounts.ts'
import type { Update } from './webhook-body.ts'

/** What a customer wrote to the business, and whether the business has marked it as read. */
export type InboundRecord = {
  id: string
  /** The place among everything that was said. */
  order: number
  phoneNumberId: string
  /** The customer's WhatsApp id, also when the webhook hides it. */
  from: string
  /** As in the webhook. */
  type: string
  did: 'typed' | 'tapped' | 'chose' | 'sent'
  /** What the customer's own bubble shows: the words, or the label of what was tapped or chosen. */
  text: string
  payload: string | undefined
  /** The message that is answered or quoted, also when the webhook leaves the context out. */
  quotes: string | undefined
  /** The scripted customer that did it; undefined when it was ordered. */
  customer: string | undefined
  /** Milliseconds since 1970, as the message claims. */
  at: number
  readByBusiness: boolean
}

/** A record with the webhook that told it, to be told again. */
export type Letter = { record: InboundRecord; account: Account; update: Update }

type KeptLetter = Omit<Letter, 'account'> & { accountId: string }

export class Inbox {
  readonly #changes: Noting
  readonly #byId = new Map<string, Letter>()
  readonly #listeners = new Set<(record: InboundRecord) => void>()
  readonly #readListeners = new Set<(record: InboundRecord) => void>()

  constructor(changes: Noting = UNNOTED) {
    this.#changes = changes
  }

  /** One that is there already stays as it is: a repeated webhook is no second message. */
  add(letter: Letter): void {
    const { record } = letter
    if (this.#byId.has(record.id)) return
    this.#byId.set(record.id, letter)
    this.#changes.note('inbox', record.id, letter)
    const forgotten = forgetOldest(this.#byId, TWIN_LIMITS.inboundKept)
    if (forgotten !== undefined) this.#changes.note('inbox', forgotten, undefined)
    for (const listener of this.#listeners) listener(record)
  }

  find(id: string): InboundRecord | undefined {
    return this.#byId.get(id)?.record
  }

  findLetter(id: string): Letter | undefined {
    return this.#byId.get(id)
  }

  list(): InboundRecord[] {
    return [...this.#byId.values()].map(({ record }) => record)
  }

  /** The business has marked it as read. */
  markRead(record: InboundRecord): void {
    record.readByBusiness = true
    this.#changes.note('inbox', record.id, this.#byId.get(record.id))
    for (const listener of this.#readListeners) listener(record)
  }

  onRead(listener: (record: InboundRecord) => void): () => void {
    this.#readListeners.add(listener)
    return () => this.#readListeners.delete(listener)
  }

  onInbound(listener: (record: InboundRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  clear(): void {
    for (const id of this.#byId.keys()) this.#changes.note('inbox', id, undefined)
    this.#byId.clear()
  }

  letters(): Iterable<[string, Letter]> {
    return this.#byId
  }

  restore(kept: [string, KeptLetter][], accounts: Accounts): void {
    for (const [, { record, accountId, update }] of kept) {
      const account = accounts.find(accountId)
      if (account !== undefined) this.#byId.set(record.id, { record, account, update })
    }
  }
}
