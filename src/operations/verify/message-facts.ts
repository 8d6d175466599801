import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Purpose } from '../../messages/conversation.ts'
import type { OtpStatus } from '../../messages/status.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { MessageKind } from '../../providers/provider.ts'
import { FACT_LIMIT, type Selected } from './selected.ts'

/** What is stored about one message. Instants inside lists are texts. */
export type MessageFacts = {
  id: string
  kind: MessageKind
  purpose: Purpose | null
  recipient: string
  reference: string | null
  created_at: Date
  quota_unit: number | null
  status: OtpStatus
  has_code: boolean
  provider_message_id: string | null
  accepted_at: Date | null
  sent_at: Date | null
  sent_event_at: Date | null
  failure_code: FailureCode | null
  failed_at: Date | null
  failed_event_at: Date | null
  submit_by: Date
  due_at: Date | null
  lease: string | null
  attempts: number
  attempted_at: Date | null
  unknown_outcomes: number
  last_failure_code: FailureCode | null
  quarantined_at: Date | null
  /** How far the workspace's clock is ahead. */
  ahead_ms: number
  /** The API key that the request came with, if the workspace has no such key. */
  unknown_key: string | null
  made: AttemptFact[] | null
  reports: StatusFact[] | null
  /** Reports that name this message and have given up waiting for it. */
  parked: string[] | null
  events: EventFact[] | null
}

export type AttemptFact = {
  attempt: number
  outcome: 'accepted' | 'retry' | 'refused' | 'unknown' | 'not_made'
  http_status: number | null
  provider_code: number | null
  has_detail: boolean
}

export type StatusFact = {
  id: string
  body: string
  received_at: string
  outcome: 'waiting' | 'applied' | 'ignored' | 'parked' | 'quarantined'
  note: { code: string } | null
}

export type EventFact = { id: string; type: string; occurred_at: string; body: string }

export const EVENT_MEMBERS = `'id', e.id, 'type', e.type, 'occurred_at', e.occurred_at, 'body', e.body`

/** The key of a row, unless it is one of the row's workspace. */
export const unknownKeyOf = (row: string): string =>
  `(select ${row}.api_key_id where ${row}.api_key_id is not null and not exists (
       select from api_keys k where k.public_id = ${row}.api_key_id and k.workspace_id = ${row}.workspace_id))`

const factsOf = (messages: string): string =>
  `select m.id, m.kind, m.purpose, m.recipient, m.reference, m.created_at, m.quota_unit, m.status,
     m.code is not null as has_code, m.provider_message_id, m.accepted_at, m.sent_at, m.sent_event_at, m.failure_code,
     m.failed_at, m.failed_event_at, m.submit_by, m.due_at, m.lease, m.attempts, m.attempted_at, m.unknown_outcomes,
     m.last_failure_code, m.quarantined_at, ${unknownKeyOf('m')} as unknown_key,
     (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as ahead_ms,
     (select jsonb_agg(jsonb_build_object('attempt', a.attempt, 'outcome', a.outcome, 'http_status', a.http_status,
        'provider_code', a.provider_code, 'has_detail', a.detail is not null) order by a.attempt)
      from (select * from message_attempts a
            where a.workspace_id = m.workspace_id and a.message_id = m.id limit ${FACT_LIMIT}) a) as made,
     (select jsonb_agg(jsonb_build_object('id', r.id, 'body', r.body, 'received_at', r.received_at, 'outcome', r.outcome,
        'note', r.note) order by r.received_at, r.id)
      from (select * from provider_reports r
            where r.message_id = m.id and r.workspace_id = m.workspace_id and r.kind = 'status' limit ${FACT_LIMIT}) r) as reports,
     (select array_agg(r.id) from (select r.id from provider_reports r
      where r.workspace_id = m.workspace_id and r.provider_message_id = m.provider_message_id
        and r.outcome = 'parked' and r.due_at is null limit ${FACT_LIMIT}) r) as parked,
     (select jsonb_agg(jsonb_build_object(${EVENT_MEMBERS}) order by e.occurred_at)
      from (select * from events e where e.message_id = m.id and e.workspace_id = m.workspace_id limit ${FACT_LIMIT}) e) as events
   from (${messages}) m order by m.id`

const nextFacts: Statement<MessageFacts> = statement(
  'read_messages_to_verify',
  factsOf('select * from messages where workspace_id = $1 and id > $2 order by id limit $3'),
)
const factsAgain: Statement<MessageFacts> = statement(
  'read_messages_to_verify_again',
  factsOf('select * from messages where workspace_id = $1 and id = any ($2::uuid[])'),
)

export const readMessages = (tx: Sql, workspaceId: string, selected: Selected): Promise<MessageFacts[]> =>
  'ids' in selected
    ? tx.rows(factsAgain, [workspaceId, selected.ids])
    : tx.rows(nextFacts, [workspaceId, selected.after, selected.limit])
