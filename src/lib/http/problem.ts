import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { inEnglish } from '../../../locales/resources.ts'
import { type Fault, MAX_FAULTS } from './faults.ts'
import { ApiError, type ApiErrorCode, apiErrors } from '../errors.ts'
import { asWritten } from '../../../locales/text.ts'
import { REQUESTS_PER_WINDOW } from './rate-limit.ts'

/** `body` is sent as bytes: Fastify adds a charset to a string, and JSON has none. */
export type ProblemResponse = { status: number; headers: Record<string, string>; body: string }

export const commonHeaders = (correlationId: string): Record<string, string> => ({
  'x-correlation-id': correlationId,
  'cache-control': 'no-store',
})

/** One year, the minimum for the HSTS preload list. */
const HTTPS_ONLY_SECONDS = 31_536_000

/** Sent with every response: no MIME sniffing, and no http if the public address is https. */
export const securityHeaders = (publicUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${HTTPS_ONLY_SECONDS}` }),
})

export function sendResponse(reply: FastifyReply, { status, headers, body }: ProblemResponse): void {
  reply.code(status).headers(headers).send(Buffer.from(body))
}

/** The body of every error (RFC 9457, docs/api.md#errors). */
export const problemSchema = z.strictObject({
  type: z.url().meta({ description: 'The page that explains the code.' }),
  title: z.string().meta({ description: 'What the code means. The same for every problem of this code.' }),
  status: z.int().min(400).max(599).meta({ description: 'The HTTP status.' }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people to read.' }),
  instance: z.string().meta({ description: 'The correlation id as a URN.' }),
  code: z.enum(Object.keys(apiErrors)).meta({ id: 'ErrorCode', description: 'What a program should look at.' }),
  correlationId: z.guid().meta({ description: 'The same as in X-Correlation-ID. Include it when you ask for help.' }),
  errors: z
    .array(
      z
        .strictObject({
          in: z.enum(['body', 'query', 'path', 'header']).meta({ description: 'The part of the request.' }),
          pointer: z
            .string()
            .meta({ description: 'JSON Pointer (RFC 6901) into that part; empty for the whole part.' }),
          detail: z.string().meta({ description: 'What is wrong there, for people to read.' }),
        })
        .meta({ id: 'InputFault' }),
    )
    .optional()
    .meta({ description: 'With `DEVELOPER_INVALID_INPUT` only: every fault of the request.' }),
})

/** Each problem's `type` is a page of this instance. */
export function createProblemWriter(publicUrl: string) {
  const security = securityHeaders(publicUrl) // a malformed request never reaches the hook that adds them
  return (
    code: ApiErrorCode,
    detail: string,
    correlationId: string,
    faults: readonly Fault[] = [],
  ): ProblemResponse => {
    const { status, title } = apiErrors[code]
    const body = {
      type: `${publicUrl}/problems/${code}`,
      title,
      status,
      detail,
      instance: `urn:uuid:${correlationId}`,
      code,
      correlationId,
      ...(faults.length > 0 && { errors: faults.slice(0, MAX_FAULTS).map(withoutInternals) }),
    }
    return {
      status,
      headers: { 'content-type': 'application/problem+json', ...security, ...headersOf(code) },
      body: JSON.stringify(body),
    }
  }
}

const withoutInternals = ({ in: part, pointer, detail }: Fault) => ({ in: part, pointer, detail: inEnglish(detail) })

/** Only the rate limit has a known wait. */
function headersOf(code: ApiErrorCode): Record<string, string> {
  if (code === 'RATE_LIMITED') return { 'retry-after': '1' }
  return code === 'API_KEY_INVALID' ? { 'www-authenticate': 'Bearer' } : {}
}

/** Details that do not depend on the request, for responses and for the examples of the API document. */
const FIXED_DETAILS: Partial<Record<ApiErrorCode, string>> = {
  API_KEY_INVALID:
    'The API key is unknown, incomplete, revoked or expired. Create one on the API keys page of the dashboard, or with “doorcode key create”.',
  RATE_LIMITED: `This key made ${REQUESTS_PER_WINDOW} requests within the last second.`,
  INTERNAL_ERROR: 'The service met a fault of its own.',
  SERVICE_UNAVAILABLE: 'The service is unavailable. Try again later.',
}

export const fixedDetail = (code: ApiErrorCode): string => FIXED_DETAILS[code] ?? apiErrors[code].cause

export const fixedError = (code: ApiErrorCode): ApiError => new ApiError(code, asWritten(fixedDetail(code)))

/**
 * Tells a missing or malformed header from a wrong key: this depends only on the request, so it reveals nothing.
 * `expiredAt`: of a key whose secret is right.
 */
export function keyError(authorization: string | undefined, expiredAt?: Date): ApiError {
  if (expiredAt)
    return new ApiError(
      'API_KEY_INVALID',
      asWritten(`This API key expired at ${expiredAt.toISOString()}. Create a new one.`),
    )
  if (!authorization)
    return new ApiError(
      'API_KEY_INVALID',
      asWritten('The request has no Authorization header. Send "Bearer <API key>" in it.'),
    )
  if (!/^bearer +\S+$/i.test(authorization))
    return new ApiError('API_KEY_INVALID', asWritten('The Authorization header must be "Bearer <API key>".'))
  return fixedError('API_KEY_INVALID')
}

/** `detail` names the first fault: logs and libraries often print nothing else. */
export function invalidInput(faults: readonly Fault[]): ApiError {
  const [first, ...others] = faults
  const detail = first
    ? `${placeOf(first)} ${inEnglish(first.detail)}${more(others.length)}.`
    : 'The request has a fault.'
  return new ApiError('DEVELOPER_INVALID_INPUT', asWritten(detail), faults)
}

const PLACES = {
  body: (pointer: string) => pointer,
  query: (pointer: string) => `The query parameter ${pointer.slice(1)}`,
  path: (pointer: string) => `${pointer.slice(1)} in the path`,
  header: (pointer: string) => `The header ${pointer.slice(1)}`,
} as const

const placeOf = ({ in: part, pointer }: Fault): string => (pointer === '' ? `The ${part}` : PLACES[part](pointer))

const more = (faults: number): string => {
  if (faults === 0) return ''
  return faults === 1 ? ' (and 1 more fault)' : ` (and ${faults} more faults)`
}
