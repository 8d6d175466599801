import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCopy } from '../../cod/conversation/advance.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { interpretAgain } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import type { Conversation } from '../../cod/conversation/store.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { EventRow, ReportRow } from '../../explain/rows.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { Provider } from '../../providers/provider.ts'
import { type ConversationFacts, isFailedAsk } from './conversation-facts.ts'
import { type CheckResult, type Difference, checkNumbers, checkResult, compared, difference } from './differences.ts'
import { type Members, anyFailure, checkEvent, failureOf, oneOf, readBody } from './event-body.ts'
import { isWhole } from './read.ts'

type Reader = Pick<Provider, 'readInbound' | 'readStatus'>

const CHECKS = ['confirmation', 'refusal'] as const
const machines = { confirmation, refusal }
const checkTexts = {
  confirmation: { code: 'explain.check_confirmation' },
  refusal: { code: 'explain.check_refusal' },
} as const

/** Compares a confirmation with its customer's messages, answers and events (docs/verify.md#conversations). Pure. */
export function checkConversation(facts: ConversationFacts, reader: Reader): CheckResult {
  const { id, answers, inbound, messages, events, unknownKeys } = facts
  const differences = [
    ...CHECKS.flatMap((check) => checkTimers(facts, check)),
    ...checkEventTimes(facts),
    ...checkMessages(facts),
    ...unknownKeys.map((key) => difference(id, { code: 'verify.unknown_key', key })),
  ]
  const isRemoved = inbound.some(({ body, inputNumber }) => body === '' && inputNumber !== null)
  if (isRemoved || !isWhole(answers, inbound, messages, events)) return { differences, verifiable: false }
  return { differences: [...differences, ...replay(facts, reader)], verifiable: true }
}

/** A timer is armed exactly in the statuses that wait for it. Reminders are optional. */
function checkTimers(facts: ConversationFacts, check: Check): Difference[] {
  const stored = facts[check]?.state
  if (!stored) return []
  const { status, reminderAt, deadlineAt, followUpAt } = stored
  const runsIn: readonly string[] = machines[check].followUp.runsIn
  const awaits = status === 'awaiting_answer'
  const minDeadline = later(facts.createdAt, limits.noResponseMinutes.min * MINUTE_MS)
  // A sandbox's timers move with its clock.
  const isEarly = deadlineAt !== null && facts.clockOffsetMs === 0 && deadlineAt < minDeadline
  const wrong = [
    reminderAt !== null && !awaits && 'reminder',
    ((deadlineAt !== null) !== awaits || isEarly) && 'deadline',
    (followUpAt !== null) !== runsIn.includes(status) && 'expiry',
  ].filter((timer) => timer !== false)
  return wrong.map((timer) => difference(facts.id, { code: 'verify.timer', check: checkTexts[check], timer, status }))
}

/** `occurredAt` rises strictly, and the confirmation keeps the latest. */
function checkEventTimes({ id, events, lastEventAt }: ConversationFacts): Difference[] {
  const times = events.map(({ occurredAt }) => occurredAt.getTime())
  const twice = events.filter((_, index) => times.indexOf(times[index] ?? 0) < index)
  const latest = times.length === 0 ? null : new Date(Math.max(...times))
  return [
    ...twice.map((event) =>
      difference(event.id, { code: 'verify.event_time_twice', at: event.occurredAt.toISOString() }),
    ),
    ...compared(id, { code: 'verify.last_event_at' }, { stored: lastEventAt, derived: latest }),
  ]
}

/** Each message of the conversation goes from the sender of the confirmation to its customer. */
const checkMessages = ({ id, senderId, recipient, messages }: ConversationFacts): Difference[] =>
  messages.flatMap((message) => {
    const wrong = [message.senderId !== senderId && 'sender_id', message.recipient !== recipient && 'recipient']
    return wrong
      .filter((member) => member !== false)
      .map((member) => difference(id, { code: 'verify.message_of_order', messageId: message.id, member }))
  })

/** The conversation and what is found on the way. */
type Replay = { facts: ConversationFacts; reader: Reader; now: Conversation; sends: string[]; found: Difference[] }

