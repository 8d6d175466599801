import { timingSafeEqual } from 'node:crypto'
import Fastify from 'fastify'
import { later, systemClock } from '../src/lib/clock.ts'
import type { Config } from '../src/lib/config.ts'
import { type Db, type Sql, openDb, statement } from '../src/lib/db/pool.ts'
import { createMemoryRateLimit } from '../src/lib/http/rate-limit.ts'
import { hashSecret, newId, parseApiKey } from '../src/lib/ids.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { OTP_SUBMISSION_WINDOW_MS } from '../src/messages/submission-window.ts'
import { otpRoutes } from '../src/otp/routes.ts'
import type { TemplateComponent } from '../src/providers/provider.ts'
import type { Seal } from '../src/lib/seal.ts'
import { tables } from '../src/operations/columns.ts'
import { openTestSeal } from '../test/database/seal.ts'
import { type SenderState, senderUnavailableReason } from '../src/accounts/availability.ts'
import { otpUnusableReason } from '../src/accounts/templates/usability.ts'
import { quotaMonth } from '../src/workspaces/quota.ts'

type Body = {
  to: string
  senderId: string
  template: { name: string; language: string }
  code: string
  reference?: string
}

/** The naive implementation: one statement per check, one transaction per request. */
export async function servePlain(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const db = openDb({ url: config.databaseUrl ?? '', poolSize: config.databasePool })
  const seal = await openTestSeal(db, config.secretKeys)
  const limit = createMemoryRateLimit()
  const live = { changed: () => {}, follow: () => () => {} }
  const route = otpRoutes({ db, clock: systemClock, seal, wake: () => {}, live, metrics: createMetrics() })[0]
  if (!route) throw new Error('there is no route that accepts a one-time code')
  const app = Fastify()
  app.post('/api/v1/otp/messages', async (request, reply) => {
    const key = await checkKey(db, request.headers.authorization)
    if (!key) return reply.code(401).send()
    if (!(await limit(key.public_id))) return reply.code(429).send()
    const body = route.schemas.body.safeParse(request.body)
    const headers = route.schemas.headers.safeParse(request.headers)
    if (!body.success || !headers.success) return reply.code(422).send()
    const { 'idempotency-key': idempotencyKey = null } = headers.data as { 'idempotency-key'?: string }
    const { status, messageId } = await db.transaction((tx) =>
      accept(tx, seal, { key, idempotencyKey, body: body.data as Body }),
    )
    return reply.code(status).send({ messageId, status: 'queued', reference: null })
  })
  const url = await app.listen({ port: config.port, host: config.host })
  return { url, stop: () => app.close().then(() => db.close()) }
}

type Key = { public_id: string; workspace_id: string; secret_hash: Buffer }

const findKey = statement<Key>(
  'bench_find_key',
  'select public_id, workspace_id, secret_hash from api_keys where public_id = $1 and revoked_at is null',
)

async function checkKey(db: Db, authorization = ''): Promise<Key | undefined> {
  const apiKey = parseApiKey(authorization.replace(/^Bearer /, ''))
  const key = apiKey && (await db.row(findKey, [apiKey.publicId]))
  return key && timingSafeEqual(hashSecret(apiKey.secret), key.secret_hash) ? key : undefined
}

const findEarlier = statement<{ id: string }>(
  'bench_find_earlier',
  `select id from messages where workspace_id = $1 and kind = 'otp' and idempotency_key = $2 and verification_id is null`,
)

type SenderRow = SenderState & { account_id: string }

const findSender = statement<SenderRow>(
  'bench_find_sender',
  `select s.account_id, s.status as "senderStatus", s.paused_at is not null as "senderPaused",
     s.gone_at is not null as "senderGone", a.status as "accountStatus"
   from senders s join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1 and s.id = $2`,
)

const findTemplate = statement<{ status: string; category: string; components: TemplateComponent[] }>(
  'bench_find_template',
  'select status, category, components from templates where account_id = $1 and name = $2 and language = $3',
)

const findBlocked = statement<{ phone: string }>(
  'bench_find_blocked',
  'select phone from blocked_recipients where workspace_id = $1 and phone = $2',
)

const takeUnit = statement<{ used: number }>(
  'bench_take_unit',
  `update quota_usage q set used = used + 1
   from quotas a
   where q.workspace_id = $1 and q.kind = 'otp' and q.month = $2
     and a.workspace_id = q.workspace_id and a.kind = q.kind and q.used < a.monthly_units
   returning q.used`,
)

const insertMessage = statement(
  'bench_insert_message',
  `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
     idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
   values ($1, $2, 'otp', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'queued', 0, $14, $13)`,
)

type Request = { key: Key; idempotencyKey: string | null; body: Body }

async function accept(
  tx: Sql,
  seal: Seal,
  { key, idempotencyKey, body }: Request,
): Promise<{ status: number; messageId?: string }> {
  const workspaceId = key.workspace_id
  const earlier = await tx.row(findEarlier, [workspaceId, idempotencyKey])
  if (earlier) return { status: 202, messageId: earlier.id }
  const sender = await tx.row(findSender, [workspaceId, body.senderId])
  if (!sender) return { status: 404 }
  const template = await tx.row(findTemplate, [sender.account_id, body.template.name, body.template.language])
  if (!template) return { status: 404 }
  if (senderUnavailableReason(sender)) return { status: 409 }
  if (otpUnusableReason(template)) return { status: 409 }
  if (await tx.row(findBlocked, [workspaceId, body.to])) return { status: 409 }
  const now = systemClock.now()
  const unit = await tx.row(takeUnit, [workspaceId, quotaMonth(now)])
  if (!unit) return { status: 429 }
  const messageId = newId()
  const { name, language } = body.template
  const values = [messageId, workspaceId, body.senderId, body.to, name, language, body.reference, idempotencyKey]
  const code = seal.close(body.code, tables.messages.sealed.code(messageId))
  const submitBy = later(now, OTP_SUBMISSION_WINDOW_MS)
  await tx.rows(insertMessage, [...values, code, crypto.randomUUID(), key.public_id, unit.used, now, submitBy])
  return { status: 202, messageId }
}
