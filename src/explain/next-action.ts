import { webhookPathOf } from '../accounts/accounts.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS, later } from '../lib/clock.ts'
import { senderUnavailableReason } from '../accounts/availability.ts'
import { type CodedText, commandText, plainText, type TextValue } from '../../locales/text.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import { commandToEnable, statusText } from '../webhooks/endpoint-status.ts'
import { diagnose } from './diagnosis.ts'
import {
  type CheckFact,
  type DeliveryFact,
  type Facts,
  type MessageFact,
  type ProviderReader,
  type WebhookAttemptFact,
  armedTimers,
  checksOf,
} from './facts.ts'
import type { AnswerFact, VerificationFact } from './rows.ts'

export type NextAction = {
  who: 'none' | 'client' | 'operator' | 'provider' | 'customer'
  /** The action to take, addressed to the person who must take it, or why none is needed. */
  sentence: CodedText
}

/** How overdue work must be, without a worker, before a missing worker is reported: a restart takes less. */
const MAX_WORKER_PAUSE_MS = MINUTE_MS
/** WhatsApp's first status comes within seconds; without one after this time its webhooks do not reach us. */
const MAX_SILENCE_MS = 5 * MINUTE_MS

/** The first that applies: what is broken before what only takes time, a message before its webhooks. */
export function nextAction(facts: Facts, provider: ProviderReader): NextAction {
  const sending = facts.messages.flatMap((message) => actionForMessage(message, facts, provider) ?? [])
  const webhooks = actionForWebhooks(facts)
  return (
    sending.find(({ who }) => who !== 'none') ??
    actionForFailure(facts, provider) ??
    (webhooks?.who === 'none' ? undefined : webhooks) ??
    actionForTimers(facts) ??
    sending[0] ??
    actionForOpenQuestion(facts) ??
    actionForVerification(facts) ??
    actionForUndeliveredQuestion(facts) ??
    actionForMissingDay(facts) ??
    webhooks ??
    actionForOutcome(facts)
  )
}

const action = (who: NextAction['who'], sentence: CodedText): NextAction => ({ who, sentence })

const noAction = (why: CodedText): NextAction => action('none', { code: 'explain.no_action', why })

const time = (at: Date): string => at.toISOString()

/** Returns undefined if nothing is left to do for the message, or if it failed. */
function actionForMessage(
  message: MessageFact,
  { reports, works, now }: Facts,
  provider: ProviderReader,
): NextAction | undefined {
  const { dueAt } = message
  if (message.quarantinedAt) return actionForQuarantine({ code: 'explain.quarantined_message' }, message.id)
  const report = reports.find(({ messageId, outcome }) => messageId === message.id && outcome === 'quarantined')
  if (report) return actionForQuarantine({ code: 'explain.quarantined_report' }, report.id)
  if (message.failureCode || !dueAt) return undefined
  // The lease ends when the message is due; after that, its process counts as dead.
  if (message.leased && dueAt > now) return noAction({ code: 'explain.why_under_way' })
  const unavailable = senderUnavailableReason(message)
  if (unavailable) {
    const submitBy = time(message.submitBy)
    return action('operator', { code: 'explain.unavailable', submitBy, remedy: unavailable })
  }
  if (message.breakerOpenUntil && message.breakerOpenUntil > now)
    return actionForOpenBreaker(message.breakerOpenUntil, message.breakerCode, provider)
  if (!works && isOverdue(dueAt, now)) return noWorker(dueAt)
  if (message.attemptedAt) return noAction({ code: 'explain.why_answer_lost', dueAt: time(dueAt) })
  if (message.attempts > 0) return noAction({ code: 'explain.why_tried_again', dueAt: time(dueAt) })
  return noAction({ code: 'explain.why_about_to_go' })
}

/** Work that failed on every try (src/runtime/jobs/retry.ts). */
const actionForQuarantine = (what: CodedText, id: string): NextAction =>
  action('operator', { code: 'explain.release', what, release: commandText(`quarantine release ${id}`) })

function actionForOpenBreaker(until: Date, errorCode: number | null, provider: ProviderReader): NextAction {
  const breakerOpenUntil = time(until)
  const error = errorCode === null ? undefined : provider.findError(errorCode)
  if (errorCode === null || !error) return noAction({ code: 'explain.why_breaker_open', breakerOpenUntil })
  const { remedy, title } = error
  if (!remedy) return noAction({ code: 'explain.why_breaker_open_by_code', errorCode, title, breakerOpenUntil })
  return action(remedy.who, { code: 'explain.breaker_and_remedy', remedy: remedy.sentence, breakerOpenUntil })
}

