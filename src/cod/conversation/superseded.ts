import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import type { Conversation } from '../../messages/conversation.ts'
import type { DueOfConversation } from '../../messages/subscribers.ts'
import { type ConfirmationStatus, confirmation } from './confirmation.ts'
import { type RefusalStatus, refusal } from './refusal.ts'

/** Finds messages whose question the customer answered while they waited, or can no longer answer. */
export async function findSuperseded(tx: Sql, due: readonly DueOfConversation[]): Promise<ReadonlySet<string>> {
  const asking = due.filter(({ conversation }) => canBeSuperseded(conversation))
  if (asking.length === 0) return new Set()
  const named = asking.map(({ workspaceId, conversation }) => ({
    workspace_id: workspaceId,
    id: conversation.confirmationId,
  }))
  const rows = new Map((await tx.rows(selectStatuses, [batch(named)])).map((row) => [row.id, row]))
  const superseded = asking.filter(({ conversation }) => {
    const status = rows.get(conversation.confirmationId)?.[conversation.check]
    return status && !statusesFor(conversation)?.includes(status)
  })
  return new Set(superseded.map(({ id }) => id))
}

type OfCheck = Pick<Conversation, 'check' | 'purpose'>

/** Only a message that asks for something can be superseded. */
export const canBeSuperseded = (message: OfCheck): boolean => statusesFor(message) !== undefined

export const machines = { confirmation, refusal }

function statusesFor({ check, purpose }: OfCheck): readonly string[] | undefined {
  return purpose === 'template' ? undefined : machines[check].sentOnlyIn[purpose]
}

const selectStatuses = statement<{ id: string; confirmation: ConfirmationStatus; refusal: RefusalStatus | null }>(
  'read_statuses_of_conversations',
  `select c.id, c.status as confirmation, (
     select f.status from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id) as refusal
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.id limit 1) c`,
)
