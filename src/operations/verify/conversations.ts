import { plainText } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCopy } from '../../cod/conversation/advance.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { interpretAgain } from '../../cod/conversation/receive.ts'
import { type Conversation, MAX_INTERNAL_INPUTS, type InternalInput } from '../../cod/conversation/store.ts'
import { machines } from '../../cod/conversation/superseded.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { AnswerRow, ReportRow } from '../../explain/rows.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import { type ConversationFacts, readConversations } from './conversation-facts.ts'
import { type UnitResult, type Differences, type Page, compare, shown, take } from './differences.ts'
import { type Input, isSame, replay } from './replay.ts'

const CHECKS = ['confirmation', 'refusal'] as const

/** Compares confirmations with their customers' messages, answers and events (docs/consistency-check.md#conversations). */
export async function checkConversations(tx: Sql, page: Page): Promise<UnitResult[]> {
  return (await readConversations(tx, page)).map((facts) => {
    const { id, createdAt: at, inbound, internalInputs } = facts
    const isComplete = facts.isComplete && (internalInputs?.length ?? 0) < MAX_INTERNAL_INPUTS
    const verifiable = isComplete && !inbound.some(({ body, inputNumber }) => body === '' && inputNumber !== null)
    const differences = [...checkTimers(facts), ...checkRows(facts), ...(verifiable ? checkInputs(facts) : [])]
    return { kind: 'confirmations', id, differences, verifiable, used: { kind: 'cod_confirmation', at } }
  })
}

/** A timer is armed exactly in the statuses that wait for it. Reminders are optional. */
function* checkTimers(facts: ConversationFacts): Differences {
  for (const check of CHECKS) {
    if (!facts[check]) continue
    const { status, reminderAt, deadlineAt, followUpAt } = facts[check].state
    const wrong = { id: facts.id, code: 'verify.timer', check: plainText(`explain.check_${check}`), status } as const
    const awaitsAnswer = status === 'awaiting_answer'
    const isEarly = deadlineAt !== null && later(deadlineAt, facts.clockOffsetMs) < earliestDeadline(facts)
    const isFollowUp = (machines[check].followUp.runsIn as readonly string[]).includes(status)
    if (reminderAt !== null && !awaitsAnswer) yield { ...wrong, timer: 'reminder' }
    if ((deadlineAt !== null) !== awaitsAnswer || isEarly) yield { ...wrong, timer: 'deadline' }
    if ((followUpAt !== null) !== isFollowUp) yield { ...wrong, timer: 'expiry' }
  }
}

/** In the workspace's time. */
const earliestDeadline = ({ createdAt }: Conversation): Date =>
  later(createdAt, limits.noResponseMinutes.min * MINUTE_MS)

/** `occurredAt` rises strictly, and the confirmation keeps the latest. All messages have its sender and its customer. */
function* checkRows({ id, events, messages, unknownKeys, ...confirmation }: ConversationFacts): Differences {
  for (const key of unknownKeys) yield { id, code: 'verify.unknown_key', key }
  for (const { id: messageId, ...message } of messages)
    for (const member of ['senderId', 'recipient'] as const)
      if (message[member] !== confirmation[member])
        yield { id, code: 'verify.message_of_confirmation', messageId, member }
  const times = events.map(({ occurredAt }) => shown(occurredAt))
  const latest = times.toSorted().at(-1)
  yield* compare({ id, code: 'verify.last_event_at', stored: confirmation.lastEventAt, derived: latest })
  for (const [index, { id: eventId, occurredAt }] of events.entries()) {
    const at = shown(occurredAt)
    if (times.indexOf(at) < index) yield { id: eventId, code: 'verify.event_time_twice', at }
  }
}

function* checkInputs(facts: ConversationFacts): Differences {
  const internal = facts.internalInputs?.filter((input) => isExplained(input, facts)) ?? []
  const inputs = [...facts.inbound.filter(isInput), ...internal]
  const { after, results } = yield* replay({ ...facts, before: beforeInputs(facts) }, inputs, (before, input) =>
    apply(before, input, triggerOf(input, before, facts)),
  )
  const answers = results.flatMap((result) => result.answers)
  yield* checkAnswers(facts, answers)
  for (const check of CHECKS) yield* compareCheck(facts, check, after)
  // Questions need texts and are not sent without them, so there may be fewer messages, but never more.
  const sent = [...CHECKS.map((check) => `${check} template`), ...results.flatMap((result) => result.sent)]
  for (const { id, check, purpose } of facts.messages)
    if (!take(sent, (each) => each === `${check} ${purpose}`))
      yield { id, code: 'verify.question_without_cause', purpose }
}

/** When a check was submitted is not stored, nor its settings: its timers count as due as soon as they can be. */
function beforeInputs(facts: ConversationFacts): Conversation {
  const timers = { reminderAt: facts.createdAt, deadlineAt: earliestDeadline(facts) }
  const stateOf = (check: Check) =>
    facts.messages.some((sent) => sent.check === check && sent.purpose === 'template' && sent.submitted)
      ? ({ ...ACCEPTED, ...timers, status: 'awaiting_answer' } as const)
      : ACCEPTED
  return {
    ...facts,
    clockOffsetMs: 0,
    lastEventAt: null,
    confirmation: { ...facts.confirmation, state: stateOf('confirmation') },
    refusal: facts.refusal && { ...facts.refusal, state: stateOf('refusal') },
  }
}

