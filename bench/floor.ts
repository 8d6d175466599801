import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto'
import Fastify from 'fastify'
import type { Config } from '../src/lib/config.ts'
import { type Db, type Sql, type Statement, batch, openDb, statement } from '../src/lib/db/pool.ts'
import { createBatcher } from '../src/lib/db/batcher.ts'

const MAX_GROUP = 256
const GROUPS_AT_ONCE = 2

/** What a floor reads of the requests of both parts. */
type Body = { to: string; senderId: string; reference?: string; parameters?: object }

type Insert = (sql: Sql, bodies: Body[]) => Promise<void>

/**
 * The minimum cost of a durable answer: a Fastify route that only makes a group-committed insert of one row.
 * The row is narrow and has one index, or it is what an accepted code (one message) or order (a confirmation and its message)
 * stores, with all columns and indexes.
 */
export async function serveFloor(
  config: Config,
  row: keyof typeof INSERTS,
): Promise<{ url: string; stop(): Promise<void> }> {
  const db = openDb({ url: config.databaseUrl ?? '', poolSize: config.databasePool })
  const insertRows = await INSERTS[row](db)
  const insert = createBatcher(
    async (bodies: Body[]) => {
      await insertRows(db, bodies)
      return bodies.map(() => undefined)
    },
    { maxItems: MAX_GROUP, concurrency: GROUPS_AT_ONCE, mayRunOneByOne: () => false },
  )
  const app = Fastify()
  app.post('/api/v1/otp/messages', async (request, reply) => {
    await insert(request.body as Body)
    return reply.code(202).send({ messageId: randomUUID(), status: 'queued', reference: null })
  })
  const url = await app.listen({ port: config.port, host: config.host })
  return { url, stop: () => app.close().then(() => db.close()) }
}

const makeTable = statement(
  'bench_make_floor',
  'create table if not exists bench_floor (id uuid primary key, body text not null)',
)

const insertNarrow = statement(
  'bench_insert_narrow_rows',
  'insert into bench_floor (id, body) select id, body from jsonb_to_recordset($1) as r (id uuid, body text)',
)

async function narrowRows(db: Db): Promise<Insert> {
  await db.rows(makeTable)
  return async (sql, bodies) => {
    await sql.rows(insertNarrow, [batch(bodies.map((body) => ({ id: randomUUID(), body: JSON.stringify(body) })))])
  }
}

const allSenders: Statement<{ id: string; workspace_id: string }> = statement(
  'bench_list_senders',
  'select id, workspace_id from senders',
)

/** Every column that an accepted code fills, with values of its usual length. */
const insertMessages = statement(
  'bench_insert_message_rows',
  `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
     idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
   select id, workspace_id, 'otp', sender_id, recipient, 'login_code', 'en_US', reference,
     idempotency_key, code, correlation_id, $2, 1, created_at, 'queued', 0, created_at, created_at
   from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, sender_id uuid, recipient text, reference text,
     idempotency_key text, code bytea, correlation_id uuid, created_at timestamptz)`,
)

/** Every column that an accepted confirmation and its message fill, with values of their usual length. */
const insertConfirmations = statement(
  'bench_insert_confirmation_rows',
  `with requests as materialized (
     select * from jsonb_to_recordset($1) as r (id uuid, message_id uuid, workspace_id uuid, sender_id uuid, recipient text,
       reference text, idempotency_key text, parameters jsonb, content jsonb, correlation_id uuid, created_at timestamptz)
   ), inserted as (
     insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at)
     select id, workspace_id, sender_id, recipient, 'order_confirmation', 'en_US', parameters,
       reference, idempotency_key, correlation_id, 'abcdefghijkl', 1, created_at, 'accepted', created_at
     from requests
   )
   insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
     template_name, template_language, created_at, status, priority, due_at, submit_by)
   select message_id, workspace_id, 'cod', sender_id, recipient, id, 'confirmation', 'template', content,
     'order_confirmation', 'en_US', created_at, 'queued', 1, created_at, created_at
   from requests`,
)

