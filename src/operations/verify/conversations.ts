import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type ConversationEvent, advanceCheck, emptyResult } from '../../cod/conversation/advance.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { ACCEPTED } from '../../cod/conversation/machine.ts'
import { type MatchedMessage, interpret, readMessages } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import type { Conversation } from '../../cod/conversation/store.ts'
import { limits } from '../../cod/settings/settings.ts'
import type { EventRow, ReportRow } from '../../explain/rows.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import { happenedAt } from '../../messages/reports/receive.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ConversationFacts } from './conversation-facts.ts'
import { type CheckResult, type Difference, checkResult, isSameTime, shown } from './differences.ts'
import { anyFailure, failureOf, oneOf, readBody, wrongMember } from './event-body.ts'
import { isWhole } from './selected.ts'

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
    ...unknownKeys.map((key): Difference => ({ id, text: { code: 'verify.unknown_key', key } })),
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
  return wrong.map((timer) => ({
    id: facts.id,
    text: { code: 'verify.timer', check: checkTexts[check], timer, status },
  }))
}

/** `occurredAt` rises strictly, and the confirmation keeps the latest. */
function checkEventTimes({ id, events, lastEventAt }: ConversationFacts): Difference[] {
  const times = new Set<number>()
  const found: Difference[] = []
  for (const { id: eventId, occurredAt } of events) {
    if (times.has(occurredAt.getTime()))
      found.push({ id: eventId, text: { code: 'verify.event_time_twice', at: occurredAt.toISOString() } })
    times.add(occurredAt.getTime())
  }
  const derived = times.size === 0 ? null : new Date(Math.max(...times))
  if (lastEventAt?.getTime() !== derived?.getTime())
    found.push({ id, text: { code: 'verify.last_event_at', stored: shown(lastEventAt), derived: shown(derived) } })
  return found
}

/** Each message of the conversation goes from the sender of the confirmation to its customer. */
const checkMessages = ({ id, senderId, recipient, messages }: ConversationFacts): Difference[] =>
  messages.flatMap((message) => {
    const wrong = [
      message.senderId !== senderId && ('sender_id' as const),
      message.recipient !== recipient && ('recipient' as const),
    ].filter((member) => member !== false)
    return wrong.map((member) => ({ id, text: { code: 'verify.message_of_order', messageId: message.id, member } }))
  })

/** The conversation and what is found on the way. */
type Replay = { facts: ConversationFacts; reader: Reader; now: Conversation; sends: string[]; found: Difference[] }

/** Advances the conversation again by each stored input, in their order, and compares what the machines give. */
function replay(facts: ConversationFacts, reader: Reader): Difference[] {
  const of: Replay = { facts, reader, now: beforeInputs(facts), sends: [], found: [] }
  const numbered = facts.inbound.filter(({ inputNumber }) => inputNumber !== null)
  const ofReport = new Map(numbered.map((report) => [report.inputNumber, report]))
  const causes = [...numbered, ...facts.events.filter(({ inputNumber }) => !ofReport.has(inputNumber))]
  for (const cause of causes.toSorted((one, other) => orderOf(one) - orderOf(other)))
    if ('writtenAt' in cause) replayReport(of, cause)
    else replayEvent(of, cause)
  return [...of.found, ...checkUnnumbered(facts), ...CHECKS.flatMap((check) => compare(of, check)), ...checkSent(of)]
}

const orderOf = ({ inputNumber }: { inputNumber: number | null }): number => inputNumber ?? Number.MAX_SAFE_INTEGER

