import path from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { type ApiDocument, type Schema, errorCodesOf } from '../../src/api/docs/openapi.ts'

/** Where `npm run docs` writes them. */
export const CLIENT_TYPES = path.resolve(import.meta.dirname, '../../packages/client/src/api.gen.ts')

const HEAD = `// Written by \`npm run docs\` from the OpenAPI document.

`

/** The types of the client package: what each operation takes and returns, and the codes of its errors. */
export async function clientTypes(document: ApiDocument): Promise<string> {
  const types = astToString(await openapiTypescript(JSON.stringify(withoutErrors(document))))
  return HEAD + types + errorCodes(document)
}

/** What the package needs in addition to what operations refer to. */
const ROOTS = ['Problem', 'PingEvent']

/**
 * The document without the responses that every operation repeats, without examples, and without webhooks: the package returns a
 * webhook in the form in which `GET /events` lists it.
 */
function withoutErrors(document: ApiDocument) {
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, responses: Object.fromEntries(successesOf(operation.responses)) },
        ]),
      ),
    ]),
  )
  const { schemas } = document.components
  const used = new Set<string>()
  const add = (name: string): void => {
    if (used.has(name)) return
    used.add(name)
    for (const inner of namedIn(schemas[name] ?? {})) add(inner)
  }
  for (const name of [...ROOTS, ...namedIn(paths)]) add(name)
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
  return withoutExamples({ openapi: document.openapi, info: document.info, paths, components: { schemas: kept } })
}

type Responses = ApiDocument['paths'][string][string]['responses']

const successesOf = (responses: Responses) =>
  Object.entries(responses).flatMap(([status, response]) => {
    if (Number(status) >= 400 || !('content' in response)) return []
    const { description, content } = response
    return [[status, { description, content }] as const]
  })

const namedIn = (value: Schema | object): string[] =>
  Array.from(JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name)

const withoutExamples = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (name, member: unknown) => (name === 'example' ? undefined : member)))

function errorCodes(document: ApiDocument): string {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const rows = operations.map((operation) => {
    const codes = errorCodesOf(operation, document).map((code) => JSON.stringify(code))
    return `    ${operation.operationId}: ${codes.join(' | ')};\n`
  })
  return `\n/** The error codes of each operation. Later releases may add codes. */\nexport interface errorCodes {\n${rows.join('')}}\n`
}
