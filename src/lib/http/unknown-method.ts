import { isUuid } from '../ids.ts'

/** Fields that Node's parser adds. */
type ParserError = Error & { code?: string; reason?: string; bytesParsed?: number; rawPacket?: Buffer }

const LETTER = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]"
const IS_LETTER = new RegExp(LETTER)
/** A request line, or one that has not fully arrived. */
const REQUEST_LINE = new RegExp(`^${LETTER}+( [^ \\n]+ HTTP/1\\.[01]\\r?\\n|( [^ \\n]*( [HTP/1.]*)?)?$)`)
const CORRELATION_ID = /^x-correlation-id:[ \t]*(\S+)[ \t]*\r?$/im

/**
 * Node's parser rejects a method that it does not know at its first letter, but RFC 9110, section 9.1, allows any token.
 * Undefined: the bytes are not a request.
 */
export function readUnknownMethod(error: Error): { correlationId: string | undefined } | undefined {
  const { code, reason = '', bytesParsed = 0, rawPacket } = error as ParserError
  if (code !== 'HPE_INVALID_METHOD' && !reason.startsWith('Invalid method')) return undefined
  const bytes = rawPacket?.toString('latin1') ?? ''
  const lineAt = bytesParsed === 0 ? 0 : bytes.lastIndexOf('\n', bytesParsed - 1) + 1
  // The previous request's body may end on the same line: then the method begins where the parser stopped.
  let methodAt = bytesParsed
  while (methodAt > lineAt && IS_LETTER.test(bytes.charAt(methodAt - 1))) methodAt -= 1
  const [requestAt] = [lineAt, methodAt].filter((at) => REQUEST_LINE.test(bytes.slice(at)))
  if (requestAt === undefined) return undefined
  const id = CORRELATION_ID.exec(bytes.slice(requestAt))?.[1]
  return { correlationId: id !== undefined && isUuid(id) ? id : undefined }
}
