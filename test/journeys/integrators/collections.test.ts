import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { apiDocument } from '../../../docs/api-document.ts'
import { collectionsOf } from '../../../src/api/docs/collections.ts'
import { type World, startWorld } from '../../world/world.ts'

type Postman = ReturnType<ReturnType<typeof collectionsOf>['postman']>
type Bruno = ReturnType<ReturnType<typeof collectionsOf>['bruno']>

/** A request with its variables, in the terms of neither program. */
type Sent = { name: string; method: string; url: string; body: string | undefined; saves: readonly string[] }

const sentByPostman = ({ item }: Postman): Sent[] =>
  item.flatMap((folder) =>
    folder.item.map(({ name, request: { method, url, body }, event }) => {
      const raw = url.variable.reduce((text, { key, value }) => text.replace(`:${key}`, value), url.raw)
      assert.equal([url.host, ...url.path].flat().join('/'), url.raw)
      assert.ok(url.query.every(({ disabled }) => disabled))
      const saves = event.flatMap(({ script }) => /set\("(\w+)"/.exec(script.exec.join())?.[1] ?? [])
      return { name, method, url: raw, body: body?.raw, saves }
    }),
  )

const sentByBruno = ({ items }: Bruno): Sent[] =>
  items.flatMap((folder) =>
    folder.items.map(({ name, request: { method, url, params, body, vars } }) => {
      const filled = params
        .filter(({ type }) => type === 'path')
        .reduce((text, param) => text.replace(`:${param.name}`, param.value), url)
      return { name, method, url: filled, body: body.json, saves: vars.res.map((each) => each.name) }
    }),
  )

async function fetchCollection<Collection>(world: World, program: string): Promise<Collection> {
  const response = await fetch(`${world.first.url}/docs/${program}.json`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="doorcode\./)
  return (await response.json()) as Collection
}

test('both collections have each operation of the document, with its example and its documentation', () => {
  const document = apiDocument()
  const { postman, bruno } = collectionsOf(document)
  const senderId = '{{sender}}'
  const expected = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, requestBody }]) => {
      const example = requestBody?.content['application/json'].example as
        | { senderId?: string; code?: string }
        | undefined
      const isSent = example && 'senderId' in example
      const body = example && {
        ...example,
        ...(isSent && { senderId }),
        ...(isSent && !('parameters' in example) && { template: { name: '{{template}}', language: '{{language}}' } }),
      }
      const url = `{{url}}${path.replaceAll(/\{(\w+)\}/g, '{{$1}}')}`
      return { name: summary, method: method.toUpperCase(), url, body }
    }),
  )
  for (const sent of [sentByPostman(postman()), sentByBruno(bruno())])
    assert.deepEqual(
      sent.map(({ name, method, url, body }) => ({ name, method, url, body: body && (JSON.parse(body) as unknown) })),
      expected,
    )
  const descriptions = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ description }) => description),
  )
  assert.deepEqual(
    postman().item.flatMap(({ item }) => item.map(({ request }) => request.description)),
    descriptions,
  )
  assert.deepEqual(
    bruno().items.flatMap(({ items }) => items.map(({ request }) => request.docs)),
    descriptions,
  )
})

/** The customer has not answered yet, and has just received the code. */
const TOO_EARLY: readonly string[] = ['COD_CONFIRMATION_NOT_ELIGIBLE', 'OTP_RESEND_LIMITED']

test('an instance serves both collections, and their requests are accepted one after the other', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { template } = world.otpBody()
  for (const program of ['postman', 'bruno'] as const) {
    const [requests, given] =
      program === 'postman'
        ? await fetchCollection<Postman>(world, program).then((all) => [sentByPostman(all), all.variable] as const)
        : await fetchCollection<Bruno>(world, program).then((all) => {
            const [environment] = all.environments
            const variables = environment?.variables ?? []
            return [sentByBruno(all), variables.map(({ name, value }) => ({ key: name, value }))] as const
          })
    const variables = new Map(given.map(({ key, value }) => [key, value]))
    variables
      .set('url', world.first.url)
      .set('apiKey', await world.freshKey())
      .set('sender', world.senderId)
    variables.set('template', template.name).set('language', template.language)
    const fill = (text: string): string =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => variables.get(name) ?? assert.fail(`no variable ${name}`))
    for (const { name, method, url, body, saves } of requests) {
      const headers = { authorization: fill('Bearer {{apiKey}}'), 'content-type': 'application/json' }
      // Templates of COD are the example's: those of this account are English.
      const text = body && fill(body).replace('"language": "ar"', '"language": "en"')
      const response = await fetch(fill(url), { method, headers, ...(text !== undefined && { body: text }) })
      const answer = (await response.json()) as Record<string, string>
      assert.ok(
        response.ok || TOO_EARLY.includes(answer['code'] ?? ''),
        `${program}, ${name}: ${JSON.stringify(answer)}`,
      )
      for (const saved of saves) variables.set(saved, answer[saved] ?? '')
      await world.settled()
    }
    assert.ok(requests.some(({ saves }) => saves.includes('messageId')))
  }
})

test('Bruno’s own schema accepts its collection, with the ids that Bruno adds when it imports one', async () => {
  const modules = createRequire(new URL('../../../examples/package.json', import.meta.url))
  const { collectionSchema } = modules('@usebruno/schema') as {
    collectionSchema: { validate(value: unknown): Promise<unknown> }
  }
  let ids = 0
  const withIds = JSON.parse(JSON.stringify(collectionsOf(apiDocument()).bruno()), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !('name' in value)) return value
    ids += 1
    return { ...value, uid: String(ids).padStart(21, '0') }
  }) as unknown
  await collectionSchema.validate(withIds)
})
