import type { InboundRecord, Inbox } from './inbox.ts'
import type { Message, Messages } from './messages.ts'

/** `order`: position among all messages of both sides. */
export type Entry = { order: number } & (
  | { by: 'business'; message: Message }
  | { by: 'customer'; record: InboundRecord }
)
/** Everything between one business number and one customer, in order. */
export type Conversation = { waId: string; phoneNumberId: string; entries: Entry[] }

/** `phone` is the customer's, `number` the business number's id. */
export type ConversationFilter = { phone?: string | undefined; number?: string | undefined }

type Chats = { messages: Messages; inbox: Inbox }

/**
 * Both sides of each chat, latest chat first: all of them, or those of one customer or one business number. Not ordered by
 * time: a customer's message may claim any.
 */
export function listConversations({ messages, inbox }: Chats, waId?: string, numberId?: string): Conversation[] {
  const byPair = new Map<string, Conversation>()
  const entries = [...messages.list(), ...inbox.list()].map(entryOf)
  for (const entry of entries.toSorted((one, other) => one.order - other.order)) {
    const pair = pairOf(entry)
    if (pair === undefined || (waId !== undefined && pair.waId !== waId)) continue
    if (numberId !== undefined && pair.phoneNumberId !== numberId) continue
    const key = `${pair.phoneNumberId}/${pair.waId}`
    const entries = byPair.get(key)?.entries ?? []
    entries.push(entry)
    byPair.delete(key)
    byPair.set(key, { ...pair, entries })
  }
  return [...byPair.values()].toReversed()
}

export function entryOf(source: Message | InboundRecord): Entry {
  const { order } = source
  return 'statuses' in source ? { order, by: 'business', message: source } : { order, by: 'customer', record: source }
}

export function pairOf(entry: Entry): { waId: string; phoneNumberId: string } | undefined {
  if (entry.by === 'customer') return { waId: entry.record.from, phoneNumberId: entry.record.phoneNumberId }
  const { waId, phoneNumberId } = entry.message
  return waId === undefined ? undefined : { waId, phoneNumberId }
}
