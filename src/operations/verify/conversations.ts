import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCopy } from '../../cod/conversation/advance.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { interpretAgain } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import type { Conversation, OwnInput } from '../../cod/conversation/store.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { NewEvent } from '../../events/record.ts'
import type { AnswerRow, ReportRow } from '../../explain/rows.ts'
import type { Sql } from '../../lib/db/pool.ts'
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
  isWhole,
  shown,
  take,
} from './differences.ts'
import { type DerivedEvent, type Input, type Members, isSame, replay } from './replay.ts'

type Reader = Pick<Provider, 'readInbound'>

const CHECKS = ['confirmation', 'refusal'] as const
const machines = { confirmation, refusal }
const checkTexts = {
  confirmation: { code: 'explain.check_confirmation' },
  refusal: { code: 'explain.check_refusal' },
} as const

/** Compares confirmations with their customers' messages, answers and events (docs/consistency-check.md#conversations). */
export async function checkConversations(
  tx: Sql,
  workspaceId: string,
  page: Page,
  reader: Reader,
): Promise<CheckedUnit[]> {
  return (await readConversations(tx, workspaceId, page)).map((facts) => {
    const { id, createdAt: at, answers, inbound, messages, events } = facts
    const isRemoved = inbound.some(({ body, inputNumber }) => body === '' && inputNumber !== null)
    const verifiable = !isRemoved && isWhole(answers, inbound, messages, events)
    const differences = [...CHECKS.flatMap((check) => checkTimers(facts, check)), ...checkRows(facts)]
    if (verifiable) differences.push(...checkInputs(facts, reader))
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
  const text = (timer: string) => ({ code: 'verify.timer', check: checkTexts[check], timer, status }) as const
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
    ...messages.flatMap(({ id: messageId, senderId, recipient }) => {
      const text = (member: string) => ({ code: 'verify.message_of_confirmation', messageId, member }) as const
      return differencesOf(id, [
        [senderId !== confirmation.senderId, text('sender_id')],
        [recipient !== confirmation.recipient, text('recipient')],
      ])
    }),
  ]
}

/** What is left to explain while the inputs are applied again. */
type Replay = {
  facts: ConversationFacts
  reader: Reader
  found: Difference[]
  /** Messages that the inputs trigger. */
  sends: string[]
  /** Answers that no input explains. */
  answers: AnswerRow[]
}

/** Applies the inputs again. */
function checkInputs(facts: ConversationFacts, reader: Reader): Difference[] {
  const { id, inputs: count, answers, events } = facts
  const of: Replay = {
    facts,
    reader,
    found: [],
    sends: CHECKS.map((check) => `${check} template`),
    answers: [...answers],
  }
  const { after, found } = replay({ id, before: beforeInputs(facts), inputs: inputsOf(of), events }, count)
  return [
    ...found,
    ...of.found,
    ...of.answers.map((left) => difference(left.id, { code: 'verify.answer_without_message', answer: left.answer })),
    ...CHECKS.flatMap((check) => compareCheck(facts, check, after)),
    // Questions need texts and are not sent without them, so there may be fewer messages, but never more.
    ...facts.messages.flatMap(({ id: messageId, check, purpose }) =>
      take(of.sends, (sent) => sent === `${check} ${purpose}`)
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

function inputsOf(of: Replay): Input<Conversation>[] {
  const { id: confirmationId, workspaceId, inbound, ownInputs, messages } = of.facts
  const reported = inbound.filter(isInput).map((report): Input<Conversation> => {
    return { number: report.inputNumber, report, apply: (before) => applyMessage(of, before, report) }
  })
  const isExplained = ({ check, event }: OwnInput) =>
    event.type !== 'send_failed' || messages.some((sent) => sent.check === check && sent.hasFailed)
  const own = (ownInputs ?? []).filter(isExplained).map((input): Input<Conversation> => {
    const { check, event } = input
    const trigger = { workspaceId, confirmationId, check, event }
    return { number: input.inputNumber, report: null, apply: (before) => apply(of, before, { ...input, trigger }) }
  })
  return [...reported, ...own]
}

/** Applies a customer's message. The answer says to which check a text belongs; without one, it belonged to an open follow-up. */
function applyMessage(of: Replay, before: Conversation, report: ReportRow) {
  const { facts, reader } = of
  const { id, body, accountId, receivedAt, writtenAt } = report
  const answer = facts.answers.find(({ reportId }) => reportId === id)
  const check = answer?.check ?? CHECKS.find((each) => isFollowUp(each, before[each]?.state.status))
  const trigger = interpretAgain(
    reader,
    {
      id,
      workspace_id: facts.workspaceId,
      account_id: accountId,
      body,
      occurred_at: writtenAt,
      received_at: receivedAt,
    },
    { confirmationId: facts.id, questions: facts.messages, check, isAnswered: answer !== undefined },
  )
  if (!trigger) return undefined
  const applied = apply(of, before, { ...report, trigger })
  take(of.answers, (each) => each === answer)
  of.found.push(...checkAnswer(facts, { report, stored: answer, derived: applied.answer }))
  return applied
}

type Trigger = Pick<ReportRow, 'inputNumber' | 'clockOffsetMs'> & { trigger: ConversationEvent }

/** Everything is in the workspace's time, in which a timer never moves. */
function apply(of: Replay, before: Conversation, { inputNumber, clockOffsetMs, trigger }: Trigger) {
  const event = { ...trigger.event, at: later(trigger.event.at, clockOffsetMs) }
  const numbered = { ...before, inputs: Number(inputNumber) - 1 }
  const advanced = advanceCopy(numbered, { ...trigger, event } as ConversationEvent)
  of.sends.push(...advanced.sends.map((purpose) => `${trigger.check} ${purpose}`))
  return { ...advanced, event: advanced.event ? derivedEvent(advanced.event, trigger.check) : null }
}

const derivedEvent = ({ type, inputNumber, data }: NewEvent, check: Check): DerivedEvent => ({
  type,
  inputNumber: inputNumber ?? null,
  at: new Date(data.occurredAt),
  data: { ...withStatus(data), refusalCheck: otherCheck(data['refusalCheck'] as Members | null, check) },
})

const WAITING: readonly unknown[] = ['accepted', 'awaiting_answer']

/** When a check was submitted is not stored. */
const withStatus = (view: Members): Members =>
  WAITING.includes(view['status']) ? { ...view, status: (stored: unknown) => WAITING.includes(stored) } : view

/** When a refusal check was requested is not stored: an event of the confirmation may be older. */
function otherCheck(refusalCheck: Members | null, check: Check) {
  const derived = refusalCheck && withStatus(refusalCheck)
  return check === 'refusal' ? derived : (stored: unknown) => stored === null || isSame(stored, derived)
}

type AnswerPair = {
  report: ReportRow
  stored: AnswerRow | undefined
  derived: ReturnType<typeof advanceCopy>['answer']
}

function checkAnswer(facts: ConversationFacts, { report, stored, derived }: AnswerPair): Difference[] {
  if (!stored)
    return differencesOf(report.id, [[!!derived, { code: 'verify.answer_missing', confirmationId: facts.id }]])
  const values = { stored: namedAnswer(stored), derived: derived ? namedAnswer(derived) : null }
  const isSame =
    values.stored === values.derived &&
    isSameChosen(chosenIn(derived?.detail), chosenIn(stored.detail), facts.mayLackNote(stored.id))
  if (!isSame) return compared(stored.id, { code: 'verify.answer' }, { ...values, isSame })
  return compared(
    stored.id,
    { code: 'verify.answer_time' },
    { stored: stored.answeredAt, derived: derived?.answered_at },
  )
}

const namedAnswer = ({ answer, superseded }: { answer: string; superseded: boolean }): string =>
  `${answer}${superseded ? ' (superseded)' : ''}`

const chosenIn = ({ reschedule, ...others }: Members = {}): Members => ({
  ...others,
  ...(reschedule as Members | null),
})

/** Nothing chosen equals a follow-up without choices. */
const isSameChosen = (derived: Members | null, stored: Members | null, mayLackNote: boolean): boolean =>
  Object.keys({ ...derived, ...stored }).every((name) => {
    const [one, other] = [derived?.[name] ?? null, stored?.[name] ?? null]
    return one === other || (name === 'note' && mayLackNote && other === null)
  })

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
  const check = checkTexts[name]
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && facts.mayLackNote(answer.id))
  const chosen = { stored: stored.chosen, derived: derived.chosen }
  const isSameChoice = isSameChosen(derived.chosen, stored.chosen, mayLackNote)
  const failure = { stored: stored.failure?.code, derived: derived.failure?.code }
  return [
    ...DERIVED.flatMap(([member, code]) =>
      compared(id, { code, check }, { stored: stored[member], derived: derived[member] }),
    ),
    ...compared(id, { code: 'verify.check_chosen', check }, { ...chosen, isSame: isSameChoice }),
    ...compared(id, { code: 'verify.check_failure', check }, failure),
  ]
}
