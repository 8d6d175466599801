import { type Statement, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import type { FailureCode } from '../providers/failure-codes.ts'
import { displayedOtp, displayedParts } from './displayed.ts'
import type { TimelineEntry } from './entry.ts'
import { type Facts, type Subject, armedTimers, findFacts } from './facts.ts'
import { type NextAction, findFailure, nextAction } from './next-action.ts'
import { timeline } from './timeline.ts'
import { transcript } from './transcript.ts'

type ExplainParts = Pick<Parts, 'db' | 'clock' | 'provider'>

export type Explanation = Owner & {
  id: string
  /** The status of the confirmation or message. For an event of neither: how far its deliveries are. */
  status: string
  /** The failure that the next action is about; its page is `/problems/<code>`. */
  failureCode: FailureCode | null
  timeline: TimelineEntry[]
  /** Each event on its way to each endpoint. */
  webhooks: ReturnType<typeof webhooksOf>
  next: NextAction
}

type Owner = {
  kind: 'message' | 'confirmation' | 'event'
  messageId: string | null
  /** A message or an event of a confirmation is explained with the whole conversation. */
  confirmationId: string | null
}

/**
 * Everything known about a message, a confirmation or an event, in order, and the next action. Returns undefined if the id does
 * not exist, or is not of the only workspace that may see it.
 */
export async function explain(
  parts: ExplainParts,
  id: string,
  onlyWorkspaceId?: string,
): Promise<Explanation | undefined> {
  const found = await parts.db.row(findOwner, [id])
  if (!found || (onlyWorkspaceId !== undefined && found.workspaceId !== onlyWorkspaceId)) return undefined
  const { workspaceId, ...owner } = found
  const { facts, timeline, next } = await explainFacts(parts, {
    workspaceId,
    id: owner.confirmationId ?? owner.messageId ?? id,
  })
  const failureCode = findFailure(facts)?.failureCode ?? null
  return { id, ...owner, status: statusOf(facts), failureCode, timeline, webhooks: webhooksOf(facts), next }
}

const findOwner: Statement<Owner & { workspaceId: string }> = statement(
  'explain_subject',
  `select 'confirmation' as kind, workspace_id as "workspaceId", null::uuid as "messageId", id as "confirmationId"
   from confirmations where id = $1
   union all
   select 'message', workspace_id, id, confirmation_id from messages where id = $1
   union all
   select 'event', workspace_id, message_id, confirmation_id from events where id = $1`,
)

async function explainFacts(parts: ExplainParts, subject: Subject) {
  const facts = await findFacts(parts, subject)
  const { provider } = parts
  return { facts, now: facts.now, timeline: timeline(facts, provider), next: nextAction(facts, provider) }
}

function statusOf({ confirmation, refusal, verification, messages: [message], deliveries }: Facts): string {
  if (confirmation) return refusal ? `${confirmation.status}, refusal check ${refusal.status}` : confirmation.status
  if (message && verification) return `${message.status}, verification ${verification.status}`
  return message?.status ?? ([...new Set(deliveries.map(({ status }) => status))].join(', ') || 'recorded')
}

/** Everything known about one message, for the dashboard. Never its code. Returns undefined if the workspace has no such message. */
export async function explainMessage(
  parts: ExplainParts,
  { workspaceId, messageId }: { workspaceId: string; messageId: string },
) {
  const { facts, ...rest } = await explainFacts(parts, { workspaceId, id: messageId })
  const found = facts.messages.find(({ id }) => id === messageId)
  if (!found) return undefined
  const { content: _content, offered: _, components, ...message } = found
  const webhooks = webhooksOf(facts)
  const events = facts.events.map(({ id, type, occurredAt }) => ({
    id,
    type,
    occurredAt,
    webhooks: webhooks.filter(({ eventId }) => eventId === id),
  }))
  const displayed = found.kind === 'otp' ? displayedOtp(found) : displayedParts(found.content, components)
  return { ...rest, message, displayed, events, verification: facts.verification }
}

/** Everything known about one confirmation, for the dashboard. Returns undefined if the workspace has no such confirmation. */
export async function explainConversation(
  parts: ExplainParts,
  { workspaceId, confirmationId }: { workspaceId: string; confirmationId: string },
) {
  const { facts, ...rest } = await explainFacts(parts, { workspaceId, id: confirmationId })
  const { confirmation, refusal, answers } = facts
  if (!confirmation) return undefined
  return {
    ...rest,
    confirmation,
    refusal,
    answers,
    transcript: transcript(facts, parts.provider),
    timers: armedTimers(facts),
    webhooks: webhooksOf(facts),
  }
}

/** Each event on its way to each endpoint. */
function webhooksOf({ events, deliveries }: Facts) {
  const types = new Map(events.map(({ id, type }) => [id, type]))
  return deliveries.map(({ id: deliveryId, eventId, endpointId, url, status, attempts }) => {
    const type = types.get(eventId) ?? ''
    return { deliveryId, eventId, type, endpointId, url, status, attempts }
  })
}
