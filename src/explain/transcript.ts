import { decodeReply } from '../cod/conversation/replies.ts'
import { isSuperseded } from '../messages/queue/claim.ts'
import type { InboundMessage, StoredContent } from '../providers/provider.ts'
import { type CodedText, plainText } from '../../locales/text.ts'
import { displayedParts, displayedText } from './displayed.ts'
import { inOrder } from './entry.ts'
import {
  type ConversationMessageFact,
  type Facts,
  type ProviderReader,
  type ReportFact,
  checksOf,
  conversationMessages,
} from './facts.ts'

/**
 * The whole conversation as the customer's phone shows it, with late, repeated and ignored messages. `at` is in the
 * workspace's time.
 */
export const transcript = (facts: Facts, provider: ProviderReader) =>
  inOrder([
    // What the customer did comes before what it caused within the same millisecond.
    ...facts.inbound.map((report) => customerItem(report, facts, provider)),
    ...conversationMessages(facts).map((message) => businessItem(message, facts)),
  ])

function businessItem(message: ConversationMessageFact, facts: Facts) {
  const { id, check, purpose, status, createdAt } = message
  const checks = checksOf(facts)
  const { templateLanguage } = checks.find((each) => each.check === check) ?? checks[0] ?? message
  return {
    by: 'business' as const,
    at: createdAt.toISOString(),
    messageId: id,
    check,
    purpose,
    /** The template's language, in which the questions are asked as well. */
    language: templateLanguage ?? '',
    status,
    /** It waited until the conversation had moved on, and is not sent. */
    superseded: isSuperseded(message),
    ...displayedParts(message.content, message.components),
  }
}

function customerItem(report: ReportFact, facts: Facts, provider: ProviderReader) {
  const inbound = provider.readInbound(report.body)
  const says = inbound?.says
  const answered = inbound ? answeredMessage(inbound, facts) : undefined
  return {
    by: 'customer' as const,
    at: report.receivedAt.toISOString(),
    /** Typed, or the label that was tapped. Null: something else, of this kind, or removed. */
    text: says ? textOf(says, answered) : null,
    kind: says ? (says.type === 'other' ? says.kind : says.type) : report.body === '' ? 'removed' : 'unknown',
    /** The text of our message that it answers. */
    quotes: answered ? displayedParts(answered.content, answered.components).body : null,
    /** Why it changed nothing; null when it counted. */
    ignored: whyIgnored(report),
  }
}

function whyIgnored({ outcome, note }: ReportFact): CodedText | null {
  if (outcome === 'applied' || outcome === 'waiting') return null
  return note ?? plainText(`explain.report_${outcome}`)
}

/** Found by the quoted message; the payload of a tap also names its question. */
export function answeredMessage({ quotes, says }: InboundMessage, facts: Facts): ConversationMessageFact | undefined {
  const messages = conversationMessages(facts)
  const quoted = messages.find(({ providerMessageId }) => quotes !== null && providerMessageId === quotes)
  if (quoted || says.type !== 'tap') return quoted
  const reply = decodeReply(says.payload)
  return reply.to === 'question'
    ? messages.find(({ id }) => id === reply.questionId)
    : messages.findLast(({ content }) => content.type === 'template' && content.payloads.includes(says.payload))
}

function textOf(says: InboundMessage['says'], answered: ConversationMessageFact | undefined): string | null {
  if (says.type === 'text') return says.text
  if (says.type !== 'tap' || !answered) return null
  const { content, components } = answered
  return displayedText(content, components).choices[payloadsOf(content).indexOf(says.payload)] || null
}

/** Labels of buttons or choices, in their order. */
function payloadsOf(content: StoredContent): readonly string[] {
  if (content.type === 'template') return content.payloads
  const choices = content.type === 'buttons' ? content.buttons : content.type === 'list' ? content.rows : []
  return choices.map(({ id }) => id)
}
