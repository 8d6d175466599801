import type { ConfirmationStatus } from '../cod/confirmation.ts'
import type { RefusalStatus } from '../cod/refusal.ts'
import type { Check } from '../messages/conversation.ts'
import { type Sentence, sentences } from '../sentences.ts'
import { afterFailure } from './after-failure.ts'
import type { ConversationFacts, SpokenFact } from './conversation-facts.ts'
import type { ProviderReader } from './facts.ts'
import { type Step, isOverdue, nobody, noWorker, ofMessage, ofOutcome, ofWebhooks, time } from './who-must-act.ts'

/** The first that applies: what cannot go on before what only takes time, the customer's part before nobody's. */
export function whoMustActInConversation(facts: ConversationFacts, now: Date, provider: ProviderReader): Step {
  const sending = facts.messages.flatMap((message) =>
    message.failureCode ? [] : (ofMessage(message, now, { ...storyOf(facts, message), provider }) ?? []),
  )
  const webhooks = ofWebhooks(facts, now)
  return (
    sending.find(({ who }) => who !== 'nobody') ??
    ofFailure(facts, provider) ??
    (webhooks?.who === 'nobody' ? undefined : webhooks) ??
    ofTimers(facts, now) ??
    sending[0] ??
    ofOpenQuestion(facts, now) ??
    webhooks ??
    nobody(whatIsOver(facts))
  )
}

const storyOf = ({ attempts, reports }: ConversationFacts, message: SpokenFact | undefined) => ({
  attempts: attempts.filter(({ messageId }) => messageId === message?.id),
  reports: reports.filter(({ messageId }) => messageId === message?.id),
})

/** The refusal check comes after the confirmation; a question that failed leaves the customer with nothing to answer. */
function ofFailure(facts: ConversationFacts, provider: ProviderReader): Step | undefined {
  const { confirmation, refusal, messages } = facts
  const question = latestOf(messages, openCheck(facts))
  const failed = refusal?.failureCode ?? confirmation.failureCode ?? question?.failureCode
  if (!failed) return undefined
  const check = refusal?.failureCode ? 'refusal' : confirmation.failureCode ? 'confirmation' : question?.check
  const message = messages.findLast((each) => each.check === check && each.failureCode === failed)
  return afterFailure(failed, { ...storyOf(facts, message), provider })
}

const latestOf = (messages: readonly SpokenFact[], check: Check | undefined): SpokenFact | undefined =>
  messages.findLast((message) => message.check === check && message.purpose !== 'closing')

/** The check that waits for the customer, the later one first. */
function openCheck({ confirmation, refusal }: Pick<ConversationFacts, 'confirmation' | 'refusal'>): Check | undefined {
  if (refusal && REFUSALS_OPEN.has(refusal.status)) return 'refusal'
  return CONFIRMATIONS_OPEN.has(confirmation.status) ? 'confirmation' : undefined
}

const REFUSALS_OPEN: ReadonlySet<RefusalStatus> = new Set([
  'accepted',
  'awaiting_answer',
  'awaiting_reason',
  'awaiting_note',
])
const CONFIRMATIONS_OPEN: ReadonlySet<ConfirmationStatus> = new Set(['accepted', 'awaiting_answer', 'rescheduling'])

function ofTimers({ confirmation, refusal }: ConversationFacts, now: Date): Step | undefined {
  const armed = [confirmation, refusal].flatMap((each) =>
    each ? [each.reminderAt, each.deadlineAt, each.followUpAt].filter((at) => at !== null) : [],
  )
  const overdue = armed.find((at) => isOverdue(at, now))
  return overdue && noWorker(overdue)
}

/** The customer must answer, unless the question has not come to them. */
function ofOpenQuestion(facts: ConversationFacts, now: Date): Step | undefined {
  const check = openCheck(facts)
  if (!check) return undefined
  const question = latestOf(facts.messages, check)
  const onItsWay = question && ofOutcome(question, now)
  if (onItsWay?.who === 'operator' || onItsWay?.who === 'customer') return onItsWay
  const { deadlineAt, followUpAt } = (check === 'refusal' ? facts.refusal : facts.confirmation) ?? facts.confirmation
  const sentence = followUpAt
    ? says.answerLatest({ followUpAt: time(followUpAt) })
    : deadlineAt
      ? says.answerBy({ deadlineAt: time(deadlineAt) })
      : says.answer
  return { who: 'customer', sentence }
}

const says = sentences({
  answer: { en: 'The customer must answer.', ar: 'على العميل أن يجيب.' },
  answerBy: {
    en: 'The customer must answer by {deadlineAt}, when it ends without an answer.',
    ar: 'على العميل أن يجيب قبل {deadlineAt}، وإلا انتهى بلا جواب.',
  },
  answerLatest: {
    en: 'The customer must answer the latest question by {followUpAt}, when it ends with what was chosen by then.',
    ar: 'على العميل أن يجيب عن آخر سؤال قبل {followUpAt}، وإلا انتهى بما اختير حتى ذلك الحين.',
  },
})

const whatIsOver = ({ confirmation, refusal }: ConversationFacts): Sentence =>
  (refusal && refusalsOver[refusal.status]) ?? confirmationsOver[confirmation.status] ?? over.other

const over = sentences({ other: { en: 'the confirmation is over', ar: 'انتهى التأكيد' } })

const refusalsOver: Readonly<Partial<Record<RefusalStatus, Sentence>>> = sentences({
  denied: { en: 'the customer said that nothing was refused', ar: 'قال العميل إنه لم يُرفض شيء' },
  refusal_confirmed: { en: 'the customer said that the parcel was refused', ar: 'قال العميل إن الطرد رُفض' },
  no_response: {
    en: 'the refusal check ended without an answer, and a later tap would still count',
    ar: 'انتهى التحقق من الرفض بلا جواب، ولو ضغط العميل لاحقًا لاحتُسب جوابه',
  },
})

const confirmationsOver: Readonly<Partial<Record<ConfirmationStatus, Sentence>>> = sentences({
  confirmed: { en: 'the customer confirmed the order', ar: 'أكّد العميل الطلب' },
  cancelled: { en: 'the customer cancelled the order', ar: 'ألغى العميل الطلب' },
  rescheduled: { en: 'the customer chose another time', ar: 'اختار العميل وقتًا آخر' },
  no_response: {
    en: 'the confirmation ended without an answer, and a later tap would still count',
    ar: 'انتهى التأكيد بلا جواب، ولو ضغط العميل لاحقًا لاحتُسب جوابه',
  },
})
