import type { Bubble } from './bubble.tsx'
import type { BusinessEntry, Business, Change, Chat, CustomerEntry, Entry, Pair, PhoneState, Post } from './chats.ts'
import type { TwinTime } from './due.ts'
import { plain } from './formatting.ts'

/** What a phone's screen knows. Each function answers a question of the screen, or says what a change makes of it. */
export type Screen = {
  /** How often the stream has told everything: 0 at first, and once more after each break. */
  told: number
  businesses: readonly Business[]
  /** The one in which something was said last comes last. */
  chats: ReadonlyMap<string, Chat>
  phones: ReadonlyMap<string, PhoneState>
  posts: readonly Post[]
  /** What the clock showed when it was told; to a twin's own page alone. */
  time: TwinTime | undefined
  /** By chat: the last entry that somebody at this screen has seen. */
  seen: ReadonlyMap<string, number>
}

export type ScreenEvent =
  | Change
  /** A chat as far back as it is kept. */
  | ({ kind: 'older'; entries: readonly Entry[] } & Pair)
  /** A customer who has got nothing yet. */
  | ({ kind: 'begun' } & Pair)
  | ({ kind: 'seen' } & Pair)

/** The newest are kept. */
const ENTRIES_OF_CHAT_MOST = 1_000
const CHATS_MOST = 200
const POSTS_MOST = 200

export const EMPTY_SCREEN: Screen = {
  told: 0,
  businesses: [],
  chats: new Map(),
  phones: new Map(),
  posts: [],
  time: undefined,
  seen: new Map(),
}

export const keyOf = ({ phone, number }: Pair): string => `${number}/${phone}`

export function follow(screen: Screen, event: ScreenEvent): Screen {
  switch (event.kind) {
    case 'state':
      return startAnew(screen, event)
    case 'entry':
      return withChat(screen, event, (entries) => merged(entries, [event.entry]), 'last')
    case 'older': {
      // What the stream has told meanwhile is newer than the answer to a question.
      return withChat(screen, event, (entries) => merged(event.entries, entries), 'stays')
    }
    case 'begun':
      return withChat(screen, event, (entries) => entries, 'last')
    case 'seen': {
      const last = screen.chats.get(keyOf(event))?.entries.at(-1)?.order ?? 0
      return { ...screen, seen: new Map(screen.seen).set(keyOf(event), last) }
    }
    case 'time':
      return { ...screen, time: event.time }
    case 'phone':
      return { ...screen, phones: new Map(screen.phones).set(event.phone.phone, event.phone) }
    case 'post': {
      const others = screen.posts.filter(({ id }) => id !== event.post.id)
      const posts =
        others.length < screen.posts.length
          ? screen.posts.map((post) => (post.id === event.post.id ? event.post : post))
          : [...others, event.post]
      return { ...screen, posts: posts.slice(-POSTS_MOST) }
    }
  }
}

/** After a break the stream tells everything again. Customers who were begun here and have got nothing stay. */
function startAnew(
  screen: Screen,
  { businesses, chats, phones, posts, time }: Extract<Change, { kind: 'state' }>,
): Screen {
  const begun = [...screen.chats].filter(([, { entries }]) => entries.length === 0)
  // The twin tells the latest first.
  const told = chats.toReversed().map((chat) => [keyOf(chat), { ...chat, entries: merged([], chat.entries) }] as const)
  return {
    told: screen.told + 1,
    businesses,
    chats: new Map([...begun, ...told]),
    phones: new Map(phones.map((phone) => [phone.phone, phone])),
    posts,
    time,
    // Whoever comes to the screen finds nothing unread but what the customer has not read.
    seen: screen.told > 0 ? screen.seen : new Map(told.map(([key, { entries }]) => [key, lastReadOrder(entries)])),
  }
}

function withChat(
  screen: Screen,
  { phone, number }: Pair,
  change: (entries: readonly Entry[]) => readonly Entry[],
  place: 'last' | 'stays',
): Screen {
  const key = keyOf({ phone, number })
  const chats = new Map(screen.chats)
  const before = chats.get(key)
  const entries = change(before?.entries ?? [])
  // A status of something old does not bring its chat to the top.
  const isNew = entries.length > (before?.entries.length ?? -1)
  if (place === 'last' && isNew) chats.delete(key)
  chats.set(key, { phone, number, entries: entries.slice(-ENTRIES_OF_CHAT_MOST) })
  const [oldest] = chats.keys()
  if (chats.size > CHATS_MOST && oldest !== undefined) chats.delete(oldest)
  return { ...screen, chats }
}

/** Of one message the later telling counts. */
function merged(earlier: readonly Entry[], later: readonly Entry[]): Entry[] {
  const byId = new Map(earlier.map((entry) => [entry.id, entry]))
  for (const entry of later) byId.set(entry.id, entry)
  return [...byId.values()].sort((one, other) => one.order - other.order)
}

const lastReadOrder = (entries: readonly Entry[]): number =>
  entries.findLast((entry) => entry.by === 'customer' || entry.ticks === 'read')?.order ?? 0

export type Listed = Pair & {
  line: string
  by: Entry['by'] | undefined
  at: string | null
  unread: number
  entry: Entry | undefined
}

