import { DAY_MS, later } from '../clock.ts'
import { type Sql, batch, statement } from '../db.ts'
import type { OutgoingContent } from '../providers/provider.ts'
import type { Conversation } from './conversation.ts'

export type NewMessage = Conversation & {
  id: string
  workspaceId: string
  senderId: string
  recipient: string
  /** Null: what the first message of its check said, once more. */
  content: OutgoingContent | null
  /** Of a question: what each choice means, and which follow-up or list it belongs to. */
  offered: readonly string[] | null
  round: number | null
  /** In the workspace's time. */
  createdAt: Date
}

/** Everything but a code may wait so long for a provider that is down (contract §7). */
export const SUBMISSION_WINDOW_MS = DAY_MS

/** Messages of conversations, in the transaction of what caused them. After the commit the caller wakes `submit`. */
export async function putMessages(tx: Sql, now: Date, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0)
    await tx.rows(insertMessages, [batch(messages.map(asRow)), now, later(now, SUBMISSION_WINDOW_MS)])
}

const asRow = (message: NewMessage) => ({
  id: message.id,
  workspace_id: message.workspaceId,
  sender_id: message.senderId,
  recipient: message.recipient,
  confirmation_id: message.confirmationId,
  check_kind: message.check,
  purpose: message.purpose,
  content: message.content,
  template_name: message.content?.type === 'template' ? message.content.name : null,
  template_language: message.content?.type === 'template' ? message.content.language : null,
  offered: message.offered,
  round: message.round,
  created_at: message.createdAt,
})

const insertMessages = statement(
  'insert_conversation_messages',
  `insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
     template_name, template_language, offered, round, created_at, status, priority, submit_by, due_at)
   select m.id, m.workspace_id, 'cod', m.sender_id, m.recipient, m.confirmation_id, m.check_kind, m.purpose,
     coalesce(m.content, first.content), coalesce(m.template_name, first.template_name),
     coalesce(m.template_language, first.template_language), m.offered, m.round, m.created_at, 'queued', 1, $3, $2
   from jsonb_to_recordset($1) as m (id uuid, workspace_id uuid, sender_id uuid, recipient text, confirmation_id uuid,
     check_kind text, purpose text, content jsonb, template_name text, template_language text, offered jsonb, round smallint,
     created_at timestamptz)
   left join lateral (
     select f.content, f.template_name, f.template_language from (
       -- fenced: by the confirmation alone, which has a handful
       select * from messages where m.content is null and confirmation_id = m.confirmation_id offset 0) f
     where f.workspace_id = m.workspace_id and f.check_kind = m.check_kind and f.purpose = 'template' limit 1) first on true`,
)
