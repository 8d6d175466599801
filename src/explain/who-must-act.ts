import { MINUTE_MS } from '../clock.ts'
import type { FailureCode } from '../providers/provider.ts'
import { senderUnavailableReason } from '../senders/availability.ts'
import { commandToEnable } from '../webhooks/endpoint-status.ts'
import type { DeliveryFact, Facts, SubmissionFact, WebhookAttemptFact, WebhookFacts } from './facts.ts'

export type Actor = 'nobody' | 'caller' | 'operator' | 'provider' | 'customer'

export type Next = {
  who: Actor
  /** One sentence: what is to be done, or why nothing is. */
  sentence: string
}

/** Due for so long, and no process takes it: none of those that run is a worker. */
const NOBODY_WORKS_MS = MINUTE_MS
/** WhatsApp's first status comes within seconds; after this its webhooks do not reach us. */
const SILENCE_MS = 5 * MINUTE_MS

/** The first that applies: the message before its webhooks, what is broken before what only takes time. */
export function whoMustAct(facts: Facts, now: Date): Next {
  return (
    (facts.message && ofMessage(facts.message, now)) ??
    ofWebhooks(facts, now) ??
    (facts.message ? ofOutcome(facts.message, now) : nobody('the event has reached every endpoint that it was for'))
  )
}

export const nobody = (why: string): Next => ({ who: 'nobody', sentence: `Nobody must act: ${why}.` })

/** Undefined when the message is off our hands. */
export function ofMessage(message: SubmissionFact, now: Date): Next | undefined {
  if (message.failureCode) return afterFailure[message.failureCode]
  if (!message.dueAt) return undefined
  const unavailable = senderUnavailableReason({
    status: message.senderStatus,
    paused: message.senderPaused,
    gone: message.senderGone,
    accountStatus: message.accountStatus,
  })
  if (unavailable) {
    const remedy = unavailable.replace(/\.$/, '').replaceAll('. ', '; ')
    return {
      who: 'operator',
      sentence: `The operator must act before ${time(message.submitBy)}, when the message is given up: ${remedy}.`,
    }
  }
  if (message.heldUntil && message.heldUntil > now) {
    return nobody(`WhatsApp limits how fast the sender may go, and it goes on by itself at ${time(message.heldUntil)}`)
  }
  if (!message.leased && isOverdue(message.dueAt, now)) return noWorker(message.dueAt)
  if (message.leased) return nobody('an attempt to submit the message is under way')
  if (message.attemptedAt) {
    return nobody(
      `WhatsApp’s answer to the last attempt was lost, so a status report may still tell what came of it; without one the message is tried once more at ${time(message.dueAt)}`,
    )
  }
  if (message.attempts > 0) return nobody(`the message is tried again at ${time(message.dueAt)}`)
  return nobody('the message is about to be submitted to WhatsApp')
}

