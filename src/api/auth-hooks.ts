import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BoundedMap } from '../lib/bounded-map.ts'
import { SECOND_MS } from '../lib/clock.ts'
import { createBatcher } from '../lib/db/batcher.ts'
import { isBatchFault, isTemporary, retryUntilOutcomeKnown } from '../lib/db/pool.ts'
import { asWritten } from '../../locales/text.ts'
import { ApiError, type ApiErrorCode, apiErrors } from '../lib/errors.ts'
import { MAX_BODY_BYTES, parseJson } from '../lib/http/body.ts'
import { fixedDetail, invalidInput } from '../lib/http/problem.ts'
import { REQUESTS_PER_WINDOW, createRateLimit } from '../lib/http/rate-limit.ts'
import { failureFields } from '../lib/http/redact-error.ts'
import { createRejectionLog } from '../lib/http/rejection-log.ts'
import { endRequestSpan, loggedTrace, startRequestSpan, traceparentOf } from '../lib/http/request-span.ts'
import { isUuid } from '../lib/ids.ts'
import { UnsealError } from '../lib/seal.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { createOtpAcceptor } from '../otp/accept.ts'
import type { CodeParts } from '../otp/code-message.ts'
import { type SealedHook, type ServedHook, findServedHooks, keyIdOf, openServedHook } from '../otp/hooks/hooks.ts'
import { type HookResponse, kinds } from '../otp/hooks/kinds.ts'
import { readHookBody } from '../otp/hooks/read.ts'
import { otpRequestOf } from '../otp/hooks/send.ts'
import type { Parts } from '../runtime/parts.ts'

type HookParts = CodeParts & Pick<Parts, 'config' | 'db' | 'log'>

const PATH = '/hooks/:hookId'
/** Products wait for 5 s. What is accepted later is the same message when the product tries again. */
const ANSWER_WITHIN_MS = 4_500
/** A hook that was changed or deleted is served as before for at most this long. */
const HOOK_CACHE_MS = SECOND_MS
/** A hook in use is read again after this long, so that no request waits for it. */
const RENEW_AFTER_MS = 700
const MAX_CACHED_HOOKS = 1_000
const MAX_READ_TOGETHER = 100
const READS_AT_ONCE = 2
const READ_INTERVAL_MS = 5
const RENEWAL_INTERVAL_MS = 100
const RETRY_AFTER_MS = SECOND_MS
const UNSIGNED_WINDOW_MS = 10 * SECOND_MS

