import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { recordDocumented, recordSeen } from './coverage.ts'

/** The parts of an OpenAPI document that we read. */
type Document = {
  paths: Record<string, PathItem>
  webhooks: Record<string, object>
  components: { schemas: Record<string, object> }
}
type PathItem = Partial<Record<Method, Operation>>
type Operation = { responses: Record<string, Response | { $ref: string }> }
type Response = {
  content?: Record<string, { schema?: object; examples?: Record<string, object> }>
  headers?: Record<string, unknown>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]

export type Answer = { status: number; headers: Headers; text: string }

/** Each check fails on anything that the OpenAPI document does not describe. */
export type Checks = { answer: AnswerCheck; webhook: (event: { type: string }) => void }
export type AnswerCheck = (method: string, path: string, answer: Answer) => void

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DOCUMENT_ID = 'openapi'

let checks: Promise<Checks> | undefined

/** Reads the document over HTTP, as clients do. Once is enough, since it is the same on all nodes of a process. */
export const fetchChecks = (url: string): Promise<Checks> => (checks ??= readChecks(url))

async function readChecks(url: string): Promise<Checks> {
  const answer = await fetch(`${url}/openapi.json`)
  assert.equal(answer.status, 200)
  return checksAgainst((await answer.json()) as Document)
}

/**
 * The document allows additional members and values for later releases, but must name all of this release: here no object has
 * unnamed members, and no set has unnamed values.
 */
export function checksAgainst(document: Document): Checks {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const components = { ...document.components, schemas: { ...document.components.schemas, LaterValue: false } }
  ajv.addSchema(closed({ ...document, components }) as Document, DOCUMENT_ID)
  const validators = new Map<string, ValidateFunction>()
  const assertValid = (pointer: string, value: unknown, what: string): void => {
    const reference = `${DOCUMENT_ID}#${pointer}`
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
    validators.set(reference, validate)
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
  }
  return {
    answer: checkAnswers(document, assertValid),
    webhook(event) {
      assert.ok(document.webhooks[event.type], `the webhook ${event.type} is not documented`)
      const pointer = `/webhooks/${escape(event.type)}/post/requestBody/content/application~1json/schema`
      assertValid(pointer, event, `the webhook ${event.type}`)
    },
  }
}

function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const members = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, closed(each)]))
  const isObject = members['type'] === 'object' && typeof members['properties'] === 'object'
  return isObject ? { additionalProperties: false, ...members } : members
}

function checkAnswers(
  document: Document,
  assertValid: (pointer: string, value: unknown, what: string) => void,
): AnswerCheck {
  const operations = listOperations(document)
  for (const { name, statuses } of operations) recordDocumented(name, statuses)

  return (method, path, answer) => {
    const operation = operations.find((each) => each.method === method.toLowerCase() && each.matches(path))
    if (!operation) return assertNotFound(method, path, answer)
    const { name, pointer } = operation
    assert.ok(
      operation.statuses.includes(answer.status),
      `${name} answered ${answer.status}, which is not documented: ${answer.text}`,
    )
    recordSeen(name, answer.status)
    assertCommonHeaders(answer)
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const expected = answer.status < 400 ? 'application/json' : 'application/problem+json'
    assert.equal(type, expected, `${name} ${answer.status} has the content type ${type}`)
    const response = resolve(document, operation.responses[answer.status])
    assert.ok(response.content?.[type]?.schema, `${name} documents no schema for ${answer.status} ${type}`)
    const at = response.pointer ?? `${pointer}/responses/${answer.status}`
    assertValid(`${at}/content/${escape(type)}/schema`, JSON.parse(answer.text), `${name} ${answer.status}`)
    if (answer.status < 400) return
    const { code } = assertProblem(answer)
    assert.ok(response.content[type].examples?.[code], `${name} ${answer.status} does not document ${code}`)
  }
}

type DocumentedOperation = {
  name: string
  method: string
  pointer: string
  statuses: number[]
  responses: Operation['responses']
  matches(path: string): boolean
}

function listOperations(document: Document): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]*')}$`)
      return {
        name: `${method.toUpperCase()} ${path}`,
        method,
        pointer: `/paths/${escape(path)}/${method}`,
        statuses: Object.keys(operation.responses).map(Number),
        responses: operation.responses,
        matches: (url: string) => pattern.test(url.split('?')[0] ?? ''),
      }
    }),
  )
}

function resolve(
  document: Document,
  response: Response | { $ref: string } | undefined,
): Response & { pointer?: string } {
  if (!response) return {}
  if (!('$ref' in response)) return response
  const pointer = response.$ref.slice(1)
  const found = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document)
  return { ...(found as Response), pointer }
}

/** A path or method that is not an operation: always 404, or 422 for a path that cannot be decoded. */
function assertNotFound(method: string, path: string, answer: Answer): void {
  assert.ok(
    answer.status === 404 || (answer.status === 422 && path.includes('%')),
    `${method} ${path} is no operation, yet it answered ${answer.status}: ${answer.text}`,
  )
  assertCommonHeaders(answer)
  assertProblem(answer)
}

function assertCommonHeaders({ headers }: Answer): void {
  assert.match(headers.get('x-correlation-id') ?? '', new RegExp(UUID.source, 'i'), 'an answer has no X-Correlation-ID')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
}

/** The members of every problem and the headers of each code (docs/api.md#errors). */
function assertProblem({ status, headers, text }: Answer): { code: string } {
  const problem = JSON.parse(text) as Record<string, unknown>
  assert.equal(headers.get('content-type')?.split(';')[0], 'application/problem+json')
  assert.equal(problem.status, status)
  assert.equal(problem.correlationId, headers.get('x-correlation-id'))
  assert.equal(problem.instance, `urn:uuid:${String(problem.correlationId)}`)
  assert.ok(String(problem.type).endsWith(`/problems/${String(problem.code)}`), `type is ${String(problem.type)}`)
  assert.equal(headers.get('retry-after'), problem.code === 'RATE_LIMITED' ? '1' : null)
  assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null)
  assert.equal(problem.code === 'DEVELOPER_INVALID_INPUT', Array.isArray(problem.errors))
  return { code: String(problem.code) }
}

const escape = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1')
