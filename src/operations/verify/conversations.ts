import { plainText } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCopy } from '../../cod/conversation/advance.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { interpretAgain } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import { type Conversation, MAX_INTERNAL_INPUTS, type InternalInput } from '../../cod/conversation/store.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { NewEvent } from '../../events/record.ts'
import type { AnswerRow, ReportRow } from '../../explain/rows.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import type { Provider } from '../../providers/provider.ts'
import { type ConversationFacts, readConversations } from './conversation-facts.ts'
import {
  type CheckedUnit,
  type Difference,
  type Page,
  compared,
  difference,
  differencesOf,
  shown,
  take,
} from './differences.ts'
import { type Input, type Members, isSame, replay } from './replay.ts'

type Reader = Pick<Provider, 'readInbound' | 'readStatus'>

const CHECKS = ['confirmation', 'refusal'] as const
const machines = { confirmation, refusal }

/** Compares confirmations with their customers' messages, answers and events (docs/consistency-check.md#conversations). */
export async function checkConversations(tx: Sql, page: Page): Promise<CheckedUnit[]> {
  return (await readConversations(tx, page)).map((facts) => {
    const { id, createdAt: at, inbound, internalInputs } = facts
    const isRemoved = inbound.some(({ body, inputNumber }) => body === '' && inputNumber !== null)
    const isComplete = facts.isComplete && (internalInputs?.length ?? 0) < MAX_INTERNAL_INPUTS
    const verifiable = isComplete && !isRemoved
    const differences = [...CHECKS.flatMap((check) => checkTimers(facts, check)), ...checkRows(facts)]
    if (verifiable) differences.push(...checkInputs(facts, page.provider))
    return { id, differences, verifiable, used: { kind: 'cod_confirmation', at } }
  })
}

const isFollowUp = (check: Check, status: string | undefined): boolean =>
  (machines[check].followUp.runsIn as readonly unknown[]).includes(status)

/** A timer is armed exactly in the statuses that wait for it. Reminders are optional. */
function checkTimers(facts: ConversationFacts, check: Check): Difference[] {
  const stored = facts[check]?.state
  if (!stored) return []
  const { status, reminderAt, deadlineAt, followUpAt } = stored
  const awaits = status === 'awaiting_answer'
  const isEarly = deadlineAt !== null && later(deadlineAt, facts.clockOffsetMs) < earliestDeadline(facts)
  const text = (timer: string) =>
    ({ code: 'verify.timer', check: plainText(`explain.check_${check}`), timer, status }) as const
  return differencesOf(facts.id, [
    [reminderAt !== null && !awaits, text('reminder')],
    [(deadlineAt !== null) !== awaits || isEarly, text('deadline')],
    [(followUpAt !== null) !== isFollowUp(check, status), text('expiry')],
  ])
}

/** In the workspace's time. */
const earliestDeadline = ({ createdAt }: Conversation): Date =>
  later(createdAt, limits.noResponseMinutes.min * MINUTE_MS)

/** `occurredAt` rises strictly, and the confirmation keeps the latest. All messages have its sender and its customer. */
function checkRows({ id, events, messages, unknownKeys, ...confirmation }: ConversationFacts): Difference[] {
  const times = events.map(({ occurredAt }) => occurredAt.getTime())
  const latest = times.length === 0 ? null : new Date(Math.max(...times))
  return [
    ...unknownKeys.map((key) => difference(id, { code: 'verify.unknown_key', key })),
    ...compared(id, { code: 'verify.last_event_at' }, { stored: confirmation.lastEventAt, derived: latest }),
    ...events.flatMap((event, index) => {
      const isTwice = times.indexOf(event.occurredAt.getTime()) < index
      return differencesOf(event.id, [[isTwice, { code: 'verify.event_time_twice', at: shown(event.occurredAt) }]])
    }),
    ...messages.flatMap((message) =>
      (['senderId', 'recipient'] as const)
        .filter((member) => message[member] !== confirmation[member])
        .map((member) => difference(id, { code: 'verify.message_of_confirmation', messageId: message.id, member })),
    ),
  ]
}

/** What is left to explain while the inputs are applied again. */
type Replay = {
  facts: ConversationFacts
  reader: Reader
  /** Messages that the inputs trigger. */
  sends: string[]
  /** Answers that no input explains. */
  answers: AnswerRow[]
}

