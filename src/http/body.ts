import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { type Fault, unstorableText } from './faults.ts'

/** Many times the largest sensible request of this API. */
export const BODY_BYTES_MOST = 65_536
const CONTENT_TYPE_LENGTH_MOST = 256

const fault = (detail: string): { faults: Fault[] } => ({
  faults: [{ in: 'body', pointer: '', detail, hidesBody: true }],
})

export type JsonBody = { value?: unknown; faults: readonly Fault[] }

const absent: JsonBody = { faults: [] }

/** Reads and parses the body. What is wrong with it becomes a fault, to be listed with all others. */
export async function readJson(request: IncomingMessage, required: boolean): Promise<JsonBody> {
  const bytes = await readBytes(request, BODY_BYTES_MOST)
  if (bytes === 'too large') return fault(`must have at most ${BODY_BYTES_MOST} bytes`)
  if (bytes === 'cut off') return fault('ended before it was complete')
  if (bytes.length === 0 && !required) return absent
  const wrongContent = contentFault(request)
  if (bytes.length === 0) return { faults: wrongContent ? [wrongContent] : [] }
  return wrongContent ? { faults: [{ ...wrongContent, hidesBody: true }] } : parseJson(bytes)
}

function parseJson(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) return fault('must be UTF-8')
  const text = bytes.toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    // Only an escape can bring in what UTF-8 and the JSON grammar keep out.
    return { value, faults: text.includes('\\u') ? unstorableText(value) : [] }
  } catch {
    return fault('must be valid JSON') // the parser's own message quotes the body
  }
}

/** RFC 8259 gives JSON one encoding, so parameters such as charset mean nothing and do no harm. */
function contentFault({ headers }: IncomingMessage): Fault | undefined {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return { in: 'header', pointer: '/content-encoding', detail: 'must be absent: bodies are not compressed' }
  }
  const type = headers['content-type'] ?? ''
  if (type === 'application/json') return undefined
  if (type.length <= CONTENT_TYPE_LENGTH_MOST && /^application\/json *(;.*)?$/i.test(type)) return undefined
  const detail =
    type.length > CONTENT_TYPE_LENGTH_MOST
      ? `must have at most ${CONTENT_TYPE_LENGTH_MOST} characters`
      : 'must be application/json'
  return { in: 'header', pointer: '/content-type', detail }
}

const NOTHING = Buffer.alloc(0)

/** The whole body; Node discards what is left of one that is too large. */
export function readBytes(request: IncomingMessage, most: number): Promise<Buffer | 'too large' | 'cut off'> | Buffer {
  const { 'content-length': announced, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (announced === undefined || announced === '0')) return NOTHING
  if (Number(announced) > most) return Promise.resolve('too large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (outcome: Buffer | 'too large' | 'cut off'): void => {
      request.off('data', take).off('end', end).off('error', cutOff).off('close', cutOff)
      if (outcome === 'too large') request.resume()
      resolve(outcome)
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size > most) settle('too large')
    }
    const end = (): void => settle(chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks))
    const cutOff = (): void => settle('cut off')
    request.on('data', take).on('end', end).on('error', cutOff).on('close', cutOff)
  })
}
