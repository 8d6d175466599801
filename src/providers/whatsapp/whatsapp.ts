import type { Provider } from '../provider.ts'
import { openGraph } from './graph.ts'
import { list, subscribe } from './list.ts'
import { parse } from './parse.ts'
import { readChange, readInbound, readStatus } from './read.ts'
import { SEND_TIMEOUT_MS, send } from './send.ts'
import { verify } from './verify.ts'

export type WhatsAppOptions = {
  /** Of a whole attempt to send; SEND_TIMEOUT_MS unless a test cannot wait for it. */
  sendTimeoutMs?: number
}

/** Meta's WhatsApp Cloud API as a Provider. Holds connections: close it. */
export function whatsapp({ sendTimeoutMs = SEND_TIMEOUT_MS }: WhatsAppOptions = {}): Provider {
  const graph = openGraph()
  return {
    verify,
    parse,
    readStatus,
    readInbound,
    readChange,
    send: (account, message) => send(graph, account, { message, timeoutMs: sendTimeoutMs }),
    list: (account) => list(graph, account),
    subscribe: (account) => subscribe(graph, account),
    close: () => graph.close(),
  }
}
