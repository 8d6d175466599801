import { plainNumber } from '../../../locales/typed-digits.ts'
import type { Bubble } from './bubble.tsx'
import type {
  BusinessEntry,
  Business,
  Change,
  Chat,
  CustomerEntry,
  Entry,
  Pair,
  PhoneState,
  WebhookPost,
  EmulatorTime,
} from '../src/wire/chats.ts'
import { stripFormatting } from './formatting.ts'

export type Screen = {
  /** Snapshots received: 0 at first, one more after each reconnect. */
  snapshots: number
  businesses: readonly Business[]
  /** The chat with the latest message comes last. */
  chats: ReadonlyMap<string, Chat>
  phones: ReadonlyMap<string, PhoneState>
  posts: readonly WebhookPost[]
  /** What the clock showed in the last message; only on an emulator's own page. */
  time: EmulatorTime | undefined
  /** The last entry of each chat that was seen on this screen. */
  seen: ReadonlyMap<string, number>
  /** The key of the chat that was seen last: it stays, however many others get messages. */
  shown: string | undefined
}

export type ScreenEvent =
  | Change
  /** A chat as far back as it is kept. */
  | ({ kind: 'older'; entries: readonly Entry[] } & Pair)
  /** A customer without messages. */
  | ({ kind: 'begun' } & Pair)
  | ({ kind: 'seen' } & Pair)

/** The newest are kept. */
const MAX_ENTRIES_OF_CHAT = 1_000
const MAX_CHATS = 200
const MAX_POSTS = 200

export const EMPTY_SCREEN: Screen = {
  snapshots: 0,
  businesses: [],
  chats: new Map(),
  phones: new Map(),
  posts: [],
  time: undefined,
  seen: new Map(),
  shown: undefined,
}

export const keyOf = ({ phone, number }: Pair): string => `${number}/${phone}`

export function screenReducer(screen: Screen, event: ScreenEvent): Screen {
  switch (event.kind) {
    case 'state':
      return replaceAll(screen, event)
    case 'entry':
      return withChat(screen, event, (entries) => merged(entries, [event.entry]), 'last')
    case 'older':
      // What the stream sent in the meantime is newer than the answer to a request.
      return withChat(screen, event, (entries) => merged(event.entries, entries), 'stays')
    case 'begun':
      return withChat(screen, event, (entries) => entries, 'last')
    case 'seen': {
      const last = screen.chats.get(keyOf(event))?.entries.at(-1)?.order ?? 0
      return { ...screen, shown: keyOf(event), seen: new Map(screen.seen).set(keyOf(event), last) }
    }
    case 'time':
      return { ...screen, time: event.time }
    case 'phone':
      return { ...screen, phones: new Map(screen.phones).set(event.phone.phone, event.phone) }
    case 'post': {
      const byId = new Map([...screen.posts, event.post].map((post) => [post.id, post]))
      return { ...screen, posts: [...byId.values()].slice(-MAX_POSTS) }
    }
  }
}

