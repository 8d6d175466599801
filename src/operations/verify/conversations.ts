import { MINUTE_MS, later, notBefore } from '../../lib/clock.ts'
import { confirmation } from '../../cod/conversation/confirmation.ts'
import { type MatchedMessage, interpret, readMessages } from '../../cod/conversation/receive.ts'
import { refusal } from '../../cod/conversation/refusal.ts'
import { limits } from '../../cod/settings/settings.ts'
import { isErased } from '../../lib/phone/erased-recipient.ts'
import type { Check } from '../../messages/conversation.ts'
import { happenedAt } from '../../messages/reports/receive.ts'
import type { Provider } from '../../providers/provider.ts'
import type { AnswerFact, ConversationFacts, InboundFact } from './conversation-facts.ts'
import { type CheckResult, type Difference, isSameTime, shown } from './differences.ts'
import { type AnswerEvent, type CheckToReplay, replayCheck } from './replay-check.ts'
import { isWhole } from './selected.ts'

type Reader = Pick<Provider, 'readInbound' | 'readStatus'>

/** Compares a confirmation with its customer's messages, answers and events (docs/verify.md#conversations). Pure. */
export function checkConversation(facts: ConversationFacts, reader: Reader): CheckResult {
  const differences = [
    ...checkTimers(facts, 'confirmation'),
    ...checkTimers(facts, 'refusal'),
    ...checkEventTimes(facts),
    ...checkAnswersExist(facts),
    ...checkMessages(facts),
    ...facts.unknown_keys.map((key): Difference => ({ id: facts.id, text: { code: 'verify.unknown_key', key } })),
  ]
  const isComplete = isWhole(facts.answers, facts.inbound, facts.messages, facts.events)
  const answers = isComplete ? readAnswers(facts, reader) : undefined
  if (!answers) return { differences, verifiable: false }
  differences.push(...answers.differences)
  const { reschedule, choices } = facts.confirmation
  const asked = replayCheck(confirmation, {
    ...ofCheck(facts, 'confirmation', answers.read, reader),
    stored: { ...facts.confirmation, chosen: { ...(reschedule ?? choices) } },
  })
  const refused = facts.refusal
    ? replayCheck(refusal, {
        ...ofCheck(facts, 'refusal', answers.read, reader),
        stored: { ...facts.refusal, chosen: { reason: facts.refusal.reason, note: facts.refusal.note } },
      })
    : []
  differences.push(...(asked ?? []), ...(refused ?? []))
  return { differences, verifiable: asked !== undefined && refused !== undefined }
}

function ofCheck(
  facts: ConversationFacts,
  check: Check,
  answers: readonly ReadAnswer[],
  reader: Reader,
): Omit<CheckToReplay, 'stored'> {
  const sent = (facts.messages ?? []).filter((message) => message.check === check)
  const known = new Set((facts.answers ?? []).map(({ report_id }) => report_id))
  const failing = sent.filter(({ has_failed }) => has_failed)
  const reported = failing.flatMap(({ failures }) => failures ?? []).map((body) => reader.readStatus(body))
  const codes = [
    ...failing.map(({ failure_code }) => failure_code),
    ...reported.flatMap((status) => (status?.outcome === 'failed' ? (status.error?.failureCode ?? 'UNKNOWN') : [])),
  ].filter((code) => code !== null)
  const asks = failing.filter(({ purpose }) => purpose === 'template' || purpose === 'reminder')
  return {
    id: facts.id,
    check: checkTexts[check],
    part: check,
    order: { id: facts.id, reference: facts.reference, recipient: facts.recipient, createdAt: facts.created_at },
    hasRefusal: facts.refusal !== null,
    isErased: isErased(facts.recipient),
    createdAt: facts.created_at,
    aheadMs: facts.ahead_ms,
    answers: answers.filter(({ row }) => row.check === check),
    hasRepeats: (facts.inbound ?? []).some(({ id, outcome }) => outcome === 'ignored' && !known.has(id)),
    events: facts.events ?? [],
    sent,
    // Our own failure that a report corrected has left no code.
    failureCodes: asks.length === 0 ? [] : codes.length > 0 ? codes : 'unknown',
  }
}

const checkTexts = {
  confirmation: { code: 'explain.check_confirmation' },
  refusal: { code: 'explain.check_refusal' },
} as const

/** A timer is armed exactly in the statuses that wait for it. Reminders are optional. */
function checkTimers(facts: ConversationFacts, name: Check): Difference[] {
  const stored = facts[name]
  if (!stored) return []
  const runsIn: readonly string[] = (name === 'confirmation' ? confirmation : refusal).followUp.runsIn
  const awaits = stored.status === 'awaiting_answer'
  const minDeadline = later(facts.created_at, limits.noResponseMinutes.min * MINUTE_MS)
  // A sandbox's timers move with its clock.
  const isEarly = stored.deadline_at !== null && facts.ahead_ms === 0 && new Date(stored.deadline_at) < minDeadline
  const wrong = [
    stored.reminder_at !== null && !awaits && 'reminder',
    ((stored.deadline_at !== null) !== awaits || isEarly) && 'deadline',
    (stored.follow_up_at !== null) !== runsIn.includes(stored.status) && 'expiry',
  ].filter((timer) => timer !== false)
  return wrong.map((timer) => ({
    id: facts.id,
    text: { code: 'verify.timer', check: checkTexts[name], timer, status: stored.status },
  }))
}

