import type { Account } from './accounts.ts'
import type { Customer, Performance, Place } from './customers.ts'
import type { Held } from './delivery.ts'
import type { Letter } from './inbox.ts'
import type { Message } from './messages.ts'
import type { Phone } from './phones.ts'
import type { Script } from './scripts.ts'
import type { PlannedAt } from './timers.ts'
import type { Sealed, Waiting, WebhookPost } from './webhooks.ts'

/** All that the twin holds, each thing under a key of its section; kept.ts says how it is written. */
export type Things = {
  accounts: Account
  scripts: Script
  customers: Customer
  /** By number and phone. */
  places: Place
  /** Those that customers are in the middle of. */
  performances: Performance
  posts: WebhookPost
  /** Posts that are listed. */
  listed: true
  /** Updates that no post has taken yet. */
  waiting: Waiting
  /** Posts that were sent and not answered yet. */
  underWay: Sealed
  messages: Message
  inbox: Letter
  phones: Phone
  /** The WhatsApp id behind a user id. */
  userIds: string
  windows: number
  /** By WhatsApp id. */
  held: readonly Held[]
  plans: PlannedAt
}

export type Section = keyof Things
/** By their keys; undefined for one that is no more. */
export type Noted = { [Name in Section]?: Map<string, Things[Name] | undefined> }

/** Where whoever changes a thing says so. */
export type Noting = Pick<Changes, 'note' | 'noteHead'>

export const UNNOTED: Noting = { note() {}, noteHead() {} }

/** What has become different since it was last asked: the things alone, as what they hold then is what counts. */
export class Changes {
  readonly #onNote: () => void
  #noted: Noted = {}
  #isEmpty = true

  constructor(onNote: () => void) {
    this.#onNote = onNote
  }

  get isEmpty(): boolean {
    return this.#isEmpty
  }

  note<Name extends Section>(section: Name, key: string, thing: Things[Name] | undefined): void {
    const noted: Map<string, Things[Name] | undefined> = (this.#noted[section] ??= new Map())
    noted.set(key, thing)
    this.noteHead()
  }

  /** Something that is of no section, such as the clock. */
  noteHead(): void {
    this.#isEmpty = false
    this.#onNote()
  }

  take(): Noted {
    const noted = this.#noted
    this.#noted = {}
    this.#isEmpty = true
    return noted
  }
}