/** When a check was submitted is not stored, nor its settings: the deadline counts as due, and an event shows when it passed. */
function beforeInputs(facts: ConversationFacts): Conversation {
  const stateOf = (check: Check) => {
    const submitted = facts.messages.find((sent) => sent.check === check && sent.purpose === 'template')?.submitted
    const isAccepted = submitted === false || (submitted === null && facts[check]?.state.status === 'accepted')
    return isAccepted ? ACCEPTED : ({ ...ACCEPTED, status: 'awaiting_answer', deadlineAt: facts.createdAt } as const)
  }
  return {
    ...facts,
    clockOffsetMs: 0,
    lastEventAt: null,
    confirmation: { ...facts.confirmation, state: stateOf('confirmation') },
    refusal: facts.refusal && { ...facts.refusal, state: stateOf('refusal') },
  }
}

/** What the machine gives, without changing `before`. */
function run(before: Conversation, trigger: ConversationEvent) {
  const after = {
    ...before,
    confirmation: { ...before.confirmation },
    refusal: before.refusal && { ...before.refusal },
  }
  const result = emptyResult(before.createdAt)
  const { ignored, sends } = advanceCheck(result, after, trigger)
  const [[answer], [event]] = [result.answers, result.events]
  return { after, ignored, answer, event, sends: sends.map((purpose) => `${trigger.check} ${purpose}`) }
}

function replayReport(of: Replay, report: ReportRow): void {
  const { facts, found } = of
  const stored = facts.answers.find(({ reportId }) => reportId === report.id)
  const recorded = facts.events.find(({ inputNumber }) => inputNumber === report.inputNumber)
  const trigger = triggerOf(of, report, stored?.check)
  if (!trigger) {
    if (stored) found.push(withoutMessage(stored))
    return
  }
  const { after, ignored, answer, event, sends } = run(of.now, trigger)
  of.now = after
  of.sends.push(...sends)
  found.push(...checkResult(report, ignored))
  if (!stored) {
    if (answer) found.push({ id: report.id, text: { code: 'verify.answer_missing', confirmationId: facts.id } })
  } else if (!answer || !isSameAnswer(stored, answer))
    found.push({
      id: stored.id,
      text: { code: 'verify.answer', stored: namedAnswer(stored), derived: answer ? namedAnswer(answer) : shown(null) },
    })
  else if (!isSameTime(stored.answeredAt, answer.answered_at, facts.clockOffsetMs))
    found.push({
      id: stored.id,
      text: { code: 'verify.answer_time', stored: shown(stored.answeredAt), derived: shown(answer.answered_at) },
    })
  if (event && recorded?.type !== event.type)
    found.push({ id: facts.id, text: { code: 'verify.event_missing', type: event.type } })
  if (recorded && recorded.type !== event?.type) found.push(withoutCause(recorded))
  else if (recorded && event) checkEvent(of, recorded, { event, check: trigger.check })
}

const withoutMessage = ({ id, answer }: ConversationFacts['answers'][number]): Difference => ({
  id,
  text: { code: 'verify.answer_without_message', answer },
})
const withoutCause = ({ id, type }: EventRow): Difference => ({
  id,
  text: { code: 'verify.event_without_cause', type },
})

const namedAnswer = ({ answer, superseded }: { answer: string; superseded: boolean }): string =>
  `${answer}${superseded ? ' (superseded)' : ''}`

type Chosen = Readonly<Record<string, unknown>>

const isSameAnswer = (
  stored: ConversationFacts['answers'][number],
  derived: { answer: string; superseded: boolean; detail: Chosen },
): boolean =>
  namedAnswer(stored) === namedAnswer(derived) &&
  isSameChosen(chosenIn(derived.detail), chosenIn(stored.detail), stored.mayLackNote)

const chosenIn = ({ reschedule, ...others }: Chosen): Chosen => ({ ...others, ...(reschedule as Chosen | null) })

/** Nothing chosen equals a follow-up without choices. */
const isSameChosen = (derived: Chosen | null, stored: Chosen | null, mayLackNote: boolean): boolean =>
  Object.keys({ ...derived, ...stored }).every((name) => {
    const [one, other] = [derived?.[name] ?? null, stored?.[name] ?? null]
    return one === other || (name === 'note' && mayLackNote && other === null)
  })

