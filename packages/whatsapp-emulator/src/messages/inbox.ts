import { SavedMap, type Storage } from '../store/saved-map.ts'
import { Listeners } from '../listeners.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { Update } from '../webhooks/webhook-body.ts'
import type { CustomerEntry } from '../wire/chats.ts'

/** What a customer wrote to the business, and whether the business has marked it as read. */
export type InboundRecord = Omit<CustomerEntry, 'by' | 'at'> & {
  phoneNumberId: string
  /** The customer's WhatsApp id, also when the webhook hides it. */
  from: string
  /** The type in the webhook. */
  type: string
  /** Milliseconds since 1970, as the message claims. */
  at: number
}

/** A record with its webhook, which can be sent again. */
export type StoredInbound = { record: InboundRecord; accountId: string; update: Update }

export class Inbox {
  readonly #byId: SavedMap<StoredInbound>
  readonly #added = new Listeners<InboundRecord>()
  readonly #read = new Listeners<InboundRecord>()
  readonly onInbound = this.#added.add
  readonly onRead = this.#read.add

  constructor(storage: Storage) {
    this.#byId = new SavedMap('inbox', storage, { max: EMULATOR_LIMITS.inboundKept })
  }

  /** Ignores a known id: a repeated webhook is not a second message. */
  add(stored: StoredInbound): void {
    const { record } = stored
    if (this.#byId.has(record.id)) return
    this.#byId.set(record.id, stored)
    this.#added.emit(record)
  }

  find(id: string): StoredInbound | undefined {
    return this.#byId.get(id)
  }

  list(): InboundRecord[] {
    return Array.from(this.#byId.values(), ({ record }) => record)
  }

  markRead(record: InboundRecord): void {
    record.readByBusiness = true
    this.#byId.changed(record.id)
    this.#read.emit(record)
  }

  clear(): void {
    this.#byId.clear()
  }

  /** Removes what was written to a business number. */
  clearNumber(phoneNumberId: string): void {
    for (const [id, { record }] of this.#byId) if (record.phoneNumberId === phoneNumberId) this.#byId.delete(id)
  }
}
