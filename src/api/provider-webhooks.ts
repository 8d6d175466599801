import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { BoundedMap } from '../lib/bounded-map.ts'
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { retryUntilOutcomeKnown } from '../lib/db/pool.ts'
import { isUuid } from '../lib/ids.ts'
import { createReceiver } from '../messages/reports/receive.ts'
import type { Subscribers } from '../messages/subscribers.ts'
import type { Parts } from '../runtime/parts.ts'
import { type WebhookAccount, appSecretsAt, findWebhookAccount, webhookPathOf } from '../accounts/accounts.ts'
import { UnsealError } from '../lib/seal.ts'
import { BodyBudgetExceeded } from '../lib/http/body-budget.ts'

type WebhookParts = Pick<
  Parts,
  'config' | 'db' | 'clock' | 'seal' | 'wake' | 'live' | 'metrics' | 'provider' | 'tracer' | 'log'
> & {
  subscribers: Pick<Subscribers, 'outcomes'>
}

/** Accounts are cached this long, and read again immediately when a signature is wrong. */
const ACCOUNT_CACHE_MS = 1_000
const MAX_CACHED_ACCOUNTS = 1_000
/** Uncached reads of one account that wrong signatures may trigger within ACCOUNT_CACHE_MS. */
const MAX_READS_FOR_ADDRESS = 5
const MAX_READS_OF_ACCOUNT = 20
/**
 * Of an account, in one process. WhatsApp repeats what was rejected for days, and strangers can send such requests too:
 * these must not hide what is wrong with another account.
 */
const SIGNATURE_LINE_INTERVAL_MS = MINUTE_MS

/**
 * Receives the provider's webhooks, one path per account. Every signed webhook is stored and gets a 200 whatever it
 * contains: after a 500 the provider resends the whole batch for days.
 */
export function serveProviderWebhooks(app: FastifyInstance, parts: WebhookParts): void {
  const receive = createReceiver(parts)
  const accounts = createAccountCache(parts)
  const mayRead = createReadLimit()
  const isSignedBy = (account: WebhookAccount, raw: Buffer, headers: IncomingHttpHeaders): boolean =>
    appSecretsAt(account, parts.clock.now()).some((appSecret) => parts.provider.verify({ appSecret }, raw, headers))

  const warnedAt = new BoundedMap<string, number>(MAX_CACHED_ACCOUNTS)
  const reject = (reply: FastifyReply, reason: keyof typeof REJECTIONS): FastifyReply => {
    parts.metrics.rejectedProviderWebhooks.inc({ reason })
    return sendText(reply, REJECTIONS[reason].status, REJECTIONS[reason].text)
  }

  const rejectSignature = (reply: FastifyReply, { accountId }: WebhookAccount): FastifyReply => {
    const now = performance.now()
    if (now - (warnedAt.get(accountId) ?? -Infinity) >= SIGNATURE_LINE_INTERVAL_MS) {
      warnedAt.set(accountId, now)
      parts.log.warn(
        { accountId, path: webhookPathOf(accountId) },
        'a webhook was rejected: its signature does not match the app secret that this account was connected with. If WhatsApp sent it, run “doorcode account connect” again with the secret of the app that sends the webhooks',
      )
    }
    return reject(reply, 'signature')
  }

  app.get<{ Params: { accountId: string }; Querystring: Record<string, unknown> }>(
    '/whatsapp/:accountId',
    async (request, reply) => {
      const account = await accounts.find(request.params.accountId)
      if (!isReadable(account)) {
        const { status, text: why } = REJECTIONS[account ?? 'account']
        return sendText(reply, status, why)
      }
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = request.query
      if (mode !== 'subscribe' || typeof challenge !== 'string' || typeof token !== 'string') {
        return sendText(
          reply,
          400,
          'WhatsApp sends its webhooks here. To verify the address it asks with hub.mode=subscribe, hub.verify_token and hub.challenge.',
        )
      }
      if (!equal(token, account.verifyToken)) {
        return sendText(reply, 403, 'The verify token is not the one this account was connected with.')
      }
      return sendText(reply, 200, challenge)
    },
  )

  app.post<{ Params: { accountId: string }; Body: Buffer | undefined }>(
    '/whatsapp/:accountId',
    {
      // Before the body is read, so that requests without a possible signature take no memory.
      async onRequest(request, reply) {
        const account = await accounts.find(request.params.accountId)
        if (!isReadable(account)) return reject(reply, account ?? 'account')
        return parts.provider.isSigned(request.headers) ? undefined : reject(reply, 'signature')
      },
      onError(_request, _reply, error, done) {
        if (error instanceof BodyBudgetExceeded) parts.metrics.rejectedProviderWebhooks.inc({ reason: 'memory' })
        done()
      },
      onResponse(_request, { statusCode, elapsedTime }, done) {
        const outcome = statusCode < 300 ? 'stored' : statusCode < 500 ? 'rejected' : 'failed'
        parts.metrics.providerWebhooks.observe({ outcome }, elapsedTime / SECOND_MS)
        done()
      },
    },
    async (request, reply) => {
      const { accountId } = request.params
      const raw = request.body ?? Buffer.alloc(0)
      let account = await accounts.find(accountId)
      if (isReadable(account) && !isSignedBy(account, raw, request.headers)) {
        if (!mayRead(account.accountId, request.ip)) return rejectSignature(reply, account)
        account = await accounts.findUncached(accountId) // the secret may have just been renewed
        if (isReadable(account) && !isSignedBy(account, raw, request.headers)) return rejectSignature(reply, account)
      }
      if (!isReadable(account)) return reject(reply, account ?? 'account')
      await receive(account, parts.provider.parse(raw))
      return sendText(reply, 200, 'stored')
    },
  )
}

