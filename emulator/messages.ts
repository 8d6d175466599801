import { type Noting, UNNOTED } from './changes.ts'
import { TWIN_LIMITS } from './limits.ts'
import { digitsOf, forgetOldest, waIdOf } from './phones.ts'
import type { Behaviour, StatusName } from './behaviour.ts'
import type { WebhookError } from './errors.ts'
import type { WebhookPost } from './webhooks.ts'

/** What the phone shows of one button, and what a tap sends back. */
export type ShownButton = {
  index: number
  type: string
  text: string
  /** A copy-code or autofill button: what lands in the clipboard. */
  code?: string
  url?: string
  /** A reply button: `payload` of the webhook, or its `id`. */
  payload?: string
}
export type ShownRow = { section: string; id: string; title: string; description: string | undefined }

export type ShownMessage = {
  header: string | undefined
  body: string
  footer: string | undefined
  buttons: ShownButton[]
  /** The label that opens a list, and its rows. */
  list: { button: string; rows: ShownRow[] } | undefined
}

export type MessageStatus = {
  status: StatusName
  /** Unix seconds as in the webhook. */
  timestamp: string
  errors: WebhookError[] | undefined
  /** Undefined while it waits to be posted, or when nobody is subscribed. */
  post: WebhookPost | undefined
}

/** A message that the twin took, as the phone has it. */
export type Message = {
  /** The wamid. */
  readonly id: string
  /** The place among everything that was said. */
  readonly order: number
  readonly accountId: string
  readonly phoneNumberId: string
  /** The business number, digits only. */
  readonly from: string
  /** "+" and digits; the user id when it was sent to one. */
  readonly to: string
  readonly waId: string | undefined
  readonly userId: string | undefined
  /** A user with a username: webhooks and answers do not tell the phone number. */
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
  /** Milliseconds since 1970, and so is `expiresAt`. */
  readonly acceptedAt: number
  readonly expiresAt: number
  readonly pricing: Pricing
  /** The script that acts on this message; empty when none does. */
  readonly behaviour: Behaviour
  expired: boolean
  /** The customer had blocked the number when it would have come: it never does. */
  blocked: boolean
  /** When it came to the phone; undefined while it is on its way, and for one that never comes. */
  arrivedAt: number | undefined
  /** The customer does not even look at it: it is not read. */
  ignored: boolean
  readonly statuses: MessageStatus[]
  /** What Meta takes but a person would stumble over. */
  readonly warnings: readonly string[]
}

export type Pricing = { billable: boolean; pricing_model: 'PMP'; type: string; category: string }

export type MessageFilter = { to?: string; from?: string; template?: string; callbackData?: string }
export type MessageMatch = MessageFilter | ((message: Message) => boolean)

type Waiter = { matches: (message: Message) => boolean; take: (message: Message) => void }

/** The messages on all phones: a bounded ring, oldest forgotten first. */
export class Messages {
  readonly #changes: Noting
  readonly #byId = new Map<string, Message>()
  readonly #handedOut = new WeakSet<Message>()
  readonly #waiters = new Set<Waiter>()
  readonly #listeners = new Set<(message: Message) => void>()

  constructor(changes: Noting = UNNOTED) {
    this.#changes = changes
  }

  get count(): number {
    return this.#byId.size
  }

  add(message: Message): void {
    this.#byId.set(message.id, message)
    this.#changes.note('messages', message.id, message)
    const forgotten = forgetOldest(this.#byId, TWIN_LIMITS.messagesKept)
    if (forgotten !== undefined) this.#changes.note('messages', forgotten, undefined)
    for (const listener of this.#listeners) listener(message)
    for (const waiter of this.#waiters) {
      if (!waiter.matches(message)) continue
      this.#waiters.delete(waiter)
      this.#handedOut.add(message)
      waiter.take(message)
      return
    }
  }

  find(id: string): Message | undefined {
    return this.#byId.get(id)
  }

  list(match: MessageMatch = {}): Message[] {
    const matches = matcher(match)
    return [...this.#byId.values()].filter(matches)
  }

  findLast(matches: (message: Message) => boolean): Message | undefined {
    return [...this.#byId.values()].findLast(matches)
  }

  onMessage(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The first match that no earlier wait was given, be it there already or still to come. */
  wait(match: MessageMatch, timeoutMs: number): Promise<Message> {
    const matches = matcher(match)
    const there = this.list(matches).find((message) => !this.#handedOut.has(message))
    if (there !== undefined) {
      this.#handedOut.add(there)
      return Promise.resolve(there)
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        take: (message) => {
          clearTimeout(timer)
          resolve(message)
        },
      }
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        reject(new Error(`no message came within ${timeoutMs} ms (${describe(match)}); ${this.#summary(matches)}`))
      }, timeoutMs)
      this.#waiters.add(waiter)
    })
  }

  clear(): void {
    for (const id of this.#byId.keys()) this.#changes.note('messages', id, undefined)
    this.#byId.clear()
  }

  restore(kept: [string, ReturnType<typeof keepMessage>][], posts: ReadonlyMap<string, WebhookPost>): void {
    for (const [, message] of kept) {
      const statuses = message.statuses.map(({ post, ...status }) => ({ ...status, post: posts.get(post ?? '') }))
      this.#byId.set(message.id, { ...message, statuses })
    }
  }

  #summary(matches: (message: Message) => boolean): string {
    const matching = this.list(matches).length
    return `${this.#byId.size} messages are on the phones, ${matching} of them match and were handed out before`
  }
}

/** With posts by their ids. */
export function keepMessage(message: Message) {
  return { ...message, statuses: message.statuses.map((status) => ({ ...status, post: status.post?.id })) }
}

function matcher(match: MessageMatch): (message: Message) => boolean {
  if (typeof match === 'function') return match
  const to = match.to === undefined ? undefined : (digitsOf(match.to) ?? match.to)
  const from = match.from === undefined ? undefined : (digitsOf(match.from) ?? match.from)
  return (message) =>
    (to === undefined ||
      message.to === `+${to}` ||
      message.to === to ||
      message.waId === waIdOf(to) ||
      message.userId === to) &&
    (from === undefined || message.from === from || message.phoneNumberId === from) &&
    (match.template === undefined || message.template?.name === match.template) &&
    (match.callbackData === undefined || message.callbackData === match.callbackData)
}

function describe(match: MessageMatch): string {
  return typeof match === 'function' ? 'by a function' : JSON.stringify(match)
}
