import { readReply } from '../cod/replies.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { InboundMessage, Provider } from '../providers/provider.ts'
import type {
  AnswerFact,
  ConfirmationFact,
  ConversationFacts,
  HeardFact,
  RefusalFact,
  SpokenFact,
} from './conversation-facts.ts'
import {
  type Entry,
  againOf,
  attemptEntry,
  fateOf,
  inOrder,
  openAttemptEntry,
  quotaEntry,
  reportEntry,
  webhookEntries,
} from './entries.ts'
import { onOneLine, shownText } from './shown-text.ts'
import { isOvertaken } from './transcript.ts'

type Reading = Pick<Provider, 'readStatus' | 'readInbound'>

/** A confirmation's story: requests, both sides of the talk, answers, events and webhooks, and what it waits for. */
export function conversationTimeline(facts: ConversationFacts, provider: Reading): Entry[] {
  const { confirmation, refusal, messages, attempts, reports, heard, answers } = facts
  const names = new Map(messages.map((message) => [message.id, ` of the ${nameOf(message)}`]))
  const ofMessage = (id: string | null): string => (id === null ? '' : (names.get(id) ?? ''))
  return inOrder([
    requestEntry(confirmation),
    quotaEntry(confirmation),
    ...(refusal ? [refusalEntry(refusal), quotaEntry(refusal)] : []),
    // What the customer did comes before what it brought about within the same millisecond.
    ...heard.map((report) => heardEntry(report, facts, provider)),
    ...answerEntries(answers, heard),
    ...messages.map(messageEntry),
    ...attempts.map((attempt) => attemptEntry(attempt, ofMessage(attempt.messageId))),
    ...messages.flatMap((each) =>
      each.attemptedAt ? [openAttemptEntry(each, each.attemptedAt, ofMessage(each.id))] : [],
    ),
    ...reports.map((report) => reportEntry(report, provider, ofMessage(report.messageId))),
    ...webhookEntries(facts),
    ...timerEntries('confirmation', confirmation),
    ...(refusal ? timerEntries('refusal check', refusal) : []),
  ])
}

function requestEntry(confirmation: ConfirmationFact): Entry {
  const { createdAt, reference, recipient, senderPhone, templateName, templateLanguage, apiKeyId, correlationId } =
    confirmation
  return {
    at: createdAt.toISOString(),
    what: 'request',
    detail: `confirmation of ${reference} accepted for ${recipient}, from ${senderPhone} with ${templateName} (${templateLanguage}); key ${apiKeyId}, correlation id ${correlationId}`,
    to: recipient,
    apiKey: apiKeyId,
    correlationId,
    reference,
  }
}

function refusalEntry({ createdAt, templateName, templateLanguage, apiKeyId, correlationId }: RefusalFact): Entry {
  return {
    at: createdAt.toISOString(),
    what: 'request',
    detail: `refusal check accepted with ${templateName} (${templateLanguage}); key ${apiKeyId}, correlation id ${correlationId}`,
    apiKey: apiKeyId,
    correlationId,
  }
}

const PURPOSES = {
  template: 'question',
  reminder: 'reminder',
  day_question: 'day question',
  time_question: 'time question',
  reasons_question: 'list of reasons',
  note_prompt: 'note prompt',
  closing: 'closing message',
} as const satisfies Record<Purpose, string>

const CHECKS = { confirmation: 'confirmation', refusal: 'refusal check' } as const satisfies Record<Check, string>

const nameOf = ({ check, purpose }: Pick<SpokenFact, 'check' | 'purpose'>): string =>
  purpose === 'template' || purpose === 'reminder' || purpose === 'closing'
    ? `${CHECKS[check]}’s ${PURPOSES[purpose]}`
    : PURPOSES[purpose]

export function messageEntry(message: SpokenFact): Entry {
  const { text, choices } = shownText(message.content, message.components)
  const tappable = choices.length > 0 ? ` [${choices.join(' | ')}]` : ''
  return {
    at: message.createdAt.toISOString(),
    what: 'message',
    detail: `the ${nameOf(message)}: “${text}”${tappable}${isOvertaken(message) ? '; it waited until the conversation had moved on, and is not sent any more' : ''}`,
    messageId: message.id,
    check: message.check,
    purpose: message.purpose,
    text,
    choices,
    offered: message.offered,
    status: message.status,
  }
}

