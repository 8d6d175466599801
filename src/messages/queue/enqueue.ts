import { later } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import type { Content } from '../../providers/provider.ts'
import type { Check, Purpose } from '../conversation.ts'
import { SUBMISSION_WINDOW_MS } from '../submission-window.ts'

/** The row of a message of a conversation. */
export type NewMessage = {
  id: string
  workspace_id: string
  sender_id: string
  recipient: string
  confirmation_id: string
  check_kind: Check
  purpose: Purpose
  /** Null: the template of its check again. */
  content: Content | null
  /** For a question: what each choice means, and which follow-up or list it belongs to. */
  offered: readonly string[] | null
  round: number | null
  /** In the workspace's time. */
  created_at: Date
}

/** Call it in the transaction of the change that triggers the messages. After the commit the caller wakes `submit`. */
export async function enqueueMessages(tx: Sql, now: Date, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0) await tx.rows(insertMessages, [batch(messages), now, later(now, SUBMISSION_WINDOW_MS)])
}

const insertMessages = statement(
  'insert_conversation_messages',
  `insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
     template_name, template_language, offered, round, created_at, status, priority, submit_by, due_at)
   select m.id, m.workspace_id, 'cod', m.sender_id, m.recipient, m.confirmation_id, m.check_kind, m.purpose,
     coalesce(m.content, first.content), first.template_name, first.template_language, m.offered, m.round, m.created_at,
     'queued', 1, $3, $2
   from jsonb_to_recordset($1) as m (id uuid, workspace_id uuid, sender_id uuid, recipient text, confirmation_id uuid,
     check_kind text, purpose text, content jsonb, offered jsonb, round smallint, created_at timestamptz)
   left join lateral (
     select f.content, f.template_name, f.template_language from messages f
     where m.content is null and f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id
       and f.check_kind = m.check_kind and f.purpose = 'template' limit 1) first on true
   -- a reminder whose text is removed: its timer was quarantined for months
   where coalesce(m.content, first.content) ->> 'type' <> 'removed'`,
)
