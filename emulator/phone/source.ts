import { type Act, type Change, type Entry, type Pair, callOf } from './chats.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** Where a phone gets what it shows, and where it brings what its customer does. */
export type Source = {
  /** A chat as far back as it is kept. */
  list(pair: Pair): Promise<readonly Entry[]>
  /** Throws an Error whose message people understand. */
  act(act: Act): Promise<void>
  /** Tells everything once, then each change, and everything again after a break. The answer ends it. */
  subscribe(listener: {
    onChange: (change: Change) => void
    onConnection: (connection: Connection) => void
  }): () => void
}

const ENTRIES_LISTED = 1_000
const ACT_TIMEOUT_MS = 15_000
const RETRY_FIRST_MS = 500
const RETRY_MOST_MS = 15_000

/** The control API of the twin whose page this is. */
export const twinSource = (): Source => ({
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
  subscribe: (listener) => steadyStream('/control/live', listener),
})

/** A server that passes the phone's calls on to a twin: `live`, `chat` and `act` below the address. */
export const sourceThrough = (base: string): Source => ({
  async list({ phone, number }) {
    const query = new URLSearchParams({ phone, number })
    return (await ask<{ entries: Entry[] }>(`${base}/chat?${query.toString()}`)).entries
  },
  async act(act) {
    await ask(`${base}/act`, act)
  },
  subscribe: (listener) => steadyStream(`${base}/live`, listener),
})

/** Throws what the server says went wrong, or nothing but a name where no server answered. */
export async function ask<Answer>(path: string, body?: object, timeoutMs = ACT_TIMEOUT_MS): Promise<Answer> {
  const response = await fetch(path, {
    signal: AbortSignal.timeout(timeoutMs),
    // in the language of the page, for a server that speaks it
    headers: { 'accept-language': document.documentElement.lang, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Unreachable()
  })
  const answer = (await response.json().catch(() => ({}))) as Answer & { error?: { message?: string } }
  if (response.ok) return answer
  throw new Error(answer.error?.message ?? `${response.status}`)
}

/** Nobody answered. */
export class Unreachable extends Error {}

/** Opened again after a break, later each time. */
function steadyStream(url: string, { onChange, onConnection }: Parameters<Source['subscribe']>[0]): () => void {
  let stream: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  const open = (): void => {
    const opened = new EventSource(url)
    stream = opened
    opened.addEventListener('change', ({ data }: MessageEvent<string>) => {
      failures = 0
      onConnection('live')
      onChange(JSON.parse(data) as Change)
    })
    opened.addEventListener('error', () => {
      opened.close()
      onConnection('lost')
      timer = setTimeout(open, Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MOST_MS))
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
