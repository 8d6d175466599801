import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { asWritten } from '../sentences.ts'
import type { ApiKey, KeyRing } from '../workspaces/keys.ts'
import { type Answer, sendAnswer } from './answer.ts'
import { readJson } from './body.ts'
import { detailOfMany, details } from './details.ts'
import type { Fault } from './faults.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RefusedOf } from './refusal-log.ts'
import type { RawInput, Route } from './route.ts'

export const API_PREFIX = '/api/v1'

export type ApiParts = {
  keys: KeyRing
  limit: RateLimit
  answerOf: (error: unknown, correlationId: string, of: RefusedOf) => Answer
  metrics: Pick<Metrics, 'requests'>
}

/** The routes of the table, each behind the same checks in the order of contract §2. */
export function serveApi(
  app: FastifyInstance,
  routes: readonly Route[],
  { keys, limit, answerOf, metrics }: ApiParts,
): void {
  const serve = async (route: ServedRoute, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const startedAt = performance.now()
    let key: ApiKey | undefined
    try {
      const found = keys.find(request.headers.authorization)
      key = found instanceof Promise ? await found : found
      const body = JSON.stringify(await answer(route, request, key))
      sendAnswer(reply, request.id, { status: route.success.status, headers: JSON_HEADERS, body })
    } catch (error) {
      sendAnswer(reply, request.id, answerOf(error, request.id, { route: route.told, key }))
    }
    metrics.requests.observe(
      { route: route.path, status: reply.raw.statusCode },
      (performance.now() - startedAt) / 1000,
    )
  }

  const answer = async (route: ServedRoute, request: FastifyRequest, key: ApiKey | undefined): Promise<unknown> => {
    if (!key) throw new Refusal('API_KEY_INVALID', NO_KEY)

    const granted = limit(key.publicId)
    if (!(typeof granted === 'boolean' ? granted : await granted)) {
      throw new Refusal('RATE_LIMITED', TOO_OFTEN)
    }

    const { faults, answer } = route.read(await readInput(route, request))
    if (faults) throw new Refusal('DEVELOPER_INVALID_INPUT', asWritten(detailOfMany(faults.length)), faults)
    return answer({ workspaceId: key.workspaceId, apiKeyId: key.publicId, correlationId: request.id })
  }

  for (const route of routes) {
    const told = { method: route.method, path: API_PREFIX + route.path }
    const served = { ...route, told, bodyRequired: !route.schemas.body.safeParse(undefined).success }
    app.route({
      method: told.method,
      url: told.path,
      // Answered from this hook: the next thing Fastify does is to refuse content types in its own order and format.
      onRequest: (request, reply) => void serve(served, request, reply),
      handler: () => Promise.reject(new Error('answered in onRequest')),
    })
  }
}

const NO_KEY = asWritten(details.API_KEY_INVALID)
const TOO_OFTEN = asWritten(details.RATE_LIMITED)

const JSON_HEADERS = { 'content-type': 'application/json' }

/** `told`: what the log calls it. */
type ServedRoute = Route & { told: { method: string; path: string }; bodyRequired: boolean }

async function readInput(route: ServedRoute, { raw, params, query }: FastifyRequest): Promise<RawInput> {
  const body = await readJson(raw, route.bodyRequired)
  return { params, query, headers: raw.headers, body: body.value, faults: [...repeatedHeaders(raw), ...body.faults] }
}

const ONCE_ONLY = new Set(['authorization', 'content-type', 'host', 'idempotency-key'])

/** Node drops or joins what is repeated, so that two values would pass for one. */
function repeatedHeaders({ rawHeaders }: IncomingMessage): Fault[] {
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!ONCE_ONLY.has(name)) continue
    if (seen.has(name)) faults.push({ in: 'header', pointer: `/${name}`, detail: 'must not be repeated' })
    seen.add(name)
  }
  return faults
}
