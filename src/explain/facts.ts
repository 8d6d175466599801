import { type Sql, type Statement, statement } from '../db.ts'
import type { OtpStatus } from '../otp/status.ts'
import type { FailureCode } from '../providers/provider.ts'

/** All rows that speak of one message, or of one event that belongs to none. The code is never read. */
export type Facts = {
  message: MessageFact | undefined
  attempts: AttemptFact[]
  reports: ReportFact[]
  events: EventFact[]
  deliveries: DeliveryFact[]
  webhookAttempts: WebhookAttemptFact[]
}

export type MessageFact = {
  id: string
  workspaceId: string
  kind: string
  status: OtpStatus
  recipient: string
  senderPhone: string
  templateName: string
  templateLanguage: string
  reference: string | null
  correlationId: string
  apiKeyId: string
  quotaUnit: number
  monthlyUnits: number | null
  createdAt: Date
  sentAt: Date | null
  failureCode: FailureCode | null
  failedAt: Date | null
  submitBy: Date
  dueAt: Date | null
  leased: boolean
  attempts: number
  /** Set while an attempt may have reached the provider and its outcome is not known. */
  attemptedAt: Date | null
  lastFailureCode: FailureCode | null
  providerMessageId: string | null
  acceptedAt: Date | null
  senderStatus: string
  senderPaused: boolean
  senderGone: boolean
  accountStatus: string
  accountId: string
  heldUntil: Date | null
}

export type AttemptFact = {
  attempt: number
  startedAt: Date
  endedAt: Date
  outcome: 'accepted' | 'retry' | 'refused' | 'unknown'
  httpStatus: number | null
  providerCode: number | null
  detail: string | null
}

export type ReportFact = {
  body: string
  receivedAt: Date
  repeats: number
  outcome: 'waiting' | 'applied' | 'ignored' | 'parked' | 'quarantined'
  note: string | null
}

export type EventFact = { id: string; type: string; occurredAt: Date; recordedAt: Date }

export type DeliveryFact = {
  id: string
  eventId: string
  endpointId: string
  url: string
  endpointStatus: 'enabled' | 'paused' | 'disabled'
  endpointReason: string | null
  status: 'pending' | 'succeeded' | 'failed' | 'held'
  attempts: number
  leased: boolean
  dueAt: Date | null
  createdAt: Date
}

export type WebhookAttemptFact = {
  deliveryId: string
  attempt: number
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  error: string | null
}

const selectMessage: Statement<MessageFact> = statement(
  'explain_message',
  `select m.id, m.workspace_id as "workspaceId", m.kind, m.status, m.recipient, s.phone as "senderPhone",
     m.template_name as "templateName", m.template_language as "templateLanguage", m.reference,
     m.correlation_id as "correlationId", m.api_key_id as "apiKeyId", m.quota_unit as "quotaUnit",
     a.monthly_units as "monthlyUnits", m.created_at as "createdAt", m.sent_at as "sentAt",
     m.failure_code as "failureCode", m.failed_at as "failedAt", m.submit_by as "submitBy", m.due_at as "dueAt",
     m.lease is not null as leased, m.attempts, m.attempted_at as "attemptedAt",
     m.last_failure_code as "lastFailureCode", m.provider_message_id as "providerMessageId",
     m.accepted_at as "acceptedAt", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
     s.gone_at is not null as "senderGone", p.status as "accountStatus", p.id as "accountId",
     pace.held_until as "heldUntil"
   from messages m
   join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
   join provider_accounts p on p.workspace_id = s.workspace_id and p.id = s.account_id
   left join allowances a on a.workspace_id = m.workspace_id and a.kind = m.kind
   left join sender_pace pace on pace.sender_id = m.sender_id
   where m.id = $1`,
)

const selectEventOwner = statement<{ workspaceId: string; messageId: string | null }>(
  'explain_event',
  'select workspace_id as "workspaceId", message_id as "messageId" from events where id = $1',
)

const selectAttempts: Statement<AttemptFact> = statement(
  'explain_attempts',
  `select attempt, started_at as "startedAt", ended_at as "endedAt", outcome, http_status as "httpStatus",
     provider_code as "providerCode", detail
   from message_attempts where workspace_id = $1 and message_id = $2 order by attempt`,
)

/** Parked ones are not known to belong to the message yet: they name it by the provider's id. */
const selectReports: Statement<ReportFact> = statement(
  'explain_reports',
  `select body, received_at as "receivedAt", repeats, outcome, note from provider_reports
   where workspace_id = $1 and message_id = $2
   union all
   select body, received_at, repeats, outcome, note from provider_reports
   where workspace_id = $1 and account_id = $3 and provider_message_id = $4 and outcome = 'parked' and message_id is null
   order by 2
   limit $5`,
)

const selectEvents: Statement<EventFact> = statement(
  'explain_events',
  `select id, type, occurred_at as "occurredAt", recorded_at as "recordedAt" from events
   where workspace_id = $1 and message_id = $2
   order by id`,
)

const selectLoneEvent: Statement<EventFact> = statement(
  'explain_lone_event',
  `select id, type, occurred_at as "occurredAt", recorded_at as "recordedAt" from events
   where workspace_id = $1 and id = $2`,
)

const selectDeliveries: Statement<DeliveryFact> = statement(
  'explain_deliveries',
  `select d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", e.url, e.status as "endpointStatus",
     e.status_reason as "endpointReason", d.status, d.attempts, d.lease is not null as leased, d.due_at as "dueAt",
     d.created_at as "createdAt"
   from webhook_deliveries d
   join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
   where d.workspace_id = $1 and d.event_id = any($2)
   order by d.id`,
)

const selectWebhookAttempts: Statement<WebhookAttemptFact> = statement(
  'explain_webhook_attempts',
  `select delivery_id as "deliveryId", attempt, started_at as "startedAt", duration_ms as "durationMs",
     http_status as "httpStatus", error
   from webhook_attempts where workspace_id = $1 and delivery_id = any($2)
   order by delivery_id, attempt
   limit $3`,
)

/** A receiver or a provider that repeats itself without end must not fill a screen without end. */
const ROWS_MOST = 1_000

/** Undefined when neither a message nor an event has the id. */
export async function findFacts(sql: Sql, id: string): Promise<Facts | undefined> {
  const event = await sql.row(selectEventOwner, [id])
  const message = await sql.row(selectMessage, [event?.messageId ?? id])
  const workspaceId = message?.workspaceId ?? event?.workspaceId
  if (workspaceId === undefined) return undefined
  const events = message
    ? await sql.rows(selectEvents, [workspaceId, message.id])
    : await sql.rows(selectLoneEvent, [workspaceId, id])
  const deliveries = await sql.rows(selectDeliveries, [workspaceId, events.map((each) => each.id)])
  return {
    message,
    attempts: message ? await sql.rows(selectAttempts, [workspaceId, message.id]) : [],
    reports: message
      ? await sql.rows(selectReports, [
          workspaceId,
          message.id,
          message.accountId,
          message.providerMessageId,
          ROWS_MOST,
        ])
      : [],
    events,
    deliveries,
    webhookAttempts: await sql.rows(selectWebhookAttempts, [workspaceId, deliveries.map((each) => each.id), ROWS_MOST]),
  }
}
