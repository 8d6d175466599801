import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { asWritten } from '../../../locales/text.ts'
import { type Fault, findUnstorableText, headerFault } from './faults.ts'

/** Many times the largest sensible request. */
export const MAX_BODY_BYTES = 65_536
const MAX_CONTENT_TYPE_LENGTH = 256

const fault = (detail: string): { faults: Fault[] } => ({
  faults: [{ in: 'body', pointer: '', detail: asWritten(detail), hidesBody: true }],
})

export type JsonBody = { value?: unknown; faults: readonly Fault[] }

const NO_BODY: JsonBody = { faults: [] }
const NO_BYTES = Buffer.alloc(0)

export const TOO_LARGE: JsonBody = fault(`must have at most ${MAX_BODY_BYTES} bytes`)

/** Parses the body. Its faults are returned, not thrown, so that the response can list all faults of the request. */
export function readJson({ raw, body }: FastifyRequest, required: boolean): JsonBody {
  const bytes = Buffer.isBuffer(body) ? body : NO_BYTES
  if (bytes.length === 0 && !required) return NO_BODY
  const headerFault = contentFault(raw)
  if (bytes.length === 0) return { faults: headerFault ? [headerFault] : [] }
  return headerFault ? { faults: [{ ...headerFault, hidesBody: true }] } : parseJson(bytes)
}

export function parseJson(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) return fault('must be UTF-8')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '') // RFC 8259 lets a parser ignore a byte order mark
  try {
    const value: unknown = JSON.parse(text)
    // UTF-8 and the JSON grammar exclude unstorable text, except in escapes.
    return { value, faults: text.includes('\\u') ? findUnstorableText(value) : [] }
  } catch {
    return fault('must be valid JSON') // the parser's own message quotes the body
  }
}

/** RFC 8259 gives JSON one encoding, so parameters such as charset are ignored. */
function contentFault({ headers }: IncomingMessage): Fault | undefined {
  if (isEncoded(headers['content-encoding']))
    return headerFault('content-encoding', 'must be absent: bodies are not compressed')
  const type = headers['content-type'] ?? ''
  if (type === 'application/json') return undefined
  if (type.length > MAX_CONTENT_TYPE_LENGTH)
    return headerFault('content-type', `must have at most ${MAX_CONTENT_TYPE_LENGTH} characters`)
  const isJson = /^application\/json[ \t]*(;.*)?$/i.test(type)
  return isJson ? undefined : headerFault('content-type', 'must be application/json')
}

/** `identity` means no encoding (RFC 9110). */
const isEncoded = (encoding = 'identity'): boolean => encoding.toLowerCase() !== 'identity'