/** Advances the conversation again by each stored input, in their order, and compares what the machines give. */
function replay(facts: ConversationFacts, reader: Reader): Difference[] {
  const of: Replay = { facts, reader, now: beforeInputs(facts), sends: [], found: [] }
  const numbered = facts.inbound.filter(({ inputNumber }) => inputNumber !== null)
  const ofReport = new Map(numbered.map((report) => [report.inputNumber, report]))
  const others = facts.events.filter((event) => !ofReport.has(event.inputNumber) || eventOf(facts, event) !== event)
  const causes = [...numbered, ...others]
  for (const cause of causes.toSorted((one, other) => orderOf(one) - orderOf(other)))
    if ('writtenAt' in cause) replayReport(of, cause)
    else replayEvent(of, cause)
  const checks = CHECKS.flatMap((check) => compare(of, check))
  return [...of.found, ...checkNumbers(facts.inputs, numbered), ...checkUnnumbered(facts), ...checks, ...checkSent(of)]
}

/** The only event that an input has. */
const eventOf = ({ events }: ConversationFacts, { inputNumber }: { inputNumber: number | null }) =>
  events.find((event) => event.inputNumber === inputNumber)

const orderOf = ({ inputNumber }: { inputNumber: number | null }): number => inputNumber ?? Number.MAX_SAFE_INTEGER

/** When a check was submitted is not stored, nor its settings: the deadline counts as due, and an event shows when it passed. */
function beforeInputs(facts: ConversationFacts): Conversation {
  const stateOf = (check: Check) => {
    const isSubmitted = facts.messages.some(
      (sent) => sent.check === check && sent.purpose === 'template' && sent.submitted,
    )
    return isSubmitted ? ({ ...ACCEPTED, status: 'awaiting_answer', deadlineAt: facts.createdAt } as const) : ACCEPTED
  }
  return {
    ...facts,
    clockOffsetMs: 0,
    lastEventAt: null,
    confirmation: { ...facts.confirmation, state: stateOf('confirmation') },
    refusal: facts.refusal && { ...facts.refusal, state: stateOf('refusal') },
  }
}

function replayReport(of: Replay, report: ReportRow): void {
  const { facts, found } = of
  const stored = facts.answers.find(({ reportId }) => reportId === report.id)
  const recorded = eventOf(facts, report)
  const trigger = triggerOf(of, report, stored?.check)
  if (!trigger) {
    if (stored) found.push(withoutMessage(stored))
    return
  }
  const { after, ignored, answer, event, sends } = advanceCopy(of.now, trigger)
  of.now = after
  of.sends.push(...sends.map((purpose) => `${trigger.check} ${purpose}`))
  found.push(...checkResult(report, ignored), ...checkAnswer(of, { report, stored, answer }))
  if (event && recorded?.type !== event.type)
    found.push(difference(facts.id, { code: 'verify.event_missing', type: event.type }))
  if (recorded && recorded.type !== event?.type) found.push(withoutCause(recorded))
  else if (recorded && event) compareEvent(of, recorded, { event, check: trigger.check })
}

type StoredAnswer = ConversationFacts['answers'][number]
type AnswerPair = {
  report: ReportRow
  stored: StoredAnswer | undefined
  answer: ReturnType<typeof advanceCopy>['answer']
}

function checkAnswer({ facts }: Replay, { report, stored, answer }: AnswerPair): Difference[] {
  if (!stored) return answer ? [difference(report.id, { code: 'verify.answer_missing', confirmationId: facts.id })] : []
  const values = { stored: namedAnswer(stored), derived: answer ? namedAnswer(answer) : null }
  const isSame = answer && isSameChosen(chosenIn(answer.detail), chosenIn(stored.detail), stored.mayLackNote)
  const found = compared(
    stored.id,
    { code: 'verify.answer' },
    { ...values, isSame: isSame === true && values.stored === values.derived },
  )
  if (found.length > 0) return found
  const times = { stored: stored.answeredAt, derived: answer?.answered_at, aheadMs: facts.clockOffsetMs }
  return compared(stored.id, { code: 'verify.answer_time' }, times)
}

const withoutMessage = ({ id, answer }: StoredAnswer): Difference =>
  difference(id, { code: 'verify.answer_without_message', answer })
const withoutCause = ({ id, type }: EventRow): Difference =>
  difference(id, { code: 'verify.event_without_cause', type })

const namedAnswer = ({ answer, superseded }: { answer: string; superseded: boolean }): string =>
  `${answer}${superseded ? ' (superseded)' : ''}`

const chosenIn = ({ reschedule, ...others }: Members): Members => ({ ...others, ...(reschedule as Members | null) })

