import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { noteDocumented, noteSeen } from './coverage.ts'

/** What we read of an OpenAPI document. */
type Document = { paths: Record<string, PathItem> }
type PathItem = Partial<Record<Method, Operation>>
type Operation = { responses: Record<string, Response | { $ref: string }> }
type Response = { content?: Record<string, { schema?: object }>; headers?: Record<string, unknown> }

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Method = (typeof METHODS)[number]

export type Answer = { status: number; headers: Headers; text: string }

/** Fails on any answer that the OpenAPI document does not describe. */
export type AnswerCheck = (method: string, path: string, answer: Answer) => void

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DOCUMENT_ID = 'openapi'

/** Reads the document as callers do. */
export async function fetchAnswerCheck(url: string): Promise<AnswerCheck> {
  const answer = await fetch(`${url}/openapi.json`)
  assert.equal(answer.status, 200)
  return checkAgainst((await answer.json()) as Document)
}

function checkAgainst(document: Document): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, DOCUMENT_ID)
  const validators = new Map<string, ValidateFunction>()
  const operations = listOperations(document)
  for (const { name, statuses } of operations) noteDocumented(name, statuses)

  return (method, path, answer) => {
    const operation = operations.find((each) => each.method === method.toLowerCase() && each.matches(path))
    if (!operation) return assertNotFound(method, path, answer)
    const { name, pointer } = operation
    assert.ok(
      operation.statuses.includes(answer.status),
      `${name} answered ${answer.status}, which is not documented: ${answer.text}`,
    )
    noteSeen(name, answer.status)
    assertCommonHeaders(answer)
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? ''
    const expected = answer.status < 400 ? 'application/json' : 'application/problem+json'
    assert.equal(type, expected, `${name} ${answer.status} has the content type ${type}`)
    const response = resolve(document, operation.responses[answer.status])
    assert.ok(response.content?.[type]?.schema, `${name} documents no schema for ${answer.status} ${type}`)
    const at = response.pointer ?? `${pointer}/responses/${answer.status}`
    const reference = `${DOCUMENT_ID}#${at}/content/${escape(type)}/schema`
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
    validators.set(reference, validate)
    const body: unknown = JSON.parse(answer.text)
    assert.ok(validate(body), `${name} ${answer.status}: ${ajv.errorsText(validate.errors)} in ${answer.text}`)
    if (answer.status >= 400) assertProblem(answer)
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
        matches: (asked: string) => pattern.test(asked.split('?')[0] ?? ''),
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

/** A path or method that is no operation: 404, whoever asks. */
function assertNotFound(method: string, path: string, answer: Answer): void {
  assert.equal(
    answer.status,
    404,
    `${method} ${path} is no operation, yet it answered ${answer.status}: ${answer.text}`,
  )
  assertCommonHeaders(answer)
  assertProblem(answer)
}

function assertCommonHeaders({ headers }: Answer): void {
  assert.match(headers.get('x-correlation-id') ?? '', new RegExp(UUID.source, 'i'), 'an answer has no X-Correlation-ID')
  assert.equal(headers.get('cache-control'), 'no-store')
}

/** contract §2: what every problem body holds, and which headers go with which code. */
function assertProblem({ status, headers, text }: Answer): void {
  const problem = JSON.parse(text) as Record<string, unknown>
  assert.equal(headers.get('content-type')?.split(';')[0], 'application/problem+json')
  assert.equal(problem.status, status)
  assert.equal(problem.correlationId, headers.get('x-correlation-id'))
  assert.equal(problem.instance, `urn:uuid:${String(problem.correlationId)}`)
  assert.ok(String(problem.type).endsWith(`/problems/${String(problem.code)}`), `type is ${String(problem.type)}`)
  assert.equal(headers.get('retry-after'), problem.code === 'RATE_LIMITED' ? '1' : null)
  assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null)
  assert.equal(problem.code === 'DEVELOPER_INVALID_INPUT', Array.isArray(problem.errors))
}

const escape = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1')