/** Receives the codes that products for sign-in have made (docs/auth-hooks.md). */
export function serveAuthHooks(app: FastifyInstance, parts: HookParts): void {
  const { clock, metrics, log, tracer } = parts
  const accept = createOtpAcceptor(parts)
  const isWithinRate = createRateLimit(parts)
  const rejections = createRejectionLog(log)
  const hooks = createHookCache(parts)
  const unsigned = createUnsignedLimit()
  /** For the metric: Supabase gets the status 200 for a rejected code too. */
  const accepted = new WeakSet<FastifyRequest>()
  app.addHook('onClose', async () => rejections.close())

  const reject = (reply: FastifyReply, reason: keyof typeof REJECTIONS): FastifyReply => {
    metrics.rejectedAuthHooks.inc({ reason })
    const { status, text, ...more } = REJECTIONS[reason]
    return send(reply, { http: status, body: { error: { http_code: status, message: text } }, ...more })
  }

  const isSigned = ({ checks }: ServedHook, { headers }: FastifyRequest, raw: Buffer): boolean => {
    const now = clock.now()
    return checks.some(({ isSigned, until }) => (until === null || now < until) && isSigned({ headers, raw, now }))
  }

  /** Returns undefined if the request is not signed by a hook that exists, or if its address sent too many such requests. */
  async function findSigned(hookId: string, request: FastifyRequest, raw: Buffer): Promise<ServedHook | undefined> {
    const hook = await hooks.find(hookId)
    if (hook && isSigned(hook, request, raw)) return hook
    if (!unsigned.allows(request.ip)) return undefined
    unsigned.count(request.ip)
    const renewed = hook && (await hooks.findUncached(hookId)) // the secret may have just been rotated
    return renewed && isSigned(renewed, request, raw) ? renewed : undefined
  }

  /** Sends the code, and returns what the product understands. */
  async function answer(hook: ServedHook, request: FastifyRequest, raw: Buffer): Promise<TimedResponse> {
    const { value: body, faults } = parseJson(raw)
    const kind = kinds[hook.kind]
    const { id: correlationId } = request
    const logFields = { correlationId, ...loggedTrace(request) }
    try {
      if (!(await isWithinRate(keyIdOf(hook.hookId)))) throw overRate()
      if (faults.length > 0) throw invalidInput(faults)
      const read = readHookBody(hook, body)
      if (!('phone' in read)) throw invalidInput(read)
      const { messageId } = await accept(
        otpRequestOf(parts, hook, { ...read, correlationId, trace: traceparentOf(request) }),
      )
      accepted.add(request)
      return kind.accepted(messageId, body)
    } catch (error) {
      if (!(error instanceof ApiError)) {
        log.error({ ...logFields, ...failureFields(error) }, 'a request to an auth hook failed')
        return rejectionFor(hook, body, isTemporary(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
      }
      const key = { publicId: keyIdOf(hook.hookId), workspaceId: hook.workspaceId }
      rejections.write({ ...logFields, error: error.code, route: { method: 'POST', path: PATH }, key })
      return rejectionFor(hook, body, error.code, error.message)
    }
  }

  app.post<{ Params: { hookId: string }; Body: Buffer | undefined }>(
    PATH,
    {
      bodyLimit: MAX_BODY_BYTES,
      // Before the body is read. Who knows a hook that is in use can still be right.
      onRequest(request, reply, done) {
        if (!hooks.has(request.params.hookId) && !unsigned.allows(request.ip)) return void reject(reply, 'address')
        startRequestSpan(tracer, request, { method: 'POST', route: PATH })
        done()
      },
      onSend(request, { statusCode, elapsedTime }, _payload, done) {
        const outcome = statusCode >= 500 ? 'failed' : accepted.has(request) ? 'accepted' : 'rejected'
        metrics.authHooks.observe({ outcome }, elapsedTime / SECOND_MS)
        endRequestSpan(request, statusCode)
        done()
      },
    },
    async (request, reply) => {
      const raw = request.body ?? Buffer.alloc(0)
      let hook: ServedHook | undefined
      let response: TimedResponse | undefined
      const work = async (): Promise<void> => {
        hook = await findSigned(request.params.hookId, request, raw)
        if (hook) response = await answer(hook, request, raw)
      }
      const isInTime = await withTimeout(ANSWER_WITHIN_MS, work())
      if (response) return send(reply, response)
      if (isInTime) return reject(reply, 'signature')
      if (!hook) return reject(reply, 'time')
      metrics.rejectedAuthHooks.inc({ reason: 'time' })
      return send(reply, rejectionFor(hook, parseJson(raw).value, 'SERVICE_UNAVAILABLE'))
    },
  )
}

type TimedResponse = HookResponse & { retryAfterMs?: number | undefined }

/** `sentence`: for a fault of the request. A fault of ours has a fixed text. */
function rejectionFor({ kind }: ServedHook, body: unknown, code: ApiErrorCode, sentence = ''): TimedResponse {
  const { status } = apiErrors[code]
  const isOurs = status >= 500
  const mayRetry = code === 'RATE_LIMITED' || isOurs
  const rejection = { status, code, sentence: isOurs ? fixedDetail(code) : sentence, mayRetry }
  const isSoon = code === 'RATE_LIMITED' || code === 'SERVICE_UNAVAILABLE'
  return { ...kinds[kind].rejected(rejection, body), retryAfterMs: isSoon ? RETRY_AFTER_MS : undefined }
}

/** A missing hook gets the answer of a wrong signature, so that a stranger cannot find out which hooks exist. */
const REJECTIONS = {
  signature: {
    status: 401,
    text: 'No auth hook has this address, or the request is not signed with the secret of the hook, or it was signed more than 5 minutes ago.',
  },
  address: {
    status: 429,
    text: 'This address sent too many requests without a valid signature.',
    retryAfterMs: UNSIGNED_WINDOW_MS,
  },
  time: {
    status: 503,
    text: 'Doorcode did not store the code in time. Try again.',
    retryAfterMs: RETRY_AFTER_MS,
  },
} satisfies Record<string, { status: number; text: string; retryAfterMs?: number }>

const overRate = (): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    asWritten(`This auth hook got ${REQUESTS_PER_WINDOW} requests within the last second. Try again in a second.`),
  )

/** Supabase and others try again only if they see when. */
function send(reply: FastifyReply, { http, body, retryAfterMs }: TimedResponse): FastifyReply {
  if (retryAfterMs !== undefined) reply.header('retry-after', retryAfterMs / SECOND_MS)
  return typeof body === 'string'
    ? reply.code(http).type('text/plain; charset=utf-8').send(body)
    : reply
        .code(http)
        .type('application/json') // with a serializer of its own it gets no charset
        .serializer(JSON.stringify)
        .send(body)
}

type CachedHook = { hook: Promise<ServedHook | undefined>; readAt: number; isRenewed: boolean }

/** Keyed by the id in lower case, since UUIDs ignore case. Requests that arrive while a hook is read share that read. */
function createHookCache(parts: Pick<HookParts, 'db' | 'seal' | 'log'>) {
  const cache = new BoundedMap<string, CachedHook>(MAX_CACHED_HOOKS)
  const reader = (intervalMs: number) =>
    createBatcher(
      async (hookIds: string[]) => {
        const found = await retryUntilOutcomeKnown(() => findServedHooks(parts.db, hookIds))
        return hookIds.map((hookId) => found.get(hookId))
      },
      { maxItems: MAX_READ_TOGETHER, concurrency: READS_AT_ONCE, intervalMs, mayRunOneByOne: isBatchFault },
    )
  const readNow = reader(READ_INTERVAL_MS)
  const readSoon = reader(RENEWAL_INTERVAL_MS)
  const open = (hookId: string, found: SealedHook | undefined): ServedHook | undefined => {
    try {
      return found && openServedHook(parts.seal, found)
    } catch (error) {
      if (!(error instanceof UnsealError)) throw error
      parts.log.error(
        { hookId },
        'the secret of an auth hook cannot be decrypted with this instance key: it accepts nothing',
      )
      return undefined
    }
  }
  const findUncached = async (id: string): Promise<ServedHook | undefined> => {
    if (!isUuid(id)) return undefined
    const hookId = id.toLowerCase()
    const hook = readNow(hookId).then((found) => open(hookId, found))
    cache.set(hookId, { hook, readAt: performance.now(), isRenewed: false })
    try {
      const found = await hook
      if (!found) cache.delete(hookId)
      return found
    } catch (error) {
      cache.delete(hookId)
      throw error
    }
  }
  /** Replaces the entry, unless a request has read the hook since. After a failure the next request reads it. */
  async function renew(hookId: string, entry: CachedHook): Promise<void> {
    entry.isRenewed = true
    const readAt = performance.now()
    try {
      const hook = open(hookId, await readSoon(hookId))
      if (cache.get(hookId) !== entry) return
      if (hook) cache.set(hookId, { hook: Promise.resolve(hook), readAt, isRenewed: false })
      else cache.delete(hookId)
    } catch (error) {
      parts.log.warn({ hookId, ...failureFields(error) }, 'an auth hook could not be read again')
    }
  }
  return {
    /** Whether the hook was found lately. */
    has: (id: string): boolean => cache.has(id.toLowerCase()),
    findUncached,
    find(id: string): Promise<ServedHook | undefined> {
      const hookId = id.toLowerCase()
      const cached = cache.get(hookId)
      const ageMs = cached ? performance.now() - cached.readAt : HOOK_CACHE_MS
      if (!cached || ageMs >= HOOK_CACHE_MS) return findUncached(id)
      if (ageMs >= RENEW_AFTER_MS && !cached.isRenewed) void renew(hookId, cached)
      return cached.hook
    },
  }
}

const MAX_UNSIGNED_PER_WINDOW = 20
const MAX_ADDRESSES = 10_000

/** Limits requests without a valid signature, each of which may cost a look-up, for each address and process. */
export function createUnsignedLimit() {
  const windows = new BoundedMap<string, { startedAt: number; requests: number }>(MAX_ADDRESSES)
  const current = (address: string) => {
    const window = windows.get(address)
    return window && performance.now() - window.startedAt < UNSIGNED_WINDOW_MS ? window : undefined
  }
  return {
    allows: (address: string): boolean => (current(address)?.requests ?? 0) < MAX_UNSIGNED_PER_WINDOW,
    count(address: string): void {
      const window = current(address)
      if (window) window.requests += 1
      else windows.set(address, { startedAt: performance.now(), requests: 1 })
    },
  }
}