/** Replaces everything after a reconnect. New customers without messages stay. */
function replaceAll(
  screen: Screen,
  { businesses, chats, phones, posts, time }: Extract<Change, { kind: 'state' }>,
): Screen {
  const begun = [...screen.chats].filter(([, { entries }]) => entries.length === 0)
  // The emulator lists the latest first.
  const received = chats
    .toReversed()
    .map((chat) => [keyOf(chat), { ...chat, entries: merged([], chat.entries) }] as const)
  return {
    ...screen,
    snapshots: screen.snapshots + 1,
    businesses,
    chats: new Map([...begun, ...received]),
    phones: new Map(phones.map((phone) => [phone.phone, phone])),
    posts,
    time,
    // On a new screen, only messages that the customer has not read count as unread.
    seen:
      screen.snapshots > 0 ? screen.seen : new Map(received.map(([key, { entries }]) => [key, lastReadOrder(entries)])),
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
  // A status of an old message does not move its chat to the top.
  const isNew = entries.length > (before?.entries.length ?? -1)
  if (place === 'last' && isNew) chats.delete(key)
  chats.set(key, { phone, number, entries: entries.slice(-MAX_ENTRIES_OF_CHAT) })
  const oldest = chats.keys().find((each) => each !== screen.shown)
  if (chats.size > MAX_CHATS && oldest !== undefined) chats.delete(oldest)
  return { ...screen, chats }
}

/** What a screen of one phone needs of a change, if anything: a page that drew it again for each of the others would fall behind. */
export function changeFor(pair: Pair, change: Change): Change | undefined {
  const isOwn = (chat: Pair): boolean => keyOf(chat) === keyOf(pair)
  switch (change.kind) {
    case 'state':
      return { ...change, chats: change.chats.filter(isOwn) }
    case 'entry':
      return isOwn(change) ? change : undefined
    case 'phone':
      return change.phone.phone === pair.phone ? change : undefined
    case 'post':
    case 'time':
      return change
  }
}

/** The later version of a message wins. */
function merged(earlier: readonly Entry[], later: readonly Entry[]): Entry[] {
  const byId = new Map(earlier.map((entry) => [entry.id, entry]))
  for (const entry of later) byId.set(entry.id, entry)
  return [...byId.values()].sort((one, other) => one.order - other.order)
}

const lastReadOrder = (entries: readonly Entry[]): number =>
  entries.findLast((entry) => entry.by === 'customer' || entry.ticks === 'read')?.order ?? 0

export type ListedChat = Pair & { line: string; unread: number; entry: Entry | undefined }

/** Chats whose number, text or template matches the search; latest first. */
export function searchChats(screen: Screen, search: string): ListedChat[] {
  const term = search.trim().toLowerCase()
  const digits = /^\+?(\d+)$/.exec(withoutSeparators(term))?.[1] ?? ''
  return [...screen.chats.values()]
    .toReversed()
    .filter(
      ({ phone, entries }) =>
        term === '' ||
        (digits !== '' && phone.includes(digits)) ||
        entries.some((entry) => textOf(entry).toLowerCase().includes(term)),
    )
    .map(({ phone, number, entries }) => {
      const entry = entries.at(-1)
      const line = entry === undefined ? '' : stripFormatting(textOf(entry)).replaceAll(/\s+/g, ' ')
      return { phone, number, line, unread: unreadOf(screen, { phone, number }), entry }
    })
}

export const textOf = (entry: Entry): string =>
  entry.by === 'customer' ? entry.text : [entry.header, entry.body].filter(Boolean).join('\n')

/** Messages on the phone that were seen neither on this screen nor by the customer. */
export function unreadOf(screen: Screen, pair: Pair): number {
  const seen = screen.seen.get(keyOf(pair)) ?? 0
  const entries = screen.chats.get(keyOf(pair))?.entries ?? []
  return entries.filter((entry) => entry.order > seen && isUnread(entry)).length
}

const isUnread = (entry: Entry): boolean =>
  entry.by === 'business' && entry.arrivedAt !== null && entry.ticks !== 'read'

/** The last message that opening the chat would mark as read. */
export const lastUnread = (entries: readonly Entry[]): number | undefined => entries.findLast(isUnread)?.order

export const phoneOf = (screen: Screen, phone: string): PhoneState =>
  screen.phones.get(phone) ?? { phone, online: true, readReceipts: true, blocked: [] }

export const businessOf = (screen: Screen, number: string): Business =>
  screen.businesses.find((business) => business.number === number) ?? { number, name: number, display: number }

export type BubbleAct =
  | { does: 'tap'; button: number }
  | { does: 'open_list' }
  | { does: 'copy'; code: string }
  /** A link or a number to call: the phone shows it, and a tap does nothing. */
  | { does: 'nothing' }

type ShownBubble = { bubble: Bubble; acts: readonly BubbleAct[] }

/** `at`: the time as the phone shows it. */
export function shownOf(entry: Entry, entries: readonly Entry[], at: string): ShownBubble {
  const answered = entries.find(({ id }) => id === entry.quotes)
  const quoted = answered && textOf(answered)
  if (entry.by === 'customer') {
    const ticks = entry.readByBusiness ? 'read' : 'delivered'
    return { bubble: { side: 'customer', body: entry.text, at, ticks, quoted }, acts: [] }
  }
  const { header, body, footer, ticks } = entry
  const rows = rowsOf(entry, entries)
  const buttons = rows.map(({ button }) => button)
  const bubble: Bubble = { side: 'business', header, body, footer, buttons, at, ticks, quoted }
  return { bubble, acts: rows.map(({ act }) => act) }
}

type Row = { button: NonNullable<Bubble['buttons']>[number]; act: BubbleAct }

function rowsOf(entry: BusinessEntry, entries: readonly Entry[]): Row[] {
  const tapped = entries.filter((each): each is CustomerEntry => each.by === 'customer' && each.quotes === entry.id)
  const rows = entry.buttons.map(({ index, text, code, payload }): Row => {
    if (code !== undefined) return { button: { label: text, kind: 'copy_code' }, act: { does: 'copy', code } }
    if (payload === undefined) return { button: { label: text, kind: 'url' }, act: { does: 'nothing' } }
    const isTapped = tapped.some((each) => each.did === 'tapped' && each.payload === payload && each.text === text)
    return { button: { label: text, kind: 'reply', tapped: isTapped }, act: { does: 'tap', button: index } }
  })
  if (!entry.list) return rows
  const isChosen = tapped.some(({ did }) => did === 'chose')
  return [...rows, { button: { label: entry.list.button, kind: 'list', tapped: isChosen }, act: { does: 'open_list' } }]
}

/** In their order; `dayOf` names the day of an instant. A message that is dated before its neighbour stays next to it. */
export function daysOf<Dated extends { at: string | null }>(entries: readonly Dated[], dayOf: (at: Date) => string) {
  const days: { day: string; entries: Dated[] }[] = []
  for (const entry of entries) {
    const day = entry.at === null ? (days.at(-1)?.day ?? '') : dayOf(new Date(entry.at))
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

/** `+` and digits, or undefined if it is not a phone number. */
export function phoneTyped(text: string): string | undefined {
  const phone = withoutSeparators(text)
  return /^\+\d{7,15}$/.test(phone) ? phone : undefined
}

const withoutSeparators = (text: string): string => plainNumber(text).replaceAll(/[\s().\-/]/g, '')
