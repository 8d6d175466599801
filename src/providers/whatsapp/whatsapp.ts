import type { Provider } from '../provider.ts'
import { findError } from './errors.ts'
import { openGraph } from './graph.ts'
import { findTemplate, list, subscribe, subscribers } from './list.ts'
import { parse } from './parse.ts'
import { readChange, readInbound, readStatus, readStatusWord } from './read.ts'
import { SEND_TIMEOUT_MS, send } from './send.ts'
import { createTemplate, deleteTemplate } from './templates.ts'
import { isSigned, verify } from './verify.ts'

export type WhatsAppOptions = {
  /** Of a whole attempt to send; SEND_TIMEOUT_MS unless a test cannot wait for it. */
  sendTimeoutMs?: number
}

/** Meta's WhatsApp Cloud API as a Provider. Holds connections: close it. */
export function whatsapp({ sendTimeoutMs = SEND_TIMEOUT_MS }: WhatsAppOptions = {}): Provider {
  const graph = openGraph()
  return {
    verify,
    isSigned,
    parse,
    readStatus,
    readStatusWord,
    findError,
    readInbound,
    readChange,
    send: (account, message) => send(graph, account, { message, timeoutMs: sendTimeoutMs }),
    list: (account, onPage) => list(graph, account, onPage),
    subscribe: (account) => subscribe(graph, account),
    subscribers: (account) => subscribers(graph, account),
    findTemplate: (account, id) => findTemplate(graph, account, id),
    createTemplate: (account, template) => createTemplate(graph, account, template),
    deleteTemplate: (account, template) => deleteTemplate(graph, account, template),
    close: () => graph.close(),
  }
}
