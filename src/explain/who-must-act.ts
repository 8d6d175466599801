import { DAY_MS, MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { senderUnavailableReason } from '../senders/availability.ts'
import { type Language, NOTHING_SAID, type Sentence, readSentence, sentences } from '../sentences.ts'
import { commandToEnable } from '../webhooks/endpoint-status.ts'
import { type Story, afterFailure } from './after-failure.ts'
import type { DeliveryFact, Facts, ProviderReader, SubmissionFact, WebhookAttemptFact, WebhookFacts } from './facts.ts'

export type Actor = 'nobody' | 'caller' | 'operator' | 'provider' | 'customer'

export type Next<Told = string> = {
  who: Actor
  /** One sentence: what is to be done, or why nothing is. */
  sentence: Told
}

/** Before somebody's language is chosen. */
export type Step = Next<Sentence>

export const nextIn = (language: Language, { who, sentence }: Step): Next => ({ who, sentence: sentence[language] })

/** Due for so long, and no process takes it: none of those that run is a worker. */
const NOBODY_WORKS_MS = MINUTE_MS
/** WhatsApp's first status comes within seconds; after this its webhooks do not reach us. */
const SILENCE_MS = 5 * MINUTE_MS

/** The first that applies: the message before its webhooks, what is broken before what only takes time. */
export function whoMustAct(facts: Facts, now: Date, provider: ProviderReader): Step {
  return (
    (facts.message && ofMessage(facts.message, now, { ...facts, provider })) ??
    ofWebhooks(facts, now) ??
    (facts.message ? ofOutcome(facts.message, now) : nobody(whys.reachedAll))
  )
}

export const nobody = (why: Sentence): Step => ({ who: 'nobody', sentence: says.nobody({ why }) })

/** Undefined when the message is off our hands. */
export function ofMessage(message: SubmissionFact, now: Date, story: Story): Step | undefined {
  if (message.failureCode) return afterFailure(message.failureCode, story)
  const { dueAt } = message
  if (!dueAt) return undefined
  // Its lease lasts until it is due: after that its process is gone.
  if (message.leased && dueAt > now) return nobody(whys.underWay)
  const unavailable = senderUnavailableReason({
    status: message.senderStatus,
    paused: message.senderPaused,
    gone: message.senderGone,
    accountStatus: message.accountStatus,
  })
  if (unavailable) {
    const facts = { submitBy: time(message.submitBy), remedy: inOneSentence(unavailable) }
    return { who: 'operator', sentence: says.unavailable(facts) }
  }
  if (message.heldUntil && message.heldUntil > now) return held(message.heldUntil, message.heldByCode, story.provider)
  if (isOverdue(dueAt, now)) return noWorker(dueAt)
  if (message.attemptedAt) return nobody(whys.answerLost({ dueAt: time(dueAt) }))
  if (message.attempts > 0) return nobody(whys.triedAgain({ dueAt: time(dueAt) }))
  return nobody(whys.aboutToGo)
}

function held(until: Date, code: number | null, provider: ProviderReader): Step {
  const heldUntil = time(until)
  const error = code === null ? undefined : provider.findError(code)
  if (code === null || !error) return nobody(whys.held({ heldUntil }))
  if (!error.remedy) return nobody(whys.heldByCode({ code, title: error.title, heldUntil }))
  const { who, sentence } = error.remedy
  return { who, sentence: says.heldAndMore({ remedy: inOneSentence(sentence), heldUntil }) }
}

const inOneSentence = ({ en, ar }: Sentence): Sentence => ({
  en: withoutStop(en).replaceAll('. ', '; '),
  ar: withoutStop(ar).replaceAll('. ', '؛ '),
})

const withoutStop = (text: string): string => text.replace(/\.$/, '')

export const isOverdue = (dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > NOBODY_WORKS_MS

export const noWorker = (dueAt: Date): Step => ({
  who: 'operator',
  sentence: says.noWorker({ role: 'worker', dueAt: time(dueAt) }),
})

/** Undefined when every webhook arrived, or will at its first attempt. */
export function ofWebhooks({ deliveries, webhookAttempts }: WebhookFacts, now: Date): Step | undefined {
  const found = deliveries.map((delivery) => ofDelivery(delivery, lastOf(delivery, webhookAttempts), now))
  return found.find((next) => next && next.who !== 'nobody') ?? found.find((next) => next !== undefined)
}

const lastOf = (delivery: DeliveryFact, attempts: readonly WebhookAttemptFact[]): WebhookAttemptFact | undefined =>
  attempts.findLast(({ deliveryId }) => deliveryId === delivery.id)

function ofDelivery(delivery: DeliveryFact, last: WebhookAttemptFact | undefined, now: Date): Step | undefined {
  const { url, status, endpointStatus, dueAt, endpointId } = delivery
  const resend = `"endpoint resend ${endpointId} --event ${delivery.eventId}"`
  const fault = last ? faultOf(last) : faults.silent
  switch (status) {
    case 'succeeded':
      return undefined
    case 'failed':
      return { who: 'caller', sentence: says.givenUp({ url, fault, resend }) }
    case 'held': {
      if (endpointStatus === 'enabled') return { who: 'operator', sentence: says.wasHeld({ resend }) }
      const { endpointReason } = delivery
      const reason = endpointReason
        ? says.reason({ reason: inOneSentence(readSentence(endpointReason)) })
        : NOTHING_SAID
      const enable = commandToEnable(endpointStatus, endpointId)
      return { who: 'operator', sentence: says.held({ enable, resend, url, endpointStatus, reason }) }
    }
    case 'pending':
      if (dueAt && !delivery.leased && isOverdue(dueAt, now)) return noWorker(dueAt)
      if (!last) return nobody(whys.onItsWay({ url }))
      return { who: 'caller', sentence: says.failing({ url, fault, dueAt: time(dueAt ?? now) }) }
  }
}

const faultOf = ({ httpStatus, error }: WebhookAttemptFact): Sentence =>
  httpStatus === null
    ? faults.noAnswer({ why: error === null ? faults.unknown : readSentence(error) })
    : faults.answered({ httpStatus })

/** The message is off our hands and its webhooks arrived. */
export function ofOutcome(message: SubmissionFact, now: Date): Step {
  switch (message.status) {
    case 'delivered':
    case 'read':
    case 'played':
      return nobody(whys.arrived)
    case 'sent':
      return message.kind === 'otp' ? ofSentCode(message, now) : { who: 'customer', sentence: says.offline }
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

/** How long WhatsApp tries to deliver a code whose template says nothing of it (whatsapp-cloud-api.md §2.8). */
const CODE_TTL_MS = 10 * MINUTE_MS
/** What -1 stands for. */
const LONGEST_TTL_MS = 30 * DAY_MS
/** A delivery within the time may be reported after it. */
const TTL_BUFFER_MS = MINUTE_MS

/** WhatsApp drops a message whose time is over, and need not tell. */
function ofSentCode({ sentAt, createdAt, sendTtlSeconds }: SubmissionFact, now: Date): Step {
  const ttlMs = sendTtlSeconds === null ? CODE_TTL_MS : sendTtlSeconds < 0 ? LONGEST_TTL_MS : sendTtlSeconds * SECOND_MS
  const until = later(sentAt ?? createdAt, ttlMs)
  return now.getTime() > until.getTime() + TTL_BUFFER_MS
    ? { who: 'caller', sentence: says.dropped({ until: time(until) }) }
    : { who: 'customer', sentence: says.offlineUntil({ until: time(until) }) }
}

const silent = ({ accountId }: SubmissionFact, since: Date): Step => ({
  who: 'operator',
  sentence: says.silent({ path: `/whatsapp/${accountId}`, since: time(since) }),
})

export const time = (at: Date): string => at.toISOString()

const whys = sentences({
  reachedAll: {
    en: 'the event has reached every endpoint that it was for',
    ar: 'وصل الحدث إلى كل نقطة أُرسل إليها',
  },
  held: {
    en: 'WhatsApp asked for a pause, and the sender goes on by itself at {heldUntil}',
    ar: 'طلب واتساب التوقف قليلًا، ويُستأنف الإرسال تلقائيًا في {heldUntil}',
  },
  heldByCode: {
    en: 'WhatsApp took no message of the sender for now (code {code}, {title}), and the sender goes on by itself at {heldUntil}',
    ar: 'لم يقبل واتساب رسائل المرسل حاليًا (الرمز {code}، {title})، ويُستأنف الإرسال تلقائيًا في {heldUntil}',
  },
  underWay: { en: 'an attempt to submit the message is under way', ar: 'تجري الآن محاولة لتسليم الرسالة إلى واتساب' },
  answerLost: {
    en: 'WhatsApp’s answer to the last attempt was lost, so a status report may still tell what came of it; without one the message is tried once more at {dueAt}',
    ar: 'ضاع رد واتساب على المحاولة الأخيرة، وقد يأتي تقرير حالة يبيّن مآلها؛ وإن لم يأتِ أُعيدت المحاولة مرة واحدة في {dueAt}',
  },
  triedAgain: { en: 'the message is tried again at {dueAt}', ar: 'تُعاد محاولة إرسال الرسالة في {dueAt}' },
  aboutToGo: { en: 'the message is about to be submitted to WhatsApp', ar: 'الرسالة على وشك أن تُسلَّم إلى واتساب' },
  onItsWay: { en: 'the webhook to {url} is on its way', ar: 'الإشعار إلى {url} في طريقه' },
  arrived: { en: 'the message has arrived', ar: 'وصلت الرسالة' },
})

/** What an endpoint did. */
const faults = sentences({
  silent: { en: 'did not answer', ar: 'لم يُجب' },
  noAnswer: { en: 'did not answer ({why})', ar: 'لم يُجب ({why})' },
  unknown: { en: 'no reason known', ar: 'لا يُعرف السبب' },
  answered: { en: 'answered {httpStatus}', ar: 'أجاب بالرمز {httpStatus}' },
})

const ENDPOINT_STATUSES = { paused: 'موقوفة مؤقتًا', disabled: 'معطّلة' }

const says = sentences({
  nobody: { en: 'Nobody must act: {why}.', ar: 'لا يلزم أحدًا أن يتصرف: {why}.' },
  unavailable: {
    en: 'The operator must act before {submitBy}, when the message is given up: {remedy}.',
    ar: 'على المشغّل أن يتصرف قبل {submitBy}، وإلا تُركت الرسالة: {remedy}.',
  },
  noWorker: {
    en: 'The operator must start a process with the role "{role}": work has been due since {dueAt} and nobody takes it.',
    ar: 'على المشغّل أن يشغّل عملية بالدور {role}: هناك عمل حان وقته منذ {dueAt} ولا أحد يتولاه.',
  },
  givenUp: {
    en: 'The caller must mend {url}, which {fault} until the last attempt, and have the operator send the event again with {resend}.',
    ar: 'على صاحب الطلب أن يصلح العنوان {url} الذي {fault} حتى المحاولة الأخيرة، وأن يطلب من المشغّل إعادة إرسال الحدث بالأمر {resend}.',
  },
  wasHeld: {
    en: 'The operator must send the event again with {resend}: it is held, because its endpoint was off.',
    ar: 'على المشغّل أن يعيد إرسال الحدث بالأمر {resend}: فهو محتجز لأن نقطته كانت متوقفة.',
  },
  held: {
    en: 'The operator must run {enable} and then {resend}: the event is held, because {url} is {endpointStatus}{reason}.',
    ar: 'على المشغّل أن ينفّذ الأمر {enable} ثم {resend}: فالحدث محتجز لأن النقطة {url} {endpointStatus}{reason}.',
    words: { endpointStatus: ENDPOINT_STATUSES },
  },
  reason: { en: ' ({reason})', ar: ' ({reason})' },
  failing: {
    en: 'The caller must mend {url}, which {fault}; the next attempt is at {dueAt}.',
    ar: 'على صاحب الطلب أن يصلح العنوان {url} الذي {fault}؛ والمحاولة التالية في {dueAt}.',
  },
  offline: {
    en: 'The customer’s phone must come online: WhatsApp holds the message and delivers it then.',
    ar: 'يجب أن يتصل هاتف العميل بالإنترنت: يحتفظ واتساب بالرسالة ويسلّمها عندئذ.',
  },
  offlineUntil: {
    en: 'The customer’s phone must come online: WhatsApp holds the message until {until} and delivers it as soon as it does.',
    ar: 'يجب أن يتصل هاتف العميل بالإنترنت: يحتفظ واتساب بالرسالة حتى {until} ويسلّمها فور اتصاله.',
  },
  dropped: {
    en: 'The caller must send a new code, because WhatsApp dropped this message: it held it until {until} and reported no delivery.',
    ar: 'على صاحب الطلب أن يرسل رمزًا جديدًا، لأن واتساب أسقط هذه الرسالة: فقد احتفظ بها حتى {until} ولم يبلغ بتسليمها.',
  },
  heldAndMore: {
    en: '{remedy}; the sender goes on by itself at {heldUntil}.',
    ar: '{remedy}؛ ويُستأنف الإرسال تلقائيًا في {heldUntil}.',
  },
  justTaken: {
    en: 'The provider must report what became of the message, which it took a moment ago.',
    ar: 'على واتساب أن يبلغ بما آلت إليه الرسالة، وقد قبِلها قبل لحظات.',
  },
  silent: {
    en: 'The operator must check that WhatsApp’s webhooks reach {path}: it took the message at {since} and has reported nothing since.',
    ar: 'على المشغّل أن يتحقق من أن إشعارات واتساب تصل إلى {path}: فقد قبِل الرسالة في {since} ولم يبلغ بشيء منذ ذلك الحين.',
  },
})

const justTaken: Step = { who: 'provider', sentence: says.justTaken }
