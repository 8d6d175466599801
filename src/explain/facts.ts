import { type Sql, type Statement, statement } from '../db.ts'
import type { OtpStatus } from '../otp/status.ts'
import type { FailureCode, Provider } from '../providers/provider.ts'
import { type WorkspaceTime, findWorkspaceTime } from '../sandbox/workspace-time.ts'

/** What makes sense of the provider's words, which are stored as they came. */
export type ProviderReader = Pick<Provider, 'readStatus' | 'readStatusWord' | 'readInbound' | 'findError'>

/** All rows that speak of one OTP message, or of one event that belongs to none. The code is never read. */
export type Facts = WebhookFacts & {
  message: MessageFact | undefined
  attempts: AttemptFact[]
  reports: ReportFact[]
}

export type WebhookFacts = {
  events: EventFact[]
  deliveries: DeliveryFact[]
  webhookAttempts: WebhookAttemptFact[]
}

export type MessageFact = SubmissionFact & {
  workspaceId: string
  recipient: string
  senderPhone: string
  templateName: string
  templateLanguage: string
  reference: string | null
  correlationId: string
  apiKeyId: string
  quotaUnit: number
  monthlyUnits: number | null
}

/** How far a message is on its way, whatever it says. */
export type SubmissionFact = {
  id: string
  kind: string
  status: OtpStatus
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
  /** The provider's code that the sender is held for; null when it named none. */
  heldByCode: number | null
  /** Of a code, as its template is now: how long the provider tries to deliver it; -1 is the longest, null its own default. */
  sendTtlSeconds: number | null
}

export type AttemptFact = {
  messageId: string
  attempt: number
  startedAt: Date
  endedAt: Date
  outcome: 'accepted' | 'retry' | 'refused' | 'unknown'
  httpStatus: number | null
  providerCode: number | null
  detail: string | null
}

