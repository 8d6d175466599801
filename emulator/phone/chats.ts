import type { TwinTime } from './due.ts'

/** What a twin tells a phone, and what the phone makes of it. Nothing here knows a browser. */

export type ShownButton = { index: number; type: string; text: string; code?: string; url?: string; payload?: string }
export type ShownRow = { section: string; id: string; title: string; description?: string | undefined }

export type Ticks = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed'

type Said = {
  /** The place among everything that the twin has kept. */
  order: number
  id: string
  at: string | null
  /** The message that it answers. */
  quotes?: string | undefined
}

export type BusinessEntry = Said & {
  by: 'business'
  /** Null while it is on its way, and for one that never comes. */
  arrivedAt: string | null
  /** The latest that the business was told. */
  status: string
  /** The furthest that the business was told. */
  ticks: Ticks
  /** Why it never comes. */
  lost?: 'expired' | 'blocked' | 'failed' | undefined
  type: string
  template?: string | undefined
  header?: string | undefined
  body: string
  footer?: string | undefined
  buttons: readonly ShownButton[]
  list?: { button: string; rows: readonly ShownRow[] } | undefined
  code?: string | undefined
}
export type CustomerEntry = Said & {
  by: 'customer'
  did: 'typed' | 'tapped' | 'chose' | 'sent'
  text: string
  payload?: string | undefined
  /** The scripted customer that did it. */
  customer?: string | undefined
  readByBusiness: boolean
}
export type Entry = BusinessEntry | CustomerEntry

/** Between one customer's phone and one business number. */
export type Pair = { phone: string; number: string }
export type Chat = Pair & { entries: readonly Entry[] }
export type PhoneState = {
  phone: string
  online: boolean
  readReceipts: boolean
  /** Business numbers that the customer has blocked. */
  blocked: readonly string[]
}
export type Business = { number: string; name: string; display: string }
/** A webhook of the twin on its way to the business. */
export type Post = {
  id: string
  at: string
  /** What it tells: "sent", "delivered", "message" … */
  tells: readonly string[]
  state: 'waiting' | 'answered' | 'lost'
  httpStatus: number | null
  fault: string | null
  tookMs: number | null
  attempts: number
  /** Null where it is no longer kept. */
  body: string | null
}

export type Change =
  /** Everything, at the beginning of a stream. */
  | {
      kind: 'state'
      businesses: readonly Business[]
      chats: readonly Chat[]
      phones: readonly PhoneState[]
      posts: readonly Post[]
      /** To the twin's own page alone. */
      time?: TwinTime
    }
  | ({ kind: 'entry'; entry: Entry } & Pair)
  | { kind: 'phone'; phone: PhoneState }
  | { kind: 'post'; post: Post }
  | { kind: 'time'; time: TwinTime }

export type Act =
  | ({ do: 'text'; text: string; quote?: string | undefined } & Pair)
  | ({ do: 'tap'; message: string; button: number } & Pair)
  | ({ do: 'choose'; message: string; row: number } & Pair)
  /** The customer looks at the chat. */
  | ({ do: 'read' } & Pair)
  | ({ do: 'block'; blocked: boolean } & Pair)
  | { do: 'online'; phone: string; online: boolean }
  | { do: 'receipts'; phone: string; readReceipts: boolean }

/** The call of the twin's control API that an act is. */
export function callOf(act: Act): { path: string; body: object } {
  switch (act.do) {
    case 'text':
      return inbound(act, { text: act.text, quote: act.quote })
    case 'tap':
      return inbound(act, { tap: { button: act.button, message: act.message } })
    case 'choose':
      return inbound(act, { choose: { row: act.row, message: act.message } })
    case 'read':
      return { path: '/control/read', body: { phone: act.phone, number: act.number } }
    case 'block':
      return { path: '/control/phones', body: { number: act.phone, [act.blocked ? 'block' : 'unblock']: act.number } }
    case 'online':
      return { path: '/control/phones', body: { number: act.phone, online: act.online } }
    case 'receipts':
      return { path: '/control/phones', body: { number: act.phone, readReceipts: act.readReceipts } }
  }
}

const inbound = ({ phone, number }: Pair, gesture: object): { path: string; body: object } => ({
  path: '/control/inbound',
  body: { from: phone, to: number, ...gesture },
})
