import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { documentedEvents } from '../../src/api/documented-events.ts'
import { apiDocument } from '../../docs/api-document.ts'
import type { ApiDocument, Schema } from '../../src/api/docs/openapi.ts'
import { FAILURE_CODES, failurePart } from '../../src/providers/failure-codes.ts'
import { startWorld } from '../world/world.ts'
import { inEnglish } from '../../locales/resources.ts'

const PUBLIC_URL = 'https://doorcode.example'

const document = apiDocument(PUBLIC_URL)
const { schemas } = document.components

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)

type Reference = { $ref?: string }

const componentOf = (schema: Reference | undefined): string =>
  schema?.$ref?.replace('#/components/schemas/', '') ?? assert.fail(`${JSON.stringify(schema)} is no component`)

const bodies = {
  taken: operations.flatMap(({ operation }) =>
    Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => componentOf(schema)),
  ),
  given: [
    'Problem',
    ...operations.flatMap(({ operation }) =>
      Object.values(operation.responses)
        .flatMap((response) => ('content' in response ? Object.values<{ schema: Reference }>(response.content) : []))
        .map(({ schema }) => componentOf(schema)),
    ),
    ...Object.values(document.webhooks).flatMap(({ post }) =>
      Object.values(post.requestBody.content).map(({ schema }) => componentOf(schema)),
    ),
  ],
}

/** These components and all that they refer to. */
function within(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const text = JSON.stringify(schemas[name] ?? assert.fail(`there is no component ${name}`))
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) add(inner)
  }
  names.forEach(add)
  return found
}

/** Every object in a schema, including itself. */
function objectsIn(schema: unknown): Schema[] {
  if (typeof schema !== 'object' || schema === null) return []
  const inner = Object.values(schema).flatMap(objectsIn)
  return isObjectSchema(schema) ? [schema, ...inner] : inner
}

/** The sets of values in a schema that exclude values of later releases. */
function closedSets(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  if ('enum' in schema) return [schema.enum]
  const [known, later, ...others] = 'anyOf' in schema ? (schema.anyOf as Schema[]) : []
  const isOpen = known?.enum && later?.$ref === '#/components/schemas/LaterValue' && others.length === 0
  return isOpen ? [] : Object.values(schema).flatMap(closedSets)
}

/** The schema itself, or the component that it refers to. */
const isDescribed = (schema: Schema | boolean): boolean =>
  typeof schema === 'object' &&
  Boolean(schema.description ?? (schema.$ref && schemas[componentOf(schema)]?.description))

const isObjectSchema = (schema: object): schema is Schema => 'type' in schema && schema.type === 'object'

test('answers and webhooks allow new members, requests do not', () => {
  const [given, taken] = [within(bodies.given), within(bodies.taken)]
  assert.deepEqual(
    [...given].filter((name) => taken.has(name)),
    [],
  )
  assert.deepEqual(Object.keys(schemas).sort(), [...given, ...taken].sort())
  for (const name of given)
    for (const { additionalProperties } of objectsIn(schemas[name])) assert.equal(additionalProperties, undefined, name)
  for (const name of taken)
    for (const { properties, additionalProperties } of objectsIn(schemas[name]))
      if (properties) assert.equal(additionalProperties, false, name)
})

test('every object with members is a named component', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    const inner = objectsIn(schema).filter((each) => each !== schema && each.properties !== undefined)
    assert.deepEqual(inner, [], name)
  }
})

test('every property and parameter is described', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    for (const [member, property] of Object.entries(schema.properties ?? {}))
      assert.ok(isDescribed(property), `${name}.${member}`)
  }
  for (const { path, operation } of operations)
    for (const { name, description } of operation.parameters) assert.ok(description, `${path} ${name}`)
})

test('every set of values in responses and events is open, with one component for values of later releases', () => {
  for (const name of within(bodies.given)) assert.deepEqual(closedSets(schemas[name]), [], name)
  assert.ok(isValid('ErrorCode', 'CODE_OF_A_LATER_RELEASE') && !isValid('ErrorCode', 7))
})

test('a response for one error code is a component', () => {
  for (const { path, operation } of operations)
    for (const [status, response] of Object.entries(operation.responses))
      if ('content' in response && 'application/problem+json' in response.content)
        assert.ok(Object.keys(response.content['application/problem+json'].examples).length > 1, `${path} ${status}`)
})

