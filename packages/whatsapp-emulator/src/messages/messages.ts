import { randomBytes } from 'node:crypto'
import { SavedMap, type Storage } from '../store/saved-map.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { Listeners } from '../listeners.ts'
import { normalised, waIdOf } from './phones.ts'
import type { Behaviour, StatusName } from './script.ts'
import type { WebhookError } from '../errors.ts'
import type { Pricing } from '../webhooks/webhook-body.ts'
import type { ShownButton, ShownMessage, WebhookPost } from '../wire/chats.ts'

export type MessageStatus = {
  status: StatusName
  /** Unix seconds as in the webhook. */
  timestamp: string
  errors: WebhookError[] | undefined
  /** Undefined while it waits to be posted, or when the account has no subscription. */
  post: WebhookPost | undefined
}

/** A message that the emulator accepted, as the phone has it. */
export type Message = {
  readonly id: string
  /** Position among all messages of both sides. */
  readonly order: number
  readonly accountId: string
  readonly phoneNumberId: string
  readonly from: string
  /** "+" and digits; the user id when it was sent to one. */
  readonly to: string
  readonly waId: string | undefined
  readonly userId: string | undefined
  /** A user with a username: webhooks and answers leave out the phone number. */
  readonly phoneHidden: boolean
  readonly type: 'template' | 'text' | 'interactive'
  readonly template: { name: string; language: string; category: string } | undefined
  /** The whole text as the phone shows it. */
  readonly text: string
  readonly shown: ShownMessage
  /** The one-time code of an authentication message. */
  readonly code: string | undefined
  /** Values of header and body in the order of the request. */
  readonly parameters: readonly string[]
  readonly callbackData: string | undefined
  /** The wamid that it replies to. */
  readonly quotes: string | undefined
  /** Milliseconds since 1970, like `expiresAt`. */
  readonly acceptedAt: number
  readonly expiresAt: number
  readonly pricing: Pricing
  /** The behaviour from the message's script; empty without one. */
  readonly behaviour: Behaviour
  expired: boolean
  /** The customer had blocked the number, so the message never arrives. */
  blocked: boolean
  /** Undefined until it is on the phone. */
  arrivedAt: number | undefined
  /** The customer never reads it. */
  ignored: boolean
  readonly statuses: MessageStatus[]
  /** Faults that Meta accepts but a person would notice. */
  readonly warnings: readonly string[]
}

/** The parties and the template of a send. */
export type AddressedMessage = Pick<Message, 'to' | 'waId' | 'userId' | 'from' | 'phoneNumberId'> & {
  readonly template: { readonly name: string } | undefined
}

type AddressFilter = Partial<Record<'to' | 'ending' | 'from' | 'template', string | undefined>>
export type MessageFilter = Omit<AddressFilter, 'ending'> & { callbackData?: string | undefined }
export type MessageMatch = MessageFilter | ((message: Message) => boolean)

/** The messages on all phones: bounded; the oldest are dropped first. */
export class Messages {
  readonly #byId: SavedMap<Message, SavedMessage>
  readonly #handedOut = new WeakSet<Message>()
  readonly #added = new Listeners<Message>()
  readonly #changes = new Listeners<Message>()
  readonly onMessage = this.#added.add
  readonly onChange = this.#changes.add

