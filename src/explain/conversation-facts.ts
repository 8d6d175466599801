import { later } from '../clock.ts'
import type { ConfirmationStatus, Reschedule } from '../cod/confirmation.ts'
import type { RefusalStatus } from '../cod/refusal.ts'
import type { Timers } from '../cod/timers.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { FailureCode, OutgoingContent, TemplateComponent } from '../providers/provider.ts'
import { type WorkspaceTime, findWorkspaceTime } from '../sandbox/workspace-time.ts'
import {
  type AttemptFact,
  type EventFact,
  type ReportFact,
  ROWS_MOST,
  SUBMISSION_COLUMNS,
  SUBMISSION_JOINS,
  type SubmissionFact,
  type WebhookFacts,
  findSubmissions,
  findWebhooks,
  inWorkspaceTime,
  received,
} from './facts.ts'

/** All rows that speak of one confirmation: its request and refusal check, the talk with the customer, what was told. */
export type ConversationFacts = WebhookFacts & {
  confirmation: ConfirmationFact
  refusal: RefusalFact | null
  messages: SpokenFact[]
  attempts: AttemptFact[]
  reports: ReportFact[]
  /** Every message of the customer that was found to belong here. */
  heard: HeardFact[]
  answers: AnswerFact[]
}

type RequestFact = Timers & {
  templateName: string
  templateLanguage: string
  correlationId: string
  apiKeyId: string
  apiKeyName: string | null
  quotaUnit: number
  monthlyUnits: number | null
  createdAt: Date
  answeredAt: Date | null
  failureCode: FailureCode | null
}

export type ConfirmationFact = RequestFact & {
  id: string
  status: ConfirmationStatus
  reference: string
  recipient: string
  senderPhone: string
  reschedule: Reschedule | null
}

export type RefusalFact = RequestFact & { status: RefusalStatus; reason: string | null; note: string | null }

/** A message of ours to the customer. */
export type SpokenFact = SubmissionFact & {
  check: Check
  purpose: Purpose
  content: OutgoingContent
  /** Of a question: what each choice means. */
  offered: string[] | null
  /** Of the template that it was made from, as it is now. */
  components: TemplateComponent[] | null
}

/** `writtenAt`: when the customer wrote it, as far as the provider tells. */
export type HeardFact = ReportFact & { writtenAt: Date }

/** `receivedAt`: of the customer's message that gave it; null in rows of before this was kept. */
export type AnswerFact = {
  check: Check
  answer: string
  detail: AnswerDetail
  answeredAt: Date
  receivedAt: Date | null
}
type AnswerDetail = { reschedule?: Reschedule | null; reason?: string | null; note?: string | null }

const REQUEST_COLUMNS = `r.template_name as "templateName", r.template_language as "templateLanguage",
     r.correlation_id as "correlationId", r.api_key_id as "apiKeyId", k.name as "apiKeyName", r.quota_unit as "quotaUnit",
     a.monthly_units as "monthlyUnits", r.created_at as "createdAt", r.answered_at as "answeredAt",
     r.failure_code as "failureCode",
     r.reminder_at as "reminderAt", r.deadline_at as "deadlineAt", r.follow_up_at as "followUpAt"`

const KEY_JOIN = 'left join api_keys k on k.workspace_id = r.workspace_id and k.public_id = r.api_key_id'

const selectConfirmation: Statement<ConfirmationFact> = statement(
  'explain_confirmation',
  `select r.id, r.status, r.reference, r.recipient, s.phone as "senderPhone", r.reschedule, ${REQUEST_COLUMNS}
   from confirmations r
   join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
   left join allowances a on a.workspace_id = r.workspace_id and a.kind = 'cod_confirmation'
   ${KEY_JOIN}
   where r.workspace_id = $1 and r.id = $2`,
)

