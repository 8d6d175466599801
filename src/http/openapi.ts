import { z } from 'zod'
import { type RefusalCode, refusals } from '../errors.ts'
import { API_PREFIX } from './api.ts'
import { sameDetail } from './details.ts'
import type { DocumentedEvent } from './documented-events.ts'
import { problemSchema, problems } from './problem.ts'
import { type Route, tags } from './route.ts'

/** What we write of an OpenAPI 3.1 document, and what the reference page reads of it. */
export type ApiDocument = {
  openapi: '3.1.0'
  info: object
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  security: object[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: WebhookOperation }>
  components: { securitySchemes: object; headers: object; schemas: Record<string, Schema> }
}

export type Operation = {
  tags: string[]
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, DocumentedResponse>
}

export type WebhookOperation = Omit<Operation, 'requestBody'> & {
  requestBody: { required: true; content: Content }
  security: []
}

export type Parameter = { name: string; in: string; required: boolean; description: string; schema: Schema }
export type DocumentedResponse = { description: string; headers?: object; content?: Content }
export type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { summary: string; value: unknown }> }
>
export type Schema = z.core.JSONSchema.BaseSchema

/** Every route may answer with these, beside its own. */
const REFUSALS_OF_ALL: readonly RefusalCode[] = [
  'API_KEY_INVALID',
  'DEVELOPER_INVALID_INPUT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]

type Described = { routes: readonly Route[]; events: readonly DocumentedEvent[]; publicUrl: string; version: string }

/** The OpenAPI document, made from what serves the requests: the schemas that read them and the tables of the program. */
export function describeApi({ routes, events, publicUrl, version }: Described): ApiDocument {
  const schemas: Record<string, Schema> = { Problem: jsonSchema(problemSchema, 'output') }
  const paths: ApiDocument['paths'] = {}
  for (const route of routes) {
    const path = API_PREFIX + route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route, publicUrl, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Doorcode',
      version,
      summary: 'One-time codes and cash-on-delivery confirmations over WhatsApp.',
      description:
        'Your backend makes a code, or has an order to confirm; Doorcode sends it through an approved template, follows it, and tells what became of it and what the customer answered, by status and by signed webhooks.',
      license: { name: 'Proprietary', url: `${publicUrl}/` },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: Object.fromEntries(events.map((event) => [event.type, { post: describeEvent(event) }])),
    components: { securitySchemes: { apiKey: API_KEY }, headers: HEADERS, schemas },
  }
}

const API_KEY = {
  type: 'http',
  scheme: 'bearer',
  description: 'The complete key, `dck_…`. It belongs to one workspace and stays on your servers.',
}

const HEADERS = {
  CorrelationId: {
    description: 'The X-Correlation-ID of the request when it was UUID-shaped, else a new one.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  CacheControl: { description: 'Never to be stored.', required: true, schema: { const: 'no-store' } },
  RetryAfter: { description: 'With `RATE_LIMITED` only: seconds to wait.', schema: { const: '1' } },
  WwwAuthenticate: { description: 'The scheme that is expected.', required: true, schema: { const: 'Bearer' } },
}

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
const COMMON_HEADERS = { 'X-Correlation-ID': header('CorrelationId'), 'Cache-Control': header('CacheControl') }

const CORRELATION_ID: Parameter = {
  name: 'X-Correlation-ID',
  in: 'header',
  required: false,
  description:
    'Any UUID: it comes back with the answer. Of a refused request it is in the log, and of an accepted one the command `explain` shows it with what came of it. Anything else is replaced, not refused.',
  schema: { type: 'string', format: 'uuid' },
}

function describeRoute(route: Route, publicUrl: string, schemas: Record<string, Schema>): Operation {
  const name = route.operationId.charAt(0).toUpperCase() + route.operationId.slice(1)
  const { params, query, headers, body, bodyExample } = route.schemas
  const takesBody = !(body instanceof z.ZodUndefined)
  if (takesBody) schemas[`${name}Request`] = jsonSchema(body, 'input')
  schemas[`${name}Answer`] = jsonSchema(route.success.schema, 'output')
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', query),
      ...parametersOf('header', headers),
      CORRELATION_ID,
    ],
    ...(takesBody && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${name}Request` },
            ...(bodyExample !== undefined && { example: bodyExample }),
          },
        },
      },
    }),
    responses: {
      [route.success.status]: {
        description: route.success.description,
        headers: COMMON_HEADERS,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${name}Answer` },
            example: route.success.example,
          },
        },
      },
      ...describeRefusals([...REFUSALS_OF_ALL, ...route.refusals], publicUrl),
    },
  }
}

/** Names of headers are written as people write them. */
const asTitle = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

function parametersOf(part: 'path' | 'query' | 'header', schema: z.ZodType): Parameter[] {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === 'object' ? property : {}
    return {
      name: part === 'header' ? asTitle(name) : name,
      in: part,
      required: required.includes(name),
      description: description ?? (rest.format === 'uuid' ? 'A UUID, in any case.' : ''),
      schema: rest,
    }
  })
}

function describeRefusals(codes: readonly RefusalCode[], publicUrl: string): Record<string, DocumentedResponse> {
  const byStatus = Map.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${refusals[code].title}.`).join(' '),
        headers: {
          ...COMMON_HEADERS,
          ...(status === 429 && { 'Retry-After': header('RetryAfter') }),
          ...(status === 401 && { 'WWW-Authenticate': header('WwwAuthenticate') }),
        },
        content: {
          'application/problem+json': {
            schema: {
              allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
            },
            examples: Object.fromEntries(
              codes.map((code) => [code, { summary: refusals[code].title, value: exampleOf(code, publicUrl) }]),
            ),
          },
        },
      },
    ]),
  )
}

const EXAMPLE_CORRELATION_ID = '5b0f3c9e-52a6-4b07-8f4e-1a7d0c7b9f10'

function exampleOf(code: RefusalCode, publicUrl: string): unknown {
  const faults =
    code === 'DEVELOPER_INVALID_INPUT'
      ? [{ in: 'body' as const, pointer: '/template/name', detail: 'is required' }]
      : []
  return JSON.parse(
    problems(publicUrl)(code, sameDetail(code) ?? refusals[code].cause, EXAMPLE_CORRELATION_ID, faults).body,
  )
}

/** Standard Webhooks (contract §5). */
const WEBHOOK_HEADERS: Parameter[] = [
  ['webhook-id', 'One per event, the same on every retry: handle each id once.'],
  ['webhook-timestamp', 'Seconds since 1970 of this attempt.'],
  [
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body` under the endpoint’s secret. Two, with a space between, for 24 hours after the secret was rotated.',
  ],
].map(([name = '', description = '']) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

function describeEvent({ type, description, data, example }: DocumentedEvent): WebhookOperation {
  const envelope = z.strictObject({ type: z.literal(type), timestamp: z.iso.datetime(), data })
  return {
    tags: ['Webhooks'],
    operationId: `on_${type.replaceAll('.', '_')}`,
    summary: type,
    description,
    security: [],
    parameters: WEBHOOK_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(envelope, 'output'), example } },
    },
    responses: {
      '2XX': { description: 'Taken. Anything else, and no answer within 15 seconds, is tried again.' },
      '410': { description: 'No longer wanted: the endpoint is disabled.' },
    },
  }
}

/** A pattern beside a format says the same twice. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema: each }) => {
      if (each.format) delete each.pattern
    },
  })
  return json
}
