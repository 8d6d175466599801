import { TWIN_LIMITS } from './limits.ts'
import { forgetOldest } from './phones.ts'

/** What customers wrote to the business, and which of it the business has marked as read. */
export type InboundRecord = {
  id: string
  phoneNumberId: string
  from: string
  type: string
  at: number
  readByBusiness: boolean
}

export class Inbox {
  readonly #byId = new Map<string, InboundRecord>()

  add(record: InboundRecord): void {
    this.#byId.set(record.id, record)
    forgetOldest(this.#byId, TWIN_LIMITS.inboundKept)
  }

  find(id: string): InboundRecord | undefined {
    return this.#byId.get(id)
  }

  list(): InboundRecord[] {
    return [...this.#byId.values()]
  }

  clear(): void {
    this.#byId.clear()
  }
}
