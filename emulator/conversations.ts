import { TWIN_LIMITS } from './limits.ts'
import { digitsOf, forgetOldest, waIdOf } from './phones.ts'
import type { InboundRecord } from './inbox.ts'
import type { Message } from './messages.ts'

/** `order`: the place among everything that was said. */
export type Entry = { order: number } & Said
type Said = { by: 'business'; message: Message } | { by: 'customer'; record: InboundRecord }
/** Everything between one business number and one customer, in the order in which it happened. */
export type Conversation = { waId: string; phoneNumberId: string; entries: Entry[] }

/** `phone` is the customer's, `number` the business number's id. */
export type ConversationFilter = { phone?: string | undefined; number?: string | undefined }

/** A bounded ring of what was said, oldest forgotten first. Times do not order it: a customer's message may claim any. */
export class Conversations {
  readonly #entries = new Map<string, Entry>()
  #nextOrder = 1

  add(said: Said): void {
    const entry = { order: this.#nextOrder++, ...said }
    this.#entries.set(idOf(entry), entry)
    forgetOldest(this.#entries, TWIN_LIMITS.conversationEntriesKept)
  }

  /** By the id of the message. */
  find(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  /** The one in which something was said last comes first. */
  list({ phone, number }: ConversationFilter = {}): Conversation[] {
    const waId = phone === undefined ? undefined : waIdOf(digitsOf(phone) ?? phone)
    const byPair = new Map<string, Conversation>()
    for (const entry of this.#entries.values()) {
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

  clear(): void {
    this.#entries.clear()
  }
}

function idOf(entry: Entry): string {
  return entry.by === 'customer' ? entry.record.id : entry.message.id
}

export function pairOf(entry: Entry): { waId: string; phoneNumberId: string } | undefined {
  if (entry.by === 'customer') return { waId: entry.record.from, phoneNumberId: entry.record.phoneNumberId }
  const { waId, phoneNumberId } = entry.message
  return waId === undefined ? undefined : { waId, phoneNumberId }
}