/** A superseded answer changes nothing but enters the history. */
const isInput = ({ inputNumber, outcome, note }: ReportRow): boolean =>
  inputNumber !== null || outcome === 'applied' || (outcome === 'ignored' && note?.code === 'cod.superseded')

/** Whether stored rows show the cause: a message that failed with this code, or an erased recipient. Retention may have emptied a report. */
function isExplained({ check, event }: InternalInput, { recipient, messages, provider }: ConversationFacts): boolean {
  if (event.type === 'recipient_erased') return isErased(recipient)
  if (event.type !== 'send_failed') return true
  const sent = messages.filter((message) => message.check === check)
  const ofReport = (body: string) => (body === '' ? event.code : (provider.readStatus(body)?.failureCode ?? 'UNKNOWN'))
  return sent.some(({ ownFailure, reports }) => [ownFailure?.code, ...reports.map(ofReport)].includes(event.code))
}

/** The stored answer says which check a customer's text belongs to. If there is none, the text belongs to the check with an open follow-up. */
function triggerOf(
  input: ReportRow | InternalInput,
  before: Conversation,
  facts: ConversationFacts,
): ConversationEvent | undefined {
  const { id: confirmationId, workspaceId, answers, messages, provider } = facts
  if ('event' in input) return { workspaceId, confirmationId, ...input }
  const { id, body, receivedAt: received_at, writtenAt: occurred_at } = input
  const answer = answers.find(({ reportId }) => reportId === id)
  const check = answer?.check ?? CHECKS.find((each) => before[each]?.state.followUpAt)
  const stored = { id, body, workspace_id: workspaceId, received_at, occurred_at }
  const isAnswered = answer !== undefined
  return interpretAgain(provider, stored, { confirmationId, questions: messages, check, isAnswered })
}

/** All times are in the workspace's time. Moving the clock does not change a timer's time there. */
function apply(before: Conversation, { inputNumber, clockOffsetMs }: Input, trigger: ConversationEvent | undefined) {
  if (!trigger) return undefined
  const event = { ...trigger.event, at: later(trigger.event.at, clockOffsetMs) }
  const numbered = { ...before, inputs: Number(inputNumber) - 1 }
  const { sends, ...advanced } = advanceCopy(numbered, { ...trigger, event } as ConversationEvent)
  return { ...advanced, sent: sends.map((purpose) => `${trigger.check} ${purpose}`) }
}

type DerivedAnswer = ReturnType<typeof advanceCopy>['answers'][0]

function* checkAnswers(facts: ConversationFacts, derived: readonly DerivedAnswer[]): Differences {
  const { id: confirmationId, answers, mayLackNote } = facts
  const left = [...answers]
  for (const answer of derived) {
    const { report_id: reportId = confirmationId } = answer
    const stored = take(left, (each) => each.reportId === reportId)
    if (stored) yield* compareAnswer(stored, answer, mayLackNote(stored.id))
    else yield { id: reportId, code: 'verify.answer_missing', confirmationId }
  }
  for (const { id, answer } of left) yield { id, code: 'verify.answer_without_message', answer }
}

function* compareAnswer(stored: AnswerRow, derived: DerivedAnswer, mayLackNote: boolean): Differences {
  const { id, answeredAt } = stored
  const values = { stored: namedAnswer(stored), derived: namedAnswer(derived) }
  const isSameDetail = isSame(stored.detail, derived.detail, noteMayDiffer(mayLackNote))
  if (values.stored !== values.derived || !isSameDetail) yield { id, code: 'verify.answer', ...values }
  yield* compare({ id, code: 'verify.answer_time', stored: answeredAt, derived: derived.answered_at })
}

const namedAnswer = ({ answer, superseded }: { answer: string; superseded: boolean }): string =>
  `${answer}${superseded ? ' (superseded)' : ''}`

/** Retention removes notes. */
const noteMayDiffer = (mayLack: boolean) => ({ note: (stored: unknown) => mayLack && stored === null })

/** The members that are compared with what the inputs lead to. */
const DERIVED = [
  ['status', 'verify.check_status'],
  ['answeredAt', 'verify.check_answered_at'],
  ['round', 'verify.check_round'],
  ['closingSent', 'verify.check_closing_sent'],
] as const

/** Compares the stored check with its state after the last input. */
function* compareCheck(facts: ConversationFacts, name: Check, after: Conversation): Differences {
  const [stored, derived] = [facts[name]?.state, after[name]?.state]
  if (!stored || !derived) return
  const of = { id: facts.id, check: plainText(`explain.check_${name}`) }
  for (const [member, code] of DERIVED)
    yield* compare({ ...of, code, stored: stored[member], derived: derived[member] })
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && facts.mayLackNote(answer.id))
  const { nothingChosen } = machines[name]
  const [chosen, derivedChosen] = [stored, derived].map((state) => ({ ...nothingChosen, ...state.chosen }))
  if (!isSame(chosen, derivedChosen, noteMayDiffer(mayLackNote)))
    yield { ...of, code: 'verify.check_chosen', stored: shown(stored.chosen), derived: shown(derived.chosen) }
  const failures = { stored: stored.failure?.code, derived: derived.failure?.code }
  yield* compare({ ...of, code: 'verify.check_failure', ...failures })
}
