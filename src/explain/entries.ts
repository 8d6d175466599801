import { later } from '../clock.ts'
import type { Provider } from '../providers/provider.ts'
import { quotaMonth } from '../workspaces/quota.ts'
import type {
  AttemptFact,
  DeliveryFact,
  EventFact,
  ReportFact,
  SubmissionFact,
  WebhookAttemptFact,
  WebhookFacts,
} from './facts.ts'

/** One line of what is told. `at` is in the workspace's time. */
export type Entry = {
  at: string
  what: 'request' | 'quota' | 'message' | 'attempt' | 'report' | 'customer' | 'answer' | 'event' | 'webhook' | 'timer'
  detail: string
  [member: string]: unknown
}

/** What happened at one time stays in the order of cause and effect. */
export const inOrder = (entries: Entry[]): Entry[] =>
  entries.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))

type Unit = { createdAt: Date; quotaUnit: number; monthlyUnits: number | null }

export function quotaEntry({ createdAt, quotaUnit, monthlyUnits }: Unit): Entry {
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

/** `of` says of which message, where there are several. */
export function attemptEntry(
  { attempt, startedAt, endedAt, outcome, httpStatus, providerCode, detail }: AttemptFact,
  of = '',
): Entry {
  const because = [httpStatus && `HTTP ${httpStatus}`, providerCode && `code ${providerCode}`, detail].filter(Boolean)
  return {
    at: startedAt.toISOString(),
    what: 'attempt',
    detail: `attempt ${attempt}${of}: ${attemptWords[outcome]}${because.length > 0 ? ` (${because.join(', ')})` : ''}`,
    attempt,
    outcome,
    durationMs: endedAt.getTime() - startedAt.getTime(),
    httpStatus,
    providerCode,
  }
}

export function openAttemptEntry({ attempts, leased }: SubmissionFact, attemptedAt: Date, of = ''): Entry {
  return {
    at: attemptedAt.toISOString(),
    what: 'attempt',
    detail: `attempt ${attempts}${of}: ${leased ? 'under way' : 'no answer is known yet'}`,
    attempt: attempts,
    outcome: 'open',
  }
}

export function reportEntry(
  { body, receivedAt, aheadMs, repeats, outcome, note }: ReportFact,
  provider: Pick<Provider, 'readStatus'>,
  of = '',
): Entry {
  const status = provider.readStatus(body)
  const error = status?.error
  const occurredAt = status?.at ? later(status.at, aheadMs).toISOString() : null
  const says = status
    ? `${status.outcome}${of}${occurredAt ? ` at ${occurredAt}` : ''}`
    : `something that is no status${of}`
  const why = error ? ` (code ${error.code} ${error.title}${error.detail ? `: ${error.detail}` : ''})` : ''
  const [fate, again] = [fateOf({ outcome, note }), againOf(repeats)]
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

/** What became of something that came in, unless it was simply applied. */
export const fateOf = ({ outcome, note }: Pick<ReportFact, 'outcome' | 'note'>): string =>
  outcome === 'applied' ? '' : `; ${outcome}${note ? `: ${note}` : ''}`

export const againOf = (repeats: number): string => (repeats > 0 ? `; came ${repeats + 1} times` : '')

/** Events, every attempt to deliver them, and the deliveries that wait. */
export const webhookEntries = ({ events, deliveries, webhookAttempts }: WebhookFacts): Entry[] => [
  ...events.map((event) => eventEntry(event, deliveries)),
  ...webhookAttempts.map((attempt) => webhookEntry(attempt, deliveries)),
  ...deliveries.filter(isWaiting).map(waitingEntry),
]

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
