import { commandText } from '../../../../locales/text.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { UserError } from '../../../lib/errors.ts'
import { FIRST_ID } from '../../../lib/ids.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { exportOf } from '../rows.ts'
import { learnUserIds, readReports } from './reports.ts'
import { readEntries, replacerOf } from './audit-entries.ts'
import { type Person, findPerson, rowsOfPerson, withUserIds } from './person.ts'
import { findUnfinished } from './unfinished.ts'

/** How many messages or confirmations, each with everything that belongs to it, are in memory at a time. */
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
  const oneTimeCodes = yield* member('oneTimeCodes', documents(sql, person, readCodes))
  const confirmations = yield* member('confirmations', documents(sql, person, readConfirmations))
  const reports = yield* member('otherReports', readReports(sql, person))
  const auditEntries = yield* member('auditEntries', mentions(sql, person))
  const exported = { oneTimeCodes, confirmations, reports, auditEntries, blocks: blocks.length }
  const found = Object.values(exported).some((count) => count > 0)
  yield `,"found":${found},"counts":${JSON.stringify(exported)}}`
  return exported
}

/** The limit in memory; a file written by the command line has none. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** The whole export. */
export async function textOfExport(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length > MAX_CHARACTERS)
      throw new UserError({
        code: 'recipients.export_too_large',
        command: commandText('recipient export --file <file>'),
      })
  }
  return text
}

/** A member whose value is an array. Returns its length. */
async function* member(name: string, values: AsyncIterable<unknown>): AsyncGenerator<string, number> {
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

async function* documents(sql: Sql, { workspaceId, phones }: Person, read: Statement<Document>): AsyncGenerator {
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const rows: Document[] = await sql.rows(read, [workspaceId, phones, after, PAGE])
    for (const { document } of rows) yield document
    after = rows.length < PAGE ? undefined : rows.at(-1)?.id
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

/** The rows of a table that belong to a row, as a JSON array. */
const list = (object: string, from: string, order: string): string =>
  `(select coalesce(jsonb_agg(${object} order by ${order}), '[]') from ${from})`

const WEBHOOK_ATTEMPTS = list(
  exportOf('webhook_attempts', 'w'),
  'webhook_attempts w where w.delivery_id = d.id',
  'w.attempt',
)

const DELIVERIES = list(
  exportOf('webhook_deliveries', 'd', { attempts: WEBHOOK_ATTEMPTS }),
  'webhook_deliveries d where d.event_id = e.id',
  'd.id',
)

const eventsOf = (condition: string): string =>
  list(exportOf('events', 'e', { deliveries: DELIVERIES }), `events e where ${condition}`, 'e.id')

const reportsOf = (condition: string): string =>
  list(exportOf('provider_reports', 'r'), `provider_reports r where ${condition}`, 'r.received_at, r.id')

const ATTEMPTS = list(exportOf('message_attempts', 'a'), 'message_attempts a where a.message_id = m.id', 'a.attempt')

/** Only a one-time code may have one. */
const VERIFICATION = `(select ${exportOf('otp_verifications', 'v')} from otp_verifications v
  where v.workspace_id = m.workspace_id and v.id = m.id limit 1)`

const MESSAGE = { attempts: ATTEMPTS, reports: reportsOf('r.message_id = m.id') }

/** In the order of the ids, which is the order of time. */
const NEXT = { select: '*', and: 'and id > $3', limit: '$4' }

const readCodes: Statement<Document> = statement(
  'export_one_time_codes',
  `select m.id, ${exportOf('messages', 'm', { ...MESSAGE, verification: VERIFICATION, events: eventsOf('e.message_id = m.id') })} as document
   from (${rowsOfPerson('messages', NEXT)} order by m.id limit $4) m order by m.id`,
)

const CONVERSATION = {
  refusalCheck: `(select ${exportOf('refusal_checks', 'f')} from refusal_checks f
    where f.workspace_id = c.workspace_id and f.confirmation_id = c.id)`,
  answers: list(exportOf('cod_answers', 'a'), 'cod_answers a where a.confirmation_id = c.id', 'a.answered_at, a.id'),
  messages: list(exportOf('messages', 'm', MESSAGE), 'messages m where m.confirmation_id = c.id', 'm.created_at, m.id'),
  customerMessages: reportsOf('r.confirmation_id = c.id'),
  events: eventsOf('e.confirmation_id = c.id'),
}

const readConfirmations: Statement<Document> = statement(
  'export_confirmations',
  `select c.id, ${exportOf('confirmations', 'c', CONVERSATION)} as document
   from (${rowsOfPerson('confirmations', NEXT)} order by c.id limit $4) c order by c.id`,
)