/** What the customer's message says. */
function triggerOf({ facts, reader, now }: Replay, report: ReportRow, answered?: Check): ConversationEvent | undefined {
  const { id, workspaceId, messages } = facts
  const { body, accountId, receivedAt, writtenAt } = report
  const of = { id: report.id, workspace_id: workspaceId, account_id: accountId, body }
  const [message] = readMessages(reader, [{ ...of, occurred_at: writtenAt, received_at: receivedAt }])
  if (!message) return undefined
  const { reply } = message
  const question = reply?.to === 'question' ? messages.find((sent) => sent.id === reply.questionId) : undefined
  const named = reply?.to === 'confirmation' || reply?.to === 'refusal' ? reply.confirmationId : id
  // The answer says to which check a text belongs. Without one, the text belonged to an open follow-up.
  const isOpen = (check: Check): boolean =>
    (machines[check].followUp.runsIn as readonly unknown[]).includes(now[check]?.state.status)
  const open = answered ?? CHECKS.find(isOpen)
  const match: MatchedMessage['match'] = {
    n: 0,
    sender_id: null,
    question: question ? { ...question, check_kind: question.check } : null,
    quoted: null,
    target: { id: named, sender_id: '', customer_user_id: null, is_erased: false },
    newest: null,
    open: open ? [{ id, check: open }] : null,
  }
  const answer = interpret({ ...message, match }, happenedAt(writtenAt, receivedAt))
  if ('code' in answer || answer.confirmationId !== id || (answered && answer.check !== answered)) return undefined
  return { workspaceId, reportId: report.id, ...answer }
}

