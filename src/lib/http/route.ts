import { z } from 'zod'
import type { ApiErrorCode } from '../errors.ts'
import { asIssue } from '../../../locales/text.ts'
import { type Fault, faultsOf } from './faults.ts'

/** The parts of a request before any schema has read them. */
export type RawInput = {
  params: unknown
  query: unknown
  headers: unknown
  /** Undefined without a body. */
  body: unknown
  /** Found in headers and body before any schema runs. */
  faults: readonly Fault[]
}

export type Caller = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  /** Aborts when the caller has disconnected, or when this node stops and must answer at once. */
  end: () => AbortSignal
}

/** The sections of the API reference. */
export const tags = {
  'One-time codes': 'Send a code that your backend made, and follow it to the phone.',
  'Cash on delivery': 'Ask customers to confirm orders, and whether they refused a parcel.',
  Events: 'Read the events that webhooks report, to catch up after an outage of your endpoint.',
  Webhooks: 'Signed events that the service posts to your endpoints as they happen.',
}

type Description = {
  method: 'GET' | 'POST'
  /** Below `/api/v1`, parameters as `:name`. */
  path: `/${string}`
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  /** In addition to those that every route may answer with. */
  refusals: readonly ApiErrorCode[]
}

type Schemas = {
  params: z.ZodType
  /** Strict: unknown parameters are refused. */
  query: z.ZodType
  /** Not strict. Names in lower case. */
  headers: z.ZodType
  /** Strict. If it accepts undefined, the body is optional. */
  body: z.ZodType
}

type Success<Answer extends z.ZodType> = {
  status: 200 | 202
  description: string
  schema: Answer
  example: z.input<Answer>
}

type Read<Given extends Schemas> = { [Part in keyof Schemas]: z.output<Given[Part]> }

type Definition<Given extends Schemas, Answer extends z.ZodType> = Description & {
  /** `bodyExample` is for the API reference. */
  schemas: Given & { bodyExample?: z.input<Given['body']> }
  success: Success<Answer>
  handler: (request: Caller & Read<Given>) => Promise<z.input<Answer>>
}

/** A row of the table of routes. */
export type Route = Description & {
  schemas: Schemas & { bodyExample?: unknown }
  success: Success<z.ZodType>
  /** All faults of all parts, or the function that answers the request. */
  read(
    raw: RawInput,
  ): { faults: readonly Fault[]; answer?: never } | { faults?: never; answer: (caller: Caller) => Promise<unknown> }
}

/** Checks that a handler's types match its schemas, then erases them. */
export function route<Given extends Schemas, Answer extends z.ZodType>({
  handler,
  ...rest
}: Definition<Given, Answer>): Route {
  const schemas: Given = rest.schemas
  return {
    ...rest,
    read(raw) {
      const params = schemas.params.safeParse(raw.params)
      const query = schemas.query.safeParse(raw.query)
      const headers = schemas.headers.safeParse(raw.headers)
      const bodyUnread = raw.faults.some((fault) => fault.hidesBody)
      const body = bodyUnread ? undefined : schemas.body.safeParse(raw.body)
      if (params.success && query.success && headers.success && body?.success && raw.faults.length === 0) {
        const input = { params: params.data, query: query.data, headers: headers.data, body: body.data } as Read<Given>
        return { answer: (caller) => handler({ ...caller, ...input }) }
      }
      return {
        faults: [
          ...faultsOf('path', raw.params, params.error),
          ...faultsOf('query', raw.query, query.error),
          ...faultsOf('header', raw.headers, headers.error),
          ...raw.faults,
          ...faultsOf('body', raw.body, body?.error),
        ],
      }
    },
  }
}

export const noParams = z.strictObject({})
export const noQuery = z.strictObject({})
export const noHeaders = z.object({})
export const noBody = z.undefined({ error: asIssue({ code: 'http.no_body' }) })
