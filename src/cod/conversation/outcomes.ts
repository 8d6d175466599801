import type { Sql } from '../../lib/db/pool.ts'
import { happenedAt } from '../../messages/reports/receive.ts'
import type { AcceptedMessage, AppliedReport } from '../../messages/subscribers.ts'
import { type ConversationEvent, advance } from './advance.ts'
import { storeUserIds } from './customer.ts'

/** Advances conversations by the reports of their templates and reminders. */
export async function advanceByOutcomes(tx: Sql, now: Date, outcomes: readonly AppliedReport[]): Promise<void> {
  const events = outcomes.flatMap((outcome) => eventsOf(outcome, now))
  await advance(tx, now, events)
}

/**
 * Only a failed template or reminder changes the state (docs/cod.md#timers). A report of a message whose provider id was
 * never stored replaces the lost response: it completes the submission.
 */
function eventsOf(
  { message, wasIdentified, report, receivedAt, ignored }: AppliedReport,
  now: Date,
): ConversationEvent[] {
  const { workspace_id: workspaceId, confirmation_id: confirmationId, check_kind: check, purpose } = message
  if (!confirmationId || !check || (purpose !== 'template' && purpose !== 'reminder')) return []
  const conversation = { workspaceId, confirmationId, check }
  if (report.outcome === 'failed') {
    const at = happenedAt(report.at ?? receivedAt, receivedAt)
    const event = { type: 'send_failed', at, code: report.failureCode ?? 'UNKNOWN' } as const
    return ignored === null ? [{ ...conversation, event }] : []
  }
  const completesSubmission = purpose === 'template' && !wasIdentified
  return completesSubmission ? [{ ...conversation, event: { type: 'template_submitted', at: now } }] : []
}

/** Timers start from the submission, not from the delivery. A tap may have come before the provider's answer. */
export async function startConversations(tx: Sql, accepted: readonly AcceptedMessage[]): Promise<void> {
  const [first] = accepted
  if (!first) return
  const events = accepted.map(({ workspaceId, conversation, endedAt }): ConversationEvent => {
    const { confirmationId, check } = conversation
    return { workspaceId, confirmationId, check, event: { type: 'template_submitted', at: endedAt } }
  })
  await advance(tx, first.endedAt, events)
  await storeUserIds(
    tx,
    accepted.map(({ conversation, customerUserId }) => ({ id: conversation.confirmationId, user_id: customerUserId })),
  )
}
