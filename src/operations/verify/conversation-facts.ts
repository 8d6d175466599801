import type { ConfirmationStatus, Reschedule } from '../../cod/conversation/confirmation.ts'
import type { RefusalStatus } from '../../cod/conversation/refusal.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Check, Purpose } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { EVENT_MEMBERS, type EventFact, unknownKeyOf } from './message-facts.ts'
import { findRemoved } from './kept-since.ts'
import { FACT_LIMIT, type Selected } from './selected.ts'

/** What is stored about one confirmation and its refusal check. Instants inside lists and objects are texts. */
export type ConversationFacts = {
  id: string
  workspace_id: string
  sender_id: string
  recipient: string
  reference: string
  created_at: Date
  quota_unit: number
  /** The API keys of its two requests that the workspace does not have. */
  unknown_keys: string[]
  last_event_at: Date | null
  /** How far the workspace's clock is ahead. */
  ahead_ms: number
  confirmation: CheckFacts<ConfirmationStatus> & { reschedule: Reschedule | null; choices: Reschedule | null }
  refusal: (CheckFacts<RefusalStatus> & { reason: string | null; note: string | null }) | null
  answers: AnswerFact[] | null
  inbound: InboundFact[] | null
  messages: SentFact[] | null
  events: EventFact[] | null
}

export type CheckFacts<Status = string> = {
  status: Status
  answered_at: string | null
  round: number
  closing_sent: boolean
  failure_code: FailureCode | null
  reminder_at: string | null
  deadline_at: string | null
  follow_up_at: string | null
}

export type AnswerFact = {
  id: string
  check: Check
  answer: string
  detail: Record<string, unknown> | null
  answered_at: string
  superseded: boolean
  report_id: string | null
  /** Retention may have removed what the customer typed. */
  may_lack_note: boolean
}

export type InboundFact = {
  id: string
  body: string
  account_id: string
  occurred_at: string | null
  received_at: string
  outcome: string
  note: { code: string } | null
}

export type SentFact = {
  id: string
  sender_id: string
  recipient: string
  check: Check
  purpose: Purpose
  offered: string[] | null
  round: number | null
  /** Whether WhatsApp took it; null: an attempt has no outcome, so it may have. */
  submitted: boolean | null
  failure_code: FailureCode | null
  /** It failed, even if a later report corrected that. */
  has_failed: boolean
  /** For template and reminder: reports that may be failures. */
  failures: string[] | null
}

const CHECK_COLUMNS = [
  'status',
  'answered_at',
  'round',
  'closing_sent',
  'failure_code',
  'reminder_at',
  'deadline_at',
  'follow_up_at',
]
const members = (row: string, ...columns: string[]): string =>
  `jsonb_build_object(${[...CHECK_COLUMNS, ...columns].map((column) => `'${column}', ${row}.${column}`).join(', ')})`

/** The rows of `table` that belong to the confirmation. */
const ofConfirmation = (table: string, alias: string, more = ''): string =>
  `(select * from ${table} ${alias}
    where ${alias}.confirmation_id = c.id and ${alias}.workspace_id = c.workspace_id ${more} limit ${FACT_LIMIT}) ${alias}`

const ATTEMPTS = 'message_attempts a where a.workspace_id = m.workspace_id and a.message_id = m.id'

const factsOf = (confirmations: string): string =>
  `select c.id, c.workspace_id, c.sender_id, c.recipient, c.reference, c.created_at, c.quota_unit, c.last_event_at,
     array_remove(array[${unknownKeyOf('c')}, (select ${unknownKeyOf('f')} from refusal_checks f
       where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1)], null) as unknown_keys,
     (select w.clock_offset_ms from workspaces w where w.id = c.workspace_id) as ahead_ms,
     ${members('c', 'reschedule', 'choices')} as confirmation,
     (select ${members('f', 'reason', 'note')} from refusal_checks f
      where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) as refusal,
     (select jsonb_agg(jsonb_build_object('id', a.id, 'check', a.check_kind, 'answer', a.answer, 'detail', a.detail,
        'answered_at', a.answered_at, 'superseded', a.superseded, 'report_id', a.report_id) order by a.id)
      from ${ofConfirmation('cod_answers', 'a')}) as answers,
     (select jsonb_agg(jsonb_build_object('id', r.id, 'body', r.body, 'account_id', r.account_id,
        'occurred_at', r.occurred_at, 'received_at', r.received_at, 'outcome', r.outcome, 'note', r.note) order by r.received_at, r.id)
      from ${ofConfirmation('provider_reports', 'r', "and r.kind = 'message'")}) as inbound,
     (select jsonb_agg(jsonb_build_object('id', m.id, 'sender_id', m.sender_id, 'recipient', m.recipient, 'check', m.check_kind, 'purpose', m.purpose, 'offered', m.offered,
        'round', m.round, 'failure_code', m.failure_code, 'has_failed', m.failed_event_at is not null,
        'submitted', case
          when m.provider_message_id is not null then true
          when m.purpose <> 'template' then false
          when exists (select from ${ATTEMPTS} and a.outcome = 'accepted') then true
          when exists (select from ${ATTEMPTS} and a.outcome = 'unknown') then null
          else false end,
        'failures', case when m.purpose in ('template', 'reminder') and m.failed_event_at is not null then (
          select jsonb_agg(r.body) from provider_reports r
          where r.message_id = m.id and r.workspace_id = m.workspace_id and r.kind = 'status'
            and r.outcome in ('applied', 'ignored')) end) order by m.id)
      from ${ofConfirmation('messages', 'm')}) as messages,
     (select jsonb_agg(jsonb_build_object(${EVENT_MEMBERS}) order by e.occurred_at) from ${ofConfirmation('events', 'e')}) as events
   from (${confirmations}) c order by c.id`

type Row = Omit<ConversationFacts, 'answers'> & { answers: Omit<AnswerFact, 'may_lack_note'>[] | null }

const nextFacts: Statement<Row> = statement(
  'read_confirmations_to_verify',
  factsOf('select * from confirmations where workspace_id = $1 and id > $2 order by id limit $3'),
)
const factsAgain: Statement<Row> = statement(
  'read_confirmations_to_verify_again',
  factsOf('select * from confirmations where workspace_id = $1 and id = any ($2::uuid[])'),
)

export async function readConversations(
  tx: Sql,
  workspaceId: string,
  selected: Selected,
): Promise<ConversationFacts[]> {
  const rows =
    'ids' in selected
      ? await tx.rows(factsAgain, [workspaceId, selected.ids])
      : await tx.rows(nextFacts, [workspaceId, selected.after, selected.limit])
  const mayLackNote = await findRemoved(tx, 'content')
  return rows.map(({ answers, ...row }) => ({
    ...row,
    answers: answers && answers.map((answer) => ({ ...answer, may_lack_note: mayLackNote(answer.id) })),
  }))
}