/** Nothing chosen equals a follow-up without choices. */
const isSameChosen = (derived: Members | null, stored: Members | null, mayLackNote: boolean): boolean =>
  Object.keys({ ...derived, ...stored }).every((name) => {
    const [one, other] = [derived?.[name] ?? null, stored?.[name] ?? null]
    return one === other || (name === 'note' && mayLackNote && other === null)
  })

/** What the customer's message says. The answer says to which check a text belongs; without one, it belonged to an open follow-up. */
function triggerOf({ facts, reader, now }: Replay, report: ReportRow, answered?: Check): ConversationEvent | undefined {
  const { id: confirmationId, workspaceId, messages } = facts
  const { id, body, accountId, receivedAt, writtenAt } = report
  const stored = { id, workspace_id: workspaceId, account_id: accountId, body }
  const isOpen = (check: Check): boolean =>
    (machines[check].followUp.runsIn as readonly unknown[]).includes(now[check]?.state.status)
  return interpretAgain(
    reader,
    { ...stored, occurred_at: writtenAt, received_at: receivedAt },
    { confirmationId, questions: messages, check: answered ?? CHECKS.find(isOpen), isAnswered: answered !== undefined },
  )
}

/** A timer, a failed message or an erasure, of which only the event is stored. */
function replayEvent(of: Replay, event: EventRow): void {
  const check = (Object.values(refusal.outcomes) as string[]).includes(event.type) ? 'refusal' : 'confirmation'
  const { data } = readBody(event.body)
  const answeredAt = (check === 'refusal' ? (data['refusalCheck'] as Members | null) : data)?.['answeredAt']
  const expiredAt = typeof answeredAt === 'string' ? new Date(answeredAt) : event.occurredAt
  const caused = causesOf(of, check, event.occurredAt, expiredAt)
    .map((trigger) => advanceCopy(of.now, trigger))
    .find((result) => result.event?.type === event.type)
  if (!caused?.event || event.inputNumber === null) of.found.push(withoutCause(event))
  else {
    of.now = caused.after
    compareEvent(of, event, { event: caused.event, check })
  }
}

function causesOf({ facts }: Replay, check: Check, at: Date, expiredAt: Date): ConversationEvent[] {
  const code = facts[check]?.state.failure?.code ?? 'UNKNOWN'
  const events = [
    { type: 'deadline_passed', at },
    { type: 'follow_up_expired', at: expiredAt },
    ...(failedAsks(facts, check).length > 0 ? [{ type: 'send_failed', at, code } as const] : []),
    ...(isErased(facts.recipient) ? [{ type: 'recipient_erased', at } as const] : []),
  ] as const
  return events.map((event) => ({ workspaceId: facts.workspaceId, confirmationId: facts.id, check, event }))
}

const failedAsks = ({ messages }: ConversationFacts, check: Check) =>
  messages.filter((sent) => sent.check === check && isFailedAsk(sent))

type EventOfMachine = { event: NonNullable<ReturnType<typeof advanceCopy>['event']>; check: Check }

/** `event`: as the machine gives it. */
function compareEvent({ facts, now, found }: Replay, stored: EventRow, { event, check }: EventOfMachine): void {
  now.lastEventAt = stored.occurredAt
  const at = new Date(event.data.occurredAt)
  const data = bodyOf({ facts, now }, stored.body, { event, check })
  found.push(...checkEvent(stored, { at, data, aheadMs: facts.clockOffsetMs }))
}

const WAITING = ['accepted', 'awaiting_answer']

/** When a check was requested and submitted is not stored. A failure that a later answer replaced has left no code. */
function bodyOf(
  { facts, now }: Pick<Replay, 'facts' | 'now'>,
  body: string,
  { event, check }: EventOfMachine,
): Members {
  const data: Members = event.data
  const isCodeLost = CHECKS.some((each) => now[each]?.state.failure && !facts[each]?.state.failure)
  const failure = data['failure'] as { code: string } | null
  const withStatus = (view: Members): Members =>
    WAITING.includes(String(view['status'])) ? { ...view, status: oneOf(WAITING) } : view
  const other = data['refusalCheck'] as Members | null
  const isBeforeOther = check === 'confirmation' && readBody(body).data['refusalCheck'] === null
  return {
    ...withStatus(data),
    refusalCheck: other && !isBeforeOther ? withStatus(other) : null,
    failure: failure && isCodeLost ? anyFailure : failureOf(failure && failure.code),
  }
}