const REJECTIONS = {
  account: {
    status: 404,
    text: 'No WhatsApp account has this path. “doorcode account connect” and “doorcode account sync” print the path of each account.',
  },
  /** The provider retries for days, so the operator has time to restore the key. */
  unreadable: {
    status: 503,
    text: 'Doorcode cannot decrypt the app secret of this account: it was encrypted with another instance key. The operator must start Doorcode with that key, or connect the account again.',
  },
  signature: { status: 401, text: 'The signature does not match the app secret that this account was connected with.' },
} as const

const sendText = (reply: FastifyReply, status: number, body: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(body)

/** Compares digests, so that timing reveals neither content nor length. */
const equal = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

/**
 * Whether a wrong signature may trigger an uncached read. A flood costs a few reads a second, and a webhook signed with a
 * new secret still passes. If it shares its address with the flood, the provider's retry passes a second later.
 */
export function createReadLimit(monotonicMs: () => number = () => performance.now()) {
  let reads = new Map<string, string[]>()
  let windowStart = monotonicMs()
  return (accountId: string, address: string): boolean => {
    const now = monotonicMs()
    if (now - windowStart >= ACCOUNT_CACHE_MS) {
      reads = new Map()
      windowStart = now
    }
    const readers = reads.get(accountId) ?? []
    if (readers.length >= MAX_READS_OF_ACCOUNT) return false
    if (readers.filter((reader) => reader === address).length >= MAX_READS_FOR_ADDRESS) return false
    reads.set(accountId, [...readers, address])
    return true
  }
}

/** Undefined if the account does not exist. */
type CachedAccount = WebhookAccount | 'unreadable' | undefined

const isReadable = (account: CachedAccount): account is WebhookAccount => typeof account === 'object'

/** Keyed by the id in lower case, since UUIDs ignore case. */
function createAccountCache(parts: WebhookParts) {
  const cache = new BoundedMap<string, { account: CachedAccount; readAt: number }>(MAX_CACHED_ACCOUNTS)
  const reading = new Map<string, Promise<CachedAccount>>()
  const read = async (accountId: string): Promise<CachedAccount> => {
    const account = await retryUntilOutcomeKnown(() => findWebhookAccount(parts, accountId)).catch(unreadable)
    if (account === 'unreadable' && cache.get(accountId)?.account !== account)
      parts.log.error(
        { accountId },
        'the app secret of an account cannot be decrypted with this instance key: its webhooks get a 503',
      )
    if (account) cache.set(accountId, { account, readAt: performance.now() })
    return account
  }
  const findUncached = async (id: string): Promise<CachedAccount> => (isUuid(id) ? read(id.toLowerCase()) : undefined)
  /** Webhooks that arrive while an account is being read share that read. */
  const findOnce = (accountId: string): Promise<CachedAccount> => {
    const pendingRead = reading.get(accountId) ?? findUncached(accountId).finally(() => reading.delete(accountId))
    reading.set(accountId, pendingRead)
    return pendingRead
  }
  return {
    findUncached,
    async find(id: string): Promise<CachedAccount> {
      const accountId = id.toLowerCase()
      const cached = cache.get(accountId)
      return cached && performance.now() - cached.readAt < ACCOUNT_CACHE_MS ? cached.account : findOnce(accountId)
    },
  }
}

function unreadable(error: unknown): 'unreadable' {
  if (error instanceof UnsealError) return 'unreadable'
  throw error
}