export const isOverdue = (dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > NOBODY_WORKS_MS

export const noWorker = (dueAt: Date): Next => ({
  who: 'operator',
  sentence: `The operator must start a process with the role "worker": work has been due since ${time(dueAt)} and nobody takes it.`,
})

/** Undefined when every webhook arrived, or will at its first attempt. */
export function ofWebhooks({ deliveries, webhookAttempts }: WebhookFacts, now: Date): Next | undefined {
  const found = deliveries.map((delivery) => ofDelivery(delivery, lastOf(delivery, webhookAttempts), now))
  return found.find((next) => next && next.who !== 'nobody') ?? found.find((next) => next !== undefined)
}

const lastOf = (delivery: DeliveryFact, attempts: readonly WebhookAttemptFact[]): WebhookAttemptFact | undefined =>
  attempts.findLast(({ deliveryId }) => deliveryId === delivery.id)

function ofDelivery(delivery: DeliveryFact, last: WebhookAttemptFact | undefined, now: Date): Next | undefined {
  const { url, status, endpointStatus, dueAt, endpointId } = delivery
  const resend = `"endpoint resend ${endpointId} --event ${delivery.eventId}"`
  const fault = last ? faultOf(last) : 'did not answer'
  switch (status) {
    case 'succeeded':
      return undefined
    case 'failed':
      return {
        who: 'caller',
        sentence: `The caller must mend ${url}, which ${fault} until the last attempt, and have the operator send the event again with ${resend}.`,
      }
    case 'held': {
      const reason = delivery.endpointReason ? ` (${delivery.endpointReason.replace(/\.$/, '')})` : ''
      const sentence =
        endpointStatus === 'enabled'
          ? `The operator must send the event again with ${resend}: it is held, because its endpoint was off.`
          : `The operator must run ${commandToEnable(endpointStatus, endpointId)} and then ${resend}: the event is held, because ${url} is ${endpointStatus}${reason}.`
      return { who: 'operator', sentence }
    }
    case 'pending':
      if (dueAt && !delivery.leased && isOverdue(dueAt, now)) return noWorker(dueAt)
      if (!last) return nobody(`the webhook to ${url} is on its way`)
      return {
        who: 'caller',
        sentence: `The caller must mend ${url}, which ${fault}; the next attempt is at ${time(dueAt ?? now)}.`,
      }
  }
}

const faultOf = ({ httpStatus, error }: WebhookAttemptFact): string =>
  httpStatus === null ? `did not answer (${error ?? 'no reason known'})` : `answered ${httpStatus}`

/** The message is off our hands and its webhooks arrived. */
export function ofOutcome(message: SubmissionFact, now: Date): Next {
  switch (message.status) {
    case 'delivered':
    case 'read':
    case 'played':
      return nobody('the message has arrived')
    case 'sent':
      return {
        who: 'customer',
        sentence: 'The customer’s phone must come online: WhatsApp holds the message and delivers it then.',
      }
    case 'accepted':
    case 'received':
    case 'queued':
    case 'sending':
    case 'failed': {
      const since = message.acceptedAt ?? message.createdAt
      return now.getTime() - since.getTime() > SILENCE_MS ? silent(message, since) : justTaken
    }
  }
}

const justTaken: Next = {
  who: 'provider',
  sentence: 'The provider must report what became of the message, which it took a moment ago.',
}

const silent = ({ accountId }: SubmissionFact, since: Date): Next => ({
  who: 'operator',
  sentence: `The operator must check that WhatsApp’s webhooks reach /whatsapp/${accountId}: it took the message at ${time(since)} and has reported nothing since.`,
})

export const time = (at: Date): string => at.toISOString()

const caller = (what: string): Next => ({ who: 'caller', sentence: `The caller must ${what}.` })
const operator = (what: string): Next => ({ who: 'operator', sentence: `The operator must ${what}.` })

export const afterFailure: Readonly<Record<FailureCode, Next>> = {
  RECIPIENT_UNREACHABLE: caller('check the number with the recipient or use another channel'),
  RECIPIENT_NOT_ALLOWED: operator('look up in WhatsApp Manager why the sender may not write to this recipient'),
  RECIPIENT_RATE_LIMITED: caller('wait before sending to this recipient again'),
  SENDER_RATE_LIMITED: caller('spread messages over time or use another sender, and send again'),
  SENDER_UNAVAILABLE: operator('check registration, payment and restrictions of the number in WhatsApp Manager'),
  PROVIDER_CREDENTIALS_INVALID: operator('connect the account again with a token that works, with "account connect"'),
  TEMPLATE_NOT_FOUND: operator('check name, language and approval of the template, then run "account sync"'),
  TEMPLATE_PAUSED: operator('look up in WhatsApp Manager why the template is paused, or have another one used'),
  TEMPLATE_DISABLED: operator('create another template, because WhatsApp disabled this one'),
  TEMPLATE_PARAMETERS_REJECTED: operator('run "account sync" and compare the template with WhatsApp Manager'),
  POLICY_VIOLATION: operator('read WhatsApp’s notice in WhatsApp Manager and appeal or wait'),
  WINDOW_CLOSED: caller('send a template, because the recipient’s last message is more than 24 hours old'),
  PROVIDER_UNAVAILABLE: caller('send again, because WhatsApp did not answer in time'),
  SUBMISSION_EXPIRED: caller('send again, because the message could not be handed over in the time allowed for it'),
  UNKNOWN: operator('look up WhatsApp’s own code above, which Doorcode does not know'),
}
