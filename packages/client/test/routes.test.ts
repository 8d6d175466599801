import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { apiDocument } from '../../../docs/api-document.ts'
import { createClient } from '../src/index.ts'
import { routes } from '../src/routes.ts'
import { API_KEY } from './instance.ts'

const documented = Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
    path,
    method: method.toUpperCase(),
    operationId,
    parameters,
    requestBody,
  })),
)

test('each operation of the document has its row in src/routes.ts, and no row is left over', () => {
  const rows = documented.map(({ operationId, method, path, parameters }) => [
    operationId,
    { method, path, takesKey: parameters.some(({ name }) => name === 'Idempotency-Key') },
  ])
  const given = Object.entries(routes).map(([name, { method, path, takesKey }]) => [name, { method, path, takesKey }])
  assert.deepEqual(Object.fromEntries(given), Object.fromEntries(rows))
})

test('each operation of the document is a method of the client', () => {
  const client = createClient({ url: 'https://doorcode.example', apiKey: API_KEY })
  assert.deepEqual(
    Object.keys(client).toSorted(),
    [...documented.map(({ operationId }) => operationId), 'events'].toSorted(),
  )
})

test('the README names each method', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  for (const { operationId } of documented) assert.ok(readme.includes(`\`${operationId}\``), operationId)
})

test('no field of a path is also a field of the query or the body', () => {
  const { schemas } = apiDocument().components
  for (const { operationId, parameters, requestBody } of documented) {
    const reference = requestBody?.content['application/json'].schema.$ref?.split('/').at(-1) ?? ''
    const names = [
      ...parameters.filter((each) => each.in !== 'header').map(({ name }) => name),
      ...Object.keys(schemas[reference]?.properties ?? {}),
    ]
    assert.equal(new Set(names).size, names.length, operationId)
  }
})
