import { readReply } from '../cod/replies.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { InboundMessage } from '../providers/provider.ts'
import { type Language, type Sentence, readSentence } from '../sentences.ts'
import type { ConversationFacts, HeardFact, SpokenFact } from './conversation-facts.ts'
import { fates } from './entries.ts'
import type { ProviderReader } from './facts.ts'
import { type ShownParts, shownParts } from './shown-text.ts'

/** What one side said, as the customer's phone shows it. `at` is in the workspace's time. */
export type Said = { at: string } & (BusinessSaid | CustomerSaid)

export type BusinessSaid = ShownParts & {
  by: 'business'
  messageId: string
  check: Check
  purpose: Purpose
  /** The template's language, in which the questions are asked as well. */
  language: string
  status: SpokenFact['status']
  /** It waited until the conversation had moved on, and is not sent any more. */
  overtaken: boolean
}

export type CustomerSaid = {
  by: 'customer'
  /** Typed, or the label that was tapped. Null: something else, of this kind. */
  text: string | null
  kind: string
  /** The text of our message that it answers. */
  quotes: string | null
  /** Why it changed nothing; null when it counted. */
  ignored: string | null
}

type Telling = ConversationFacts & { language: Language }

/** The talk with the customer from its beginning. What came late, twice or for nothing is in it. */
export function transcriptOf(facts: Telling, provider: ProviderReader): Said[] {
  const said = [
    ...facts.heard.map((heard) => customerSaid(heard, facts, provider)),
    ...facts.messages.map((message) => businessSaid(message, facts)),
  ]
  // A stable sort: what the customer did stays before what it brought about within the same millisecond.
  return said.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
}

function businessSaid(message: SpokenFact, { confirmation, refusal, language }: Telling): Said {
  const { id, check, purpose, status, createdAt } = message
  const { templateLanguage } = (check === 'refusal' ? refusal : confirmation) ?? confirmation
  return {
    by: 'business',
    at: createdAt.toISOString(),
    messageId: id,
    check,
    purpose,
    language: templateLanguage,
    status,
    overtaken: isOvertaken(message),
    ...shownParts(message.content, message.components, language),
  }
}

/** See drop_overtaken_messages. */
export const isOvertaken = ({ status, dueAt, attempts }: SpokenFact): boolean =>
  status === 'queued' && dueAt === null && attempts === 0

function customerSaid(heard: HeardFact, facts: Telling, provider: ProviderReader): Said {
  const inbound = provider.readInbound(heard.body)
  const answered = inbound && answeredMessage(inbound, facts)
  return {
    by: 'customer',
    at: heard.receivedAt.toISOString(),
    text: inbound ? textOf(inbound, answered) : null,
    kind: inbound ? (inbound.says.type === 'other' ? inbound.says.kind : inbound.says.type) : 'unknown',
    quotes: answered ? shownParts(answered.content, answered.components, facts.language).body : null,
    ignored: whyIgnored(heard)?.[facts.language] ?? null,
  }
}

function whyIgnored({ outcome, note }: HeardFact): Sentence | undefined {
  if (outcome === 'applied' || outcome === 'waiting') return undefined
  return note === null ? fates[outcome] : readSentence(note)
}

/** By what it quotes; a tap names its question by itself. */
function answeredMessage({ quotes, says }: InboundMessage, { messages }: ConversationFacts): SpokenFact | undefined {
  const quoted = messages.find(({ providerMessageId }) => quotes !== null && providerMessageId === quotes)
  if (quoted || says.type !== 'tap') return quoted
  const reply = readReply(says.payload)
  return reply.to === 'question'
    ? messages.find(({ id }) => id === reply.questionId)
    : messages.findLast(({ content }) => content.type === 'template' && content.payloads.includes(says.payload))
}

function textOf({ says }: InboundMessage, answered: SpokenFact | undefined): string | null {
  switch (says.type) {
    case 'text':
      return says.text
    case 'other':
      return null
    case 'tap':
      return (answered && labelOf(says.payload, answered)) ?? null
  }
}

function labelOf(payload: string, { content, components }: SpokenFact): string | undefined {
  switch (content.type) {
    case 'buttons':
      return content.buttons.find(({ id }) => id === payload)?.title
    case 'list':
      return content.rows.find(({ id }) => id === payload)?.title
    case 'template':
      return shownParts(content, components, 'en').buttons[content.payloads.indexOf(payload)]
    case 'text':
    case 'otp':
      return undefined
  }
}
