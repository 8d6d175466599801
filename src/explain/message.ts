import { type Statement, statement } from '../db.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { Parts } from '../parts.ts'
import type { OutgoingContent, TemplateComponent } from '../providers/provider.ts'
import { findWorkspaceTime } from '../sandbox/workspace-time.ts'
import { type Language, sentences } from '../sentences.ts'
import { messageEntry } from './conversation-timeline.ts'
import { type ToldWebhook, webhooksOf } from './conversation.ts'
import {
  type Entry,
  type Line,
  attemptEntry,
  inOrder,
  openAttemptEntry,
  quotaEntry,
  reportEntry,
  toldIn,
  webhookEntries,
} from './entries.ts'
import {
  type Facts,
  type MessageFact,
  type ProviderReader,
  SUBMISSION_COLUMNS,
  SUBMISSION_JOINS,
  type SubmissionFact,
  findFacts,
  findSubmissions,
  inWorkspaceTime,
} from './facts.ts'
import { type Shown, shownText } from './shown-text.ts'
import { type Next, nextIn, ofMessage, ofOutcome, whoMustAct } from './who-must-act.ts'

/** Everything known about one message, for whoever looks at it. Instants are in the workspace's time. Never its code. */
export type MessageTold = {
  message: ToldMessage
  /** What the customer reads of a message of a conversation. */
  said: Shown | null
  now: Date
  timeline: Entry[]
  next: Next
  events: { id: string; type: string; occurredAt: Date; webhooks: ToldWebhook[] }[]
}

export type ToldMessage = SubmissionFact & {
  recipient: string
  senderPhone: string
  templateName: string | null
  templateLanguage: string | null
  /** The caller's own; of a message of a conversation that of its confirmation. */
  reference: string | null
  correlationId: string | null
  apiKeyId: string | null
  apiKeyName: string | null
  /** Set on messages of a conversation. */
  confirmationId: string | null
  check: Check | null
  purpose: Purpose | null
}

type MessageRow = ToldMessage & {
  content: OutgoingContent | null
  offered: string[] | null
  components: TemplateComponent[] | null
}

const selectMessage: Statement<MessageRow> = statement(
  'explain_message_of_workspace',
  `select ${SUBMISSION_COLUMNS}, m.recipient, s.phone as "senderPhone", m.template_name as "templateName",
     m.template_language as "templateLanguage", coalesce(m.reference, c.reference) as reference,
     coalesce(m.correlation_id, f.correlation_id, c.correlation_id) as "correlationId",
     coalesce(m.api_key_id, f.api_key_id, c.api_key_id) as "apiKeyId", k.name as "apiKeyName",
     m.confirmation_id as "confirmationId", m.check_kind as check, m.purpose, m.content, m.offered, t.components
   from messages m
   ${SUBMISSION_JOINS}
   left join confirmations c on c.workspace_id = m.workspace_id and c.id = m.confirmation_id
   left join refusal_checks f on f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id
     and m.check_kind = 'refusal'
   left join api_keys k on k.workspace_id = m.workspace_id
     and k.public_id = coalesce(m.api_key_id, f.api_key_id, c.api_key_id)
   left join templates t on t.workspace_id = m.workspace_id and t.account_id = p.id and t.name = m.template_name
     and t.language = m.template_language
   where m.workspace_id = $1 and m.id = $2`,
)

/** Undefined when the workspace has no such message. */
export async function explainMessage(
  { db, clock, provider }: Pick<Parts, 'db' | 'clock' | 'provider'>,
  { workspaceId, messageId, language }: { workspaceId: string; messageId: string; language: Language },
): Promise<MessageTold | undefined> {
  const time = await findWorkspaceTime(db, workspaceId)
  const found = await db.row(selectMessage, [workspaceId, messageId])
  if (!found) return undefined
  const now = time.at(clock.now())
  const { content, offered, components, ...message } = inWorkspaceTime(found, time)
  const told = { message, said: content && shownText(content, components, language), now }
  const { check, purpose } = message
  if (content && check && purpose) {
    const submissions = await findSubmissions(db, { workspaceId, messages: [message], time })
    const entry = messageEntry({ ...message, check, purpose, content, offered, components })
    const next = nextIn(language, ofMessage(message, now, { ...submissions, provider }) ?? ofOutcome(message, now))
    const timeline = toldIn(language, inOrder([entry, ...sendingEntries(message, submissions, provider)]))
    return { ...told, timeline, next, events: [] }
  }
  const facts = await findFacts(db, { workspaceId, messageId, eventId: messageId })
  const timeline = toldIn(language, messageTimeline(facts, provider))
  const next = nextIn(language, whoMustAct(facts, now, provider))
  return { ...told, timeline, next, events: eventsOf(facts) }
}

/** An OTP message's story, or that of an event that belongs to nothing else. */
export function messageTimeline(facts: Facts, provider: ProviderReader): Line[] {
  const { message } = facts
  return inOrder([
    ...(message ? [requestEntry(message), quotaEntry(message)] : []),
    ...sendingEntries(message, facts, provider),
    ...webhookEntries(facts),
  ])
}

const sendingEntries = (
  message: SubmissionFact | undefined,
  { attempts, reports }: Pick<Facts, 'attempts' | 'reports'>,
  provider: ProviderReader,
): Line[] => [
  ...attempts.map((attempt) => attemptEntry(attempt)),
  ...(message?.attemptedAt ? [openAttemptEntry(message, message.attemptedAt)] : []),
  ...reports.map((report) => reportEntry(report, provider)),
]

function requestEntry(message: MessageFact): Line {
  const { recipient, senderPhone, templateName, templateLanguage, apiKeyId, correlationId, reference } = message
  return {
    at: message.createdAt.toISOString(),
    what: 'request',
    detail: says.request({ recipient, senderPhone, templateName, templateLanguage, apiKeyId, correlationId }),
    to: recipient,
    apiKey: apiKeyId,
    correlationId,
    reference,
  }
}

const says = sentences({
  request: {
    en: 'accepted for {recipient}, from {senderPhone} with {templateName} ({templateLanguage}); key {apiKeyId}, correlation id {correlationId}',
    ar: 'قُبِل الطلب للمستلم {recipient}، من الرقم {senderPhone} بالقالب {templateName} ({templateLanguage})؛ المفتاح {apiKeyId}، معرّف الربط {correlationId}',
  },
})

const eventsOf = (facts: Facts): MessageTold['events'] => {
  const webhooks = webhooksOf(facts)
  return facts.events.map(({ id, type, occurredAt }) => ({
    id,
    type,
    occurredAt,
    webhooks: webhooks.filter(({ eventId }) => eventId === id),
  }))
}
