import { digitsOf, waIdOf } from './phones.ts'
import type { Inbox, InboundRecord } from './inbox.ts'
import type { Message, Messages } from './messages.ts'

/** `order`: the place among everything that was said. */
export type Entry = { order: number } & Said
type Said = { by: 'business'; message: Message } | { by: 'customer'; record: InboundRecord }
/** Everything between one business number and one customer, in the order in which it happened. */
export type Conversation = { waId: string; phoneNumberId: string; entries: Entry[] }

/** `phone` is the customer's, `number` the business number's id. */
export type ConversationFilter = { phone?: string | undefined; number?: string | undefined }

/** Both sides of what was said. Times do not order it: a customer's message may claim any. */
export class Conversations {
  readonly #messages: Messages
  readonly #inbox: Inbox
  #nextOrder = 1

  constructor(messages: Messages, inbox: Inbox) {
    this.#messages = messages
    this.#inbox = inbox
  }

  /** The place of what is said now. */
  takePlace(): number {
    return this.#nextOrder++
  }

  /** By the id of the message. */
  find(id: string): Entry | undefined {
    const [message, record] = [this.#messages.find(id), this.#inbox.find(id)]
    if (message !== undefined) return ofBusiness(message)
    return record && ofCustomer(record)
  }

  /** The one in which something was said last comes first. */
  list({ phone, number }: ConversationFilter = {}): Conversation[] {
    const waId = phone === undefined ? undefined : waIdOf(digitsOf(phone) ?? phone)
    const byPair = new Map<string, Conversation>()
    const entries = [...this.#messages.list().map(ofBusiness), ...this.#inbox.list().map(ofCustomer)]
    for (const entry of entries.toSorted((one, other) => one.order - other.order)) {
      const pair = pairOf(entry)
      if (pair === undefined || (waId !== undefined && pair.waId !== waId)) continue
      if (number !== undefined && pair.phoneNumberId !== number) continue
      const key = `${pair.phoneNumberId}/${pair.waId}`
      const entries = byPair.get(key)?.entries ?? []
      entries.push(entry)
      byPair.delete(key)
      byPair.set(key, { ...pair, entries })
    }
    return [...byPair.values()].toReversed()
  }

  get nextOrder(): number {
    return this.#nextOrder
  }

  restore(nextOrder: number): void {
    this.#nextOrder = nextOrder
  }
}

const ofBusiness = (message: Message): Entry => ({ order: message.order, by: 'business', message })
const ofCustomer = (record: InboundRecord): Entry => ({ order: record.order, by: 'customer', record })

export function pairOf(entry: Entry): { waId: string; phoneNumberId: string } | undefined {
  if (entry.by === 'customer') return { waId: entry.record.from, phoneNumberId: entry.record.phoneNumberId }
  const { waId, phoneNumberId } = entry.message
  return waId === undefined ? undefined : { waId, phoneNumberId }
}
