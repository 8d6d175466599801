import { statusText } from '../webhooks/endpoint-status.ts'
import { SECOND_MS, later } from '../lib/clock.ts'
import { isSuperseded } from '../messages/queue/claim.ts'
import type { ProviderError } from '../providers/provider.ts'
import { asWritten, chained, type CodedText, plainText, quoted, type TextValue } from '../../locales/text.ts'
import { quotaMonth } from '../workspaces/quota.ts'
import { answerEntry, inboundEntry } from './customer-entries.ts'
import { displayedText } from './displayed.ts'
import { type TimelineEntry, checkName, entry, reportOutcomeText, inOrder, messageName, repeatsText } from './entry.ts'
import {
  type ArmedTimer,
  type CheckFact,
  type ConversationMessageFact,
  type DeliveryFact,
  type Facts,
  type MessageFact,
  type OtpFact,
  type ProviderReader,
  type ReportFact,
  type WebhookAttemptFact,
  armedTimers,
  checksOf,
  conversationMessages,
} from './facts.ts'
import type { AttemptFact, EventFact } from './rows.ts'
import { fallbackEntries } from './fallback-entries.ts'
import { resendEntry, verificationEntries } from './verification-entries.ts'
import { answeredMessage } from './transcript.ts'

/** Everything that happened, and what is still to come, in order. */
export function timeline(facts: Facts, provider: ProviderReader): TimelineEntry[] {
  const { confirmation, messages, attempts, reports, deliveries } = facts
  const of = (messageId: string | null): TextValue => {
    const message = confirmation && conversationMessages(facts).find(({ id }) => id === messageId)
    return message ? { code: 'explain.of', message: messageName(message) } : ''
  }
  const reported = reports
    .map((report) => ({ report, reply: replyBefore(report, facts, provider) }))
    .toSorted((one, other) => rankOf(one.report, provider) - rankOf(other.report, provider))
    .map(({ report, reply }) => ({
      isBeforeReply: reply !== undefined,
      entry: reportEntry(report, { at: reply?.receivedAt ?? report.receivedAt, provider, of: of(report.messageId) }),
    }))
  return inOrder([
    ...checksOf(facts).flatMap((check) => [requestEntry(check), quotaEntry(check)]),
    ...reported.filter(({ isBeforeReply }) => isBeforeReply).map((each) => each.entry),
    // What the customer did comes before what it caused within the same millisecond.
    ...facts.inbound.map((report) => inboundEntry(report, facts, provider)),
    ...facts.answers.map(answerEntry),
    ...messages.flatMap((each) =>
      each.kind === 'otp' ? [requestEntry(each), quotaEntry(each), ...resendEntry(each)] : [messageEntry(each)],
    ),
    ...verificationEntries(facts),
    ...attempts.map((attempt) => attemptEntry(attempt, of(attempt.messageId))),
    ...messages.flatMap((each) => openAttemptEntry(each, of(each.id))),
    ...reported.filter(({ isBeforeReply }) => !isBeforeReply).map((each) => each.entry),
    ...messages.flatMap(fallbackEntries),
    ...facts.events.map((event) => eventEntry(event, deliveries)),
    ...facts.webhookAttempts.map((attempt) => webhookEntry(attempt, deliveries)),
    ...deliveries.flatMap(waitingEntry),
    ...armedTimers(facts).map(timerEntry),
    ...checksOf(facts).flatMap(quarantinedTimerEntry),
    ...messages.flatMap(quarantinedMessageEntry),
  ])
}

function requestEntry(request: CheckFact | OtpFact): TimelineEntry {
  const { createdAt, templateName, templateLanguage, apiKeyId, correlationId } = request
  const common = { templateName, templateLanguage, correlationId }
  const members = { apiKey: apiKeyId, correlationId }
  if (request.check === 'refusal')
    return entry(createdAt, 'request', { code: 'explain.refusal_request', ...common, apiKeyId }, members)
  const { recipient, senderPhone, reference } = request
  const to = { recipient, senderPhone }
  const detail: CodedText =
    request.check === 'confirmation'
      ? { code: 'explain.confirmation_request', ...common, ...to, apiKeyId, reference: request.reference }
      : { code: 'explain.message_request', ...common, ...to, madeBy: madeByText(request) }
  return entry(createdAt, 'request', detail, { to: recipient, ...members, reference })
}

