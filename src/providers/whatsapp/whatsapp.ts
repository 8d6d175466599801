import { type Provider, SEND_TIMEOUT_MS } from '../provider.ts'
import { errorCodesOf, findError } from './errors.ts'
import { createGraphClient } from './graph.ts'
import { createManagement } from './management.ts'
import { parse } from './parse.ts'
import { readChange, readInbound, readStatus, readStatusWord } from './read.ts'
import { send } from './send.ts'
import { isSigned, verify } from './verify.ts'

/** Meta's WhatsApp Cloud API. Holds connections: close it. Tests set a shorter send timeout. */
export function createWhatsApp({ sendTimeoutMs: timeoutMs = SEND_TIMEOUT_MS } = {}): Provider {
  const graph = createGraphClient()
  return {
    verify,
    isSigned,
    parse,
    readStatus,
    readStatusWord,
    findError,
    errorCodesOf,
    readInbound,
    readChange,
    send: (account, message) => send(graph, account, { message, timeoutMs }),
    ...createManagement(graph),
    close: () => graph.close(),
  }
}
