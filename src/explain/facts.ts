import type { CodedText } from '../../locales/text.ts'
import type { SenderState } from '../accounts/availability.ts'
import type { RequestParameters } from '../accounts/templates/cod-parameters.ts'
import { later } from '../lib/clock.ts'
import type { ConfirmationStatus, Reschedule } from '../cod/conversation/confirmation.ts'
import type { RefusalStatus } from '../cod/conversation/refusal.ts'
import type { Timers } from '../cod/conversation/timers.ts'
import { type Statement, statement } from '../lib/db/pool.ts'
import { isAnyWorkerAlive } from '../runtime/jobs/node.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { MessageStatus } from '../messages/status.ts'
import { hookOfKeyId } from '../otp/hooks/hooks.ts'
import type { HookKind } from '../otp/hooks/kinds.ts'
import type { Parts } from '../runtime/parts.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import type { Provider, StoredContent, TemplateComponent } from '../providers/provider.ts'
import type { DeliveryStatus, EndpointStatus } from '../webhooks/delivery/claim.ts'
import { nextAttemptAt } from '../webhooks/delivery/release.ts'
import type { WorkspaceTime } from '../workspaces/clock-moves.ts'
import { findWorkspaceTime } from '../workspaces/workspace-time.ts'
import {
  type AnswerFact,
  type AttemptFact,
  type EventFact,
  type StoredReport,
  type VerificationFact,
  camelCased,
  selectAnswers,
  selectAttempts,
  selectEvents,
  selectInbound,
  selectReports,
  selectVerifications,
} from './rows.ts'

/** Reads the provider's items, which are stored unchanged. */
export type ProviderReader = Pick<Provider, 'readStatus' | 'readStatusWord' | 'readInbound' | 'findError'>

type CheckRow = Timers & {
  templateName: string
  templateLanguage: string
  createdAt: Date
  answeredAt: Date | null
  failureCode: FailureCode | null
  correlationId: string
  apiKeyId: string
  apiKeyName: string | null
  quotaUnit: number
  monthlyUnits: number | null
  /** For a due timer whose transition failed: how often, the last kind of fault, and what follows. */
  timerTries: number
  timerError: CodedText | null
  timerRetryAt: Date | null
  timerQuarantinedAt: Date | null
}

export type ConfirmationFact = CheckRow & {
  check: 'confirmation'
  status: ConfirmationStatus
  id: string
  reference: string
  recipient: string
  senderId: string
  senderPhone: string
  /** The sender's id at the provider. */
  phoneNumberId: string
  accountId: string
  /** As the request gave them. */
  parameters: RequestParameters
  reschedule: Reschedule | null
}

export type RefusalFact = CheckRow & {
  check: 'refusal'
  status: RefusalStatus
  reason: string | null
  note: string | null
}

export type MessageFact = OtpFact | ConversationMessageFact

type MessageRow = SenderState & {
  id: string
  status: MessageStatus
  recipient: string
  senderId: string
  senderPhone: string
  /** The sender's id at the provider. */
  phoneNumberId: string
  /** The client's reference; for a message of a conversation, its confirmation's. */
  reference: string | null
  createdAt: Date
  sentAt: Date | null
  failureCode: FailureCode | null
  correlationId: string
  apiKeyId: string
  /** The hook's, if an auth hook requested it. */
  apiKeyName: string | null
  /** Null if no auth hook of this workspace requested it. */
  hookId: string | null
  hookKind: HookKind | null
  submitBy: Date
  dueAt: Date | null
  /** Of a code whose delivery the client waits for. */
  deliverWithinSeconds: number | null
  deliverBy: Date | null
  undeliveredEventAt: Date | null
  leased: boolean
  attempts: number
  /** Set while an attempt may have reached the provider and its outcome is not known. */
  attemptedAt: Date | null
  providerMessageId: string | null
  acceptedAt: Date | null
  accountId: string
  /** While the circuit breaker of the sender is open. */
  breakerOpenUntil: Date | null
  /** The provider's code that opened it; null when it named none. */
  breakerCode: number | null
  /** How often storing the end of the message failed, and the last kind of fault. */
  finishTries: number
  finishError: CodedText | null
  /** After the last try. */
  quarantinedAt: Date | null
  /** How long the provider tries to deliver the message, by its template as it is now; -1 is the longest, null the default. */
  sendTtlSeconds: number | null
  /** The template's components as they are now; null when it is gone. */
  components: TemplateComponent[] | null
}

