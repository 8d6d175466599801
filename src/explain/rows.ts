import type { CodedText } from '../../locales/text.ts'
import type { ConfirmationTypes, Reschedule } from '../cod/conversation/confirmation.ts'
import type { RefusalTypes } from '../cod/conversation/refusal.ts'
import { type Sql, type Statement, camelCase, statement } from '../lib/db/pool.ts'
import type { Check } from '../messages/conversation.ts'
import type { VerificationStatus } from '../otp/verifications/decide.ts'

/**
 * Rows that belong to messages or confirmations ("units"), as they are stored: "explain" shows them and "verify" compares them.
 * `unitId` is the id of the message or confirmation.
 */
type OfUnit<Row> = Row & { unitId: string }

export type AttemptFact = {
  messageId: string
  attempt: number
  startedAt: Date
  endedAt: Date
  /** `not_made`: Doorcode could not make the request. */
  outcome: 'accepted' | 'retry' | 'rejected' | 'unknown' | 'not_made'
  httpStatus: number | null
  providerCode: number | null
  detail: CodedText | null
}

/** A message's status, or a customer's message. */
export type StoredReport = {
  id: string
  /** Null while it is parked: its message is not known yet. */
  messageId: string | null
  /** Empty if it was removed. */
  body: string
  receivedAt: Date
  /** The provider's time. */
  writtenAt: Date
  repeats: number
  outcome: 'waiting' | 'applied' | 'ignored' | 'parked' | 'quarantined'
  note: CodedText | null
}

type Processing = {
  providerMessageId: string | null
  dueAt: Date | null
  /** Its number among the inputs that changed the unit; null: it changed nothing. */
  inputNumber: number | null
  /** How far the workspace's clock was ahead when the report was processed. */
  clockOffsetMs: number
}

/** The verification of a one-time code. Instants are in the workspace's time. */
export type VerificationFact = {
  id: string
  status: VerificationStatus
  recipient: string
  codeLength: number
  maxAttempts: number
  createdAt: Date
  expiresAt: Date
  wrongAt: readonly Date[]
  sentAt: readonly Date[]
  /** Null while it is pending. */
  overAt: Date | null
  /** Messages that sent the code again. `at` is a text. */
  resends: readonly { messageId: string; at: string; status: string }[]
}

/** `receivedAt`: when the customer's message arrived. */
export type AnswerFact = {
  check: Check
  answer: ConfirmationTypes['answer'] | RefusalTypes['answer']
  detail: { reschedule?: Reschedule | null; reason?: string | null; note?: string | null }
  answeredAt: Date
  receivedAt: Date | null
  /** It was reported after a later answer and changed nothing. */
  superseded: boolean
}

export type EventFact = { id: string; type: string; occurredAt: Date; recordedAt: Date }

export type ReportRow = OfUnit<StoredReport & Processing>
export type AnswerRow = OfUnit<AnswerFact & { id: string; reportId: string | null }>
export type EventRow = OfUnit<EventFact & { body: string; inputNumber: number | null }>

/** $1: workspace; $2: units; $3: rows per unit. They are limited without an order, which could make PostgreSQL read an index of all rows. */
const ofUnits = (columns: string, rows: string, order: string): string =>
  `select unit.id as unit_id, ${columns} from unnest($2::uuid[]) as unit (id) cross join lateral (${rows}) r order by ${order}`

export const selectAttempts: Statement<OfUnit<AttemptFact>> = statement(
  'read_attempts',
  ofUnits(
    'message_id, attempt, started_at, ended_at, outcome, http_status, provider_code, detail',
    'select * from message_attempts where workspace_id = $1 and message_id = unit.id order by attempt limit $3',
    'message_id, attempt',
  ),
)

const REPORT_COLUMNS = `r.id, r.message_id, r.body, r.received_at, coalesce(r.occurred_at, r.received_at) as written_at, r.repeats,
     r.outcome, r.note, r.provider_message_id, r.due_at, r.input_number,
     coalesce(r.clock_offset_ms, 0) as clock_offset_ms`

