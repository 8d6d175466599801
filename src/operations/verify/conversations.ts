import { z } from 'zod'
import { MINUTE_MS, later, notBefore } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCopy } from '../../cod/conversation/advance.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { interpretAgain } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import type { Conversation } from '../../cod/conversation/store.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { AnswerRow, EventRow, ReportRow } from '../../explain/rows.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import { failureSchema } from '../../providers/failure-schema.ts'
import type { Provider } from '../../providers/provider.ts'
import { hasMoved } from '../../workspaces/workspace-time.ts'
import { type ConversationFacts, readConversations } from './conversation-facts.ts'
import {
  type CheckedUnit,
  type Difference,
  type Page,
  checkNumbers,
  checkResult,
  compared,
  difference,
  differencesOf,
  isWhole,
  shown,
  take,
} from './differences.ts'
import { type Members, compareEvent, readBody, withoutCause } from './event-body.ts'

type Reader = Pick<Provider, 'readInbound' | 'readStatus'>

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
    if (verifiable) differences.push(...replay(facts, reader))
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
  const minDeadline = later(facts.createdAt, limits.noResponseMinutes.min * MINUTE_MS)
  // A sandbox's timers move with its clock.
  const isEarly = deadlineAt !== null && !hasMoved(facts.clock) && deadlineAt < minDeadline
  const text = (timer: string) => ({ code: 'verify.timer', check: checkTexts[check], timer, status }) as const
  return differencesOf(facts.id, [
    [reminderAt !== null && !awaits, text('reminder')],
    [(deadlineAt !== null) !== awaits || isEarly, text('deadline')],
    [(followUpAt !== null) !== isFollowUp(check, status), text('expiry')],
  ])
}

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

/** The conversation after some inputs. */
type Replay = {
  facts: ConversationFacts
  reader: Reader
  now: Conversation
  found: Difference[]
  /** Messages that these inputs trigger. */
  sends: string[]
  /** Rows that none of these inputs explains. */
  answers: AnswerRow[]
  events: EventRow[]
}

/** Advances the conversation again by each stored input, in their order, and compares what the machines give. */
function replay(facts: ConversationFacts, reader: Reader): Difference[] {
  const { inbound, inputs, answers, events } = facts
  const of: Replay = {
    facts,
    reader,
    now: beforeInputs(facts),
    found: checkNumbers(inputs, inbound.filter(isInput)),
    sends: CHECKS.flatMap((check) => [`${check} template`, `${check} reminder`]),
    answers: [...answers],
    events: [...events],
  }
  const numbers = new Set([...inbound, ...events].flatMap(({ inputNumber }) => inputNumber ?? []))
  for (const number of [...numbers].toSorted((one, other) => one - other)) replayInput(of, number)
  return [
    ...of.found,
    ...of.answers.map(({ id, answer }) => difference(id, { code: 'verify.answer_without_message', answer })),
    ...of.events.map(withoutCause),
    ...CHECKS.flatMap((check) => compareCheck(of, check)),
    // Questions need texts and are not sent without them, so there may be fewer messages, but never more.
    ...facts.messages.flatMap(({ id, check, purpose }) =>
      take(of.sends, (sent) => sent === `${check} ${purpose}`)
        ? []
        : [difference(id, { code: 'verify.question_without_cause', purpose })],
    ),
  ]
}

/** A superseded answer changes nothing but enters the history. */
const isInput = ({ inputNumber, outcome, note }: ReportRow): boolean =>
  inputNumber !== null || outcome === 'applied' || (outcome === 'ignored' && note?.code === 'cod.superseded')

/** When a check was submitted is not stored, nor its settings: the deadline counts as due, and an event shows when it passed. */
function beforeInputs(facts: ConversationFacts): Conversation {
  const stateOf = (check: Check) =>
    facts.messages.some((sent) => sent.check === check && sent.purpose === 'template' && sent.submitted)
      ? ({ ...ACCEPTED, status: 'awaiting_answer', deadlineAt: facts.createdAt } as const)
      : ACCEPTED
  return {
    ...facts,
    clockOffsetMs: 0,
    lastEventAt: null,
    confirmation: { ...facts.confirmation, state: stateOf('confirmation') },
    refusal: facts.refusal && { ...facts.refusal, state: stateOf('refusal') },
  }
}

/** An input is a customer's message, or else a timer, a failed message or an erasure, of which only the event is stored. */
function replayInput(of: Replay, number: number): void {
  const { facts, found } = of
  const report = facts.inbound.find(({ inputNumber }) => inputNumber === number)
  const stored = facts.events.find(({ inputNumber }) => inputNumber === number)
  const answer = facts.answers.find(({ reportId }) => report && reportId === report.id)
  const triggers = report ? triggersOf(of, report, answer?.check) : causesOf(of, stored)
  const advanced = triggers
    .map((trigger) => ({ ...advanceCopy(of.now, trigger), check: trigger.check }))
    .find(({ event }) => report || event?.type === stored?.type)
  if (!advanced) return
  const { check, after, ignored, event, sends } = advanced
  of.now = after
  of.sends.push(...sends.map((purpose) => `${check} ${purpose}`))
  if (report) {
    take(of.answers, (each) => each === answer)
    found.push(
      ...checkResult(report, ignored),
      ...checkAnswer(facts, { report, stored: answer, derived: advanced.answer }),
    )
  }
  if (!event) return
  if (stored?.type !== event.type) {
    found.push(difference(facts.id, { code: 'verify.event_missing', type: event.type }))
    return
  }
  take(of.events, (each) => each === stored)
  after.lastEventAt = stored.occurredAt
  const at = new Date(event.data.occurredAt)
  const data = bodyOf(of, stored.body, { data: event.data, check })
  found.push(...compareEvent(stored, { at, data, clock: facts.clock }))
}

