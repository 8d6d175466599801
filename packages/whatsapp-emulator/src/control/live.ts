import { type Conversation, type Entry, entryOf, listConversations, pairOf } from '../messages/conversations.ts'
import type { InboundRecord } from '../messages/inbox.ts'
import type { Message } from '../messages/messages.ts'
import { showEntry, showPhone, timeOf } from './views.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { ServerResponse } from 'node:http'
import type { Parts } from '../parts.ts'
import type { Change, Chat, Entry as ShownEntry } from '../wire/chats.ts'

type Stream = { numbers: ReadonlySet<string> | undefined; response: ServerResponse }

/** Streams of server-sent events: first everything, then each change. A stream can be limited to some business numbers. */
export class Live {
  readonly #streams = new Set<Stream>()
  readonly #parts: Parts
  #heartbeat: NodeJS.Timeout | undefined
  #timeSentAt = 0

  constructor(parts: Parts) {
    this.#parts = parts
    const { messages, inbox, outbox } = parts
    for (const listen of [messages.onMessage, messages.onChange, inbox.onInbound, inbox.onRead])
      listen((source: Message | InboundRecord) => this.#sendEntry(entryOf(source)))
    outbox.onChange((post) => this.#send({ kind: 'post', post }, ({ numbers }) => !numbers))
  }

  get isFull(): boolean {
    return this.#streams.size >= EMULATOR_LIMITS.liveStreams
  }

  open(stream: Stream): void {
    const { response } = stream
    this.#streams.add(stream)
    this.#heartbeat ??= setInterval(() => this.#beat(), EMULATOR_LIMITS.liveHeartbeatMs).unref()
    const end = (): void => this.#end(stream)
    response.on('close', end)
    response.on('error', end)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'close',
    })
    write(response, stateOf(this.#parts, stream.numbers))
  }

  /** Sends a snapshot that replaces everything that was sent before. */
  sendState(): void {
    for (const { response, numbers } of this.#streams) write(response, stateOf(this.#parts, numbers))
  }

  /** Only to the emulator's own page, at most once per `everyMs`. */
  sendTime(everyMs = 0): void {
    if (this.#streams.size === 0 || performance.now() - this.#timeSentAt < everyMs) return
    this.#timeSentAt = performance.now()
    this.#send({ kind: 'time', time: timeOf(this.#parts) }, ({ numbers }) => !numbers)
  }

  /** A stream of some numbers gets only the phones that have a chat with one of them. */
  sendPhone(waId: string): void {
    if (this.#streams.size === 0) return
    const chats = listConversations(this.#parts, waId)
    for (const { numbers, response } of this.#streams) {
      if (numbers && !chats.some(({ phoneNumberId }) => numbers.has(phoneNumberId))) continue
      write(response, { kind: 'phone', phone: showPhone(this.#parts, waId, numbers) })
    }
  }

  close(): void {
    for (const stream of this.#streams) this.#end(stream)
  }

  #sendEntry(entry: Entry): void {
    const pair = this.#streams.size === 0 ? undefined : pairOf(entry)
    if (pair === undefined) return
    const { waId, phoneNumberId: number } = pair
    const change = { kind: 'entry', phone: `+${waId}`, number, entry: showEntry(entry) } as const
    this.#send(change, ({ numbers }) => numbers?.has(number) ?? true)
  }

  #send(change: Change, isFor: (stream: Stream) => boolean): void {
    for (const stream of this.#streams) if (isFor(stream)) write(stream.response, change)
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

/** Disconnects a reader that does not read: the backlog is in memory. */
function write(response: ServerResponse, change: Change): void {
  if (response.writableLength > EMULATOR_LIMITS.liveBytesWaiting) response.destroy()
  else if (response.writable) response.write(`event: change\ndata: ${JSON.stringify(change)}\n\n`)
}

/** Up to `liveStateBytes`: first the last entry of each chat, then the rest, the latest chat first. */
function showChats(conversations: readonly Conversation[]): Chat[] {
  const chats = conversations.map(({ waId, phoneNumberId, entries }) => {
    const [last, ...earlier] = entries.slice(-EMULATOR_LIMITS.liveEntriesPerChat).toReversed()
    return { last, earlier, shown: [] as ShownEntry[], phone: `+${waId}`, number: phoneNumberId }
  })
  const lasts = chats.flatMap(({ last, shown }) => (last === undefined ? [] : [{ entry: last, shown }]))
  const others = chats.flatMap(({ earlier, shown }) => earlier.map((entry) => ({ entry, shown })))
  let bytes = 0
  for (const { entry, shown } of [...lasts, ...others]) {
    if (bytes >= EMULATOR_LIMITS.liveStateBytes) break
    shown.unshift(showEntry(entry))
    bytes += Buffer.byteLength(JSON.stringify(shown[0]))
  }
  return chats.flatMap(({ phone, number, shown }) => (shown.length === 0 ? [] : [{ phone, number, entries: shown }]))
}

function stateOf(parts: Parts, numbers: ReadonlySet<string> | undefined): Change {
  const isFor = (number: string): boolean => numbers?.has(number) ?? true
  const latest = listConversations(parts).filter(({ phoneNumberId }) => isFor(phoneNumberId))
  const chats = showChats(latest.slice(0, EMULATOR_LIMITS.conversationsShown))
  const phones = new Set(chats.map(({ phone }) => phone.slice(1)))
  return {
    kind: 'state',
    businesses: parts.accounts
      .list()
      .flatMap(({ numbers: of }) => [...of.values()])
      .filter(({ id }) => isFor(id))
      .slice(0, EMULATOR_LIMITS.conversationsShown)
      .map(({ id, verifiedName, digits }) => ({ number: id, name: verifiedName, display: `+${digits}` })),
    chats,
    phones: [...phones].map((waId) => showPhone(parts, waId, numbers)),
    ...(numbers ? {} : { time: timeOf(parts) }),
    posts: numbers ? [] : parts.outbox.posts().slice(-EMULATOR_LIMITS.livePosts),
  }
}