/** `occurredAt` rises strictly, and the confirmation keeps the latest. */
function checkEventTimes({ id, events, last_event_at: stored }: ConversationFacts): Difference[] {
  const times = (events ?? []).map((event) => Date.parse(event.occurred_at))
  const found = (events ?? [])
    .filter((_, index) => index > 0 && times[index] === times[index - 1])
    .map((event): Difference => ({ id: event.id, text: { code: 'verify.event_time_twice', at: event.occurred_at } }))
  const last = times.at(-1)
  const derived = last === undefined ? null : new Date(last)
  if (stored?.getTime() !== derived?.getTime())
    found.push({ id, text: { code: 'verify.last_event_at', stored: shown(stored), derived: shown(derived) } })
  return found
}

/** Each message of the conversation goes from the sender of the confirmation to its customer. */
const checkMessages = (facts: ConversationFacts): Difference[] =>
  (facts.messages ?? []).flatMap((message) =>
    (['sender_id', 'recipient'] as const)
      .filter((member) => message[member] !== facts[member])
      .map((member): Difference => {
        return { id: facts.id, text: { code: 'verify.message_of_order', messageId: message.id, member } }
      }),
  )

const SUPERSEDED = 'cod.superseded'

/** A message of the customer that changed something, or would have without a later one, is in the history of answers. */
function checkAnswersExist({ id: confirmationId, inbound, answers }: ConversationFacts): Difference[] {
  const kept = new Set((answers ?? []).map(({ report_id }) => report_id))
  return (inbound ?? [])
    .filter(({ outcome, note }) => outcome === 'applied' || (outcome === 'ignored' && note?.code === SUPERSEDED))
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => ({ id, text: { code: 'verify.answer_missing', confirmationId } }))
}

type ReadAnswer = { row: AnswerFact; event: AnswerEvent }

/** Returns undefined if a customer's message was removed, or its answer is older than the ids of messages. */
function readAnswers(
  facts: ConversationFacts,
  reader: Reader,
): { read: ReadAnswer[]; differences: Difference[] } | undefined {
  const inbound = new Map((facts.inbound ?? []).map((report) => [report.id, report]))
  const read: ReadAnswer[] = []
  const differences: Difference[] = []
  for (const row of facts.answers ?? []) {
    const report = row.report_id === null ? undefined : inbound.get(row.report_id)
    if (row.report_id === null || report?.body === '') return undefined
    const event = report && readAnswer(facts, { row, report }, reader)
    if (!event) {
      differences.push({ id: row.id, text: { code: 'verify.answer_without_message', answer: row.answer } })
      continue
    }
    read.push({ row, event })
    if (report) differences.push(...checkReport(row, report))
    const derived = notBefore(later(facts.created_at, 1), event.at)
    const stored = new Date(row.answered_at)
    if (!isSameTime(stored, derived, facts.ahead_ms))
      differences.push({
        id: row.id,
        text: { code: 'verify.answer_time', stored: shown(stored), derived: shown(derived) },
      })
  }
  return { read, differences }
}

/** The message changed something exactly if its answer did. */
function checkReport({ superseded }: AnswerFact, { id, outcome, note }: InboundFact): Difference[] {
  const derived = superseded ? SUPERSEDED : 'applied'
  const stored = outcome === 'ignored' && note?.code === SUPERSEDED ? SUPERSEDED : outcome
  if (stored === derived) return []
  return [{ id, text: { code: 'verify.report_result', stored: note?.code ?? stored, derived } }]
}

/** What the customer's message says to the check of the answer. */
function readAnswer(
  { id, workspace_id, messages }: ConversationFacts,
  { row, report }: { row: AnswerFact; report: InboundFact },
  reader: Reader,
): AnswerEvent | undefined {
  const occurredAt = report.occurred_at === null ? null : new Date(report.occurred_at)
  const receivedAt = new Date(report.received_at)
  const { account_id, body } = report
  const stored = { id: report.id, workspace_id, account_id, body, occurred_at: occurredAt, received_at: receivedAt }
  const [message] = readMessages(reader, [stored])
  if (!message) return undefined
  const { reply } = message
  const question = reply?.to === 'question' ? messages?.find((sent) => sent.id === reply.questionId) : undefined
  const names = reply?.to === 'confirmation' || reply?.to === 'refusal' ? reply.confirmationId : id
  const match: MatchedMessage['match'] = {
    n: 0,
    sender_id: null,
    question: question
      ? { check_kind: question.check, purpose: question.purpose, offered: question.offered, round: question.round }
      : null,
    quoted: null,
    target: { id: names, sender_id: '', customer_user_id: null, is_erased: false },
    newest: null,
    // Which question was open when the text came is not stored: the answer says whose it was.
    open: [{ id, check: row.check }],
  }
  const at = happenedAt(occurredAt ?? receivedAt, receivedAt)
  const answer = interpret({ ...message, match }, at)
  if ('code' in answer || answer.confirmationId !== id || answer.check !== row.check) return undefined
  return 'order' in answer.event ? answer.event : undefined
}
