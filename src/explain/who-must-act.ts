import { MINUTE_MS } from '../clock.ts'
import type { FailureCode } from '../providers/provider.ts'
import { senderUnavailableReason } from '../senders/availability.ts'
import { type Language, NOTHING_SAID, type Sentence, readSentence, sentences } from '../sentences.ts'
import { commandToEnable } from '../webhooks/endpoint-status.ts'
import type { DeliveryFact, Facts, SubmissionFact, WebhookAttemptFact, WebhookFacts } from './facts.ts'

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
export function whoMustAct(facts: Facts, now: Date): Step {
  return (
    (facts.message && ofMessage(facts.message, now)) ??
    ofWebhooks(facts, now) ??
    (facts.message ? ofOutcome(facts.message, now) : nobody(whys.reachedAll))
  )
}

export const nobody = (why: Sentence): Step => ({ who: 'nobody', sentence: says.nobody({ why }) })

/** Undefined when the message is off our hands. */
export function ofMessage(message: SubmissionFact, now: Date): Step | undefined {
  if (message.failureCode) return afterFailure(message.failureCode)
  if (!message.dueAt) return undefined
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
  if (message.heldUntil && message.heldUntil > now) {
    return nobody(whys.held({ heldUntil: time(message.heldUntil) }))
  }
  if (!message.leased && isOverdue(message.dueAt, now)) return noWorker(message.dueAt)
  if (message.leased) return nobody(whys.underWay)
  if (message.attemptedAt) return nobody(whys.answerLost({ dueAt: time(message.dueAt) }))
  if (message.attempts > 0) return nobody(whys.triedAgain({ dueAt: time(message.dueAt) }))
  return nobody(whys.aboutToGo)
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
      return { who: 'customer', sentence: says.offline }
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
    en: 'WhatsApp limits how fast the sender may go, and it goes on by itself at {heldUntil}',
    ar: 'يحدّ واتساب من سرعة المرسل، ويُستأنف الإرسال تلقائيًا في {heldUntil}',
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

const remedies = sentences({
  RECIPIENT_UNREACHABLE: {
    en: 'The caller must check the number with the recipient or use another channel.',
    ar: 'على صاحب الطلب أن يتحقق من الرقم مع المستلم أو يستخدم قناة أخرى.',
  },
  RECIPIENT_NOT_ALLOWED: {
    en: 'The operator must look up in WhatsApp Manager why the sender may not write to this recipient.',
    ar: 'على المشغّل أن يبحث في مدير واتساب عن سبب منع المرسل من مراسلة هذا المستلم.',
  },
  RECIPIENT_RATE_LIMITED: {
    en: 'The caller must wait before sending to this recipient again.',
    ar: 'على صاحب الطلب أن ينتظر قبل مراسلة هذا المستلم مجددًا.',
  },
  SENDER_RATE_LIMITED: {
    en: 'The caller must spread messages over time or use another sender, and send again.',
    ar: 'على صاحب الطلب أن يوزّع الرسائل على وقت أطول أو يستخدم مرسلًا آخر، ثم يرسل مجددًا.',
  },
  SENDER_UNAVAILABLE: {
    en: 'The operator must check registration, payment and restrictions of the number in WhatsApp Manager.',
    ar: 'على المشغّل أن يراجع تسجيل الرقم ودفعه وقيوده في مدير واتساب.',
  },
  PROVIDER_CREDENTIALS_INVALID: {
    en: 'The operator must connect the account again with a token that works, with "account connect".',
    ar: 'على المشغّل أن يعطي الحساب رمز وصول صالحًا من صفحة المرسلين.',
  },
  TEMPLATE_NOT_FOUND: {
    en: 'The operator must check name, language and approval of the template, then run "account sync".',
    ar: 'على المشغّل أن يراجع اسم القالب ولغته والموافقة عليه، ثم يزامن الحساب.',
  },
  TEMPLATE_PAUSED: {
    en: 'The operator must look up in WhatsApp Manager why the template is paused, or have another one used.',
    ar: 'على المشغّل أن يبحث في مدير واتساب عن سبب إيقاف القالب مؤقتًا، أو أن يُستخدم قالب آخر.',
  },
  TEMPLATE_DISABLED: {
    en: 'The operator must create another template, because WhatsApp disabled this one.',
    ar: 'على المشغّل أن ينشئ قالبًا آخر لأن واتساب عطّل هذا.',
  },
  TEMPLATE_PARAMETERS_REJECTED: {
    en: 'The operator must run "account sync" and compare the template with WhatsApp Manager.',
    ar: 'على المشغّل أن يزامن الحساب ويقارن القالب بما في مدير واتساب.',
  },
  POLICY_VIOLATION: {
    en: 'The operator must read WhatsApp’s notice in WhatsApp Manager and appeal or wait.',
    ar: 'على المشغّل أن يقرأ إشعار واتساب في مدير واتساب، وأن يعترض أو ينتظر.',
  },
  WINDOW_CLOSED: {
    en: 'The caller must send a template, because the recipient’s last message is more than 24 hours old.',
    ar: 'على صاحب الطلب أن يرسل قالبًا، لأن آخر رسالة من المستلم مضى عليها أكثر من 24 ساعة.',
  },
  PROVIDER_UNAVAILABLE: {
    en: 'The caller must send again, because WhatsApp did not answer in time.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن واتساب لم يُجب في الوقت المناسب.',
  },
  SUBMISSION_EXPIRED: {
    en: 'The caller must send again, because the message could not be handed over in the time allowed for it.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن الرسالة لم تُسلَّم إلى واتساب في الوقت المسموح به.',
  },
  UNKNOWN: {
    en: 'The operator must look up WhatsApp’s own code above, which Doorcode does not know.',
    ar: 'على المشغّل أن يبحث عن رمز واتساب المذكور في المحاولات، فهو غير معروف في Doorcode.',
  },
})

const CALLERS_PART: ReadonlySet<FailureCode> = new Set([
  'RECIPIENT_UNREACHABLE',
  'RECIPIENT_RATE_LIMITED',
  'SENDER_RATE_LIMITED',
  'WINDOW_CLOSED',
  'PROVIDER_UNAVAILABLE',
  'SUBMISSION_EXPIRED',
])

export const afterFailure = (code: FailureCode): Step => ({
  who: CALLERS_PART.has(code) ? 'caller' : 'operator',
  sentence: remedies[code],
})
