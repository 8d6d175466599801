import { findConversations, type Conversation } from '../../cod/conversation/store.ts'
import {
  type AnswerRow,
  type EventRow,
  type ReportRow,
  readOfUnits,
  selectAnswers,
  selectEvents,
  selectInbound,
  selectReports,
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
  answers: (AnswerRow & { mayLackNote: boolean })[]
  inbound: ReportRow[]
  messages: SentFact[]
  events: EventRow[]
}

type SentRow = {
  unitId: string
  id: string
  senderId: string
  recipient: string
  check: Check
  purpose: Purpose
  offered: string[] | null
  round: number | null
  failureCode: FailureCode | null
  /** It failed, even if a later report corrected that. */
  hasFailed: boolean
  /** Whether WhatsApp accepted the message. */
  submitted: boolean
}

/** `reports`: of a failed template or reminder. */
export type SentFact = SentRow & { reports: ReportRow[] }

const selectKeys: Statement<{ id: string; unknownKeys: string[] }> = statement(
  'read_confirmations_to_verify',
  `select c.id, array_remove(array[${unknownKeyOf('c')}, (select ${unknownKeyOf('f')} from refusal_checks f
       where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1)], null) as "unknownKeys"
   from (select * from confirmations where workspace_id = $1 and id > $2 order by id limit $3) c order by c.id`,
)

export async function readConversations(
  tx: Sql,
  workspaceId: string,
  { after, limit }: Page,
): Promise<ConversationFacts[]> {
  const keys = new Map((await tx.rows(selectKeys, [workspaceId, after, limit])).map((row) => [row.id, row.unknownKeys]))
  const units = { workspaceId, ids: [...keys.keys()], limit: FACT_LIMIT }
  const conversations = await findConversations(tx, workspaceId, units.ids)
  const answers = await readOfUnits(tx, selectAnswers, units)
  const inbound = await readOfUnits(tx, selectInbound, units)
  const events = await readOfUnits(tx, selectEvents, units)
  const messages = await readSent(tx, units)
  const mayLackNote = await findRemoved(tx, 'content')
  const clock = await findClockSpread(tx, workspaceId)
  return conversations
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((conversation) => ({
      ...conversation,
      clock,
      unknownKeys: keys.get(conversation.id) ?? [],
      answers: answers(conversation.id).map((answer) => ({ ...answer, mayLackNote: mayLackNote(answer.id) })),
      inbound: inbound(conversation.id),
      messages: messages(conversation.id),
      events: events(conversation.id),
    }))
}

const selectSent: Statement<SentRow> = statement(
  'read_messages_of_conversations_to_verify',
  `select unit.id as unit_id, m.id, m.sender_id, m.recipient, m.check_kind as check, m.purpose, m.offered, m.round, m.failure_code,
     m.failed_event_at is not null as has_failed, coalesce(m.provider_message_id, m.accepted_at::text) is not null as submitted
   from unnest($2::uuid[]) as unit (id)
   cross join lateral (
     select * from messages m where m.workspace_id = $1 and m.confirmation_id = unit.id limit $3) m
   order by m.id`,
)

type Units = Parameters<typeof readOfUnits>[2]

async function readSent(tx: Sql, units: Units): Promise<(confirmationId: string) => SentFact[]> {
  const rows = await readOfUnits(tx, selectSent, units)
  const failed = units.ids.flatMap(rows).filter(isFailedTemplate)
  const reports = await readOfUnits(tx, selectReports, { ...units, ids: failed.map(({ id }) => id) })
  return (id) => rows(id).map((sent) => ({ ...sent, reports: reports(sent.id) }))
}

/** A reminder sends the template again. The failure of any other message changes no state. */
export const isFailedTemplate = ({ hasFailed, purpose }: SentRow): boolean =>
  hasFailed && (purpose === 'template' || purpose === 'reminder')
