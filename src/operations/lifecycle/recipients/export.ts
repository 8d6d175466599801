import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID } from '../../../lib/ids.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { learnUserIds, readReports } from './find-reports.ts'
import { readEntries, replacerOf } from './mentions.ts'
import { type Person, findPerson, withUserIds } from './person.ts'
import { findUnfinished } from './unfinished.ts'

/** Of messages or confirmations, each with everything that belongs to it: what is held in memory at one time. */
const PAGE = 20

export type ExportParts = Pick<Parts, 'db' | 'seal'>

export type ExportRequest = { workspaceId: string; phone: string; at: Date }

export type ExportedCounts = {
  oneTimeCodes: number
  confirmations: number
  reports: number
  auditEntries: number
  blocks: number
}

/**
 * Everything that the workspace holds about a recipient, as the text of one JSON object, piece by piece. Never contains a code.
 * Returns the counts.
 */
export async function* exportRecipient(
  { db: sql, seal }: ExportParts,
  { workspaceId, phone, at }: ExportRequest,
): AsyncGenerator<string, ExportedCounts> {
  const known = await findPerson(sql, { workspaceId, phone })
  const person = await learnUserIds(sql, withUserIds(known, (await findUnfinished(sql, seal, known))?.userIds))
  const { phones, userIds } = person
  const head = JSON.stringify({ workspaceId, phone, exportedAt: at, otherForms: phones.slice(1), userIds })
  yield head.slice(0, -1) // more members follow
  const blocks = await sql.rows(readBlocks, [workspaceId, phones])
  yield `,"blocked":${JSON.stringify(blocks[0] ?? null)}`
  yield `,"sendingPace":${JSON.stringify(await sql.rows(readPace, [workspaceId, phones]))}`
  const oneTimeCodes = yield* list('oneTimeCodes', documents(sql, person, readCodes))
  const confirmations = yield* list('confirmations', documents(sql, person, readConfirmations))
  const reports = yield* list('otherReports', readReports(sql, person))
  const auditEntries = yield* list('auditEntries', mentions(sql, person))
  const exported = { oneTimeCodes, confirmations, reports, auditEntries, blocks: blocks.length }
  const found = Object.values(exported).some((count) => count > 0)
  yield `,"found":${found},"counts":${JSON.stringify(exported)}}`
  return exported
}

/** A member whose value is an array. Returns its length. */
async function* list(name: string, values: AsyncIterable<unknown>): AsyncGenerator<string, number> {
  let count = 0
  yield `,"${name}":[`
  for await (const value of values) {
    yield `${count === 0 ? '' : ','}${JSON.stringify(value, withParsedBodies)}`
    count += 1
  }
  yield ']'
  return count
}

/** Bodies are stored as the text that was received or is sent. */
function withParsedBodies(name: string, value: unknown): unknown {
  if (name !== 'body' || typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

type Document = { id: string; document: unknown }

async function* documents(sql: Sql, person: Person, read: Statement<Document>): AsyncGenerator {
  for (const phone of person.phones) {
    for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
      const rows: Document[] = await sql.rows(read, [person.workspaceId, phone, after, PAGE])
      for (const { document } of rows) yield document
      after = rows.length < PAGE ? undefined : rows.at(-1)?.id
    }
  }
}

async function* mentions(sql: Sql, person: Person): AsyncGenerator {
  const replace = await replacerOf(sql, person, '')
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const { entries, next } = await readEntries(sql, person.workspaceId, after)
    for (const entry of entries) if (JSON.stringify(replace(entry)) !== JSON.stringify(entry)) yield entry
    after = next
  }
}

const readBlocks: Statement<object> = statement(
  'export_blocks',
  `select phone, reason, blocked_by as "blockedBy", created_at as "blockedAt" from blocked_recipients
   where workspace_id = $1 and phone = any ($2)`,
)

const readPace: Statement<object> = statement(
  'export_pair_pace',
  `select s.id as "senderId", p.free_at as "freeAt" from senders s
   cross join lateral (
     select free_at from pair_pace where sender_id = s.id and recipient = any ($2::text[]) limit 10) p
   where s.workspace_id = $1`,
)

const agg = (object: string, from: string, order: string): string =>
  `(select coalesce(jsonb_agg(${object} order by ${order}), '[]') from ${from})`

const WEBHOOK_ATTEMPTS = agg(
  `jsonb_build_object('attempt', w.attempt, 'startedAt', w.started_at, 'durationMs', w.duration_ms,
     'httpStatus', w.http_status, 'error', w.error, 'response', w.response)`,
  'webhook_attempts w where w.delivery_id = d.id',
  'w.attempt',
)

