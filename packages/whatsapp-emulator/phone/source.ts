import type { Translator } from '../../../locales/text.ts'
import { type Act, type Change, type Entry, type Pair, callOf } from '../src/wire/chats.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** Provides the phone's chats and performs the customer's actions. */
export type Source = {
  /** A chat as far back as it is kept. */
  list(pair: Pair): Promise<readonly Entry[]>
  /** Throws an Error whose message people understand. */
  act(act: Act): Promise<void>
  /**
   * A typed phone number as its caller knows it, or a sentence that says what is wrong with it. By default any number with
   * enough digits is valid.
   */
  normalize?(typed: string): Promise<{ phone: string } | { fault: string }>
  /** Streams the emulator's events: a full snapshot, then each change, and a snapshot again after a reconnect. */
  liveUrl: string
}

const ENTRIES_LISTED = 1_000
const ACT_TIMEOUT_MS = 15_000
const RETRY_FIRST_MS = 500
const MAX_RETRY_MS = 15_000

/** The control API of the emulator that serves this page. */
export const emulatorSource: Source = {
  async list({ phone, number }) {
    const query = new URLSearchParams({ phone, number, limit: String(ENTRIES_LISTED) })
    const { conversations } = await ask<{ conversations: { entries: Entry[] }[] }>(
      `/control/conversations?${query.toString()}`,
    )
    return conversations[0]?.entries ?? []
  },
  async act(act) {
    const { path, body } = callOf(act)
    await ask(path, body)
  },
  liveUrl: '/control/live',
}

/** Throws the server's error, or Unreachable when there was no answer. */
export async function ask<Answer>(path: string, body?: object, timeoutMs = ACT_TIMEOUT_MS): Promise<Answer> {
  const response = await fetch(path, {
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Unreachable()
  })
  const answer = (await response.json().catch(() => ({}))) as Answer & { error?: { message?: string } }
  if (response.ok) return answer
  throw new Error(answer.error?.message ?? `${response.status}`)
}

export class Unreachable extends Error {}

export const errorText = (error: unknown, t: Translator['t']): string =>
  error instanceof Unreachable
    ? t('page_chats.no_emulator')
    : `${t('page_chats.did_not_work')} ${error instanceof Error ? error.message : String(error)}`

type Listener = { onChange: (change: Change) => void; onConnection: (connection: Connection) => void }

/** Opens the stream again after a break, later each time. Returns the unsubscribe function. */
export function subscribe({ liveUrl }: Source, { onChange, onConnection }: Listener): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const open = (): void => {
    const opened = new EventSource(liveUrl)
    stream = opened
    opened.addEventListener('change', ({ data }: MessageEvent<string>) => {
      failures = 0
      onConnection('live')
      onChange(JSON.parse(data) as Change)
    })
    opened.addEventListener('error', () => {
      opened.close()
      onConnection('lost')
      timer = setTimeout(open, Math.min(RETRY_FIRST_MS * 2 ** failures, MAX_RETRY_MS))
      failures += 1
    })
  }
  onConnection('connecting')
  open()
  return () => {
    clearTimeout(timer)
    stream?.close()
  }
}