/** What the customer did, and what became of it. */
function heardEntry(report: HeardFact, facts: ConversationFacts, provider: Reading): Entry {
  const inbound = provider.readInbound(report.body)
  const status = { outcome: report.outcome, note: report.note }
  return {
    at: report.receivedAt.toISOString(),
    what: 'customer',
    detail: `${inbound ? deedOf(inbound, facts) : 'sends something that this release cannot read'}${fateOf(status)}${againOf(report.repeats)}`,
    writtenAt: report.writtenAt.toISOString(),
    ...(inbound?.says.type === 'text' ? { text: inbound.says.text } : {}),
    ...status,
    repeats: report.repeats,
  }
}

function deedOf({ says, quotes }: InboundMessage, facts: ConversationFacts): string {
  switch (says.type) {
    case 'text': {
      const quoted = facts.messages.find(({ providerMessageId }) => quotes !== null && providerMessageId === quotes)
      return `writes “${onOneLine(says.text)}”${quoted ? `, quoting the ${nameOf(quoted)}` : ''}`
    }
    case 'other':
      return `sends a message of the type "${says.kind}"`
    case 'tap':
      return tapOf(says.payload, facts)
  }
}

/** By the payload alone, as it counts; the label is what the button shows. */
function tapOf(payload: string, { confirmation, messages }: ConversationFacts): string {
  const reply = readReply(payload)
  if (reply.to === 'nothing') {
    return reply.because === 'version' ? 'taps a button of another release' : 'taps a button that is none of ours'
  }
  if (reply.to === 'question') {
    const question = messages.find(({ id }) => id === reply.questionId)
    if (!question) return 'chooses from a question that is not of this confirmation'
    const meaning = question.offered?.[reply.index]
    const label = shownText(question.content, null).choices[reply.index] ?? meaning
    return `chooses “${label}” of the ${nameOf(question)}${meaning === label ? '' : `: ${meaning}`}`
  }
  if (reply.confirmationId !== confirmation.id) return 'taps a button of another confirmation'
  return `taps “${reply.answer.replace('_', ' ')}” of the ${CHECKS[reply.to]}’s question`
}

const ANSWERS: Readonly<Record<string, string>> = {
  confirmed: 'confirmed',
  cancelled: 'cancelled',
  reschedule_started: 'wants another time',
  day_chosen: 'a day is chosen',
  range_chosen: 'a time range is chosen',
  rescheduled: 'rescheduled',
  refused: 'says that the parcel was refused',
  denied: 'says that nothing was refused',
  other_chosen: 'another reason, to be told',
  refusal_confirmed: 'the refusal is confirmed',
}

/**
 * Each is told behind the message that gave it: an answer's own time is that of the customer's message, whose clock knows
 * no fractions of a second.
 */
function answerEntries(answers: readonly AnswerFact[], heard: readonly HeardFact[]): Entry[] {
  const givers = heard.filter(({ outcome }) => outcome === 'applied')
  return answers.map((answer) => {
    const place = givers.findIndex(({ writtenAt }) => writtenAt.getTime() === answer.answeredAt.getTime())
    const [giver] = place < 0 ? [] : givers.splice(place, 1)
    return answerEntry(answer, giver?.receivedAt ?? answer.answeredAt)
  })
}

function answerEntry({ check, answer, detail, answeredAt }: AnswerFact, at: Date): Entry {
  const values = check === 'confirmation' ? Object.values(detail.reschedule ?? {}) : [detail.reason, detail.note]
  const given = values.filter((value) => value != null)
  return {
    at: at.toISOString(),
    what: 'answer',
    detail: `${CHECKS[check]}: ${ANSWERS[answer] ?? answer}${given.length > 0 ? ` (${given.join(', ')})` : ''}`,
    check,
    answer,
    answeredAt: answeredAt.toISOString(),
    ...detail,
  }
}

function timerEntries(of: string, timers: Pick<ConfirmationFact, 'reminderAt' | 'deadlineAt' | 'followUpAt'>): Entry[] {
  const armed: [Date | null, string][] = [
    [timers.reminderAt, 'the reminder is sent'],
    [timers.deadlineAt, 'it ends without an answer'],
    [timers.followUpAt, 'the follow-up ends with what was chosen by then'],
  ]
  return armed.flatMap(([at, what]): Entry[] =>
    at ? [{ at: at.toISOString(), what: 'timer', detail: `armed for this time: ${what} (${of})` }] : [],
  )
}