const DELIVERIES = agg(
  `jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'status', d.status, 'createdAt', d.created_at,
     'endedAt', d.ended_at, 'attempts', ${WEBHOOK_ATTEMPTS})`,
  'webhook_deliveries d where d.event_id = e.id',
  'd.id',
)

const eventsOf = (condition: string): string =>
  agg(
    `jsonb_build_object('id', e.id, 'type', e.type, 'occurredAt', e.occurred_at, 'recordedAt', e.recorded_at,
       'body', e.body, 'deliveries', ${DELIVERIES})`,
    `events e where ${condition}`,
    'e.id',
  )

const REPORT = `jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id,
     'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body)`

const ATTEMPTS = agg(
  `jsonb_build_object('attempt', a.attempt, 'startedAt', a.started_at, 'endedAt', a.ended_at, 'outcome', a.outcome,
     'httpStatus', a.http_status, 'providerCode', a.provider_code, 'detail', a.detail)`,
  'message_attempts a where a.message_id = m.id',
  'a.attempt',
)

/** Never the code. */
const MESSAGE = `jsonb_build_object('id', m.id, 'kind', m.kind, 'check', m.check_kind, 'purpose', m.purpose,
     'senderId', m.sender_id, 'to', m.recipient, 'templateName', m.template_name, 'templateLanguage', m.template_language,
     'reference', m.reference, 'idempotencyKey', m.idempotency_key, 'correlationId', m.correlation_id,
     'createdAt', m.created_at, 'content', m.content, 'offered', m.offered, 'status', m.status,
     'providerMessageId', m.provider_message_id, 'acceptedAt', m.accepted_at, 'sentAt', m.sent_at,
     'failureCode', m.failure_code, 'failedAt', m.failed_at, 'attempts', ${ATTEMPTS},
     'reports', ${agg(REPORT, 'provider_reports r where r.message_id = m.id', 'r.received_at, r.id')})`

const readCodes: Statement<Document> = statement(
  'export_one_time_codes',
  `select m.id, ${MESSAGE} || jsonb_build_object('events', ${eventsOf('e.message_id = m.id')}) as document
   from messages m
   where m.workspace_id = $1 and m.recipient = $2 and m.confirmation_id is null and m.id > $3
   order by m.id limit $4`,
)

const ANSWERS = agg(
  `jsonb_build_object('check', a.check_kind, 'answer', a.answer, 'detail', a.detail, 'answeredAt', a.answered_at,
     'superseded', a.superseded)`,
  'cod_answers a where a.confirmation_id = c.id',
  'a.answered_at, a.id',
)

const REFUSAL_CHECK = `(select jsonb_build_object('templateName', f.template_name, 'templateLanguage', f.template_language,
     'parameters', f.parameters, 'idempotencyKey', f.idempotency_key, 'createdAt', f.created_at, 'status', f.status,
     'answeredAt', f.answered_at, 'reason', f.reason, 'note', f.note, 'failureCode', f.failure_code)
   from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id)`

/** The ids sort by time; a page of each sender would not. */
const readConfirmations: Statement<Document> = statement(
  'export_confirmations',
  `select c.id, jsonb_build_object('id', c.id, 'senderId', c.sender_id, 'to', c.recipient,
       'customerUserId', c.customer_user_id, 'templateName', c.template_name, 'templateLanguage', c.template_language,
       'parameters', c.parameters, 'reference', c.reference, 'idempotencyKey', c.idempotency_key,
       'correlationId', c.correlation_id, 'createdAt', c.created_at, 'status', c.status, 'answeredAt', c.answered_at,
       'choices', c.choices, 'reschedule', c.reschedule, 'failureCode', c.failure_code, 'refusalCheck', ${REFUSAL_CHECK},
       'answers', ${ANSWERS},
       'messages', ${agg(MESSAGE, 'messages m where m.confirmation_id = c.id', 'm.created_at, m.id')},
       'customerMessages', ${agg(REPORT, 'provider_reports r where r.confirmation_id = c.id', 'r.received_at, r.id')},
       'events', ${eventsOf('e.confirmation_id = c.id')}) as document
   from (
     select c.* from senders s cross join lateral (
       select * from confirmations where recipient = $2 and sender_id = s.id and id > $3 order by id limit $4) c
     where s.workspace_id = $1 order by c.id limit $4) c
   order by c.id`,
)