function madeByText({ apiKeyId, apiKeyName, hookId, hookKind }: OtpFact): CodedText {
  return hookId !== null && hookKind !== null
    ? { code: 'explain.by_hook', name: apiKeyName ?? '', kind: hookKind, hookId }
    : { code: 'explain.by_key', apiKeyId }
}

function quotaEntry({ createdAt, quotaUnit: unit, monthlyUnits: quota }: CheckFact | OtpFact): TimelineEntry {
  const month = quotaMonth(createdAt).slice(0, 7)
  const detail: CodedText =
    quota === null ? { code: 'explain.unit', unit, month } : { code: 'explain.unit_of', unit, month, quota }
  return entry(createdAt, 'quota', detail, { unit, month })
}

function messageEntry(message: ConversationMessageFact): TimelineEntry {
  const { id: messageId, check, purpose, offered, status } = message
  const { text, choices } = displayedText(message.content, message.components)
  const name = messageName(message)
  const detail: CodedText = {
    code: 'explain.message',
    name,
    text,
    tappable:
      choices.length > 0 ? { code: 'explain.tappable', choices: chained('words.bar', choices.map(quoted)) } : '',
    superseded: isSuperseded(message) ? { code: 'explain.message_superseded' } : '',
  }
  return entry(message.createdAt, 'message', detail, {
    messageId,
    name,
    check,
    purpose,
    text,
    choices,
    offered,
    status,
  })
}

/** `of` names the message, where there are several. */
export function attemptEntry(
  { messageId, attempt, startedAt, endedAt, outcome, httpStatus, providerCode, detail }: AttemptFact,
  of: TextValue = '',
): TimelineEntry {
  const causes: CodedText[] = []
  if (httpStatus && outcome !== 'accepted') causes.push(asWritten(`HTTP ${httpStatus}`))
  if (providerCode !== null) causes.push({ code: 'explain.code', errorCode: providerCode })
  if (detail) causes.push(detail)
  const because: TextValue = causes.length > 0 ? { code: 'explain.because', causes } : ''
  const durationMs = endedAt.getTime() - startedAt.getTime()
  return entry(
    startedAt,
    'attempt',
    { code: 'explain.attempt', attempt, of, outcome: plainText(`explain.outcome_${outcome}`), because },
    { messageId, attempt, outcome, durationMs, httpStatus, providerCode },
  )
}

function openAttemptEntry(message: MessageFact, of: TextValue): TimelineEntry[] {
  const { id: messageId, attempts: attempt, leased, attemptedAt } = message
  if (!attemptedAt) return []
  const outcome = plainText(leased ? 'explain.outcome_under_way' : 'explain.outcome_no_answer')
  const detail: CodedText = { code: 'explain.attempt', attempt, of, outcome, because: '' }
  return [entry(attemptedAt, 'attempt', detail, { messageId, attempt, outcome: 'open' })]
}

/** The provider reports whole seconds and sends its webhooks in any order. */
const MAX_OVERTAKEN_MS = SECOND_MS

/** The customer's reply to the message, if it arrived just before the report of something that happened earlier. */
function replyBefore(report: ReportFact, facts: Facts, provider: ProviderReader): ReportFact | undefined {
  const { messageId, outcome, receivedAt } = report
  if (outcome !== 'applied') return undefined
  return facts.inbound.find((reply) => {
    const passedMs = receivedAt.getTime() - reply.receivedAt.getTime()
    if (passedMs < 0 || passedMs > MAX_OVERTAKEN_MS) return false
    const inbound = provider.readInbound(reply.body)
    return inbound !== undefined && answeredMessage(inbound, facts)?.id === messageId
  })
}

const RANKS = ['sent', 'delivered', 'read', 'played']

const rankOf = ({ body }: ReportFact, provider: ProviderReader): number =>
  RANKS.indexOf(provider.readStatus(body)?.outcome ?? '')

type ReportContext = { at: Date; provider: ProviderReader; of: TextValue }

