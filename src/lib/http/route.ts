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

export type Client = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  /** The trace that the request belongs to, if tracing is on. */
  trace?: string | undefined
  /** Aborts when the client disconnects, or when this node stops and must respond immediately. */
  end: () => AbortSignal
}

/** The sections of the API reference. */
export const tags = {
  'One-time codes': 'Send a code that your backend made, and follow it to the phone.',
  Verifications: 'Let Doorcode make a code, send it, and check what the customer typed.',
  'Cash on delivery': 'Ask customers to confirm orders, and whether they refused a parcel.',
  Events: 'Read the events that webhooks report, to catch up after an outage of your endpoint.',
  Webhooks: `Signed events that the service posts to your endpoints as they happen. They follow [Standard Webhooks](https://www.standardwebhooks.com/), and its libraries verify them. To verify one without a library:

1. The key: remove \`whsec_\` from the secret of the endpoint, and decode the rest from Base64.
2. The content: join the value of \`webhook-id\`, a full stop, the value of \`webhook-timestamp\`, a full stop, and the bytes of the body exactly as they arrived.
3. The signature: compute HMAC-SHA256 of the content with the key, encode the result in Base64, and put \`v1,\` before it.
4. The webhook is genuine if the signature equals one of those in \`webhook-signature\`, which has two, with a space between, for 24 hours after the secret was rotated. Compare in constant time.
5. Reject a webhook whose \`webhook-timestamp\` is more than five minutes before or after the present time.`,
}

type Description = {
  method: 'GET' | 'POST'
  /** Below `/api/v1`, parameters as `:name`. */
  path: `/${string}`
  operationId: string
  tag: keyof typeof tags
  summary: string
  description: string
  /** In addition to those that every route may return. */
  errors: readonly ApiErrorCode[]
}

type Schemas = {
  params: z.ZodType
  /** Strict: unknown parameters are rejected. */
  query: z.ZodType
  /** Not strict. Names in lower case. */
  headers: z.ZodType
  /** Strict. If it accepts undefined, the body is optional. */
  body: z.ZodType
}

type Success<Body extends z.ZodType> = {
  status: 200 | 202
  description: string
  schema: Body
  example: z.input<Body>
}

type Input<Given extends Schemas> = { [Part in keyof Schemas]: z.output<Given[Part]> }

type Definition<Given extends Schemas, Body extends z.ZodType> = Description & {
  /** `bodyExample` is for the API reference. */
  schemas: Given & { bodyExample?: z.input<Given['body']> }
  success: Success<Body>
  handler: (request: Client & Input<Given>) => Promise<z.input<Body>>
}

/** A row of the table of routes. */
export type Route = Description & {
  schemas: Schemas & { bodyExample?: unknown }
  success: Success<z.ZodType>
  /** All faults of all parts, or the handler with the request's input. */
  read(
    raw: RawInput,
  ): { faults: readonly Fault[]; run?: never } | { faults?: never; run: (client: Client) => Promise<unknown> }
}

/** Checks that a handler's types match its schemas, then erases them. */
export function route<Given extends Schemas, Body extends z.ZodType>({
  handler,
  ...rest
}: Definition<Given, Body>): Route {
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
        const input = { params: params.data, query: query.data, headers: headers.data, body: body.data } as Input<Given>
        return { run: (client) => handler({ ...client, ...input }) }
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
