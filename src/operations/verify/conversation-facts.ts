import { findConversations, type Conversation } from '../../cod/conversation/store.ts'
import {
  type AnswerRow,
  type EventRow,
  type ReportRow,
  readOfUnits,
  selectAnswers,
  selectEvents,
  selectInbound,
} from '../../explain/rows.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Check, Purpose } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { type ClockSpread, findClockSpread } from '../../workspaces/workspace-time.ts'
import { findRemoved } from '../lifecycle/retention/kept-since.ts'
import { FACT_LIMIT, type Page, unknownKeyOf } from './differences.ts'

/** What is stored about a confirmation and its refusal check. */
export type ConversationFacts = Conversation & {
  clock: ClockSpread
  /** The API keys of its two requests that the workspace does not have. */
  unknownKeys: string[]
  answers: AnswerRow[]
  inbound: ReportRow[]
  messages: SentFact[]
  events: EventRow[]
  /** Whether the note of an answer may have been removed. */
  mayLackNote(answerId: string): boolean
}

export type SentFact = {
  unitId: string
  id: string
  senderId: string
  recipient: string
  check: Check
  purpose: Purpose
  offered: string[] | null
  round: number | null
  /** A template or reminder failed, even if a later report corrected that. The failure of any other message changes no state. */
  hasFailed: boolean
  failureCode: FailureCode | null
  /** The reports of a message that failed. */
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
  `select unit.id as unit_id, m.id, m.sender_id, m.recipient, m.check_kind as check, m.purpose, m.offered, m.round, m.failure_code,
     m.failed_event_at is not null and m.purpose in ('template', 'reminder') as has_failed,
     coalesce(m.provider_message_id, m.accepted_at::text) is not null as submitted,
     array(select r.body from provider_reports r
       where r.workspace_id = $1 and r.message_id = m.id and m.failed_event_at is not null limit $3) as reports
   from unnest($2::uuid[]) as unit (id)
   cross join lateral (
     select * from messages m where m.workspace_id = $1 and m.confirmation_id = unit.id limit $3) m
   order by m.id`,
)

export async function readConversations(
  tx: Sql,
  workspaceId: string,
  { after, limit }: Page,
): Promise<ConversationFacts[]> {
  const rows = await tx.rows(selectKeys, [workspaceId, after, limit])
  const units = { workspaceId, ids: rows.map(({ id }) => id), limit: FACT_LIMIT }
  const conversations = new Map((await findConversations(tx, workspaceId, units.ids)).map((each) => [each.id, each]))
  const answers = await readOfUnits(tx, selectAnswers, units)
  const inbound = await readOfUnits(tx, selectInbound, units)
  const events = await readOfUnits(tx, selectEvents, units)
  const messages = await readOfUnits(tx, selectSent, units)
  const mayLackNote = await findRemoved(tx, 'content')
  const clock = await findClockSpread(tx, workspaceId)
  return rows.flatMap(({ id, unknownKeys }) => {
    const conversation = conversations.get(id)
    const of = { answers: answers(id), inbound: inbound(id), messages: messages(id), events: events(id) }
    return conversation ? [{ ...conversation, ...of, clock, unknownKeys, mayLackNote }] : []
  })
}
