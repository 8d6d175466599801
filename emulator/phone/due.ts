/** What a twin tells of its time. Nothing here knows a browser. */

export const DUE_KINDS = ['status', 'arrival', 'expiry', 'answer', 'window', 'review', 'webhook'] as const
export type DueKind = (typeof DUE_KINDS)[number]

/** Something that will happen by itself. */
export type Due = {
  id: string
  kind: DueKind
  /** The status; who answers; the template with its language; what the webhook tells. Empty where the kind says it all. */
  what: string
  /** By the twin's time. */
  at: string
  inMs: number
  /** Null for what belongs to no chat. */
  phone: string | null
  number: string | null
}

export type TwinTime = {
  now: string
  /** How far before the real time. */
  aheadMs: number
  /** The page on which this twin's time is moved instead; null when it is moved here. */
  movedAt: string | null
}

/** The first of its kind; `count` says of how many. */
export type FirstDue = Due & { count: number }

export type DueAnswer = TwinTime & {
  /** Of the chat that was asked for; the first comes first, and so it does in `due`. */
  chat: readonly Due[]
  /** Of everything else, whatever is due first of each kind. */
  due: readonly FirstDue[]
}

/** How much of each there was on the way. */
export type Happened = {
  statuses: number
  /** What customers did. */
  answers: number
  /** Messages whose time ran out. */
  expiries: number
  /** Service windows that ended. */
  windows: number
  reviews: number
  /** Attempts, be they answered or not. */
  webhooks: number
}

export type Moved = TwinTime & {
  askedMs: number
  /** Less than was asked for when the call took too long: what is left can be asked for again. */
  movedMs: number
  happened: Happened
}
