import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type ApiErrorCode, apiErrors } from '../../lib/errors.ts'
import { API_PREFIX } from '../serve.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { type DocumentedEvent, documentedEvents, pascalCase } from '../documented-events.ts'
import { REQUESTS_PER_WINDOW } from '../../lib/http/rate-limit.ts'
import { createProblemWriter, fixedError, invalidInput, problemSchema } from '../../lib/http/problem.ts'
import { type Route, tags } from '../../lib/http/route.ts'

export type Schema = z.core.JSONSchema.BaseSchema

export type ApiDocument = ReturnType<typeof describeApi>

type Reference = { $ref: string }
type ErrorResponse = {
  description: string
  headers: object
  content: { 'application/problem+json': { schema: Reference; examples: object } }
}

const COMMON_ERRORS: readonly ApiErrorCode[] = [
  'API_KEY_INVALID',
  'DEVELOPER_INVALID_INPUT',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]

/** Made from the schemas that read requests and the tables of the program. */
export function describeApi(routes: readonly Route[], publicUrl: string) {
  const schemas: Schemas = { [LATER_VALUE]: laterValue }
  const responses: Record<string, ErrorResponse> = {}
  addComponent(schemas, 'Problem', jsonSchema(schemas, problemSchema, 'output'))
  const paths: Record<string, Record<string, ReturnType<typeof describeRoute>>> = {}
  for (const route of routes) {
    const path = API_PREFIX + route.path.replaceAll(/:(\w+)/g, '{$1}')
    const described = describeRoute(route, publicUrl, { schemas, responses })
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Doorcode',
      version: packageJson.version,
      summary: 'One-time codes and cash-on-delivery confirmations over WhatsApp.',
      description: description(publicUrl),
      contact: { name: 'Doorcode', url: `${publicUrl}/docs` },
      license: { name: 'Proprietary', url: `${publicUrl}/` },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ bearerAuth: [] }],
    paths,
    webhooks: Object.fromEntries(
      documentedEvents.map((event) => [event.type, { post: describeEvent(event, schemas) }]),
    ),
    components: { securitySchemes: { bearerAuth: API_KEY }, headers: HEADERS, responses, schemas },
  }
}

const description = (
  publicUrl: string,
): string => `Your backend generates a code, or has an order to confirm. Doorcode sends a message from an approved template, tracks it, and reports its status and the customer’s answer, by \`GET\` and by signed webhooks.

Quickstarts, failure codes and everything else: [Search the guides](${publicUrl}/docs/guides).

- Bodies are JSON. Fields and query parameters that are not listed here are rejected.
- Every request carries \`Authorization: Bearer <API key>\`. The key names the workspace; keep it on your servers.
- Each key may make ${REQUESTS_PER_WINDOW} requests in any second. Beyond that: [\`RATE_LIMITED\`](${publicUrl}/problems/RATE_LIMITED). [All problems](${publicUrl}/problems)
- A UUID in \`X-Correlation-ID\` is returned with the response. Without one, the response has a new UUID.
- Later releases may add routes, fields, statuses, events, error codes and failure codes: ignore any that you do not know.`

const API_KEY = {
  type: 'http',
  scheme: 'bearer',
  description: 'The complete key, `dck_…`. It belongs to one workspace and stays on your servers.',
}

const UUID = { type: 'string', format: 'uuid' }

const HEADERS = {
  CorrelationId: {
    description: 'The X-Correlation-ID of the request if it was UUID-shaped, otherwise a new one.',
    required: true,
    schema: UUID,
  },
  CacheControl: { description: 'Responses must not be stored.', required: true, schema: { const: 'no-store' } },
  RetryAfter: { description: 'With `RATE_LIMITED` only: seconds to wait, which is 1.', schema: { type: 'integer' } },
  WwwAuthenticate: { description: 'The expected scheme.', required: true, schema: { const: 'Bearer' } },
}

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
const COMMON_HEADERS = { 'X-Correlation-ID': header('CorrelationId'), 'Cache-Control': header('CacheControl') }

const CORRELATION_ID =
  'Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected.'

type Components = { schemas: Schemas; responses: Record<string, ErrorResponse> }

function describeRoute(route: Route, publicUrl: string, { schemas, responses }: Components) {
  const operation = route.operationId.charAt(0).toUpperCase() + route.operationId.slice(1)
  const { params, query, headers, body, bodyExample } = route.schemas
  // HTTP gives the body of a GET no meaning and generated clients send none, so it is not documented.
  const takesBody = route.method !== 'GET' && !(body instanceof z.ZodUndefined)
  return {
    tags: [route.tag],
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    parameters: [
      ...parametersOf('path', jsonSchema(schemas, params, 'input')),
      ...parametersOf('query', jsonSchema(schemas, query, 'input')),
      ...parametersOf('header', jsonSchema(schemas, headers, 'input')),
      { name: 'X-Correlation-ID', in: 'header', required: false, description: CORRELATION_ID, schema: UUID },
    ],
    ...(takesBody && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': {
            schema: addComponent(schemas, `${operation}Request`, jsonSchema(schemas, body, 'input')),
            example: bodyExample,
          },
        },
      },
    }),
    responses: {
      [String(route.success.status)]: {
        description: route.success.description,
        headers: COMMON_HEADERS,
        content: {
          'application/json': {
            schema: addComponent(schemas, `${operation}Response`, jsonSchema(schemas, route.success.schema, 'output')),
            example: route.success.example,
          },
        },
      },
      ...describeErrors([...COMMON_ERRORS, ...route.errors], publicUrl, responses),
    },
  }
}