function reportEntry(report: ReportFact, { at: placedAt, provider, of }: ReportContext): TimelineEntry {
  const { messageId, body, outcome, note, repeats } = report
  const status = provider.readStatus(body)
  const occurredAt = status?.at ? later(status.at, report.aheadMs).toISOString() : null
  const shared = { of, reportOutcome: reportOutcomeText(report), again: repeatsText(repeats) }
  const at: TextValue = occurredAt ? { code: 'explain.at', at: occurredAt } : ''
  const why = status?.outcome === 'failed' ? errorsIn(status.errors, provider) : ''
  const word = provider.readStatusWord(body)
  const detail: CodedText = status
    ? { code: 'explain.reported', outcome: plainText(`explain.reported_${status.outcome}`), at, why, ...shared }
    : body === ''
      ? { code: 'explain.reported_removed', ...shared }
      : word === null
        ? { code: 'explain.reported_no_status', ...shared }
        : { code: 'explain.reported_unknown_status', word, ...shared }
  const codes = status?.error && {
    providerCode: status.error.code,
    providerCodes: status.errors.map(({ code }) => code),
  }
  const members = { messageId, report: status?.outcome ?? null, occurredAt, outcome, note, repeats, ...codes }
  return entry(placedAt, 'report', detail, members)
}

function errorsIn(errors: readonly ProviderError[], provider: ProviderReader): CodedText {
  const texts = errors.map(({ code }) => errorText(code, provider))
  return {
    code: 'explain.because',
    causes: texts.length === 0 ? { code: 'explain.no_reason' } : chained('words.semicolon', texts),
  }
}

function errorText(errorCode: number | null, provider: ProviderReader): CodedText {
  if (errorCode === null) return { code: 'explain.no_code' }
  const title = provider.findError(errorCode)?.title
  return title ? { code: 'explain.known_code', errorCode, title } : { code: 'explain.unknown_code', errorCode }
}

function eventEntry({ id, type, recordedAt }: EventFact, deliveries: readonly DeliveryFact[]): TimelineEntry {
  const count = deliveries.filter(({ eventId }) => eventId === id).length
  const detail: CodedText =
    count > 1
      ? { code: 'explain.for_several', type, id, count }
      : { code: count === 1 ? 'explain.for_one' : 'explain.for_none', type, id }
  return entry(recordedAt, 'event', detail, { eventId: id, type })
}

function webhookEntry(sent: WebhookAttemptFact, deliveries: readonly DeliveryFact[]): TimelineEntry {
  const { attempt, durationMs, httpStatus, error } = sent
  const { url = '', eventId = null, endpointId = null } = deliveries.find(({ id }) => id === sent.deliveryId) ?? {}
  const answer: CodedText = httpStatus === null ? { code: 'explain.no_answer' } : asWritten(`HTTP ${httpStatus}`)
  const because: TextValue = error ? { code: 'explain.because', causes: error } : ''
  const detail: CodedText = { code: 'explain.posted', url, attempt, answer, because, durationMs }
  const members = { deliveryId: sent.deliveryId, eventId, endpointId, attempt, httpStatus, error }
  return entry(sent.startedAt, 'webhook', detail, members)
}

/** A delivery that waits for its next attempt, or is held. */
function waitingEntry(delivery: DeliveryFact): TimelineEntry[] {
  const { id: deliveryId, url, eventId, endpointId, status, dueAt, leased, enqueuedAt } = delivery
  if (status !== 'pending' && status !== 'held') return []
  const detail: CodedText =
    status === 'held'
      ? { code: 'explain.delivery_held', url, endpointStatus: statusText(delivery.endpointStatus) }
      : { code: leased ? 'explain.posting' : 'explain.to_post', url }
  const members = { deliveryId, eventId, endpointId, status, dueAt: dueAt?.toISOString() ?? null }
  return [entry(leased || !dueAt ? enqueuedAt : dueAt, 'webhook', detail, members)]
}

const timerEntry = ({ at, check, timer }: ArmedTimer): TimelineEntry =>
  entry(at, 'timer', { code: 'explain.armed', what: plainText(`explain.timer_${timer}`), check: checkName(check) })

function quarantinedTimerEntry(timers: CheckFact): TimelineEntry[] {
  const { check, timerQuarantinedAt, timerTries: tries, timerError: note } = timers
  if (!timerQuarantinedAt) return []
  const detail: CodedText = { code: 'explain.timer_quarantined', check: checkName(check), tries, fault: note ?? '' }
  return [entry(timerQuarantinedAt, 'timer', detail, { check, outcome: 'quarantined', note })]
}

function quarantinedMessageEntry(message: MessageFact): TimelineEntry[] {
  const { id: messageId, quarantinedAt, finishTries: tries, finishError: note } = message
  if (!quarantinedAt) return []
  const detail: CodedText = { code: 'explain.message_quarantined', tries, fault: note ?? '' }
  return [entry(quarantinedAt, 'report', detail, { messageId, outcome: 'quarantined', note })]
}