export type ReportFact = {
  /** Null while it is parked: then nobody knows yet whose it is. */
  messageId: string | null
  body: string
  receivedAt: Date
  /** How far the workspace's clock was ahead when it came, ms: its own instants are in real time. */
  aheadMs: number
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

/** Of messages m. */
export const SUBMISSION_COLUMNS = `m.id, m.kind, m.status, m.created_at as "createdAt", m.sent_at as "sentAt",
     m.failure_code as "failureCode", m.failed_at as "failedAt", m.submit_by as "submitBy", m.due_at as "dueAt",
     m.lease is not null as leased, m.attempts, m.attempted_at as "attemptedAt",
     m.last_failure_code as "lastFailureCode", m.provider_message_id as "providerMessageId",
     m.accepted_at as "acceptedAt", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
     s.gone_at is not null as "senderGone", p.status as "accountStatus", p.id as "accountId",
     pace.held_until as "heldUntil", pace.held_by_code as "heldByCode",
     case when m.kind = 'otp' then (
       select l.send_ttl_seconds from templates l
       where l.workspace_id = m.workspace_id and l.account_id = p.id and l.name = m.template_name
         and l.language = m.template_language) end as "sendTtlSeconds"`

export const SUBMISSION_JOINS = `join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
   join provider_accounts p on p.workspace_id = s.workspace_id and p.id = s.account_id
   left join sender_pace pace on pace.sender_id = m.sender_id`

const selectMessage: Statement<MessageFact> = statement(
  'explain_message',
  `select ${SUBMISSION_COLUMNS}, m.workspace_id as "workspaceId", m.recipient, s.phone as "senderPhone",
     m.template_name as "templateName", m.template_language as "templateLanguage", m.reference,
     m.correlation_id as "correlationId", m.api_key_id as "apiKeyId", m.quota_unit as "quotaUnit",
     a.monthly_units as "monthlyUnits"
   from messages m
   ${SUBMISSION_JOINS}
   left join allowances a on a.workspace_id = m.workspace_id and a.kind = m.kind
   where m.workspace_id = $1 and m.id = $2`,
)

const selectAttempts: Statement<AttemptFact> = statement(
  'explain_attempts',
  `select message_id as "messageId", attempt, started_at as "startedAt", ended_at as "endedAt", outcome,
     http_status as "httpStatus", provider_code as "providerCode", detail
   from message_attempts where workspace_id = $1 and message_id = any($2) order by message_id, attempt
   limit $3`,
)

/** Parked ones are not known to belong to a message yet: they name it by the provider's id. */
const selectReports: Statement<Omit<ReportFact, 'aheadMs'>> = statement(
  'explain_reports',
  `select message_id as "messageId", body, received_at as "receivedAt", repeats, outcome, note from provider_reports
   where workspace_id = $1 and message_id = any($2)
   union all
   select message_id, body, received_at, repeats, outcome, note from provider_reports
   where workspace_id = $1 and provider_message_id = any($3) and outcome = 'parked' and message_id is null
   order by 3
   limit $4`,
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
export const ROWS_MOST = 1_000

export type Subject = { workspaceId: string; messageId: string | null; eventId: string }

/** Of an OTP message, or of an event that belongs to nothing else. */
export async function findFacts(sql: Sql, { workspaceId, messageId, eventId }: Subject): Promise<Facts> {
  const time = await findWorkspaceTime(sql, workspaceId)
  const row = messageId === null ? undefined : await sql.row(selectMessage, [workspaceId, messageId])
  const message = row && inWorkspaceTime(row, time)
  const events =
    messageId === null
      ? await sql.rows(selectLoneEvent, [workspaceId, eventId])
      : await sql.rows(selectEvents, [workspaceId, messageId])
  return {
    message,
    ...(await findSubmissions(sql, { workspaceId, messages: message ? [message] : [], time })),
    ...(await findWebhooks(sql, { workspaceId, events, time })),
  }
}

/** Instants of the past show what the workspace's clock showed then; those of the future what it will show. */
export const inWorkspaceTime = <Fact extends SubmissionFact>(fact: Fact, { at, due }: WorkspaceTime): Fact => ({
  ...fact,
  submitBy: due(fact.submitBy),
  dueAt: fact.dueAt && due(fact.dueAt),
  heldUntil: fact.heldUntil && due(fact.heldUntil),
  attemptedAt: fact.attemptedAt && at(fact.attemptedAt),
  acceptedAt: fact.acceptedAt && at(fact.acceptedAt),
})

type Submissions = { workspaceId: string; messages: readonly SubmissionFact[]; time: WorkspaceTime }

/** The attempts of messages, and what the provider reported of them. */
export async function findSubmissions(
  sql: Sql,
  { workspaceId, messages, time: { at } }: Submissions,
): Promise<{ attempts: AttemptFact[]; reports: ReportFact[] }> {
  const ids = messages.map(({ id }) => id)
  const providerIds = messages.flatMap(({ providerMessageId }) => providerMessageId ?? [])
  const attempts = await sql.rows(selectAttempts, [workspaceId, ids, ROWS_MOST])
  const reports = await sql.rows(selectReports, [workspaceId, ids, providerIds, ROWS_MOST])
  return {
    attempts: attempts.map((each) => ({ ...each, startedAt: at(each.startedAt), endedAt: at(each.endedAt) })),
    reports: reports.map((each) => ({ ...each, ...received(each.receivedAt, { at }) })),
  }
}

export const received = (
  receivedAt: Date,
  { at }: Pick<WorkspaceTime, 'at'>,
): { receivedAt: Date; aheadMs: number } => ({
  receivedAt: at(receivedAt),
  aheadMs: at(receivedAt).getTime() - receivedAt.getTime(),
})

type Events = { workspaceId: string; events: readonly EventFact[]; time: WorkspaceTime }

/** Events with their deliveries and every attempt of those. */
export async function findWebhooks(
  sql: Sql,
  { workspaceId, events, time: { at, due } }: Events,
): Promise<WebhookFacts> {
  const deliveries = await sql.rows(selectDeliveries, [workspaceId, events.map(({ id }) => id)])
  const attempts = await sql.rows(selectWebhookAttempts, [workspaceId, deliveries.map(({ id }) => id), ROWS_MOST])
  return {
    events: events.map((each) => ({ ...each, recordedAt: at(each.recordedAt) })),
    deliveries: deliveries.map((each) => ({
      ...each,
      dueAt: each.dueAt && due(each.dueAt),
      createdAt: at(each.createdAt),
    })),
    webhookAttempts: attempts.map((each) => ({ ...each, startedAt: at(each.startedAt) })),
  }
}
