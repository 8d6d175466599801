import type { Parts } from '../parts.ts'
import { findWorkspaceTime } from '../sandbox/workspace-time.ts'
import type { Language } from '../sentences.ts'
import { type AnswerFact, type ConversationFacts, findConversation } from './conversation-facts.ts'
import { conversationTimeline } from './conversation-timeline.ts'
import { type Entry, toldIn } from './entries.ts'
import type { WebhookFacts } from './facts.ts'
import { type Said, transcriptOf } from './transcript.ts'
import { whoMustActInConversation } from './who-must-act-in-conversation.ts'
import { type Next, nextIn } from './who-must-act.ts'

/** Everything known about one confirmation, for whoever looks at it. Instants are in the workspace's time. */
export type ConversationTold = Pick<ConversationFacts, 'confirmation' | 'refusal'> & {
  now: Date
  timeline: Entry[]
  next: Next
  transcript: Said[]
  answers: AnswerFact[]
  timers: ArmedTimer[]
  webhooks: ToldWebhook[]
}

export type ArmedTimer = { check: 'confirmation' | 'refusal'; rings: 'reminder' | 'deadline' | 'follow_up'; at: Date }

/** One event on its way to one endpoint. */
export type ToldWebhook = {
  deliveryId: string
  eventId: string
  type: string
  endpointId: string
  url: string
  status: ConversationFacts['deliveries'][number]['status']
  attempts: number
}

/** Undefined when the workspace has no such confirmation. */
export async function explainConversation(
  { db, clock, provider }: Pick<Parts, 'db' | 'clock' | 'provider'>,
  { language, ...of }: { workspaceId: string; confirmationId: string; language: Language },
): Promise<ConversationTold | undefined> {
  const facts = await findConversation(db, of)
  if (!facts) return undefined
  const now = (await findWorkspaceTime(db, of.workspaceId)).at(clock.now())
  const { confirmation, refusal, answers } = facts
  return {
    confirmation,
    refusal,
    now,
    timeline: toldIn(language, conversationTimeline(facts, provider)),
    next: nextIn(language, whoMustActInConversation(facts, now, provider)),
    transcript: transcriptOf({ ...facts, language }, provider),
    answers,
    timers: armedTimers(facts),
    webhooks: webhooksOf(facts),
  }
}

function armedTimers({ confirmation, refusal }: ConversationFacts): ArmedTimer[] {
  const armed = (['confirmation', 'refusal'] as const).flatMap((check) => {
    const { reminderAt, deadlineAt, followUpAt } = (check === 'refusal' ? refusal : confirmation) ?? {}
    return [
      { check, rings: 'reminder' as const, at: reminderAt },
      { check, rings: 'deadline' as const, at: deadlineAt },
      { check, rings: 'follow_up' as const, at: followUpAt },
    ]
  })
  return armed.flatMap(({ at, ...timer }) => (at ? [{ ...timer, at }] : []))
}

export function webhooksOf({ events, deliveries }: WebhookFacts): ToldWebhook[] {
  const types = new Map(events.map(({ id, type }) => [id, type]))
  return deliveries.map(({ id, eventId, endpointId, url, status, attempts }) => ({
    deliveryId: id,
    eventId,
    type: types.get(eventId) ?? '',
    endpointId,
    url,
    status,
    attempts,
  }))
}
