import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { controlRoutes } from '../src/control/routes.ts'
import { DEMO } from '../src/index.ts'
import { GRAPH_ROUTES } from '../src/graph/routes.ts'
import { order, otp, startWorld } from './world.ts'

const RUNS = 150
/** An internal error of the emulator or Fastify, which bad input must never cause. */
const FAULT = /the emulator itself has a fault|a fault of the emulator|Internal Server Error/

test('any message is accepted or rejected with a documented code', async (t) => {
  const world = await startWorld(t, { statuses: 'manual', pairLimit: false, throughputLimit: false })
  const broken = fc
    .tuple(fc.constantFrom<object>(otp(), order()), fc.array(fc.nat(30), { maxLength: 3 }), fc.jsonValue())
    .map(([request, path, value]) => replaceAt(structuredClone(request), path, value))
  await fc.assert(
    fc.asyncProperty(broken, async (request) => {
      const answer = await world.send(request as object)
      assert.ok(answer.status < 500, answer.text)
      assert.doesNotMatch(answer.text, FAULT)
      assert.ok(answer.status === 200 || typeof answer.at('error', 'code') === 'number')
    }),
    { numRuns: RUNS },
  )
})

test('no request to any route causes an internal error', async (t) => {
  const world = await startWorld(t, { statuses: 'manual' })
  const routes = [...GRAPH_ROUTES, ...controlRoutes.map(({ method, path }) => `${method} ${path}`)]
  const id = fc.constantFrom('%zz', '__proto__', '1', DEMO.accountId, DEMO.standardNumberId, 'x'.repeat(300))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), id, fc.jsonValue(), fc.string(), async (route, id, body, query) => {
      const [method = '', path = ''] = route.split(' ')
      const address = `${path.replace(':id', id)}?fields=${encodeURIComponent(query)}`
      const answer = await world.call(method as 'POST', address, method === 'GET' ? undefined : body)
      assert.ok(answer.status < 500, `${route} ${answer.text}`)
      assert.doesNotMatch(answer.text, FAULT)
    }),
    { numRuns: RUNS },
  )
})

/** Puts a value somewhere inside: each step of the path takes the property at that position, modulo the number of properties. */
function replaceAt(target: unknown, path: readonly number[], value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined || typeof target !== 'object' || target === null) return value
  const keys = Object.keys(target)
  const key = keys[step % Math.max(keys.length, 1)]
  if (key === undefined) return value
  return Object.assign(target, { [key]: replaceAt((target as Record<string, unknown>)[key], rest, value) })
}