export type OtpFact = MessageRow &
  Record<'confirmationId' | 'check' | 'purpose' | 'content' | 'offered', null> & {
    kind: 'otp'
    templateName: string
    templateLanguage: string
    quotaUnit: number
    monthlyUnits: number | null
    /** Of a message that sends the code of a verification again. */
    verificationId: string | null
  }

export type ConversationMessageFact = MessageRow & {
  kind: 'cod'
  templateName: string | null
  templateLanguage: string | null
  quotaUnit: null
  monthlyUnits: null
  verificationId: null
  confirmationId: string
  check: Check
  purpose: Purpose
  content: StoredContent
  /** For a question: what each choice means. */
  offered: string[] | null
}

/** `aheadMs`: how far the workspace's clock was ahead when the report arrived, in ms. The times in its body are real. */
export type ReportFact = StoredReport & { aheadMs: number }

export type DeliveryFact = {
  id: string
  eventId: string
  status: DeliveryStatus
  attempts: number
  /** The next attempt; while one is in flight, the end of its lease. */
  dueAt: Date | null
  endpointId: string
  url: string
  /** Null: never. */
  urlChangedAt: Date | null
  endpointStatus: EndpointStatus | 'deleted'
  endpointReason: CodedText | null
  endpointFailing: boolean
  /** The endpoint answers again, and its waiting deliveries are brought forward (src/webhooks/delivery/release.ts). */
  endpointRecovers: boolean
  leased: boolean
  /** False once retention or an erasure has removed the event's body: it cannot be sent again. */
  hasContent: boolean
  enqueuedAt: Date
}

export type WebhookAttemptFact = {
  deliveryId: string
  attempt: number
  startedAt: Date
  durationMs: number
  httpStatus: number | null
  error: CodedText | null
}

/** Endless repeats of a receiver, a customer or the provider must not fill the screen. */
const MAX_ROWS = 1_000

/** `id`: a confirmation, a message, or an event that belongs to neither. */
export type Subject = { workspaceId: string; id: string }

export type Facts = Awaited<ReturnType<typeof findFacts>>

/**
 * All rows of one confirmation with its conversation, of one message, or of an event that belongs to neither. An OTP is
 * a conversation of one message without a confirmation. The code is never read. Instants are in the workspace's time.
 */