/** The chats whose number, words or template hold what is searched for; the latest first. */
export function listed(screen: Screen, search: string): Listed[] {
  const wanted = search.trim().toLowerCase()
  const digits = /^[+\d][\d ()-]*$/.test(wanted) ? wanted.replaceAll(/\D/g, '') : ''
  return [...screen.chats.values()]
    .toReversed()
    .filter(
      ({ phone, entries }) =>
        wanted === '' ||
        (digits !== '' && phone.includes(digits)) ||
        entries.some((entry) => textOf(entry).toLowerCase().includes(wanted)),
    )
    .map(({ phone, number, entries }) => {
      const last = entries.at(-1)
      const line = last === undefined ? '' : plain(textOf(last)).replaceAll(/\s+/g, ' ')
      return {
        phone,
        number,
        line,
        by: last?.by,
        at: last?.at ?? null,
        unread: unreadOf(screen, { phone, number }),
        entry: last,
      }
    })
}

export const textOf = (entry: Entry): string =>
  entry.by === 'customer' ? entry.text : [entry.header, entry.body].filter(Boolean).join('\n')

/** Messages that are on the phone and that nobody has looked at, here or there. */
export function unreadOf(screen: Screen, pair: Pair): number {
  const seen = screen.seen.get(keyOf(pair)) ?? 0
  const entries = screen.chats.get(keyOf(pair))?.entries ?? []
  return entries.filter((entry) => entry.order > seen && isUnread(entry)).length
}

const isUnread = (entry: Entry): boolean =>
  entry.by === 'business' && entry.arrivedAt !== null && entry.ticks !== 'read'

/** What opening the chat would mark as read: the last of it. */
export const lastUnread = (entries: readonly Entry[]): number | undefined => entries.findLast(isUnread)?.order

export const phoneOf = (screen: Screen, phone: string): PhoneState =>
  screen.phones.get(phone) ?? { phone, online: true, readReceipts: true, blocked: [] }

export const businessOf = (screen: Screen, number: string): Business =>
  screen.businesses.find((business) => business.number === number) ?? { number, name: number, display: number }

export type BubbleAct =
  | { does: 'tap'; button: number }
  | { does: 'open_list' }
  | { does: 'copy'; code: string }
  /** A link or a number to call: the phone shows it and goes nowhere. */
  | { does: 'nothing' }

type Shown = { bubble: Bubble; acts: readonly BubbleAct[] }

/** `at`: the time as the phone words it. */
export function shownOf(entry: Entry, entries: readonly Entry[], at: string): Shown {
  const answered = entries.find(({ id }) => id === entry.quotes)
  const quoted = answered && { quoted: textOf(answered) }
  if (entry.by === 'customer') {
    const ticks = entry.readByBusiness ? 'read' : 'delivered'
    return { bubble: { side: 'customer', body: entry.text, at, ticks, ...quoted }, acts: [] }
  }
  const { header, body, footer, ticks } = entry
  const rows = rowsOf(entry, entries)
  const bubble: Bubble = {
    side: 'business',
    ...(header !== undefined && { header }),
    body,
    ...(footer !== undefined && { footer }),
    buttons: rows.map(({ button }) => button),
    at,
    ticks,
    ...quoted,
  }
  return { bubble, acts: rows.map(({ act }) => act) }
}

type Row = { button: NonNullable<Bubble['buttons']>[number]; act: BubbleAct }

function rowsOf(entry: BusinessEntry, entries: readonly Entry[]): Row[] {
  const tapped = entries.filter((each): each is CustomerEntry => each.by === 'customer' && each.quotes === entry.id)
  const rows = entry.buttons.map(({ index, type, text, code, payload }): Row => {
    if (code !== undefined) return { button: { label: text, kind: 'copy_code' }, act: { does: 'copy', code } }
    if (payload === undefined) return { button: { label: text, kind: 'url' }, act: { does: 'nothing' } }
    const isTapped = tapped.some((each) => each.did === 'tapped' && each.payload === payload && each.text === text)
    const kind = type === 'REPLY' ? 'reply' : 'quick_reply'
    return { button: { label: text, kind, tapped: isTapped }, act: { does: 'tap', button: index } }
  })
  if (!entry.list) return rows
  const isChosen = tapped.some(({ did }) => did === 'chose')
  return [...rows, { button: { label: entry.list.button, kind: 'list', tapped: isChosen }, act: { does: 'open_list' } }]
}

export type Day = { day: string; entries: readonly Entry[] }

/** In their order; `dayOf` names the day of an instant. A message whose time is before its neighbour's stays beside it. */
export function daysOf(entries: readonly Entry[], dayOf: (at: string) => string): Day[] {
  const days: { day: string; entries: Entry[] }[] = []
  for (const entry of entries) {
    const day = entry.at === null ? (days.at(-1)?.day ?? '') : dayOf(entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

/** `+` and digits, or undefined for what is no phone number. */
export function phoneTyped(text: string): string | undefined {
  const digits = text.replaceAll(/[\s()-]/g, '')
  return /^\+\d{7,15}$/.test(digits) ? digits : undefined
}