const isOverdue = (dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > MAX_WORKER_PAUSE_MS

const noWorker = (dueAt: Date): NextAction =>
  action('operator', { code: 'explain.no_worker', role: 'worker', dueAt: time(dueAt) })

/** Returns undefined unless a message or a check failed. */
function actionForFailure(facts: Facts, provider: ProviderReader): NextAction | undefined {
  const failed = findFailure(facts)
  if (!failed) return undefined
  const ofMessage = ({ messageId }: { messageId: string | null }): boolean => messageId === failed.message?.id
  return diagnose(failed.failureCode, {
    attempts: facts.attempts.filter(ofMessage),
    reports: facts.reports.filter(ofMessage),
    provider,
  })
}

type Failure = { failureCode: FailureCode; message: MessageFact | undefined }

/**
 * A failed refusal check comes before a failed confirmation. A failed question counts too: without it the customer has
 * nothing to answer.
 */
export function findFailure(facts: Facts): Failure | undefined {
  const { confirmation, verification, messages } = facts
  if (verification && (verification.status === 'approved' || hasArrivedAgain(verification))) return undefined
  const check = checksOf(facts).findLast(({ failureCode }) => failureCode)
  const current = confirmation ? (latestQuestion(facts) ?? findUndeliveredQuestion(facts)) : messages[0]
  const failureCode = check?.failureCode ?? current?.failureCode
  if (!failureCode) return undefined
  const message = check
    ? messages.findLast((each) => each.check === check.check && each.failureCode === failureCode)
    : current
  return { failureCode, message }
}

const latestQuestion = (facts: Facts): MessageFact | undefined => {
  const open = openCheck(facts)
  return open && questionsOf(facts, open).at(-1)
}

const OPEN = ['accepted', 'awaiting_answer', 'rescheduling', 'awaiting_reason', 'awaiting_note']
const OPEN_STATUSES: ReadonlySet<string> = new Set(OPEN)

/** The check that waits for the customer, the later one first. */
const openCheck = (facts: Facts): CheckFact | undefined =>
  checksOf(facts).findLast(({ status }) => OPEN_STATUSES.has(status))

/** Returns undefined if every webhook arrived, or will at its first attempt. */
function actionForWebhooks(facts: Facts): NextAction | undefined {
  const { deliveries, webhookAttempts, works, now } = facts
  const found = deliveries.map((delivery) => {
    if (isLost(delivery)) return actionForLost(delivery, facts)
    const last = webhookAttempts.findLast(({ deliveryId }) => deliveryId === delivery.id)
    return actionForDelivery(delivery, last, { now, works })
  })
  return found.find((next) => next && next.who !== 'none') ?? found.find((next) => next !== undefined)
}

/** It did not arrive, and cannot be sent again. */
const isLost = ({ hasContent, status, endpointStatus }: DeliveryFact): boolean =>
  !hasContent && endpointStatus !== 'deleted' && (status === 'failed' || status === 'held')

/** A ping has nothing to read. */
const actionForLost = ({ url }: DeliveryFact, { confirmation, messages }: Facts): NextAction =>
  confirmation || messages.length > 0
    ? action('client', { code: 'explain.delivery_removed', url })
    : noAction({ code: 'explain.why_ping_removed', url })

function actionForDelivery(
  delivery: DeliveryFact,
  last: WebhookAttemptFact | undefined,
  { now, works }: { now: Date; works: boolean },
): NextAction | undefined {
  const { url, status, endpointStatus, endpointReason, endpointRecovers, dueAt, endpointId } = delivery
  const resend = commandText(`endpoint resend ${endpointId} --event ${delivery.eventId}`)
  const fault: CodedText = last ? faultOf(last) : { code: 'explain.fault_silent' }
  const isInFlight = delivery.leased && dueAt !== null && dueAt > now
  if (endpointStatus === 'deleted')
    return status === 'succeeded' ? undefined : noAction({ code: 'explain.why_endpoint_deleted', url })
  const enable = endpointStatus === 'enabled' ? undefined : commandToEnable(endpointStatus, endpointId)
  // The receiver was not called.
  const isSecretLost = last?.error?.code === 'webhooks.secret_lost'
  const rotation = { url, rotate: commandText(`endpoint rotate ${endpointId}`), resend }
  const rotateSecret = action(
    'operator',
    enable ? { code: 'explain.secret_lost_held', ...rotation, enable } : { code: 'explain.secret_lost', ...rotation },
  )
  const reason: TextValue = endpointReason ? { code: 'explain.reason', reason: endpointReason } : ''
  const endpoint = { url, endpointStatus: statusText(endpointStatus), reason }
  switch (status) {
    case 'succeeded':
      return undefined
    case 'failed':
      if (isSecretLost) return rotateSecret
      if (enable) return action('operator', { code: 'explain.failed_not_enabled', enable, resend, ...endpoint })
      if (isAtFormerUrl(last, delivery))
        return action('operator', { code: 'explain.failed_at_former_url', url, resend })
      return action('client', { code: 'explain.delivery_failed', url, fault, resend })
    case 'held':
      if (isSecretLost) return rotateSecret
      if (enable) return action('operator', { code: 'explain.held', enable, resend, ...endpoint })
      return action('operator', { code: 'explain.was_held', url, resend })
    case 'pending':
      if (dueAt && isOverdue(dueAt, now)) {
        if (!works) return noWorker(dueAt)
        if (endpointRecovers) return noAction({ code: 'explain.why_catches_up', url })
        const code = delivery.endpointFailing ? 'explain.failing_in_turn' : 'explain.slow_in_turn'
        return action('client', { code, url })
      }
      if (!last || isInFlight || hasSucceeded(last)) return noAction({ code: 'explain.why_on_its_way', url })
      if (endpointRecovers) return noAction({ code: 'explain.why_catches_up', url })
      if (isSecretLost) return rotateSecret
      if (isAtFormerUrl(last, delivery))
        return delivery.endpointFailing
          ? action('client', { code: 'explain.failing_in_turn', url })
          : noAction({ code: 'explain.why_on_its_way', url })
      return action('client', { code: 'explain.failing', url, fault, dueAt: time(dueAt ?? now) })
  }
}

/** Then the event was sent again after it had arrived. */
const hasSucceeded = ({ httpStatus }: WebhookAttemptFact): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

const isAtFormerUrl = (last: WebhookAttemptFact | undefined, { urlChangedAt }: DeliveryFact): boolean =>
  last !== undefined && urlChangedAt !== null && last.startedAt < urlChangedAt

const faultOf = ({ httpStatus, error }: WebhookAttemptFact): CodedText =>
  httpStatus === null
    ? { code: 'explain.fault_no_answer', why: error ?? { code: 'explain.fault_unknown' } }
    : { code: 'explain.fault_answered', httpStatus }

/** Returns undefined unless a timer failed, or is overdue without a worker. */
function actionForTimers(facts: Facts): NextAction | undefined {
  const checks = checksOf(facts)
  if (facts.confirmation && checks.some(({ timerQuarantinedAt }) => timerQuarantinedAt))
    return actionForQuarantine({ code: 'explain.quarantined_timer' }, facts.confirmation.id)
  const retryAt = checks.find(({ timerRetryAt }) => timerRetryAt)?.timerRetryAt
  if (retryAt) return action('none', { code: 'explain.tried_again', retryAt: time(retryAt) })
  const overdue = facts.works ? undefined : armedTimers(facts).find(({ at }) => isOverdue(at, facts.now))
  return overdue && noWorker(overdue.at)
}

/** The customer must answer, unless the question has not reached them. */
function actionForOpenQuestion(facts: Facts): NextAction | undefined {
  const check = openCheck(facts)
  if (!check) return undefined
  const question = latestQuestion(facts)
  const onItsWay = question && actionForStatus(question, facts.now)
  if (onItsWay?.who === 'operator' || onItsWay?.who === 'customer') return onItsWay
  // A reminder that was dropped changes nothing for a customer who has the template.
  if (onItsWay?.who === 'client' && !hasArrived(facts, check)) return onItsWay
  const { deadlineAt, followUpAt } = check
  const sentence: CodedText = followUpAt
    ? { code: 'explain.answer_latest', followUpAt: time(followUpAt) }
    : deadlineAt
      ? { code: 'explain.answer_by', deadlineAt: time(deadlineAt) }
      : { code: 'explain.must_answer' }
  return action('customer', sentence)
}

/** While the code is on the phone, or after it was not verified. */
function actionForVerification({ verification, messages, now }: Facts): NextAction | undefined {
  const [message] = messages
  if (!verification || !message) return undefined
  const { status, expiresAt } = verification
  if (status === 'locked' || status === 'expired')
    return action('client', { code: `explain.verification_${status}_next` })
  if (status === 'approved') return noAction({ code: 'explain.why_verified' })
  if (!ARRIVED.has(message.status) && !hasArrivedAgain(verification)) return undefined
  return now < expiresAt
    ? action('customer', { code: 'explain.type_code', expiresAt: time(expiresAt) })
    : noAction({ code: 'explain.why_arrived' })
}

/** Whether a message that sent the code again arrived, whatever became of the first one. */
const hasArrivedAgain = ({ resends }: VerificationFact): boolean => resends.some(({ status }) => ARRIVED.has(status))

/** Nothing is left to do, and the webhooks arrived. */
function actionForOutcome(facts: Facts): NextAction {
  if (facts.confirmation) return noAction(conversationOutcome(facts))
  const [message] = facts.messages
  return message ? actionForStatus(message, facts.now) : noAction({ code: 'explain.why_reached_all' })
}

function actionForStatus(message: MessageFact, now: Date): NextAction {
  if (message.undeliveredEventAt && !ARRIVED.has(message.status))
    return action('client', { code: 'explain.undelivered_next', seconds: message.deliverWithinSeconds ?? 0 })
  if (message.status === 'sent') return actionForSent(message, now)
  if (ARRIVED.has(message.status)) return noAction({ code: 'explain.why_arrived' })
  const since = message.acceptedAt ?? message.createdAt
  if (now.getTime() - since.getTime() <= MAX_SILENCE_MS) return action('provider', { code: 'explain.just_taken' })
  const path = webhookPathOf(message.accountId)
  return action('operator', { code: 'explain.silent', path, since: time(since) })
}

const ARRIVED: ReadonlySet<string> = new Set(['delivered', 'read', 'played'])

/** How long WhatsApp tries to deliver a code by default (docs/whatsapp-cloud-api.md#time-to-live). */
const CODE_TTL_MS = 10 * MINUTE_MS
/** The meaning of -1. */
const LONGEST_TTL_MS = 30 * DAY_MS
/** A delivery within the time may be reported after it. */
const TTL_BUFFER_MS = MINUTE_MS

/** WhatsApp drops a message whose time is over, and may not report that. */
function actionForSent({ kind, sentAt, createdAt, sendTtlSeconds }: MessageFact, now: Date): NextAction {
  if (kind === 'cod' && sendTtlSeconds === null) return action('customer', { code: 'explain.offline' })
  const ttlMs = sendTtlSeconds === null ? CODE_TTL_MS : sendTtlSeconds < 0 ? LONGEST_TTL_MS : sendTtlSeconds * SECOND_MS
  const until = later(sentAt ?? createdAt, ttlMs)
  return now.getTime() > until.getTime() + TTL_BUFFER_MS
    ? action('client', { code: kind === 'otp' ? 'explain.dropped' : 'explain.question_dropped', until: time(until) })
    : action('customer', { code: 'explain.offline_until', until: time(until) })
}

/** WhatsApp holds no question for longer than LONGEST_TTL_MS. */
function actionForUndeliveredQuestion(facts: Facts): NextAction | undefined {
  const question = findUndeliveredQuestion(facts)
  return question && facts.now.getTime() - question.createdAt.getTime() <= LONGEST_TTL_MS
    ? actionForStatus(question, facts.now)
    : undefined
}

/** The question of a check whose deadline passed, if it has not reached the customer. */
function findUndeliveredQuestion(facts: Facts): MessageFact | undefined {
  const last = checksOf(facts).at(-1)
  if (last?.status !== 'no_response') return undefined
  if (hasArrived(facts, last)) return undefined
  const questions = questionsOf(facts, last)
  // The reminder may still arrive when the template was dropped.
  return questions.findLast(({ status }) => status === 'sent') ?? questions[0]
}

const questionsOf = ({ messages }: Facts, { check }: CheckFact): MessageFact[] =>
  messages.filter((message) => message.check === check && message.purpose !== 'closing')

const hasArrived = (facts: Facts, check: CheckFact): boolean =>
  questionsOf(facts, check).some(({ status }) => ARRIVED.has(status))

/** The follow-up expired. By the answers, because the note of a customer may have been removed. */
function actionForMissingDay({ confirmation, refusal, answers }: Facts): NextAction | undefined {
  if (confirmation?.status !== 'rescheduled' || refusal) return undefined
  const counted = answers.filter(({ check, superseded }) => check === 'confirmation' && !superseded)
  const [latest, before] = counted.toReversed()
  return latest?.answer === 'reschedule_started' || latest?.answer === 'range_chosen' || isLateRange(latest, before)
    ? action('client', { code: 'explain.ask_day' })
    : undefined
}

/** A text would have left the range as it was. */
function isLateRange(latest: AnswerFact | undefined, before: AnswerFact | undefined): boolean {
  const { date, timeRange, note } = latest?.detail.reschedule ?? {}
  return date === null && note === null && timeRange !== (before?.detail.reschedule?.timeRange ?? null)
}

function conversationOutcome({ confirmation, refusal }: Facts): CodedText {
  const status = refusal?.status
  if (status === 'denied' || status === 'refusal_confirmed' || status === 'no_response')
    return plainText(`explain.refusal_${status}`)
  const ended = ['confirmed', 'cancelled', 'rescheduled', 'no_response'] as const
  const outcome = ended.find((each) => each === confirmation?.status)
  return outcome ? plainText(`explain.confirmation_${outcome}`) : { code: 'explain.over_other' }
}