/** The answer says to which check a text belongs; without one, it belonged to an open follow-up. */
function triggersOf({ facts, reader, now }: Replay, report: ReportRow, answered?: Check): ConversationEvent[] {
  const { id, body, accountId, receivedAt, writtenAt } = report
  const stored = { id, workspace_id: facts.workspaceId, account_id: accountId, body }
  const check = answered ?? CHECKS.find((each) => isFollowUp(each, now[each]?.state.status))
  const trigger = interpretAgain(
    reader,
    { ...stored, occurred_at: writtenAt, received_at: receivedAt },
    { confirmationId: facts.id, questions: facts.messages, check, isAnswered: answered !== undefined },
  )
  return trigger ? [trigger] : []
}

/** What can have caused an event that no customer's message did. */
function causesOf({ facts, now }: Replay, stored: EventRow | undefined): ConversationEvent[] {
  if (!stored) return []
  const { type, body, occurredAt: at } = stored
  const check = (Object.values(refusal.outcomes) as string[]).includes(type) ? 'refusal' : 'confirmation'
  const { data } = readBody(body)
  const answeredAt = (check === 'refusal' ? (data['refusalCheck'] as Members | null) : data)?.['answeredAt']
  const answered = typeof answeredAt === 'string' ? new Date(answeredAt) : at
  // In a demo month, the event is older than the reports, from whose time the follow-up is derived.
  const followUpAt = facts.clock.backMs > 0 ? now[check]?.state.followUpAt : null
  const code = facts[check]?.state.failure?.code ?? 'UNKNOWN'
  const causes = [
    { type: 'deadline_passed', at },
    { type: 'follow_up_expired', at: followUpAt ? notBefore(followUpAt, answered) : answered },
    ...(failedMessages(facts, check).length > 0 ? [{ type: 'send_failed', at, code } as const] : []),
    ...(isErased(facts.recipient) ? [{ type: 'recipient_erased', at } as const] : []),
  ] as const
  return causes.map((event) => ({ workspaceId: facts.workspaceId, confirmationId: facts.id, check, event }))
}

const failedMessages = ({ messages }: ConversationFacts, check: Check) =>
  messages.filter((sent) => sent.check === check && sent.hasFailed)

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
  const times = { stored: stored.answeredAt, derived: derived?.answered_at, clock: facts.clock }
  return compared(stored.id, { code: 'verify.answer_time' }, times)
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

const WAITING = ['accepted', 'awaiting_answer']

/** When a check was requested and submitted is not stored. A failure that a later answer replaced has left no code. */
function bodyOf({ facts, now }: Replay, body: string, { data, check }: { data: Members; check: Check }): Members {
  const isCodeLost = CHECKS.some((each) => now[each]?.state.failure && !facts[each]?.state.failure)
  const withStatus = (view: Members): Members =>
    WAITING.includes(String(view['status'])) ? { ...view, status: z.enum(WAITING) } : view
  const other = data['refusalCheck'] as Members | null
  const isBeforeOther = check === 'confirmation' && readBody(body).data['refusalCheck'] === null
  return {
    ...withStatus(data),
    refusalCheck: other && !isBeforeOther ? withStatus(other) : null,
    ...(data['failure'] && isCodeLost ? { failure: failureSchema } : {}),
  }
}

/** Compares what the inputs lead to with each column. */
const DERIVED = [
  ['status', 'verify.check_status'],
  ['answeredAt', 'verify.check_answered_at'],
  ['round', 'verify.check_round'],
  ['closingSent', 'verify.check_closing_sent'],
] as const

/** The stored check with its state at the end. */
function compareCheck(of: Replay, name: Check): Difference[] {
  const { facts, now } = of
  const [stored, derived] = [facts[name]?.state, now[name]?.state]
  if (!stored || !derived) return []
  const { id, clock } = facts
  const check = checkTexts[name]
  // Of a timer or a failed message, only the event is stored.
  const outcomes: Partial<Record<string, string>> = machines[name].outcomes
  const type = derived.status === stored.status ? undefined : outcomes[stored.status]
  const isMissing = type !== undefined && facts.events.every((event) => event.type !== type)
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && facts.mayLackNote(answer.id))
  const chosen = { stored: stored.chosen, derived: derived.chosen }
  return [
    ...(isMissing ? [difference(id, { code: 'verify.event_missing', type })] : []),
    ...DERIVED.flatMap(([member, code]) =>
      compared(id, { code, check }, { stored: stored[member], derived: derived[member], clock }),
    ),
    ...compared(
      id,
      { code: 'verify.check_chosen', check },
      { ...chosen, isSame: isSameChosen(chosen.derived, chosen.stored, mayLackNote) },
    ),
    ...checkFailure(of, name),
  ]
}

/** The failure of a check is one of its template or reminder. Our own failure that a report corrected has left no code. */
function checkFailure({ facts, reader }: Replay, check: Check): Difference[] {
  const stored = facts[check]?.state.failure?.code ?? null
  const failed = failedMessages(facts, check)
  const codes = failed
    .flatMap(({ failureCode, reports }) => [
      failureCode,
      ...reports.map((body) => reader.readStatus(body)?.failureCode),
    ])
    .filter((code) => code != null)
  const isSame =
    stored === null ||
    codes.includes(stored) ||
    (failed.length > 0 && codes.length === 0) ||
    (stored === 'RECIPIENT_ERASED' && isErased(facts.recipient))
  const values = { stored, derived: codes.join(', ') || null, isSame }
  return compared(facts.id, { code: 'verify.check_failure', check: checkTexts[check] }, values)
}
