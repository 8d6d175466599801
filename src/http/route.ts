import { z } from 'zod'
import type { RefusalCode } from '../errors.ts'
import { type Fault, faultsOf } from './faults.ts'

/** The parts of a request as they came, for the schemas of a route to read. */
export type RawInput = {
  params: unknown
  query: unknown
  headers: unknown
  /** Undefined: there was no body. */
  body: unknown
  /** What was wrong before any schema could look, in headers and body. */
  faults: readonly Fault[]
}

/** Whose request it is. */
export type Caller = { workspaceId: string; apiKeyId: string; correlationId: string }

export type RouteRequest<Params, Query, Headers, Body> = Caller & {
  params: Params
  query: Query
  headers: Headers
  body: Body
}

/** The headings of the reference. */
export const tags = {
  'One-time codes': 'Send a code that your backend made, and follow it to the phone.',
  'Cash on delivery': 'Ask customers to confirm orders, and whether they refused a parcel.',
  Webhooks: 'What the service tells your endpoints, signed, as it happens.',
}

type Description = {
  method: 'GET' | 'POST'
  /** Below `/api/v1`, parameters as `:name`. */
  path: `/${string}`
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  /** Beyond those that every route may answer with. */
  refusals: readonly RefusalCode[]
}

type Definition<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Description & {
  schemas: {
    params: Params
    /** Strict: unknown query parameters are refused. */
    query: Query
    /** Not strict, names in lower case. */
    headers: Headers
    /** Strict. One that accepts undefined lets the body be absent. */
    body: Body
    /** An example of a good body, for the reference. */
    bodyExample?: z.input<Body>
  }
  success: { status: 200 | 202; description: string; schema: Answer; example: z.input<Answer> }
  handler: (
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Headers>, z.output<Body>>,
  ) => Promise<z.input<Answer>>
}

/** One row of the table of routes. */
export type Route = Description & {
  schemas: { params: z.ZodType; query: z.ZodType; headers: z.ZodType; body: z.ZodType; bodyExample?: unknown }
  success: { status: 200 | 202; description: string; schema: z.ZodType; example: unknown }
  /** All faults of all parts at once, or what answers the request. */
  read(raw: RawInput): Reading
}

export type Reading =
  | { faults: readonly Fault[]; answer?: never }
  | { faults?: never; answer: (caller: Caller) => Promise<unknown> }

/** Ties a handler to the schemas of what it gets and gives, and forgets their types again. */
export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Headers extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>({ handler, ...rest }: Definition<Params, Query, Headers, Body, Answer>): Route {
  const { schemas } = rest
  return {
    ...rest,
    read(raw) {
      const params = schemas.params.safeParse(raw.params)
      const query = schemas.query.safeParse(raw.query)
      const headers = schemas.headers.safeParse(raw.headers)
      const bodyUnread = raw.faults.some((fault) => fault.hidesBody)
      const body = bodyUnread ? undefined : schemas.body.safeParse(raw.body)
      if (params.success && query.success && headers.success && body?.success && raw.faults.length === 0) {
        const input = { params: params.data, query: query.data, headers: headers.data, body: body.data }
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
export const noBody = z.undefined({ error: 'must be absent: this request takes no body' })
