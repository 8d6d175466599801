import { pairOf } from './conversations.ts'
import { showEntry, showPhone, showTold } from './control-views.ts'
import { timeOf } from './due.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { ServerResponse } from 'node:http'
import type { Conversation, Entry } from './conversations.ts'
import type { Parts } from './parts.ts'
import type { Change, Chat, Entry as ShownEntry } from './phone/chats.ts'

type Stream = { numbers: ReadonlySet<string> | undefined; response: ServerResponse }

/** Streams of server-sent events: first everything, then each change. A stream may be of some business numbers alone. */
export class Live {
  readonly #streams = new Set<Stream>()
  #heartbeat: NodeJS.Timeout | undefined
  #timeToldAt = 0

  get isFull(): boolean {
    return this.#streams.size >= TWIN_LIMITS.liveStreams
  }

  /** From here on changes of these parts are told. */
  follow(parts: Parts): void {
    const tellEntry = (id: string): void => {
      if (this.#streams.size === 0) return
      const entry = parts.conversations.find(id)
      if (entry !== undefined) this.#tellEntry(entry)
    }
    parts.messages.onMessage(({ id }) => tellEntry(id))
    parts.delivery.onChange(({ id }) => tellEntry(id))
    parts.inbox.onInbound(({ id }) => tellEntry(id))
    parts.inbox.onRead(({ id }) => tellEntry(id))
    parts.outbox.onChange((post) => {
      if (this.#streams.size > 0) this.#tell({ kind: 'post', post: showTold(post) }, ({ numbers }) => !numbers)
    })
  }

  open(parts: Parts, stream: Stream): void {
    const { response } = stream
    this.#streams.add(stream)
    this.#heartbeat ??= setInterval(() => this.#beat(), TWIN_LIMITS.liveHeartbeatMs).unref()
    const end = (): void => this.#end(stream)
    response.on('close', end)
    response.on('error', end)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    write(response, stateOf(parts, stream.numbers))
  }

  /** All that was known is to be forgotten. */
  startAnew(parts: Parts): void {
    for (const { response, numbers } of this.#streams) write(response, stateOf(parts, numbers))
  }

  /** The twin's own page alone. `everyMs`: not so soon after the last time. */
  tellTime(parts: Parts, everyMs = 0): void {
    if (this.#streams.size === 0 || performance.now() - this.#timeToldAt < everyMs) return
    this.#timeToldAt = performance.now()
    this.#tell({ kind: 'time', time: timeOf(parts) }, ({ numbers }) => !numbers)
  }

  /** A stream of some numbers learns of the phones that have a chat with one of them. */
  tellPhone(parts: Parts, waId: string): void {
    if (this.#streams.size === 0) return
    const numbersTold = new Set(parts.conversations.list({ phone: waId }).map((chat) => chat.phoneNumberId))
    for (const stream of this.#streams) {
      const { numbers, response } = stream
      if (numbers && ![...numbersTold].some((number) => numbers.has(number))) continue
      write(response, { kind: 'phone', phone: showPhone(parts, waId, numbers) })
    }
  }

  close(): void {
    for (const stream of this.#streams) this.#end(stream)
  }

  #tellEntry(entry: Entry): void {
    const pair = pairOf(entry)
    if (pair === undefined) return
    const { waId, phoneNumberId: number } = pair
    const change = { kind: 'entry', phone: `+${waId}`, number, entry: showEntry(entry) } as const
    this.#tell(change, ({ numbers }) => numbers?.has(number) ?? true)
  }

  #tell(change: Change, hears: (stream: Stream) => boolean): void {
    for (const stream of this.#streams) if (hears(stream)) write(stream.response, change)
  }

  #beat(): void {
    for (const { response } of this.#streams) response.write(':\n\n')
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream)
    stream.response.end()
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

/** A reader who takes nothing more is cut off: what waits for them is memory. */
function write(response: ServerResponse, change: Change): void {
  if (response.writableLength > TWIN_LIMITS.liveBytesWaiting) response.destroy()
  else if (response.writable) response.write(`event: change\ndata: ${JSON.stringify(change)}\n\n`)
}

/** As much as there is room for: first what was said last in each, then the rest of each, the latest chat first. */
function showChats(conversations: readonly Conversation[]): Chat[] {
  let bytes = 0
  const chats = conversations.map(({ waId, phoneNumberId, entries }) => {
    const chat: Chat = { phone: `+${waId}`, number: phoneNumberId, entries: [] }
    return { chat, earlier: entries.slice(-TWIN_LIMITS.liveEntriesPerChat) }
  })
  for (const entriesMost of [1, TWIN_LIMITS.liveEntriesPerChat]) {
    for (const { chat, earlier } of chats) {
      const shown: ShownEntry[] = []
      while (bytes < TWIN_LIMITS.liveStateBytes && chat.entries.length + shown.length < entriesMost) {
        const entry = earlier.pop()
        if (entry === undefined) break
        shown.push(showEntry(entry))
        bytes += Buffer.byteLength(JSON.stringify(shown.at(-1)))
      }
      chat.entries = [...shown.toReversed(), ...chat.entries]
    }
  }
  return chats.map(({ chat }) => chat).filter(({ entries }) => entries.length > 0)
}

function stateOf(parts: Parts, numbers: ReadonlySet<string> | undefined): Change {
  const hears = (number: string): boolean => numbers?.has(number) ?? true
  const latest = parts.conversations.list().filter(({ phoneNumberId }) => hears(phoneNumberId))
  const chats = showChats(latest.slice(0, TWIN_LIMITS.conversationsShown))
  const phones = new Set(chats.map(({ phone }) => phone.slice(1)))
  return {
    kind: 'state',
    businesses: parts.accounts
      .list()
      .flatMap(({ numbers: of }) => [...of.values()])
      .filter(({ id }) => hears(id))
      .slice(0, TWIN_LIMITS.conversationsShown)
      .map(({ id, verifiedName, digits }) => ({ number: id, name: verifiedName, display: `+${digits}` })),
    chats,
    phones: [...phones].map((waId) => showPhone(parts, waId, numbers)),
    ...(numbers ? {} : { time: timeOf(parts) }),
    posts: numbers ? [] : parts.outbox.posts().slice(-TWIN_LIMITS.livePosts).map(showTold),
  }
}