test('operations are named by one verb per method, webhooks for their event', () => {
  assert.deepEqual(
    operations.map(({ operation }) => operation.operationId),
    [
      'sendOtpMessage',
      'getOtpMessage',
      'startVerification',
      'getVerification',
      'checkVerification',
      'resendVerification',
      'createConfirmation',
      'getConfirmation',
      'createRefusalCheck',
      'listEvents',
    ],
  )
  for (const { name } of documentedEvents)
    assert.ok(
      Object.values(document.webhooks).some(({ post }) => `${post.operationId}Event` === `on${name}`),
      name,
    )
})

/** Paths that are not part of the API, and who calls them. */
const OUTSIDE_API: Readonly<Record<string, string>> = {
  '/hooks/:hookId': 'products for sign-in, each in a form of its own: docs/auth-hooks.md',
  '/whatsapp/:accountId': 'WhatsApp',
  '/test-receiver/:workspaceId': 'Doorcode itself: the endpoint of a sandbox',
  '/healthz /readyz': 'load balancers',
  '/ /index.md /llms.txt /openapi.json /docs… /problems… /fonts…': 'readers of the documents',
  '/dashboard…': 'the pages: test/guards/dashboard-calls.test.ts',
}

const isOutsideApi = (path: string): boolean =>
  Object.keys(OUTSIDE_API)
    .flatMap((paths) => paths.split(' '))
    .some((each) => (each.endsWith('…') ? path.startsWith(each.slice(0, -1)) : path === each))

/** Each path of a server, from the tree that Fastify prints. */
function pathsOf(tree: string): string[] {
  const above: string[] = []
  const lines = tree.matchAll(/^((?:[│ ] {3})*)[├└]── (\S+) \(.+\)$/gm)
  return Array.from(lines, ([, indent = '', part = '']) => {
    above.length = indent.length / 4
    above.push(part)
    return above.join('')
  })
}

test('every path of the server is documented, or is listed with who calls it', async (t) => {
  const world = await startWorld(t, { works: false })
  const paths = pathsOf(world.first.app.server.printRoutes({ commonPrefix: false }))
  assert.ok(paths.includes('/hooks/:hookId'))
  const documented = new Set(Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1')))
  const others = paths.filter((path) => !documented.delete(path))
  assert.deepEqual(
    others.filter((path) => !isOutsideApi(path)),
    [],
  )
  assert.deepEqual([...documented], [], 'every documented path is served')
})

test('GET operations document no body, all others require one, except for a resend, which needs none', () => {
  for (const { method, path, operation } of operations)
    assert.equal(operation.requestBody?.required, method === 'get' ? undefined : !path.endsWith('/resend'), path)
})

test('no part of the document declares its own JSON Schema dialect', () => {
  assert.doesNotMatch(JSON.stringify(document), /"\$schema"|"\$defs"/)
})

test('the document states that a repeat matches without its code, and a contact', () => {
  assert.match(document.paths['/api/v1/otp/messages']?.['post']?.description ?? '', /the code is not compared/)
  assert.deepEqual(
    Object.entries(document.info).find(([name]) => name === 'contact'),
    ['contact', { name: 'Doorcode', url: `${PUBLIC_URL}/docs` }],
  )
})

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema(document, 'openapi')
const isValid = (component: string, value: unknown): boolean =>
  ajv.validate({ $ref: `openapi#/components/schemas/${component}` }, value)

test('failure codes are listed with their causes', () => {
  const { anyOf: [known] = [], description } = schemas['FailureCode'] ?? {}
  assert.deepEqual((known as Schema).enum, FAILURE_CODES)
  for (const code of FAILURE_CODES)
    assert.ok(description?.includes(`\`${code}\`: ${inEnglish(failurePart(code, 'cause'))}`), code)
})

const KINDS = [/^message\./, /^cod\.(?!refusal_)/, /^cod\.refusal_/]

test('the data of one event type is invalid for related types', () => {
  for (const kind of KINDS) {
    const events = documentedEvents.filter(({ type }) => kind.test(type))
    assert.ok(events.length > 1)
    for (const { type, example } of events) {
      const { data } = example as { data: unknown }
      const valid = events.filter(({ name }) => isValid(name.replace(/Event$/, 'Data'), data))
      assert.deepEqual(
        valid.map((event) => event.type),
        [type],
      )
    }
  }
})

const ofType = (wanted: ApiDocument['webhooks'], type: string) => wanted[type]?.post.requestBody.content

test('a webhook’s body and data are components named after its type', () => {
  const schema = ofType(document.webhooks, 'cod.refusal_denied')?.['application/json']?.schema
  assert.deepEqual(schema, { $ref: '#/components/schemas/CodRefusalDeniedEvent' })
  assert.deepEqual(schemas['CodRefusalDeniedEvent']?.properties?.['data'], {
    $ref: '#/components/schemas/CodRefusalDeniedData',
  })
})