const selectRefusal: Statement<RefusalFact> = statement(
  'explain_refusal_check',
  `select r.status, r.reason, r.note, ${REQUEST_COLUMNS}
   from refusal_checks r
   left join allowances a on a.workspace_id = r.workspace_id and a.kind = 'cod_refusal'
   ${KEY_JOIN}
   where r.workspace_id = $1 and r.confirmation_id = $2`,
)

const selectSpoken: Statement<SpokenFact> = statement(
  'explain_conversation_messages',
  `select ${SUBMISSION_COLUMNS}, m.check_kind as check, m.purpose, m.content, m.offered, t.components
   from messages m
   ${SUBMISSION_JOINS}
   left join templates t on t.workspace_id = m.workspace_id and t.account_id = p.id and t.name = m.template_name
     and t.language = m.template_language
   where m.workspace_id = $1 and m.confirmation_id = $2
   order by m.id limit $3`,
)

const selectHeard: Statement<Omit<HeardFact, 'aheadMs'>> = statement(
  'explain_customer_messages',
  `select message_id as "messageId", body, received_at as "receivedAt", coalesce(occurred_at, received_at) as "writtenAt",
     repeats, outcome, note
   from provider_reports
   where workspace_id = $1 and confirmation_id = $2 order by received_at, id limit $3`,
)

const selectAnswers: Statement<AnswerFact> = statement(
  'explain_answers',
  `select a.check_kind as check, a.answer, a.detail, a.answered_at as "answeredAt", r.received_at as "receivedAt"
   from cod_answers a
   left join provider_reports r on r.workspace_id = a.workspace_id and r.id = a.report_id
   where a.workspace_id = $1 and a.confirmation_id = $2 order by a.id limit $3`,
)

const selectEvents: Statement<EventFact> = statement(
  'explain_confirmation_events',
  `select id, type, occurred_at as "occurredAt", recorded_at as "recordedAt" from events
   where workspace_id = $1 and confirmation_id = $2
   order by id limit $3`,
)

export async function findConversation(
  sql: Sql,
  { workspaceId, confirmationId }: { workspaceId: string; confirmationId: string },
): Promise<ConversationFacts | undefined> {
  const of = [workspaceId, confirmationId]
  const confirmation = await sql.row(selectConfirmation, of)
  if (!confirmation) return undefined
  const time = await findWorkspaceTime(sql, workspaceId)
  const refusal = await sql.row(selectRefusal, of)
  const messages = (await sql.rows(selectSpoken, [...of, ROWS_MOST])).map((each) => inWorkspaceTime(each, time))
  const heard = await sql.rows(selectHeard, [...of, ROWS_MOST])
  return {
    confirmation: withTimers(confirmation, time),
    refusal: refusal ? withTimers(refusal, time) : null,
    messages,
    ...(await findSubmissions(sql, { workspaceId, messages, time })),
    heard: heard.map((each) => asHeard(each, time)),
    answers: (await sql.rows(selectAnswers, [...of, ROWS_MOST])).map((each) => asGiven(each, time)),
    ...(await findWebhooks(sql, { workspaceId, events: await sql.rows(selectEvents, [...of, ROWS_MOST]), time })),
  }
}

function asHeard(row: Omit<HeardFact, 'aheadMs'>, time: WorkspaceTime): HeardFact {
  const { receivedAt, aheadMs } = received(row.receivedAt, time)
  return { ...row, receivedAt, aheadMs, writtenAt: later(row.writtenAt, aheadMs) }
}

const asGiven = (answer: AnswerFact, time: WorkspaceTime): AnswerFact => ({
  ...answer,
  receivedAt: answer.receivedAt && received(answer.receivedAt, time).receivedAt,
})

const withTimers = <Fact extends Timers>(fact: Fact, { due }: WorkspaceTime): Fact => ({
  ...fact,
  reminderAt: fact.reminderAt && due(fact.reminderAt),
  deadlineAt: fact.deadlineAt && due(fact.deadlineAt),
  followUpAt: fact.followUpAt && due(fact.followUpAt),
})