  /** `posts`: the webhooks that an earlier process saved. */
  constructor(storage: Storage, posts: ReadonlyMap<string, WebhookPost> = new Map()) {
    this.#byId = new SavedMap<Message, SavedMessage>('messages', storage, {
      toRow: savedMessage,
      fromRow: (row) => ({
        ...row,
        statuses: row.statuses.map(({ post, ...status }) => ({ ...status, post: posts.get(post ?? '') })),
      }),
      max: EMULATOR_LIMITS.messagesKept,
    })
  }

  add(message: Message): void {
    this.#byId.set(message.id, message)
    this.#added.emit(message)
  }

  /** Call it after changing the message. */
  changed(message: Message): void {
    if (!this.#has(message)) return
    this.#byId.changed(message.id)
    this.#changes.emit(message)
  }

  /** Data about a message is saved with its id, unless the message was dropped. */
  toRow<About extends { message: Message }>(about: About): (Omit<About, 'message'> & { message: string }) | undefined {
    return this.#has(about.message) ? { ...about, message: about.message.id } : undefined
  }

  fromRow<Row extends { message: string }>(row: Row): (Omit<Row, 'message'> & { message: Message }) | undefined {
    const message = this.find(row.message)
    return message && { ...row, message }
  }

  find(id: string): Message | undefined {
    return this.#byId.get(id)
  }

  list(match: MessageMatch = {}): Message[] {
    return this.#byId.values().filter(matcher(match)).toArray()
  }

  /** The first match, present or future, that no earlier wait returned. */
  wait(match: MessageMatch, timeoutMs: number): Promise<Message> {
    const matches = matcher(match)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stop()
        reject(new Error(`no message came within ${timeoutMs} ms (${describe(match)}); ${this.#summary(matches)}`))
      }, timeoutMs)
      let isDone = false
      const take = (message: Message): void => {
        if (isDone || this.#handedOut.has(message) || !matches(message)) return
        isDone = true
        this.#handedOut.add(message)
        clearTimeout(timer)
        stop()
        resolve(message)
      }
      const stop = this.onMessage(take)
      for (const message of this.list()) take(message)
    })
  }

  clear(): void {
    this.#byId.clear()
  }

  /** Removes the messages of a business number. */
  clearNumber(phoneNumberId: string): void {
    for (const [id, message] of this.#byId) if (message.phoneNumberId === phoneNumberId) this.#byId.delete(id)
  }

  /** Links the status at this index to its post. */
  setPost(id: string, place: number, post: WebhookPost): void {
    const status = this.#byId.get(id)?.statuses[place]
    if (status === undefined) return
    status.post = post
    this.#byId.changed(id)
  }

  #has(message: Message): boolean {
    return this.#byId.get(message.id) === message
  }

  #summary(matches: (message: Message) => boolean): string {
    const matching = this.list(matches).length
    return `${this.#byId.size} messages are on the phones, ${matching} of them match and were handed out before`
  }
}

type SavedMessage = ReturnType<typeof savedMessage>

/** The message with ids in place of posts. */
function savedMessage(message: Message) {
  return { ...message, statuses: message.statuses.map((status) => ({ ...status, post: status.post?.id })) }
}

/** Looks like a real wamid; clients must treat it as opaque. */
export function makeWamid(party: string): string {
  const tail = `\x15\x02\x00\x11\x18\x12${randomBytes(9).toString('hex').toUpperCase()}\x00`
  return `wamid.${Buffer.from(`\x1c\x18${String.fromCharCode(party.length)}${party}${tail}`, 'latin1').toString('base64')}`
}

function matcher(match: MessageMatch): (message: Message) => boolean {
  if (typeof match === 'function') return match
  const { to = '', from = '', callbackData, template } = match
  const address = { to: to && normalised(to), from: from && normalised(from), template }
  return (message) =>
    isAddressed(message, address) && (callbackData === undefined || message.callbackData === callbackData)
}

/** Numbers in the filter must be normalised. */
export function isAddressed(send: AddressedMessage, { to, ending, from, template }: AddressFilter): boolean {
  return (
    (!to || [`+${to}`, to].includes(send.to) || send.waId === waIdOf(to) || send.userId === to) &&
    (!ending || (send.waId ?? send.to).endsWith(ending)) &&
    (!from || send.from === from || send.phoneNumberId === from) &&
    (!template || send.template?.name === template)
  )
}

/** Whether the customer can tap the button to answer. */
export const isReply = (button: ShownButton): boolean => button.payload !== undefined

function describe(match: MessageMatch): string {
  return typeof match === 'function' ? 'by a function' : JSON.stringify(match)
}