/** The message of a parked report is not known yet: the report names it by the provider's id. */
export const selectReports: Statement<ReportRow> = statement(
  'read_reports',
  ofUnits(
    REPORT_COLUMNS,
    `(select * from provider_reports
      where workspace_id = $1 and message_id = unit.id limit $3)
     union all
     (select p.* from (select * from messages where workspace_id = $1 and id = unit.id limit 1) m
      cross join lateral (
        select * from provider_reports
        where workspace_id = $1 and provider_message_id = m.provider_message_id and outcome = 'parked' and message_id is null
        limit $3) p)`,
    'r.received_at, r.id',
  ),
)

/** The customer's messages. */
export const selectInbound: Statement<ReportRow> = statement(
  'read_customer_messages',
  ofUnits(
    REPORT_COLUMNS,
    'select * from provider_reports where workspace_id = $1 and confirmation_id = unit.id limit $3',
    'r.received_at, r.id',
  ),
)

export const selectAnswers: Statement<AnswerRow> = statement(
  'read_answers',
  ofUnits(
    'r.id, r.check_kind as check, answer, detail, answered_at, superseded, report_id, received_at',
    `select a.*, p.received_at from (
       select * from cod_answers where workspace_id = $1 and confirmation_id = unit.id limit $3) a
     left join lateral (
       select received_at from provider_reports where workspace_id = $1 and id = a.report_id limit 1) p on true`,
    'r.id',
  ),
)

export const selectVerifications: Statement<OfUnit<VerificationFact>> = statement(
  'read_verifications',
  ofUnits(
    `r.id, r.status, r.recipient, r.code_length, r.max_attempts, r.created_at, r.expires_at, r.wrong_at, r.sent_at,
     r.ended_at as over_at,
     (select coalesce(jsonb_agg(jsonb_build_object('messageId', m.id, 'at', m.created_at, 'status', m.status) order by m.id), '[]') from messages m
      where m.workspace_id = $1 and m.verification_id = r.id) as resends`,
    'select * from otp_verifications where workspace_id = $1 and id = unit.id limit $3',
    'r.id',
  ),
)

/** `unitId` may also be the id of an event that belongs to neither. */
export const selectEvents: Statement<EventRow> = statement(
  'read_events',
  ofUnits(
    'r.id, type, occurred_at, recorded_at, body, input_number',
    ['id', 'message_id', 'confirmation_id']
      .map((column) => `(select * from events where workspace_id = $1 and ${column} = unit.id limit $3)`)
      .join('\n     union all\n     '),
    'r.id',
  ),
)

/** Renames columns to the names in the types. */
export const camelCased = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]: [string, unknown]) => [camelCase(column), value])) as Row

type Units = { workspaceId: string; ids: readonly string[]; max: number }

type RowsOf<Facts> = { [Name in keyof Facts]: Facts[Name] extends Statement<infer Row> ? Row[] : never }
/** The rows of one unit by each statement. `isComplete`: all were read. */
export type FactsOf<Facts> = RowsOf<Facts> & { isComplete: boolean }

/** Reads rows of several units by several statements, at most `max` of each kind, and returns a function that gives those of one. */
export async function readOfUnits<Facts extends Record<string, Statement<{ unitId: string }>>>(
  sql: Sql,
  statements: Facts,
  { workspaceId, ids, max }: Units,
): Promise<(unitId: string) => FactsOf<Facts>> {
  const found = new Map<string, Map<string, object[]>>()
  for (const [name, from] of Object.entries(statements)) {
    const rows = ids.length === 0 ? [] : (await sql.rows(from, [workspaceId, ids, max + 1])).map(camelCased)
    found.set(
      name,
      Map.groupBy(rows, ({ unitId }) => unitId),
    )
  }
  return (unitId) => {
    const lists = [...found].map(([name, byUnit]) => [name, byUnit.get(unitId) ?? []] as const)
    const isComplete = lists.every(([, { length }]) => length <= max)
    return { ...(Object.fromEntries(lists) as RowsOf<Facts>), isComplete }
  }
}
