import type { SentMessage } from '../../cod/conversation/receive.ts'
import { findConversations, type Conversation } from '../../cod/conversation/store.ts'
import { type FactsOf, readOfUnits, selectAnswers, selectEvents, selectInbound } from '../../explain/rows.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import type { Provider } from '../../providers/provider.ts'
import { findRemoved } from '../lifecycle/retention/kept-since.ts'
import { MAX_FACTS, type Page, unknownKeyOf } from './differences.ts'

export type ConversationFacts = Conversation &
  FactsOf<typeof FACTS> & {
    /** The API keys of its two requests that the workspace does not have. */
    unknownKeys: string[]
    provider: Provider
    /** Whether the note of an answer may have been removed. */
    mayLackNote: (answerId: string) => boolean
  }

type SentFact = SentMessage & {
  unitId: string
  senderId: string
  recipient: string
  /** Doorcode's own decision that it failed. */
  ownFailure: { code: FailureCode } | null
  /** The reports of a message that failed, even if a later one corrected that. */
  reports: string[]
  /** Whether WhatsApp accepted the message. */
  submitted: boolean
}

const selectKeys: Statement<{ id: string; unknownKeys: string[] }> = statement(
  'read_confirmations_to_verify',
  `select c.id, array_remove(array[${unknownKeyOf('c')}, (select ${unknownKeyOf('f')} from refusal_checks f
       where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1)], null) as "unknownKeys"
   from (select * from confirmations where workspace_id = $1 and id > $2 order by id limit $3) c order by c.id`,
)

const selectSent: Statement<SentFact> = statement(
  'read_messages_of_conversations_to_verify',
  `select unit.id as unit_id, m.id, m.sender_id, m.recipient, m.check_kind as check, m.purpose, m.offered, m.round,
     m.own_failure, array(select r.body from provider_reports r
       where r.workspace_id = $1 and r.message_id = m.id and m.failed_event_at is not null limit $3) as reports,
     coalesce(m.provider_message_id, m.accepted_at::text) is not null as submitted
   from unnest($2::uuid[]) as unit (id)
   cross join lateral (
     select * from messages m where m.workspace_id = $1 and m.confirmation_id = unit.id limit $3) m
   order by m.id`,
)

const FACTS = { answers: selectAnswers, inbound: selectInbound, messages: selectSent, events: selectEvents }

export async function readConversations(tx: Sql, page: Page): Promise<ConversationFacts[]> {
  const { workspaceId, after, limit, provider } = page
  const rows = await tx.rows(selectKeys, [workspaceId, after, limit])
  const ids = rows.map(({ id }) => id)
  const conversations = new Map((await findConversations(tx, workspaceId, ids)).map((each) => [each.id, each]))
  const factsOf = await readOfUnits(tx, FACTS, { workspaceId, ids, max: MAX_FACTS })
  const mayLackNote = await findRemoved(tx, 'content')
  return rows.flatMap(({ id, unknownKeys }) => {
    const conversation = conversations.get(id)
    return conversation ? [{ ...conversation, ...factsOf(id), unknownKeys, mayLackNote, provider }] : []
  })
}
