import { type Sql, type Statement, batch, statement } from '../../lib/db/pool.ts'
import type { Check } from '../conversation.ts'

/** `question_id`: null for a template or its reminder, whose buttons name only their check. */
export type TappedMessage = {
  workspace_id: string
  confirmation_id: string
  check_kind: Check
  question_id: string | null
  /** As the tap names it. */
  provider_message_id: string | null
}

/** A tap proves that the provider accepted the message: if the outcome of its attempt is unknown, it is not sent again. */
export async function acceptTapped(tx: Sql, now: Date, tapped: readonly TappedMessage[]): Promise<void> {
  if (tapped.length > 0) await tx.rows(accept, [batch(tapped), now])
}

const accept: Statement<object> = statement(
  'accept_tapped_messages',
  // a locked message is skipped, because waiting could deadlock: what stores an outcome locks the message before its conversation
  `update messages m
   set accepted_at = $2, due_at = null, lease = null, attempted_at = null, quarantined_at = null,
     provider_message_id = coalesce(m.provider_message_id,
       (select r.provider_message_id
        from jsonb_to_recordset($1) as r (confirmation_id uuid, check_kind text, question_id uuid, provider_message_id text)
        where r.confirmation_id = m.confirmation_id and r.check_kind = m.check_kind and coalesce(r.question_id, m.id) = m.id limit 1))
   where id = any (array (
     select open.id
     from jsonb_to_recordset($1) as r (workspace_id uuid, confirmation_id uuid, check_kind text, question_id uuid)
     cross join lateral (
       select m.id from messages m
       where m.workspace_id = r.workspace_id and m.confirmation_id = r.confirmation_id and m.check_kind = r.check_kind
         and m.attempted_at is not null
         and case when r.question_id is null then m.purpose in ('template', 'reminder') else m.id = r.question_id end
       limit 1 for no key update skip locked) open))`,
)
