import type { ConfirmationStatus } from '../cod/confirmation.ts'
import type { RefusalStatus } from '../cod/refusal.ts'
import type { Check } from '../messages/conversation.ts'
import type { ConversationFacts, SpokenFact } from './conversation-facts.ts'
import {
  type Next,
  afterFailure,
  isOverdue,
  nobody,
  noWorker,
  ofMessage,
  ofOutcome,
  ofWebhooks,
  time,
} from './who-must-act.ts'

/** The first that applies: what cannot go on before what only takes time, the customer's part before nobody's. */
export function whoMustActInConversation(facts: ConversationFacts, now: Date): Next {
  const sending = facts.messages.flatMap((message) => (message.failureCode ? [] : (ofMessage(message, now) ?? [])))
  const webhooks = ofWebhooks(facts, now)
  return (
    sending.find(({ who }) => who !== 'nobody') ??
    ofFailure(facts) ??
    (webhooks?.who === 'nobody' ? undefined : webhooks) ??
    ofTimers(facts, now) ??
    sending[0] ??
    ofOpenQuestion(facts, now) ??
    webhooks ??
    nobody(whatIsOver(facts))
  )
}

/** The refusal check comes after the confirmation; a question that failed leaves the customer with nothing to answer. */
function ofFailure({ confirmation, refusal, messages }: ConversationFacts): Next | undefined {
  const failed =
    refusal?.failureCode ??
    confirmation.failureCode ??
    latestOf(messages, openCheck({ confirmation, refusal }))?.failureCode
  return failed ? afterFailure[failed] : undefined
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

function ofTimers({ confirmation, refusal }: ConversationFacts, now: Date): Next | undefined {
  const armed = [confirmation, refusal].flatMap((each) =>
    each ? [each.reminderAt, each.deadlineAt, each.followUpAt].filter((at) => at !== null) : [],
  )
  const overdue = armed.find((at) => isOverdue(at, now))
  return overdue && noWorker(overdue)
}

/** The customer must answer, unless the question has not come to them. */
function ofOpenQuestion(facts: ConversationFacts, now: Date): Next | undefined {
  const check = openCheck(facts)
  if (!check) return undefined
  const question = latestOf(facts.messages, check)
  const onItsWay = question && ofOutcome(question, now)
  if (onItsWay?.who === 'operator' || onItsWay?.who === 'customer') return onItsWay
  const { deadlineAt, followUpAt } = (check === 'refusal' ? facts.refusal : facts.confirmation) ?? facts.confirmation
  if (followUpAt) {
    return {
      who: 'customer',
      sentence: `The customer must answer the latest question by ${time(followUpAt)}, when it ends with what was chosen by then.`,
    }
  }
  return {
    who: 'customer',
    sentence: `The customer must answer${deadlineAt ? ` by ${time(deadlineAt)}, when it ends without an answer` : ''}.`,
  }
}

const whatIsOver = ({ confirmation, refusal }: ConversationFacts): string =>
  (refusal && REFUSALS_OVER[refusal.status]) ?? CONFIRMATIONS_OVER[confirmation.status] ?? 'the confirmation is over'

const REFUSALS_OVER: Readonly<Partial<Record<RefusalStatus, string>>> = {
  denied: 'the customer said that nothing was refused',
  refusal_confirmed: 'the customer said that the parcel was refused',
  no_response: 'the refusal check ended without an answer, and a later tap would still count',
}

const CONFIRMATIONS_OVER: Readonly<Partial<Record<ConfirmationStatus, string>>> = {
  confirmed: 'the customer confirmed the order',
  cancelled: 'the customer cancelled the order',
  rescheduled: 'the customer chose another time',
  no_response: 'the confirmation ended without an answer, and a later tap would still count',
}
