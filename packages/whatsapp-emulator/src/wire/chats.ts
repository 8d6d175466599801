/** What the emulator sends to a phone's page, and the page's actions. Does not depend on a browser. */

type Text = string | undefined
export type ShownButton = { index: number; type: string; text: string; code?: Text; url?: Text; payload?: Text }
export type ShownRow = { section: string; id: string; title: string; description?: string | undefined }

/** The content of a message as the phone shows it. */
export type ShownMessage = {
  header?: Text
  body: string
  footer?: Text
  buttons: readonly ShownButton[]
  /** The label that opens a list, and its rows. */
  list?: { button: string; rows: readonly ShownRow[] } | undefined
}

export type Ticks = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed'

type EntryFields = {
  /** Position among all messages. */
  order: number
  id: string
  at: string | null
  /** The message that it answers or quotes, also when the webhook leaves the context out. */
  quotes?: string | undefined
}

export type BusinessEntry = EntryFields &
  ShownMessage & {
    by: 'business'
    /** Null until it arrives. */
    arrivedAt: string | null
    /** The latest status that the business got. */
    status: string
    /** The highest status that the business got. */
    ticks: Ticks
    /** Why it never arrives. */
    lost?: 'expired' | 'blocked' | 'failed' | undefined
    type: string
    template?: string | undefined
    code?: string | undefined
  }
export type CustomerEntry = EntryFields & {
  by: 'customer'
  did: 'typed' | 'tapped' | 'chose' | 'sent'
  /** What the customer's own bubble shows: the words, or the label of what was tapped or chosen. */
  text: string
  payload?: string | undefined
  /** The id of the script that caused it, if any. */
  script?: string | undefined
  readByBusiness: boolean
}
export type Entry = BusinessEntry | CustomerEntry

/** The chat of one customer's phone with one business number. */
export type Pair = { phone: string; number: string }
export type Chat = Pair & { entries: readonly Entry[] }
export type PhoneState = {
  phone: string
  online: boolean
  /** Whether the business is notified of reads. */
  readReceipts: boolean
  /** Ids of the business numbers that the customer has blocked. */
  blocked: readonly string[]
}
export type Business = { number: string; name: string; display: string }
export type Attempt = { at: number; tookMs: number; httpStatus?: number | undefined; fault?: string | undefined }

/** One POST to a callback, with its attempts. Several updates may share it. Instants are milliseconds since 1970. */
export type WebhookPost = {
  id: string
  accountId: string
  url: string
  updates: number
  /** For each update: the status, the type of the customer's message, or the field. */
  labels: readonly string[]
  sealedAt: number
  attempts: Attempt[]
  state: 'waiting' | 'answered' | 'lost'
  /** The bytes as sent, shortened; empty where they are no longer kept. */
  body: string
}

export type Change =
  /** A snapshot of everything, at the start of a stream. */
  | {
      kind: 'state'
      businesses: readonly Business[]
      chats: readonly Chat[]
      phones: readonly PhoneState[]
      posts: readonly WebhookPost[]
      /** Only for the emulator's own page. */
      time?: EmulatorTime
    }
  | ({ kind: 'entry'; entry: Entry } & Pair)
  | { kind: 'phone'; phone: PhoneState }
  | { kind: 'post'; post: WebhookPost }
  | { kind: 'time'; time: EmulatorTime }

export type Act =
  | ({ do: 'text'; text: string; quote?: string | undefined } & Pair)
  | ({ do: 'tap'; message: string; button: number } & Pair)
  | ({ do: 'choose'; message: string; row: number } & Pair)
  /** The customer looks at the chat. */
  | ({ do: 'read' } & Pair)
  | ({ do: 'block'; blocked: boolean } & Pair)
  | { do: 'online'; phone: string; online: boolean }
  | { do: 'receipts'; phone: string; readReceipts: boolean }

/** The control API call of an action. */
export function callOf(act: Act): { path: string; body: object } {
  const { phone } = act
  if (act.do === 'text') return inbound(act, { text: act.text, quote: act.quote })
  if (act.do === 'tap') return inbound(act, { tap: { button: act.button, message: act.message } })
  if (act.do === 'choose') return inbound(act, { choose: { row: act.row, message: act.message } })
  if (act.do === 'read') return { path: '/control/read', body: { phone, number: act.number } }
  if (act.do === 'block') return phoneChange(phone, { [act.blocked ? 'block' : 'unblock']: act.number })
  if (act.do === 'online') return phoneChange(phone, { online: act.online })
  return phoneChange(phone, { readReceipts: act.readReceipts })
}

const inbound = ({ phone, number }: Pair, userAction: object) => {
  return { path: '/control/inbound', body: { from: phone, to: number, ...userAction } }
}
const phoneChange = (phone: string, change: object) => {
  return { path: '/control/phones', body: { number: phone, ...change } }
}

const DUE_KINDS = ['status', 'arrival', 'expiry', 'answer', 'window', 'review', 'webhook'] as const
export type DueKind = (typeof DUE_KINDS)[number]

/** Something that will happen automatically. */
export type Due = {
  id: string
  kind: DueKind
  /** The status; who answers; the template with its language; what the webhook reports. Empty where the kind is enough. */
  what: string
  /** In the emulator's time. */
  at: string
  inMs: number
  /** Null for what belongs to no chat. */
  phone: string | null
  number: string | null
}

export type EmulatorTime = {
  now: string
  /** How far the clock is ahead of real time. */
  aheadMs: number
  /** The page that moves this emulator's time; null when it is moved here. */
  movedAt: string | null
}

/** The first of its kind, with the `count` of all. */
export type FirstDue = Due & { count: number }

export type DueAnswer = EmulatorTime & {
  /** What is due in the requested chat; sorted by time, like `due`. */
  chat: readonly Due[]
  /** The first of each kind in everything else. */
  due: readonly FirstDue[]
}

/** Counts of what happened during the move. */
export type HappenedCounts = {
  statuses: number
  /** What customers did. */
  answers: number
  /** Messages whose time ran out. */
  expiries: number
  /** Service windows that ended. */
  windows: number
  reviews: number
  /** Attempts, answered or not. */
  webhooks: number
}

export type ClockMove = EmulatorTime & {
  requestedMs: number
  /** Less than `requestedMs` when the call took too long; call again for the rest. */
  movedMs: number
  happened: HappenedCounts
}