/** A timer, a failed message or an erasure, of which only the event is stored. */
function replayEvent(of: Replay, event: EventRow): void {
  const check = (Object.values(refusal.outcomes) as string[]).includes(event.type) ? 'refusal' : 'confirmation'
  const { data } = readBody(event.body)
  const answeredAt = (check === 'refusal' ? (data['refusalCheck'] as Chosen | null) : data)?.['answeredAt']
  const expiredAt = typeof answeredAt === 'string' ? new Date(answeredAt) : event.occurredAt
  const caused = causesOf(of, check, event.occurredAt, expiredAt)
    .map((trigger) => run(of.now, trigger))
    .find((result) => result.event?.type === event.type)
  if (!caused?.event || event.inputNumber === null) of.found.push(withoutCause(event))
  else {
    of.now = caused.after
    checkEvent(of, event, { event: caused.event, check })
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
  messages.filter(
    (sent) => sent.hasFailed && sent.check === check && (sent.purpose === 'template' || sent.purpose === 'reminder'),
  )

type Derived = { event: NonNullable<ReturnType<typeof run>['event']>; check: Check }

/** `event`: as the machine gives it. */
function checkEvent({ facts, now, found }: Replay, stored: EventRow, { event, check }: Derived): void {
  const { id, type, occurredAt, body } = stored
  const derived = event.data.occurredAt
  now.lastEventAt = occurredAt
  if (!isSameTime(occurredAt, new Date(derived), facts.clockOffsetMs))
    found.push({ id, text: { code: 'verify.event_time', stored: shown(occurredAt), derived } })
  else if (body !== '') {
    const member = wrongMember(
      body,
      { type, at: occurredAt, data: bodyOf({ facts, now }, body, { event, check }) },
      facts.clockOffsetMs,
    )
    if (member !== undefined) found.push({ id, text: { code: 'verify.event_body', type, member } })
  }
}

const WAITING = ['accepted', 'awaiting_answer']

/** When a check was requested and submitted is not stored. A failure that a later answer replaced has left no code. */
function bodyOf({ facts, now }: Pick<Replay, 'facts' | 'now'>, body: string, { event, check }: Derived): Chosen {
  const data: Chosen = event.data
  const isCodeLost = CHECKS.some((each) => now[each]?.state.failure && !facts[each]?.state.failure)
  const failure = data['failure'] as { code: string } | null
  const withStatus = (view: Chosen): Chosen =>
    WAITING.includes(String(view['status'])) ? { ...view, status: oneOf(WAITING) } : view
  const other = data['refusalCheck'] as Chosen | null
  const isBeforeOther = check === 'confirmation' && readBody(body).data['refusalCheck'] === null
  return {
    ...withStatus(data),
    refusalCheck: other && !isBeforeOther ? withStatus(other) : null,
    failure: failure && isCodeLost ? anyFailure : failureOf(failure && failure.code),
  }
}

const SUPERSEDED = 'cod.superseded'

/** What says that it was an input, and has no number. */
function checkUnnumbered({ id: confirmationId, inbound, answers }: ConversationFacts): Difference[] {
  const numbers = new Map(inbound.map(({ id, inputNumber }) => [id, inputNumber]))
  const answered = new Set(answers.map(({ reportId }) => reportId))
  return [
    ...answers.filter(({ reportId }) => reportId === null || numbers.get(reportId) == null).map(withoutMessage),
    ...inbound
      .filter(({ id, inputNumber }) => inputNumber === null && !answered.has(id))
      .filter(({ outcome, note }) => outcome === 'applied' || (outcome === 'ignored' && note?.code === SUPERSEDED))
      .map(({ id }): Difference => ({ id, text: { code: 'verify.answer_missing', confirmationId } })),
  ]
}

/** The stored check with its state at the end. */
function compare(of: Replay, name: Check): Difference[] {
  const { facts, now, reader } = of
  const [stored, state] = [facts[name]?.state, now[name]?.state]
  if (!stored || !state) return []
  const { id, clockOffsetMs: aheadMs } = facts
  const check = checkTexts[name]
  const found: Difference[] = []
  const differs = (what: 'status' | 'answered_at' | 'chosen' | 'round' | 'closing_sent', member: keyof typeof stored) =>
    found.push({
      id,
      text: { code: `verify.check_${what}`, check, stored: shown(stored[member]), derived: shown(state[member]) },
    })
  if (state.status !== stored.status) {
    const missing = eventThatLeadsTo(of, name, stored.status)
    if (missing) return [{ id, text: { code: 'verify.event_missing', type: missing } }]
    differs('status', 'status')
  }
  // Retention removes a note from the check together with that of its answer.
  const mayLackNote = facts.answers.some((answer) => answer.check === name && answer.mayLackNote)
  if (!isSameChosen(state.chosen, stored.chosen, mayLackNote)) differs('chosen', 'chosen')
  if (!isSameTime(stored.answeredAt, state.answeredAt, aheadMs)) differs('answered_at', 'answeredAt')
  if (state.round !== stored.round) differs('round', 'round')
  if (state.closingSent !== stored.closingSent) differs('closing_sent', 'closingSent')
  const failure = stored.failure?.code
  const codes = failureCodesOf(facts, name, reader)
  const wasEnded = isErased(facts.recipient) && failure === 'RECIPIENT_ERASED'
  if (failure && !wasEnded && codes !== 'unknown' && !codes.includes(failure))
    found.push({
      id,
      text: { code: 'verify.check_failure', check, stored: failure, derived: codes.join(', ') || shown(null) },
    })
  return found
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
    .map((trigger) => run(of.now, trigger))
    .find(({ after, event }) => after[check]?.state.status === status && event)?.event?.type
}

/** Questions need texts and are not sent without them, so there may be fewer messages, but never more. */
function checkSent({ facts, sends }: Replay): Difference[] {
  const left = [...sends, ...CHECKS.flatMap((check) => [`${check} template`, `${check} reminder`])]
  return facts.messages.flatMap(({ id, check, purpose }): Difference[] => {
    const index = left.indexOf(`${check} ${purpose}`)
    if (index >= 0) left.splice(index, 1)
    return index < 0 ? [{ id, text: { code: 'verify.question_without_cause', purpose } }] : []
  })
}