export async function findFacts({ db: sql, clock }: Pick<Parts, 'db' | 'clock'>, { workspaceId, id }: Subject) {
  const time = await findWorkspaceTime(sql, workspaceId)
  const rows = async <Row extends object>(from: Statement<Row>, ids: string | readonly string[]): Promise<Row[]> =>
    (await sql.rows(from, [workspaceId, ids, MAX_ROWS])).map((row) => factOf(row, time))
  const reports = async (from: Statement<StoredReport>, ids: readonly string[]): Promise<ReportFact[]> =>
    (await rows(from, ids)).map((report) => withReportTime(report, time))

  const [confirmation = null] = await rows(selectConfirmation, id)
  const [refusal = null] = await rows(selectRefusal, id)
  const messages = await rows(selectMessages, id)
  const [verification = null] = await rows<VerificationFact>(selectVerifications, [id])
  const events: EventFact[] = await rows(selectEvents, [id])
  const deliveries = await rows(selectDeliveries, idsOf(events))
  const attempts: AttemptFact[] = await rows(selectAttempts, idsOf(messages))
  const answers: AnswerFact[] = await rows(selectAnswers, [id])
  return {
    now: time.at(clock.now()),
    confirmation,
    refusal,
    /** Of a one-time code. */
    verification,
    messages,
    attempts,
    /** Status reports of the messages. */
    reports: await reports(selectReports, idsOf(messages)),
    /** Messages of the customer. */
    inbound: await reports(selectInbound, [id]),
    answers: answers.map((row) => ({ ...row, receivedAt: row.receivedAt && time.at(row.receivedAt) })),
    events,
    deliveries,
    webhookAttempts: await rows(selectWebhookAttempts, idsOf(deliveries)),
    /** Whether any process with the role "worker" runs. */
    works: await isAnyWorkerAlive(sql),
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

const CHECK_COLUMNS = `r.status, r.template_name, r.template_language, r.correlation_id, r.api_key_id, k.name as api_key_name,
     r.quota_unit, a.monthly_units, r.created_at, r.answered_at, r.failure_code, r.timer_tries, r.timer_error,
     r.timer_retry_at, r.timer_quarantined_at, r.reminder_at, r.deadline_at, r.follow_up_at`

const CHECK_JOINS = `left join api_keys k on k.workspace_id = r.workspace_id and k.public_id = r.api_key_id
   left join quotas a on a.workspace_id = r.workspace_id`

const selectConfirmation: Statement<ConfirmationFact> = statement(
  'explain_confirmation',
  `select 'confirmation' as check, r.id, r.reference, r.recipient, r.sender_id, s.phone as sender_phone, s.phone_number_id,
     s.account_id, r.parameters, r.reschedule, ${CHECK_COLUMNS}
   from confirmations r
   join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
   ${CHECK_JOINS} and a.kind = 'cod_confirmation'
   where r.workspace_id = $1 and r.id = $2 limit $3`,
)

const selectRefusal: Statement<RefusalFact> = statement(
  'explain_refusal_check',
  `select 'refusal' as check, r.reason, r.note, ${CHECK_COLUMNS}
   from refusal_checks r
   ${CHECK_JOINS} and a.kind = 'cod_refusal'
   where r.workspace_id = $1 and r.confirmation_id = $2 limit $3`,
)

const selectMessages: Statement<MessageFact> = statement(
  'explain_messages',
  `select m.id, m.kind, m.status, m.recipient, m.sender_id, s.phone as sender_phone, s.phone_number_id, m.template_name,
     m.template_language,
     m.quota_unit, a.monthly_units, m.verification_id, coalesce(m.reference, c.reference) as reference,
     coalesce(m.correlation_id, f.correlation_id, c.correlation_id) as correlation_id,
     coalesce(m.api_key_id, f.api_key_id, c.api_key_id) as api_key_id, coalesce(k.name, h.name) as api_key_name,
     h.id as hook_id, h.kind as hook_kind, m.confirmation_id,
     m.check_kind as check, m.purpose, m.content, m.offered, t.components, m.created_at, m.sent_at, m.failure_code,
     m.submit_by, m.due_at, m.deliver_within_seconds, m.deliver_by, m.undelivered_event_at, m.lease is not null as leased, m.attempts, m.attempted_at, m.provider_message_id,
     m.accepted_at, s.status as sender_status, s.paused_at is not null as sender_paused,
     s.gone_at is not null as sender_gone, p.status as account_status, p.id as account_id, pace.breaker_open_until,
     pace.breaker_code, m.finish_tries, m.finish_error, m.quarantined_at,
     t.send_ttl_seconds
   from (
     select * from messages where workspace_id = $1 and id = $2
     union all
     select * from messages where workspace_id = $1 and confirmation_id = $2) m
   join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
   join provider_accounts p on p.workspace_id = s.workspace_id and p.id = s.account_id
   left join sender_pace pace on pace.sender_id = m.sender_id
   left join quotas a on a.workspace_id = m.workspace_id and a.kind = m.kind
   left join confirmations c on c.workspace_id = m.workspace_id and c.id = m.confirmation_id
   left join refusal_checks f on f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id
     and m.check_kind = 'refusal'
   left join api_keys k on k.workspace_id = m.workspace_id
     and k.public_id = coalesce(m.api_key_id, f.api_key_id, c.api_key_id)
   left join lateral (
     select id, name, kind from auth_hooks where workspace_id = m.workspace_id and id = ${hookOfKeyId('m.api_key_id')} limit 1) h on true
   left join templates t on t.workspace_id = m.workspace_id and t.account_id = p.id and t.name = m.template_name
     and t.language = m.template_language
   order by m.id limit $3`,
)

const selectDeliveries: Statement<DeliveryFact> = statement(
  'explain_deliveries',
  `select d.id, d.event_id, d.endpoint_id, e.url, e.url_changed_at, e.status_reason as endpoint_reason,
     case when e.deleted_at is null then e.status else 'deleted' end as endpoint_status, e.failing_since is not null as endpoint_failing, e.release_at is not null as endpoint_recovers, d.status,
     d.attempts, d.lease is not null as leased, ${nextAttemptAt('d')} as due_at, v.body <> '' as has_content,
     d.created_at as enqueued_at
   from webhook_deliveries d
   join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
   cross join lateral (select body from events where workspace_id = d.workspace_id and id = d.event_id limit 1) v
   where d.workspace_id = $1 and d.event_id = any($2)
   order by d.id limit $3`,
)

const selectWebhookAttempts: Statement<WebhookAttemptFact> = statement(
  'explain_webhook_attempts',
  `select delivery_id, attempt, started_at, duration_ms, http_status, error
   from webhook_attempts where workspace_id = $1 and delivery_id = any($2) order by delivery_id, attempt limit $3`,
)

/** Instants that are stored in real time; all others are stored in the workspace's time. */
const PAST =
  'acceptedAt attemptedAt quarantinedAt timerQuarantinedAt startedAt endedAt recordedAt enqueuedAt urlChangedAt'
const FUTURE = 'submitBy dueAt deliverBy breakerOpenUntil timerRetryAt reminderAt deadlineAt followUpAt'
const [PAST_MEMBERS, FUTURE_MEMBERS] = [new Set(PAST.split(' ')), new Set(FUTURE.split(' '))]

/** Converts times to the workspace's: past ones to what its clock showed then, future ones to what it will show. */
function factOf<Row extends object>(row: Row, { at, due }: WorkspaceTime): Row {
  const members = Object.entries(camelCased(row)).map(([name, value]: [string, unknown]) => {
    const shift = PAST_MEMBERS.has(name) ? at : FUTURE_MEMBERS.has(name) ? due : undefined
    return [name, shift && value instanceof Date ? shift(value) : value]
  })
  return Object.fromEntries(members) as Row
}

/** The time in a report is moved by as much as its arrival. */
function withReportTime(report: StoredReport, { at }: WorkspaceTime): ReportFact {
  const aheadMs = at(report.receivedAt).getTime() - report.receivedAt.getTime()
  return {
    ...report,
    aheadMs,
    receivedAt: later(report.receivedAt, aheadMs),
    writtenAt: later(report.writtenAt, aheadMs),
  }
}

export type CheckFact = ConfirmationFact | RefusalFact

/** The refusal check comes after the confirmation. */
export const checksOf = ({ confirmation, refusal }: Pick<Facts, 'confirmation' | 'refusal'>): CheckFact[] =>
  [confirmation, refusal].filter((check) => check !== null)

export type ArmedTimer = { check: Check; timer: keyof typeof TIMERS; at: Date }

const TIMERS = { reminder: 'reminderAt', deadline: 'deadlineAt', follow_up: 'followUpAt' } as const

export const armedTimers = (facts: Facts): ArmedTimer[] =>
  checksOf(facts).flatMap((check) =>
    (['reminder', 'deadline', 'follow_up'] as const).flatMap((timer) => {
      const at = check[TIMERS[timer]]
      return at ? [{ check: check.check, timer, at }] : []
    }),
  )

export const conversationMessages = ({ messages }: Pick<Facts, 'messages'>): ConversationMessageFact[] =>
  messages.filter((message) => message.kind === 'cod')