const asTitle = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

function parametersOf(part: 'path' | 'query' | 'header', { properties = {}, required = [] }: Schema) {
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

/** By status. A response with one code, which several routes have, is a component. */
function describeErrors(
  codes: readonly ApiErrorCode[],
  publicUrl: string,
  responses: Components['responses'],
): Record<string, ErrorResponse | Reference> {
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => apiErrors[code].status)].map(
      ([status, codes]): [string, ErrorResponse | Reference] => {
        const described = describeError(status, codes, publicUrl)
        const [code = '', ...others] = codes
        if (others.length > 0) return [String(status), described]
        const name = pascalCase(code.toLowerCase())
        responses[name] = described
        return [String(status), { $ref: `#/components/responses/${name}` }]
      },
    ),
  )
}

/** The codes of an operation's problems. Responses with one code are components. */
export function errorCodesOf({ responses }: ReturnType<typeof describeRoute>, { components }: ApiDocument): string[] {
  return Object.values(responses).flatMap((response) => {
    const { content } = '$ref' in response ? (components.responses[nameOf(response)] ?? {}) : response
    return content && 'application/problem+json' in content
      ? Object.keys(content['application/problem+json'].examples)
      : []
  })
}

/** The name of a component. */
export const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? ''

const describeError = (status: number, codes: readonly ApiErrorCode[], publicUrl: string): ErrorResponse => ({
  description: codes.map((code) => `\`${code}\`: ${apiErrors[code].title}.`).join(' '),
  headers: {
    ...COMMON_HEADERS,
    ...(status === 429 && { 'Retry-After': header('RetryAfter') }),
    ...(status === 401 && { 'WWW-Authenticate': header('WwwAuthenticate') }),
  },
  content: {
    'application/problem+json': {
      schema: { $ref: `${COMPONENTS}Problem` },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: apiErrors[code].title, value: exampleOf(code, publicUrl) }]),
      ),
    },
  },
})

const EXAMPLE_CORRELATION_ID = '5b0f3c9e-52a6-4b07-8f4e-1a7d0c7b9f10'

const EXAMPLE_FAULT = { in: 'body', pointer: '/template/name', detail: { code: 'http.is_required' } } as const

function exampleOf(code: ApiErrorCode, publicUrl: string): unknown {
  const { message, faults } = code === 'DEVELOPER_INVALID_INPUT' ? invalidInput([EXAMPLE_FAULT]) : fixedError(code)
  return JSON.parse(createProblemWriter(publicUrl)(code, message, EXAMPLE_CORRELATION_ID, faults).body)
}

/** Standard Webhooks (docs/webhooks.md#the-request). */
const WEBHOOK_HEADERS = [
  ['webhook-id', 'The id of the event, the same on every retry: handle each id once.'],
  ['webhook-timestamp', 'When this attempt was made, in seconds since 1970.'],
  [
    'webhook-signature',
    'One or more signatures, separated by spaces; each is `v1,` followed by Base64. “Webhooks” at the top says how to verify them.',
  ],
].map(([name = '', description = '']) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

function describeEvent(event: DocumentedEvent, schemas: Schemas) {
  const { type, description, body, example } = event
  return {
    tags: ['Webhooks'],
    operationId: `on${pascalCase(type)}`,
    summary: type,
    description,
    security: [],
    parameters: WEBHOOK_HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: addComponent(schemas, event.name, jsonSchema(schemas, body, 'output')), example },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Any other response, or none within 15 seconds, is retried.' },
      '410': { description: 'The endpoint is disabled.' },
    },
  }
}

type Schemas = Record<string, Schema>

const COMPONENTS = '#/components/schemas/'
const LATER_VALUE = 'LaterValue'

/**
 * Any text is valid. `properties` says nothing about a text, but without it generated TypeScript types would be `string`, and editors
 * could not complete the known values.
 */
const laterValue: Schema = {
  type: 'string',
  description: 'A value added in a later release. Treat it like any value that you do not use.',
  allOf: [{ properties: { length: { type: 'integer' } } }],
}

/** Adds the schema to the components unless it is one, and returns a reference to it. */
function addComponent(schemas: Schemas, component: string, schema: Schema): Schema {
  if (schema.$ref) return schema
  const known = (schemas[component] ??= schema)
  if (!isDeepStrictEqual(known, schema)) throw new Error(`two schemas of the API are named ${component}`)
  return { $ref: COMPONENTS + component }
}

/**
 * Parts of the schema with an `id` become components. Output allows additional properties and values, so that a later
 * release breaks no client; input does not.
 */
function jsonSchema(schemas: Schemas, schema: z.ZodType, io: 'input' | 'output'): Schema {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema: each }) => {
      if (each.format) delete each.pattern // redundant with a format
      if (io === 'output') allowLaterOnes(each)
    },
  })
  for (const [component, part] of Object.entries($defs)) addComponent(schemas, component, withComponents(part))
  return withComponents(json)
}

/** Turns zod's references within one schema into references to components. */
const withComponents = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', `"$ref":"${COMPONENTS}`)) as Schema

function allowLaterOnes(schema: Schema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (!schema.enum) return
  schema.anyOf = [{ type: 'string', enum: schema.enum }, { $ref: COMPONENTS + LATER_VALUE }]
  delete schema.enum
  delete schema.type
}