/** Applies the inputs again. */
function checkInputs(facts: ConversationFacts, reader: Reader): Difference[] {
  const { id, inputs: count, answers, events } = facts
  const context: Replay = {
    facts,
    reader,
    sends: CHECKS.map((check) => `${check} template`),
    answers: [...answers],
  }
  const { after, found } = replay({ id, before: beforeInputs(facts), inputs: inputsOf(context), events }, count)
  return [
    ...found,
    ...context.answers.map((left) =>
      difference(left.id, { code: 'verify.answer_without_message', answer: left.answer }),
    ),
    ...CHECKS.flatMap((check) => compareCheck(facts, check, after)),
    // Questions need texts and are not sent without them, so there may be fewer messages, but never more.
    ...facts.messages.flatMap(({ id: messageId, check, purpose }) =>
      take(context.sends, (sent) => sent === `${check} ${purpose}`)
        ? []
        : [difference(messageId, { code: 'verify.question_without_cause', purpose })],
    ),
  ]
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

function inputsOf(context: Replay): Input<Conversation>[] {
  const { id: confirmationId, workspaceId, inbound, internalInputs } = context.facts
  const reported = inbound.filter(isInput).map((report): Input<Conversation> => {
    return { number: report.inputNumber, report, apply: (before) => applyMessage(context, before, report) }
  })
  const explained = (internalInputs ?? []).filter((input) => isExplained(context, input))
  const own = explained.map((input): Input<Conversation> => {
    const trigger = { workspaceId, confirmationId, ...input }
    return { number: input.inputNumber, report: null, apply: (before) => apply(context, before, { ...input, trigger }) }
  })
  return [...reported, ...own]
}

/** Whether stored rows show the cause: a message that failed with this code, or an erased recipient. Retention may have emptied a report. */
function isExplained({ facts, reader }: Replay, { check, event }: InternalInput): boolean {
  if (event.type === 'recipient_erased') return isErased(facts.recipient)
  if (event.type !== 'send_failed') return true
  const sent = facts.messages.filter((message) => message.check === check)
  const ofReport = (body: string) => (body === '' ? event.code : (reader.readStatus(body)?.failureCode ?? 'UNKNOWN'))
  return sent.some(({ ownFailure, reports }) => [ownFailure?.code, ...reports.map(ofReport)].includes(event.code))
}

/** Applies a customer's message. The answer says to which check a text belongs; without one, it belonged to an open follow-up. */
function applyMessage(context: Replay, before: Conversation, report: ReportRow) {
  const { facts, reader } = context
  const { id, body, accountId: account_id, receivedAt: received_at, writtenAt: occurred_at } = report
  const answer = facts.answers.find(({ reportId }) => reportId === id)
  const check = answer?.check ?? CHECKS.find((each) => isFollowUp(each, before[each]?.state.status))
  const trigger = interpretAgain(
    reader,
    { id, body, workspace_id: facts.workspaceId, account_id, received_at, occurred_at },
    { confirmationId: facts.id, questions: facts.messages, check, isAnswered: answer !== undefined },
  )
  return trigger && apply(context, before, { ...report, trigger })
}

type Trigger = Pick<ReportRow, 'inputNumber' | 'clockOffsetMs'> & { trigger: ConversationEvent }

/** All times are in the workspace's time. Moving the clock does not change a timer's time there. */
function apply(context: Replay, before: Conversation, { inputNumber, clockOffsetMs, trigger }: Trigger) {
  const event = { ...trigger.event, at: later(trigger.event.at, clockOffsetMs) }
  const numbered = { ...before, inputs: Number(inputNumber) - 1 }
  const { events, answers, ...advanced } = advanceCopy(numbered, { ...trigger, event } as ConversationEvent)
  context.sends.push(...advanced.sends.map((purpose) => `${trigger.check} ${purpose}`))
  const found = answers.flatMap((answer) => checkAnswer(context, answer))
  return { ...advanced, events: trigger.check === 'confirmation' ? events.map(withOlderCheck) : events, found }
}

/** When a refusal check was requested is not stored: an event of the confirmation may be older. */
function withOlderCheck(event: NewEvent): NewEvent {
  const derived = event.data['refusalCheck']
  const refusalCheck = (stored: unknown) => stored === null || isSame(stored, derived)
  return { ...event, data: { ...event.data, refusalCheck } }
}

/** Takes the stored answer from those that are left. */
function checkAnswer({ facts, answers }: Replay, derived: ReturnType<typeof advanceCopy>['answers'][0]): Difference[] {
  const { report_id: reportId = facts.id, detail } = derived
  const stored = take(answers, (answer) => answer.reportId === reportId)
  if (!stored) return [difference(reportId, { code: 'verify.answer_missing', confirmationId: facts.id })]
  const { id, answeredAt } = stored
  const mayLackNote = facts.mayLackNote(id)
  const reschedule = detail['reschedule'] as Members | null | undefined
  const chosen = reschedule ? { reschedule: withNote(reschedule, mayLackNote) } : withNote(detail, mayLackNote)
  const values = { stored: namedAnswer(stored), derived: namedAnswer(derived) }
  const isSameAnswer = values.stored === values.derived && isSame(stored.detail, chosen)
  return [
    ...compared(id, { code: 'verify.answer' }, { ...values, isSame: isSameAnswer }),
    ...compared(id, { code: 'verify.answer_time' }, { stored: answeredAt, derived: derived.answered_at }),
  ]
}

const namedAnswer = ({ answer, superseded }: { answer: string; superseded: boolean }): string =>
  `${answer}${superseded ? ' (superseded)' : ''}`

/** Retention removes notes. */
const withNote = (chosen: Members, mayLackNote: boolean): Members =>
  'note' in chosen
    ? { ...chosen, note: (stored: unknown) => stored === chosen['note'] || (mayLackNote && stored === null) }
    : chosen

/** What the inputs lead to is compared with each member. */
const DERIVED = [
  ['status', 'verify.check_status'],
  ['answeredAt', 'verify.check_answered_at'],
  ['round', 'verify.check_round'],
  ['closingSent', 'verify.check_closing_sent'],
] as const

/** The stored check with its state at the end. */
function compareCheck(facts: ConversationFacts, name: Check, after: Conversation): Difference[] {
  const [stored, derived] = [facts[name]?.state, after[name]?.state]
  if (!stored || !derived) return []
  const { id } = facts
  const check = plainText(`explain.check_${name}`)
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && facts.mayLackNote(answer.id))
  const { nothingChosen } = machines[name]
  const chosen = withNote({ ...nothingChosen, ...derived.chosen }, mayLackNote)
  const isSameChoice = isSame({ ...nothingChosen, ...stored.chosen }, chosen)
  const choices = { stored: stored.chosen, derived: derived.chosen, isSame: isSameChoice }
  const failures = { stored: stored.failure?.code, derived: derived.failure?.code }
  return [
    ...DERIVED.flatMap(([member, code]) =>
      compared(id, { code, check }, { stored: stored[member], derived: derived[member] }),
    ),
    ...compared(id, { code: 'verify.check_chosen', check }, choices),
    ...compared(id, { code: 'verify.check_failure', check }, failures),
  ]
}
