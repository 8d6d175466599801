import type { Parts } from '../parts.ts'
import type { Provider } from '../providers/provider.ts'
import { quotaMonth } from '../workspaces/quota.ts'
import {
  type AttemptFact,
  type DeliveryFact,
  type EventFact,
  type Facts,
  findFacts,
  type MessageFact,
} from './facts.ts'
import type { ReportFact, WebhookAttemptFact } from './facts.ts'
import { type Next, whoMustAct } from './who-must-act.ts'

export type Explanation = {
  id: string
  kind: 'message' | 'event'
  messageId: string | null
  /** Of the message; of an event without one, how far its deliveries are. */
  status: string
  timeline: Entry[]
  next: Next
}

export type Entry = {
  at: string
  what: 'request' | 'quota' | 'attempt' | 'report' | 'event' | 'webhook'
  detail: string
  [member: string]: unknown
}

/** Everything known about a message or an event, in order, and who must act now. Undefined: no such id. */
export async function explain(
  { db, clock, provider }: Pick<Parts, 'db' | 'clock' | 'provider'>,
  id: string,
): Promise<Explanation | undefined> {
  const facts = await findFacts(db, id)
  if (!facts) return undefined
  const { message } = facts
  return {
    id,
    kind: message?.id === id ? 'message' : 'event',
    messageId: message?.id ?? null,
    status: message?.status ?? deliveryStatus(facts),
    timeline: timelineOf(facts, provider),
    next: whoMustAct(facts, clock.now()),
  }
}

const deliveryStatus = ({ deliveries }: Facts): string =>
  [...new Set(deliveries.map(({ status }) => status))].join(', ') || 'recorded'

/** Sorted by time; what happened at one time stays in the order of cause and effect. */
export function timelineOf(facts: Facts, provider: Pick<Provider, 'readStatus'>): Entry[] {
  const { message, attempts, reports, events, deliveries, webhookAttempts } = facts
  const entries = [
    ...(message ? [requestEntry(message), quotaEntry(message)] : []),
    ...attempts.map(attemptEntry),
    ...(message?.attemptedAt ? [openAttemptEntry(message, message.attemptedAt)] : []),
    ...reports.map((report) => reportEntry(report, provider)),
    ...events.map((event) => eventEntry(event, deliveries)),
    ...webhookAttempts.map((attempt) => webhookEntry(attempt, deliveries)),
    ...deliveries.filter(isWaiting).map(waitingEntry),
  ]
  return entries.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
}

function requestEntry(message: MessageFact): Entry {
  const { recipient, senderPhone, templateName, templateLanguage, apiKeyId, correlationId, reference } = message
  return {
    at: message.createdAt.toISOString(),
    what: 'request',
    detail: `accepted for ${recipient}, from ${senderPhone} with ${templateName} (${templateLanguage}); key ${apiKeyId}, correlation id ${correlationId}`,
    to: recipient,
    apiKey: apiKeyId,
    correlationId,
    reference,
  }
}

function quotaEntry({ createdAt, quotaUnit, monthlyUnits }: MessageFact): Entry {
  const month = quotaMonth(createdAt).slice(0, 7)
  const allowance = monthlyUnits === null ? '' : `; the allowance is ${monthlyUnits} now`
  return {
    at: createdAt.toISOString(),
    what: 'quota',
    detail: `unit ${quotaUnit} of ${month}${allowance}`,
    unit: quotaUnit,
    month,
  }
}

const attemptWords = {
  accepted: 'WhatsApp took the message',
  retry: 'not taken, to be tried again',
  refused: 'refused for good',
  unknown: 'outcome unknown',
} as const

function attemptEntry({ attempt, startedAt, endedAt, outcome, httpStatus, providerCode, detail }: AttemptFact): Entry {
  const because = [httpStatus && `HTTP ${httpStatus}`, providerCode && `code ${providerCode}`, detail].filter(Boolean)
  return {
    at: startedAt.toISOString(),
    what: 'attempt',
    detail: `attempt ${attempt}: ${attemptWords[outcome]}${because.length > 0 ? ` (${because.join(', ')})` : ''}`,
    attempt,
    outcome,
    durationMs: endedAt.getTime() - startedAt.getTime(),
    httpStatus,
    providerCode,
  }
}

function openAttemptEntry({ attempts, leased }: MessageFact, attemptedAt: Date): Entry {
  return {
    at: attemptedAt.toISOString(),
    what: 'attempt',
    detail: `attempt ${attempts}: ${leased ? 'under way' : 'no answer is known yet'}`,
    attempt: attempts,
    outcome: 'open',
  }
}

function reportEntry(
  { body, receivedAt, repeats, outcome, note }: ReportFact,
  provider: Pick<Provider, 'readStatus'>,
): Entry {
  const status = provider.readStatus(body)
  const error = status?.error
  const occurredAt = status?.at?.toISOString() ?? null
  const says = status ? `${status.outcome}${occurredAt ? ` at ${occurredAt}` : ''}` : 'something that is no status'
  const why = error ? ` (code ${error.code} ${error.title}${error.detail ? `: ${error.detail}` : ''})` : ''
  const fate = outcome === 'applied' ? '' : `; ${outcome}${note ? `: ${note}` : ''}`
  const again = repeats > 0 ? `; came ${repeats + 1} times` : ''
  return {
    at: receivedAt.toISOString(),
    what: 'report',
    detail: `WhatsApp reports ${says}${why}${fate}${again}`,
    report: status?.outcome ?? null,
    occurredAt,
    outcome,
    note,
    repeats,
    ...(error ? { providerCode: error.code } : {}),
  }
}

function eventEntry({ id, type, recordedAt }: EventFact, deliveries: readonly DeliveryFact[]): Entry {
  const count = deliveries.filter(({ eventId }) => eventId === id).length
  return {
    at: recordedAt.toISOString(),
    what: 'event',
    detail: `${type} (${id}) for ${count === 0 ? 'no endpoint' : count === 1 ? '1 endpoint' : `${count} endpoints`}`,
    eventId: id,
    type,
  }
}

function webhookEntry(
  { deliveryId, attempt, startedAt, durationMs, httpStatus, error }: WebhookAttemptFact,
  deliveries: readonly DeliveryFact[],
): Entry {
  const delivery = deliveries.find(({ id }) => id === deliveryId)
  return {
    at: startedAt.toISOString(),
    what: 'webhook',
    detail: `to ${delivery?.url}, attempt ${attempt}: ${httpStatus === null ? 'no answer' : `HTTP ${httpStatus}`}${error ? ` (${error})` : ''} after ${durationMs} ms`,
    eventId: delivery?.eventId ?? null,
    endpointId: delivery?.endpointId ?? null,
    attempt,
    httpStatus,
    error,
  }
}

const isWaiting = ({ status }: DeliveryFact): boolean => status === 'pending' || status === 'held'

function waitingEntry({
  url,
  eventId,
  endpointId,
  status,
  endpointStatus,
  dueAt,
  leased,
  createdAt,
}: DeliveryFact): Entry {
  const fate = status === 'held' ? `held: the endpoint is ${endpointStatus}` : leased ? 'under way' : 'next attempt'
  return {
    at: (leased || !dueAt ? createdAt : dueAt).toISOString(),
    what: 'webhook',
    detail: `to ${url}: ${fate}`,
    eventId,
    endpointId,
    status,
    dueAt: dueAt?.toISOString() ?? null,
  }
}
