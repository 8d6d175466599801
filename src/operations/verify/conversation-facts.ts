import { findConversations, type Conversation } from '../../cod/conversation/store.ts'
import {
  type AnswerRow,
  type EventRow,
  type ReportRow,
  readOfUnits,
  selectAnswers,
  selectAttempts,
  selectEvents,
  selectInbound,
  selectReports,
} from '../../explain/rows.ts'
import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import type { Check, Purpose } from '../../messages/conversation.ts'
import type { FailureCode } from '../../providers/failure-codes.ts'
import { FACT_LIMIT, type Selected, findRemoved, readerOf, unknownKeyOf } from './read.ts'

/** What is stored about a confirmation and its refusal check. */
export type ConversationFacts = Conversation & {
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
  isIdentified: boolean
}

export type SentFact = SentRow & {
  /** Whether WhatsApp took it; null: an attempt has no outcome, so it may have. */
  submitted: boolean | null
  /** For a failed template or reminder: its reports. */
  reports: ReportRow[]
}

const readRows = readerOf<{ id: string; unknownKeys: string[] }>(
  'confirmations',
  (confirmations) =>
    `select c.id, array_remove(array[${unknownKeyOf('c')}, (select ${unknownKeyOf('f')} from refusal_checks f
       where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1)], null) as "unknownKeys"
     from (${confirmations}) c order by c.id`,
)

export async function readConversations(
  tx: Sql,
  workspaceId: string,
  selected: Selected,
): Promise<ConversationFacts[]> {
  const rows = await readRows(tx, workspaceId, selected)
  const units = { workspaceId, ids: rows.map(({ id }) => id), limit: FACT_LIMIT }
  const conversations = await findConversations(tx, workspaceId, units.ids)
  const answers = await readOfUnits(tx, selectAnswers, units)
  const inbound = await readOfUnits(tx, selectInbound, units)
  const events = await readOfUnits(tx, selectEvents, units)
  const messages = await readSent(tx, units)
  const mayLackNote = await findRemoved(tx, 'content')
  return rows.flatMap(({ id, unknownKeys }) =>
    conversations
      .filter((conversation) => conversation.id === id)
      .map((conversation) => ({
        ...conversation,
        unknownKeys,
        answers: answers(id).map((answer) => ({ ...answer, mayLackNote: mayLackNote(answer.id) })),
        inbound: inbound(id),
        messages: messages(id),
        events: events(id),
      })),
  )
}

const selectSent: Statement<SentRow> = statement(
  'read_messages_of_conversations_to_verify',
  `select unit.id as unit_id, m.id, m.sender_id, m.recipient, m.check_kind as check, m.purpose, m.offered, m.round, m.failure_code,
     m.failed_event_at is not null as has_failed, m.provider_message_id is not null as is_identified
   from unnest($2::uuid[]) as unit (id)
   cross join lateral (
     select * from messages m where m.workspace_id = $1 and m.confirmation_id = unit.id order by id limit $3) m
   order by m.id`,
)

type Units = Parameters<typeof readOfUnits>[2]

/** Attempts and reports are read of those messages only whose attempts and reports decide. */
async function readSent(tx: Sql, units: Units): Promise<(confirmationId: string) => SentFact[]> {
  const rows = await readOfUnits(tx, selectSent, units)
  const all = units.ids.flatMap(rows)
  const idsOf = (sent: SentRow[]): Units => ({ ...units, ids: sent.map(({ id }) => id) })
  const isTemplate = ({ purpose }: SentRow): boolean => purpose === 'template'
  const unidentified = all.filter((sent) => isTemplate(sent) && !sent.isIdentified)
  const attempts = await readOfUnits(tx, selectAttempts, idsOf(unidentified))
  const failed = all.filter((sent) => sent.hasFailed && (isTemplate(sent) || sent.purpose === 'reminder'))
  const reports = await readOfUnits(tx, selectReports, idsOf(failed))
  const wasSubmitted = (sent: SentRow): boolean | null => {
    const outcomes = attempts(sent.id).map(({ outcome }) => outcome)
    return sent.isIdentified || outcomes.includes('accepted') || (outcomes.includes('unknown') ? null : false)
  }
  return (id) => rows(id).map((sent) => ({ ...sent, submitted: wasSubmitted(sent), reports: reports(sent.id) }))
}