const SUPERSEDED = 'cod.superseded'

/** What says that it was an input, and has no number; and a second answer of one input. */
function checkUnnumbered({ id: confirmationId, inbound, answers }: ConversationFacts): Difference[] {
  const numbers = new Map(inbound.map(({ id, inputNumber }) => [id, inputNumber]))
  const answered = new Map(answers.toReversed().map((answer) => [answer.reportId, answer]))
  return [
    ...answers
      .filter((answer) => numbers.get(answer.reportId ?? '') == null || answered.get(answer.reportId) !== answer)
      .map(withoutMessage),
    ...inbound
      .filter(({ id, inputNumber }) => inputNumber === null && !answered.has(id))
      .filter(({ outcome, note }) => outcome === 'applied' || (outcome === 'ignored' && note?.code === SUPERSEDED))
      .map(({ id }) => difference(id, { code: 'verify.answer_missing', confirmationId })),
  ]
}

/** The stored check with its state at the end. */
function compare(of: Replay, name: Check): Difference[] {
  const { facts, now, reader } = of
  const [stored, state] = [facts[name]?.state, now[name]?.state]
  if (!stored || !state) return []
  const { id, clockOffsetMs: aheadMs } = facts
  const check = checkTexts[name]
  const both = (member: keyof typeof stored) => ({ stored: stored[member], derived: state[member], aheadMs })
  const event = state.status === stored.status ? undefined : eventThatLeadsTo(of, name, stored.status)
  if (event) return [difference(id, { code: 'verify.event_missing', type: event })]
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && answer.mayLackNote)
  const chosen = { ...both('chosen'), isSame: isSameChosen(state.chosen, stored.chosen, mayLackNote) }
  const failure = stored.failure?.code ?? null
  const codes = failureCodesOf(facts, name, reader)
  const wasEnded = isErased(facts.recipient) && failure === 'RECIPIENT_ERASED'
  const isSame = failure === null || wasEnded || codes === 'unknown' || codes.includes(failure)
  const failures = { stored: failure, derived: codes === 'unknown' ? codes : codes.join(', ') || null, isSame }
  return [
    ...compared(id, { code: 'verify.check_status', check }, both('status')),
    ...compared(id, { code: 'verify.check_chosen', check }, chosen),
    ...compared(id, { code: 'verify.check_answered_at', check }, both('answeredAt')),
    ...compared(id, { code: 'verify.check_round', check }, both('round')),
    ...compared(id, { code: 'verify.check_closing_sent', check }, both('closingSent')),
    ...compared(id, { code: 'verify.check_failure', check }, failures),
  ]
}

/** With which codes template and reminder have failed. Our own failure that a report corrected has left no code. */
function failureCodesOf(facts: ConversationFacts, check: Check, reader: Reader): FailureCode[] | 'unknown' {
  const failed = failedAsks(facts, check)
  const codes = failed.flatMap(({ failureCode, reports }) => [
    ...(failureCode === null ? [] : [failureCode]),
    ...reports.flatMap(({ body }) => reader.readStatus(body)?.error?.failureCode ?? []),
  ])
  return failed.length > 0 && codes.length === 0 ? 'unknown' : codes
}

/** The event of the timer or failed message that alone would lead to the stored status. */
function eventThatLeadsTo(of: Replay, check: Check, status: string): string | undefined {
  const { createdAt } = of.facts
  const at = of.now[check]?.state.followUpAt ?? createdAt
  const latest = at > createdAt ? at : later(createdAt, 1)
  return causesOf(of, check, latest, latest)
    .map((trigger) => advanceCopy(of.now, trigger))
    .find(({ after, event }) => after[check]?.state.status === status && event)?.event?.type
}

/** Questions need texts and are not sent without them, so there may be fewer messages, but never more. */
function checkSent({ facts, sends }: Replay): Difference[] {
  const left = [...sends, ...CHECKS.flatMap((check) => [`${check} template`, `${check} reminder`])]
  return facts.messages.flatMap(({ id, check, purpose }): Difference[] => {
    const index = left.indexOf(`${check} ${purpose}`)
    if (index >= 0) left.splice(index, 1)
    return index < 0 ? [difference(id, { code: 'verify.question_without_cause', purpose })] : []
  })
}
