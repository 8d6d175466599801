import { type Sql, type Statement, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import type { Provider } from '../providers/provider.ts'
import { findWorkspaceTime } from '../sandbox/workspace-time.ts'
import { type ConversationFacts, findConversation } from './conversation-facts.ts'
import { conversationTimeline } from './conversation-timeline.ts'
import { type Entry, toldIn } from './entries.ts'
import { type Facts, findFacts } from './facts.ts'
import { messageTimeline } from './message.ts'
import { whoMustActInConversation } from './who-must-act-in-conversation.ts'
import { type Next, nextIn, whoMustAct } from './who-must-act.ts'

export type Explanation = Subject & {
  id: string
  /** Of the confirmation or the message; of an event of neither, how far its deliveries are. */
  status: string
  timeline: Entry[]
  next: Next
}

type Subject = {
  kind: 'message' | 'confirmation' | 'event'
  messageId: string | null
  /** A confirmation's messages and events are told with its whole story. */
  confirmationId: string | null
}

type ExplainParts = Pick<Parts, 'db' | 'clock' | 'provider'>

/** Everything known about a message, a confirmation or an event, in order, and who must act now. Undefined: no such id. */
export async function explain(parts: ExplainParts, id: string): Promise<Explanation | undefined> {
  const found = await parts.db.row(findSubject, [id])
  if (!found) return undefined
  const { workspaceId, ...subject } = found
  const now = (await findWorkspaceTime(parts.db, workspaceId)).at(parts.clock.now())
  return { id, ...subject, ...(await tell(parts, id, found, now)) }
}

const findSubject: Statement<Subject & { workspaceId: string }> = statement(
  'explain_subject',
  `select 'confirmation' as kind, workspace_id as "workspaceId", null::uuid as "messageId", id as "confirmationId"
   from confirmations where id = $1
   union all
   select 'message', workspace_id, id, confirmation_id from messages where id = $1
   union all
   select 'event', workspace_id, message_id, confirmation_id from events where id = $1`,
)

type Told = Pick<Explanation, 'status' | 'timeline' | 'next'>

async function tell(
  { db, provider }: ExplainParts,
  id: string,
  { workspaceId, messageId, confirmationId }: Subject & { workspaceId: string },
  now: Date,
): Promise<Told> {
  if (confirmationId !== null)
    return tellConversation(await conversationOf(db, workspaceId, confirmationId), provider, now)
  const facts = await findFacts(db, { workspaceId, messageId, eventId: id })
  return {
    status: facts.message?.status ?? deliveryStatus(facts),
    timeline: toldIn('en', messageTimeline(facts, provider)),
    next: nextIn('en', whoMustAct(facts, now, provider)),
  }
}

async function conversationOf(db: Sql, workspaceId: string, confirmationId: string): Promise<ConversationFacts> {
  const facts = await findConversation(db, { workspaceId, confirmationId })
  if (!facts) throw new Error(`the confirmation ${confirmationId} is gone`)
  return facts
}

const tellConversation = (facts: ConversationFacts, provider: Provider, now: Date): Told => ({
  status: facts.refusal
    ? `${facts.confirmation.status}, refusal check ${facts.refusal.status}`
    : facts.confirmation.status,
  timeline: toldIn('en', conversationTimeline(facts, provider)),
  next: nextIn('en', whoMustActInConversation(facts, now, provider)),
})

const deliveryStatus = ({ deliveries }: Facts): string =>
  [...new Set(deliveries.map(({ status }) => status))].join(', ') || 'recorded'