async function confirmationRows(db: Db): Promise<Insert> {
  const workspaceOf = await workspacesBySender(db)
  return async (sql, bodies) => {
    const rows = bodies.map(({ to, senderId, reference, parameters }) => {
      const id = randomUUIDv7()
      const payloads = ['confirm', 'cancel', 'reschedule'].map((answer) => `confirmation/${id}/${answer}`)
      return {
        id,
        message_id: randomUUIDv7(),
        workspace_id: workspaceOf.get(senderId),
        sender_id: senderId,
        recipient: to,
        reference,
        idempotency_key: randomUUID(),
        parameters,
        content: { type: 'template', name: 'order_confirmation', language: 'en_US', ...parameters, payloads },
        correlation_id: randomUUID(),
        created_at: new Date(),
      }
    })
    await sql.rows(insertConfirmations, [batch(rows)])
  }
}

/** Every column that an accepted verification and its message fill. Each recipient is another person. */
const insertVerifications = statement(
  'bench_insert_verification_rows',
  `with requests as materialized (
     select * from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, sender_id uuid, recipient text, reference text,
       idempotency_key text, code bytea, code_key bytea, code_hash bytea, correlation_id uuid, created_at timestamptz)
   ), inserted as (
     insert into otp_verifications (id, workspace_id, recipient, prefix_number, country, idempotency_key, code_length,
       ttl_seconds, max_attempts, created_at, expires_at, status, code_key, code_hash, sent_at, due_at)
     select id, workspace_id, recipient || '0', (random() * 1e9)::int, 'MA', idempotency_key, 6, 600, 10, created_at,
       created_at + interval '10 minutes', 'pending', code_key, code_hash, array[created_at], created_at + interval '10 minutes'
     from requests
   )
   insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference, code,
     correlation_id, api_key_id, quota_unit, created_at, status, priority, due_at, submit_by)
   select id, workspace_id, 'otp', sender_id, recipient, 'login_code', 'en_US', reference, code,
     correlation_id, 'abcdefghijkl', 1, created_at, 'queued', 0, created_at, created_at
   from requests`,
)

async function verificationRows(db: Db): Promise<Insert> {
  const workspaceOf = await workspacesBySender(db)
  const [code, codeHash] = [35, 32].map((bytes) => `\\x${Buffer.alloc(bytes, 7).toString('hex')}`)
  // Shorter than Doorcode's, so that the bench can tell them apart.
  const codeKey = `\\x${Buffer.alloc(40, 7).toString('hex')}`
  return async (sql, bodies) => {
    const rows = bodies.map(({ to, senderId, reference }) => ({
      id: randomUUIDv7(),
      workspace_id: workspaceOf.get(senderId),
      sender_id: senderId,
      recipient: to,
      reference,
      idempotency_key: randomUUID(),
      code,
      code_key: codeKey,
      code_hash: codeHash,
      correlation_id: randomUUID(),
      created_at: new Date(),
    }))
    await sql.rows(insertVerifications, [batch(rows)])
  }
}

/** What differs between the rows of the API and of an auth hook. */
type Origin = { apiKeyId: string; newKey: () => string; hasReference: boolean }

const API: Origin = { apiKeyId: 'abcdefghijkl', newKey: randomUUID, hasReference: true }
const HOOK: Origin = {
  apiKeyId: `hook:${randomUUIDv7()}`,
  newKey: () => `hook_${randomBytes(32).toString('base64url')}_5982653`,
  hasReference: false,
}

const INSERTS = {
  narrow: narrowRows,
  message: (db: Db) => messageRows(db, API),
  'hook-message': (db: Db) => messageRows(db, HOOK),
  confirmation: confirmationRows,
  verification: verificationRows,
}

const workspacesBySender = async (db: Db): Promise<Map<string, string>> =>
  new Map((await db.rows(allSenders)).map(({ id, workspace_id }) => [id, workspace_id]))

/** Rows with the workspace, sender and recipient of each request: the inserts write to as many places of the indexes. */
async function messageRows(db: Db, { apiKeyId, newKey, hasReference }: Origin): Promise<Insert> {
  const workspaceOf = await workspacesBySender(db)
  const code = `\\x${Buffer.alloc(35, 7).toString('hex')}`
  return async (sql, bodies) => {
    const rows = bodies.map(({ to, senderId, reference }) => ({
      id: randomUUIDv7(),
      workspace_id: workspaceOf.get(senderId),
      sender_id: senderId,
      recipient: to,
      reference: hasReference ? reference : null,
      idempotency_key: newKey(),
      code,
      correlation_id: randomUUID(),
      created_at: new Date(),
    }))
    await sql.rows(insertMessages, [batch(rows), apiKeyId])
  }
}
