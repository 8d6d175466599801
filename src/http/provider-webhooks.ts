import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isUuid } from '../ids.ts'
import { receiving } from '../messages/receive.ts'
import type { Parts } from '../parts.ts'
import { type WebhookAccount, appSecretsAt, findWebhookAccount } from '../senders/accounts.ts'
import { NoRoom } from './body-room.ts'

type WebhookParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'wake' | 'metrics' | 'provider'>

/** An account's secrets are read again after this time, and at once when a signature does not fit. */
const ACCOUNT_FRESH_MS = 1_000
const ACCOUNTS_KEPT_MOST = 1_000

/**
 * Where a provider sends its webhooks: each account has its own path. Everything that is signed is stored and answered
 * 200, whatever it holds: an answer of 500 would make the provider send the whole batch again for days.
 */
export function providerWebhooks(app: FastifyInstance, parts: WebhookParts): void {
  const receive = receiving(parts)
  const accounts = accountsOf(parts)
  const isFrom = (account: WebhookAccount, raw: Buffer, headers: IncomingHttpHeaders): boolean =>
    appSecretsAt(account, parts.clock.now()).some((appSecret) => parts.provider.verify({ appSecret }, raw, headers))

  const refuse = (reply: FastifyReply, reason: keyof typeof REFUSED): FastifyReply => {
    parts.metrics.refusedProviderWebhooks.inc({ reason })
    return text(reply, REFUSED[reason].status, REFUSED[reason].text)
  }

  app.get<{ Params: { accountId: string }; Querystring: Record<string, unknown> }>(
    '/whatsapp/:accountId',
    async (request, reply) => {
      const account = await accounts.find(request.params.accountId)
      if (!account) return text(reply, REFUSED.account.status, REFUSED.account.text)
      const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = request.query
      if (mode !== 'subscribe' || typeof challenge !== 'string' || typeof token !== 'string') {
        return text(
          reply,
          400,
          'WhatsApp sends its webhooks here. To verify the address it asks with hub.mode=subscribe, hub.verify_token and hub.challenge.',
        )
      }
      if (!equal(token, account.verifyToken)) {
        return text(reply, 403, 'The verify token is not the one this account was connected with.')
      }
      return text(reply, 200, challenge)
    },
  )

  app.post<{ Params: { accountId: string }; Body: Buffer | undefined }>(
    '/whatsapp/:accountId',
    {
      // Before the body: what is refused whatever it holds takes no memory.
      onRequest(request, reply, done) {
        const judge = (account: WebhookAccount | undefined): void => {
          if (!account) refuse(reply, 'account')
          else if (!parts.provider.isSigned(request.headers)) refuse(reply, 'signature')
          else done()
        }
        const account = accounts.find(request.params.accountId)
        if (account instanceof Promise) account.then(judge, done)
        else judge(account)
      },
      onError(_request, _reply, error, done) {
        if (error instanceof NoRoom) parts.metrics.refusedProviderWebhooks.inc({ reason: 'room' })
        done()
      },
    },
    async (request, reply) => {
      const { accountId } = request.params
      const raw = request.body ?? Buffer.alloc(0)
      let account = await accounts.find(accountId)
      if (account && !isFrom(account, raw, request.headers)) {
        account = await accounts.findAfresh(accountId) // the secret may just have been renewed
        if (account && !isFrom(account, raw, request.headers)) return refuse(reply, 'signature')
      }
      if (!account) return refuse(reply, 'account')
      await receive(account, parts.provider.parse(raw))
      return text(reply, 200, 'stored')
    },
  )
}

const REFUSED = {
  account: {
    status: 404,
    text: 'No WhatsApp account has this path. "account connect" and "account sync" print the path of each account.',
  },
  signature: { status: 401, text: 'The signature does not fit the app secret this account was connected with.' },
} as const

const text = (reply: FastifyReply, status: number, body: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(body)

/** Compares digests, so that neither content nor length shows in the time. */
const equal = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

function accountsOf(parts: WebhookParts) {
  const kept = new Map<string, { account: WebhookAccount; readAt: number }>()
  const findAfresh = async (accountId: string): Promise<WebhookAccount | undefined> => {
    if (!isUuid(accountId)) return undefined
    const account = await findWebhookAccount(parts, accountId.toLowerCase())
    if (!account) return undefined
    if (kept.size >= ACCOUNTS_KEPT_MOST) kept.clear()
    kept.set(accountId, { account, readAt: performance.now() })
    return account
  }
  return {
    findAfresh,
    /** At once when it was read lately, which it nearly always was. */
    find(accountId: string): WebhookAccount | Promise<WebhookAccount | undefined> {
      const known = kept.get(accountId)
      return known && performance.now() - known.readAt < ACCOUNT_FRESH_MS ? known.account : findAfresh(accountId)
    },
  }
}
